// SPDX-License-Identifier: Apache-2.0
// The parts that an exploration adds up to a DIMM-NDP's area are the instances of its RTL: at the
// paper's size those of the recorded synthesis, at another size those that Yosys elaborates.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ndpSystem } from "../../../src/machine/resolve/systems.ts";
import type { NdpUnitParameters } from "../../../src/machine/types.ts";
import { inRepository } from "../../../src/base/paths.ts";
import { isMemory } from "../../../src/machine/memories/memory.ts";
import { dimmBoxes, dimmParameters } from "../../../src/tools/synth/ndp-parts.ts";
import { readRecord } from "../../../src/tools/synth/record.ts";
import { closureOf, portsOf, withDefaults } from "../../../src/tools/synth/rtl-files.ts";
import type { Box } from "../../../src/machine/slices.ts";
import { separateModules, sharesOf } from "../../../src/tools/synth/units.ts";
import { findYosys } from "../../../src/tools/synth/yosys.ts";
import { bytes } from "../../../src/base/units.ts";
import { needs } from "../../helpers/needs.ts";

const scratch = mkdtempSync(join(tmpdir(), "neardata-parts-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** Module, parameters in order and count, sorted, so the lists are comparable. */
function named(boxes: readonly Box[]): readonly string[] {
  const name = ({ module, parameters, count }: Box): string => {
    const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
    return `${String(count)} ${module} ${JSON.stringify(Object.fromEntries(sorted))}`;
  };
  return boxes.map(name).sort();
}

/** The instances in a dimm_ndp with these parameters, by Yosys. */
async function elaborated(unit: NdpUnitParameters): Promise<readonly Box[]> {
  const top = "dimm_ndp";
  const files = closureOf(top, separateModules);
  for (const { path, stub } of files) {
    const text = stub ? portsOf(path) : readFileSync(path, "utf8");
    writeFileSync(join(scratch, basename(path)), text);
  }
  const own = files.at(-1)?.path ?? "";
  writeFileSync(join(scratch, basename(own)), withDefaults(own, dimmParameters(unit)));
  const assertions = inRepository("rtl", "include", "assert.svh");
  writeFileSync(join(scratch, "assert.svh"), readFileSync(assertions));
  const reads = files.map(
    ({ path }) => `read_verilog -defer -sv -I. -DNEARDATA_SRAM_MACROS ${basename(path)}`,
  );
  const steps = [`hierarchy -top ${top}`, "proc", "flatten", "write_json boxes.json", ""];
  await (await findYosys()).run([...reads, ...steps].join("\n"), scratch);
  const { modules } = JSON.parse(readFileSync(join(scratch, "boxes.json"), "utf8")) as {
    modules: Record<
      string,
      { cells: Record<string, { type: string }>; parameter_default_values?: Record<string, string> }
    >;
  };
  const types = Object.values(modules[top]?.cells ?? {}).map(({ type }) => type);
  const counts = new Map<string, number>();
  for (const type of types) {
    if (type in modules) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].map(([type, count]) => ({
    module: type.startsWith("$") ? (type.split("\\")[1] ?? type) : type,
    parameters: Object.fromEntries(
      Object.entries(modules[type]?.parameter_default_values ?? {}).map(([name, bits]) => [
        name,
        parseInt(bits, 2),
      ]),
    ),
    count,
  }));
}

describe("the parts of a DIMM-NDP", () => {
  it("of the paper's size are what the recorded synthesis found", () => {
    const area = readRecord("ndp")?.record.area;
    const boxes = dimmBoxes(ndpSystem("trimoe").unit);
    const memories = boxes.filter((box) => isMemory(box.module));
    // The record has the memories of the parts as well: a microcode in ndp_act_microcode.
    const found = named(area?.memories ?? []);
    expect(found).toEqual(expect.arrayContaining([...named(memories)]));
    const slices = boxes
      .filter((box) => !isMemory(box.module))
      .flatMap((box) => sharesOf(box).map(({ instance, count }) => ({ ...instance, count })));
    expect(named(area?.slices ?? [])).toEqual(expect.arrayContaining([...named(slices)]));
  });

  it(
    "of another size are what Yosys finds in it",
    { ...needs("make test-full", "yosys (apt or npm)"), timeout: 10 * 60_000 },
    async () => {
      const unit = {
        streams: 2,
        multipliersPerStream: 8,
        lanes: 4,
        bitsPerCycle: 2,
        bufferBytes: bytes(16 * 1024),
        queueBursts: 32,
        activationLanes: 64,
        maxTokens: 16,
        alignedBits: 16,
      };
      expect(named(await elaborated(unit))).toEqual(named(dimmBoxes(unit)));
    },
  );
});
