// SPDX-License-Identifier: Apache-2.0
// Area and timing of slices: their sum is that of a flat run, what is made worse shows, and nothing
// is made twice.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { inRepository } from "../../../src/base/paths.ts";
import { measureArea } from "../../../src/tools/synth/area.ts";
import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { resourcesOf } from "../../../src/tools/synth/resources.ts";
import { findFlow, synthesizeSlice, type Flow } from "../../../src/tools/synth/slice.ts";
import { transpositionBuffer } from "../../../src/machine/memories/memory.ts";
import { areaDocument, areaText } from "../../../src/tools/area/summary.ts";
import { has, needs } from "../../helpers/needs.ts";

const minutes = 60_000;
const library = readLibrary(builtInLibrary());
const scratch = mkdtempSync(join(tmpdir(), "neardata-area-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

let flow: Flow;
beforeAll(async () => {
  if (has("yosys (apt or npm)")) flow = await findFlow(library);
});

/** The flow with one module of the RTL edited. */
async function edited(path: readonly string[], edit: (text: string) => string): Promise<Flow> {
  const source = inRepository("rtl", ...path);
  const text = readFileSync(source, "utf8");
  const changed = edit(text);
  expect(changed).not.toBe(text);
  const name = path.at(-1) ?? "";
  writeFileSync(join(scratch, name), changed);
  return findFlow(library, { [name.replace(".sv", "")]: join(scratch, name) });
}

describe("slices (Yosys)", needs("yosys (apt or npm)"), () => {
  test(
    "add up to a flat run",
    async () => {
      const parameters = { Streams: 3, Mults: 4, Lanes: 2 };
      const sliced = await measureArea(flow, "ndp_gemv_array", parameters);
      const flat = await synthesizeSlice(flow, { module: "ndp_gemv_array", parameters }, []);
      const area = resourcesOf(flat, library);
      // Never fewer: flat, it is one bank of four; slices are banks of two, and their nodes wider.
      expect(sliced.sum.ff / area.ff).toBeGreaterThanOrEqual(1);
      expect(sliced.sum.ff / area.ff).toBeLessThan(1.05);
      expect(sliced.sum.cellArea / area.cellArea).toBeGreaterThan(0.98);
      expect(sliced.sum.cellArea / area.cellArea).toBeLessThan(1.08);
    },
    10 * minutes,
  );

  test(
    "of the transposition buffer have the memories that reports count",
    async () => {
      const counted = transpositionBuffer(64 * 1024);
      const chip = await measureArea(flow, "transposition", {});
      expect(chip.memoryArea).toBeCloseTo(counted.um2, 6);
    },
    10 * minutes,
  );

  test(
    "have the flip-flops of a flat run, each, where the banks are the same",
    async () => {
      const parameters = { Streams: 1, Mults: 4, Lanes: 2 };
      const sliced = await measureArea(flow, "ndp_gemv_array", parameters);
      const banked = { module: "ndp_gemv_array", parameters: { ...parameters, Banks: 2 } };
      const flat = await synthesizeSlice(flow, banked, []);
      expect(sliced.slices.length).toBeGreaterThan(1);
      expect(sliced.sum.ff).toBe(resourcesOf(flat, library).ff);
    },
    10 * minutes,
  );

  test(
    "are made once",
    async () => {
      const first = await measureArea(flow, "fp_narrow", {});
      const run = (): Promise<void> => Promise.reject(new Error("made again"));
      const idle = { ...flow, yosys: { ...flow.yosys, run } };
      expect(await measureArea(idle, "fp_narrow", {})).toEqual(first);
    },
    5 * minutes,
  );
});

describe("an injected inefficiency (Yosys)", needs("yosys (apt or npm)"), () => {
  test(
    "shows in the area: a second multiplier",
    async () => {
      const product = "(AB + DB)'(digit) * (AB + DB)'(acc)";
      const doubled = await edited(["ndp", "act", "ndp_act_bank.sv"], (text) =>
        text.replace(
          product,
          `${product} + (AB + DB)'(~digit) * (AB + DB)'({acc[0], acc[AB-1:1]})`,
        ),
      );
      const before = await measureArea(flow, "ndp_act_bank", { Lanes: 1, Group: 1 });
      const after = await measureArea(doubled, "ndp_act_bank", { Lanes: 1, Group: 1 });
      expect(after.sum.cellArea).toBeGreaterThan(before.sum.cellArea * 1.08);
      expect(after.sum.ff).toBe(before.sum.ff);
    },
    10 * minutes,
  );

  test(
    "shows in the critical path: a register left out",
    async () => {
      const merged = await edited(["common", "fp_add.sv"], (text) =>
        text
          .replace("    if (en_i[3]) shift_far();\n", "")
          .replace(/(task automatic shift_far[\s\S]*?endtask)/, (task) =>
            task.replaceAll("<=", "="),
          )
          .replace("  always_ff @(posedge clk_i) begin", "  always_comb shift_far();\n$&"),
      );
      const before = await measureArea(flow, "fp_add", {});
      const after = await measureArea(merged, "fp_add", {});
      const period = (report: typeof before): number => report.slowest?.path?.period ?? 0;
      expect(period(before)).toBeGreaterThan(100);
      expect(period(after)).toBeGreaterThan(period(before) * 1.15);
      expect(after.sum.ff).toBeLessThan(before.sum.ff);
    },
    10 * minutes,
  );
});

test(
  "a document and a table say the same (Yosys)",
  { ...needs("yosys (apt or npm)"), timeout: 5 * minutes },
  async () => {
    const report = await measureArea(flow, "fp_narrow", {});
    const { totals } = areaDocument(report) as {
      totals: { areaMm2: Record<string, number>; clockGHz: number };
    };
    expect(totals.areaMm2["total"]).toBeCloseTo(report.sum.cellArea / 1e6 / 0.7, 12);
    expect(totals.areaMm2["sram"]).toBe(0);
    expect(areaText(report)).toContain(`clock ${totals.clockGHz.toFixed(3)} GHz`);
  },
);
