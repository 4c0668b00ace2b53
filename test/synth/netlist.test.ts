// SPDX-License-Identifier: Apache-2.0
// The netlist that synthesis writes equals the RTL, cycle by cycle, on random inputs: one slice of
// every unit, mapped to the project's own cells, at sizes that take seconds. Memories are of cells,
// too, as what is left out cannot be compared.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ownLibrary, readLibrary } from "../../src/synth/cells/liberty.ts";
import { closureOf } from "../../src/synth/rtl-files.ts";
import { findFlow, type Flow, synthesizeSlice } from "../../src/synth/slice.ts";
import type { Parameters, Slice } from "../../src/synth/types.ts";
import { compareNetlists, hasYosys } from "../helpers/netlist.ts";

type Candidates = readonly (readonly [module: string, parameters: Parameters])[];

const ndpSlices: Candidates = [
  ["ndp_gemv_bank", { ArrayMults: 4, Bits: 1, Lanes: 2, Mults: 2, Streams: 1 }],
  ["ndp_slot_root", { Streams: 2, MaxTokens: 4 }],
  ["fp_normalise", { SumBits: 53 }],
  ["fp_add", {}],
  ["fp_narrow", {}],
  ["ndp_act_bank", { Lanes: 1, Group: 1 }],
  ["ndp_act_microcode", {}],
  ["ndp_act_ctrl", { ActLanes: 8 }],
  ["ndp_sequencer", { Streams: 2, MaxTokens: 4 }],
  ["ndp_burst_queue", { QueueBursts: 8, BurstsPerBlock: 2 }],
  ["ndp_stream_fetch", { Streams: 1, QueueBursts: 8, BurstsPerBlock: 2 }],
  ["ndp_x_loader", { Streams: 2, BufferAddrBits: 6 }],
  ["ndp_result_writer", { BufferAddrBits: 4 }],
  ["ndp_chunk_drain", { ActLanes: 32, BufferAddrBits: 6 }],
  ["ndp_store_unit", { Streams: 2, BufferAddrBits: 6 }],
];

const sparfSlices: Candidates = [
  ["sparf_nfc_filter", {}],
  ["sparf_nfc_channel", { RingLines: 16, MaxPageRows: 4, TableBits: 2, QueueBeats: 4, Banks: 2 }],
  [
    "sparf_head_loader",
    { Width: 16, MaxKeys: 64, MaxGroup: 2, RingLines: 16, MaxPageRows: 4, Slots: 2 },
  ],
  ["sparf_dim_walker", { Width: 16 }],
  ["sparf_token_walker", { Width: 16, MaxPageRows: 4 }],
  ["sparf_ring_book", { RingLines: 16, Pages: 4, JobBits: 4, Ports: 2 }],
  ["sparf_dram_reader", { Readers: 2, Lines: 4, Runs: 2, NoteBits: 4 }],
  ["sparf_append_unit", { Width: 16 }],
  ["sparf_query_sums", { MaxGroup: 2 }],
  [
    "sparf_gemv_sequencer",
    { Lanes: 4, Width: 8, MaxKeys: 32, MaxGroup: 2, Slots: 2, RingLines: 16 },
  ],
  ["sparf_rank_walk", { RowBits: 3, LaneBits: 1, GroupBits: 1 }],
  ["sparf_topk_lanes", { Lanes: 1 }],
  ["sparf_topk_counts", { Lanes: 2, MaxKeys: 16 }],
  ["sparf_topk_queue", { BeatBits: 4, Lanes: 2 }],
  ["sparf_attend_lanes", { Lanes: 1, Words: 4 }],
  ["sparf_attn_add", {}],
  ["sparf_attn_scalar", {}],
  ["sparf_weight_totals", { MaxGroup: 2 }],
];

const relayoutSlices: Candidates = [
  ["relayout_packet_arbiter", { Sources: 2 }],
  ["relayout_writer", { Streams: 2, Sources: 2 }],
  ["relayout_flow_ends", { Streams: 2, Flows: 2 }],
];

const controllerSlices: Candidates = [
  ["transposition_buffer", { Values: 4, ValueBits: 4, Words: 8, Slots: 2, TagBits: 2 }],
];

/** Whole units of which a part stands above: minutes of processor time, NEARDATA_NETLISTS=all. */
const large: Candidates = [
  ["sparf_line_packer", {}],
  ["relayout_reader", { Packets: 2 }],
  ["ndp_gemv_array", { Streams: 1, Mults: 4, Lanes: 2, Banks: 2 }],
  [
    "sparf_head_front",
    { Width: 16, MaxKeys: 64, MaxGroup: 2, RingLines: 16, MaxPageRows: 4, Slots: 2, Tags: 4 },
  ],
  ["sparf_query_unit", { Lanes: 2, Width: 8, MaxGroup: 2, Slots: 2 }],
  ["sparf_gemv_lanes", { Lanes: 2, Width: 8 }],
  ["sparf_argtopk", { MaxKeys: 16, KeyBits: 16, KeysPerCycle: 2 }],
  ["sparf_attn_weigh", {}],
  ["sparf_attend_finish", { Lanes: 2, Width: 8, MaxGroup: 2, Slots: 2 }],
  ["sparf_attn_normalise", { SumBits: 53 }],
  ["sparf_attn_multiply", {}],
  ["sparf_attn_exp2", {}],
];
const all = process.env["NEARDATA_NETLISTS"] === "all";
const slices: Candidates = [
  ...ndpSlices,
  ...sparfSlices,
  ...relayoutSlices,
  ...controllerSlices,
  ...(all ? large : []),
];

const scratch = mkdtempSync(join(tmpdir(), "neardata-netlist-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

describe.skipIf(!hasYosys)("mapped netlists (Yosys)", () => {
  const cycles = 10_000;
  const limit = all ? 7_200_000 : 1_200_000; // ms, of a machine that does other things as well
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
  }, limit);

  test.each(slices)("equals the RTL: %s", (module) => {
    expect(different.get(module)).toBe(0);
  });

  test("are told from the RTL when inverters are missing", () => {
    expect(different.get("planted")).toBeGreaterThan(0);
  });
});
