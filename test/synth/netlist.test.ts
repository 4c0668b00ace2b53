// SPDX-License-Identifier: Apache-2.0
// The netlist that synthesis writes equals the RTL, cycle by cycle, on random inputs: one slice of
// every unit, mapped to the project's own cells, at sizes that take seconds.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ownLibrary, readLibrary } from "../../src/synth/liberty.ts";
import { findFlow, synthesizeSlice } from "../../src/synth/slice.ts";
import type { Parameters, Slice } from "../../src/synth/types.ts";
import { compareNetlists, hasYosys } from "../helpers/netlist.ts";

const slices: readonly (readonly [module: string, parameters: Parameters])[] = [
  ["gemv_bank", { Streams: 1, Mults: 2, ArrayMults: 4, Lanes: 2 }],
  ["fp_normalise", { SumBits: 53 }],
  ["fp_add", {}],
  ["fp_narrow", {}],
  ["act_bank", { Lanes: 1, Group: 1 }],
  ["act_microcode", {}],
  ["burst_queue", { QueueBursts: 8, BurstsPerBlock: 2 }],
  ["nfc_filter", {}],
];

const scratch = mkdtempSync(join(tmpdir(), "neardata-netlist-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

describe.skipIf(!hasYosys)("mapped netlists (Yosys)", () => {
  const cycles = 10_000;
  let different: ReadonlyMap<string, number>;

  beforeAll(async () => {
    const flow = await findFlow(readLibrary(ownLibrary()));
    const made = new Map<string, Slice>();
    for (const [module, parameters] of slices) {
      made.set(module, await synthesizeSlice(flow, { module, parameters }, []));
    }
    const candidates = [...made].map(([name, slice]) => ({ name, slice }));
    const narrow = candidates.filter((c) => c.name === "fp_narrow");
    const planted = narrow.map(({ slice }) => ({
      name: "planted",
      slice,
      edit: (netlist: string): string => netlist.replaceAll(/ INV_X\d /g, " BUF_X2 "),
    }));
    different = await compareNetlists([...candidates, ...planted], scratch, cycles);
  }, 1_200_000);

  test.each(slices)("equals the RTL: %s", (module) => {
    expect(different.get(module)).toBe(0);
  });

  test("are told from the RTL when inverters are missing", () => {
    expect(different.get("planted")).toBeGreaterThan(0);
  });
});
