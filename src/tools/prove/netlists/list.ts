// SPDX-License-Identifier: Apache-2.0
// The slices whose mapped netlist is proven equivalent to the RTL, at sizes that need seconds. The other slices are
// compared in random cycles only; each has a reason.

import type { Instance, Parameters } from "../../../machine/slices.ts";

/** A slice that the solvers can decide. */
export interface NetlistProof extends Instance {
  readonly name: string;
  /** Limit of each solver's processor time. */
  readonly seconds: number;
  readonly quick: boolean;
}

/**
 * A slice that the solvers cannot decide, with the reason: it is compared with the RTL over random
 * cycles.
 */
export interface NetlistSample extends Instance {
  readonly reason: string;
}

/** Slices for which each solver needs ten seconds or more. */
const slow: readonly string[] = [
  "ndp_gemv_bank",
  "ndp_slot_root",
  "ndp_stream_fetch",
  "relayout_writer",
  "sparf_append_unit",
  "sparf_dram_reader",
  "sparf_gemv_sequencer",
  "sparf_nfc_channel",
];

function proof(module: string, parameters: Parameters = {}): NetlistProof {
  const quick = !slow.includes(module);
  return { name: `netlist_${module}`, module, parameters, seconds: 240, quick };
}

export const netlists: readonly NetlistProof[] = [
  proof("fp_normalise", { SumBits: 53 }),
  proof("fp_add"),
  proof("fp_narrow"),
  proof("ndp_act_microcode"),
  proof("ndp_sequencer", { Streams: 2, MaxTokens: 4 }),
  proof("ndp_burst_queue", { QueueBursts: 8, BurstsPerBlock: 2 }),
  proof("ndp_x_loader", { Streams: 2, BufferAddrBits: 6 }),
  proof("ndp_result_writer", { BufferAddrBits: 4 }),
  proof("ndp_chunk_drain", { ActLanes: 32, BufferAddrBits: 6 }),
  proof("sparf_nfc_filter"),
  proof("sparf_dim_walker", { Width: 16 }),
  proof("sparf_token_walker", { Width: 16, MaxPageRows: 4 }),
  proof("sparf_query_sums", { MaxGroup: 2 }),
  proof("sparf_rank_walk", { RowBits: 3, LaneBits: 1, GroupBits: 1 }),
  proof("sparf_topk_counts", { Lanes: 2, MaxKeys: 16 }),
  proof("sparf_attn_add"),
  proof("sparf_weight_totals", { MaxGroup: 2 }),
  proof("relayout_packet_arbiter", { Sources: 2 }),
  proof("relayout_flow_ends", { Streams: 2, Flows: 2 }),
  proof("ndp_gemv_bank", { ArrayMults: 4, Bits: 1, Lanes: 2, Mults: 2, Streams: 1 }),
  proof("ndp_slot_root", { Streams: 2, MaxTokens: 4 }),
  proof("sparf_nfc_channel", {
    RingLines: 16,
    MaxPageRows: 4,
    TableBits: 2,
    QueueBeats: 4,
    Banks: 2,
  }),
  proof("sparf_dram_reader", { Readers: 2, Lines: 4, Runs: 2, NoteBits: 4 }),
  proof("sparf_attn_scalar"),
  proof("relayout_writer", { Streams: 2, Sources: 2 }),
  proof("sparf_topk_lanes", { Lanes: 1 }),
  proof("ndp_act_ctrl", { ActLanes: 8 }),
  proof("ndp_store_unit", { Streams: 2, BufferAddrBits: 6 }),
  proof("sparf_ring_allocator", { RingLines: 16, Pages: 4, JobBits: 4, Ports: 2 }),
  proof("sparf_gemv_sequencer", {
    Lanes: 4,
    Width: 8,
    MaxKeys: 32,
    MaxGroup: 2,
    Slots: 2,
    RingLines: 16,
  }),
  proof("sparf_topk_queue", { BeatBits: 4, Lanes: 2 }),
  proof("transposition_buffer", { Values: 4, ValueBits: 4, Words: 8, Slots: 2, TagBits: 2 }),
  proof("ndp_stream_fetch", { Streams: 1, QueueBursts: 8, BurstsPerBlock: 2 }),
  proof("sparf_head_loader", {
    Width: 16,
    MaxKeys: 64,
    MaxGroup: 2,
    RingLines: 16,
    MaxPageRows: 4,
    Slots: 2,
  }),
  proof("sparf_append_unit", { Width: 16 }),
];

export const sampled: readonly NetlistSample[] = [
  {
    module: "sparf_attend_lanes",
    parameters: { Lanes: 1, Words: 4 },
    reason: "multipliers of 11 by 11 bits, for which z3, cvc5 and ABC needed more than a minute",
  },
  {
    module: "ndp_act_bank",
    parameters: { Lanes: 1, Group: 1 },
    reason:
      "synthesis moves the registers after the tables to positions before the tables, where the RTL has no " +
      "registers; with the registers moved in the RTL too, ABC needed more than 90 s for the remaining logic",
  },
];
