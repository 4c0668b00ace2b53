// SPDX-License-Identifier: Apache-2.0
// The netlist that synthesis writes equals the RTL, cycle by cycle, on random inputs: one slice of
// every unit, mapped to the project's own cells, at sizes that take seconds. Memories are of cells,
// too, as what is left out cannot be compared.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ownLibrary, readLibrary } from "../../src/synth/liberty.ts";
import { closureOf } from "../../src/synth/rtl-files.ts";
import { findFlow, type Flow, synthesizeSlice } from "../../src/synth/slice.ts";
import type { Parameters, Slice } from "../../src/synth/types.ts";
import { compareNetlists, hasYosys } from "../helpers/netlist.ts";

/** Minutes of processor time: with NEARDATA_NETLISTS=all only. */
const large: readonly (readonly [module: string, parameters: Parameters])[] = [
  ["line_packer", {}],
  ["gemv_array", { Streams: 1, Mults: 4, Lanes: 2, Banks: 2 }],
  ["argtopk", { MaxKeys: 16, KeyBits: 16, KeysPerCycle: 2 }],
  ["attn_normalise", { SumBits: 53 }],
  ["attn_multiply", {}],
  ["attn_exp2", {}],
];
const all = process.env["NEARDATA_NETLISTS"] === "all";

const slices: readonly (readonly [module: string, parameters: Parameters])[] = [
  ["gemv_bank", { ArrayMults: 4, Bits: 1, Lanes: 2, Mults: 2, Streams: 1 }],
  ["fp_normalise", { SumBits: 53 }],
  ["fp_add", {}],
  ["fp_narrow", {}],
  ["act_bank", { Lanes: 1, Group: 1 }],
  ["act_microcode", {}],
  ["burst_queue", { QueueBursts: 8, BurstsPerBlock: 2 }],
  ["nfc_filter", {}],
  ["sequencer", { Streams: 2, MaxTokens: 4 }],
  ["act_ctrl", { ActLanes: 8 }],
  ["gemv_sequencer", { Lanes: 4, Width: 8, MaxKeys: 32, MaxGroup: 2, Slots: 2, RingLines: 16 }],
  ["attn_add", {}],
  ["attn_scalar", {}],
  ["weight_totals", { MaxGroup: 2 }],
  ["topk_lane", {}],
  ["topk_queue", { BeatBits: 4, Lanes: 2 }],
  ["query_sums", { MaxGroup: 2 }],
  ["rank_walk", { RowBits: 3, LaneBits: 1, GroupBits: 1 }],
  ...(all ? large : []),
];

const scratch = mkdtempSync(join(tmpdir(), "neardata-netlist-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

describe.skipIf(!hasYosys)("mapped netlists (Yosys)", () => {
  const cycles = 10_000;
  let different: ReadonlyMap<string, number>;

  beforeAll(async () => {
    const macros = await findFlow(readLibrary(ownLibrary()));
    const cells: Flow = { ...macros, memories: "cells" };
    const made = new Map<string, Slice>();
    for (const [module, parameters] of slices) {
      const remembers = closureOf(module, []).some(({ path }) => path.endsWith("_macro.sv"));
      const flow = remembers ? cells : macros;
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
