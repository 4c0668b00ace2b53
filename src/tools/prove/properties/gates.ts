// SPDX-License-Identifier: Apache-2.0
// Properties of the clock gates: a unit behaves the same in every cycle with and without its gate. The injected fault
// of `Wakes` is a Hold that is too short, if a shorter Hold has an effect.

import type { Gate, GateProof, RestCase } from "../clocks/types.ts";
import type { Fault } from "../types.ts";

/** The only case of a unit that may rest in any state and that loads no input while run_i is low. */
const still: readonly RestCase[] = [{ name: "still", loaded: [], zero: [] }];

const claims = {
  Rests:
    "After Hold cycles without run_i, a clock edge changes only registers that load free inputs.",
  Wakes:
    "For any contents of the registers that load free inputs, the outputs with and without the clock gate " +
    "are equal, and all registers are equal before the gate can close again.",
} as const;

type Given = Omit<
  GateProof,
  "top" | "smaller" | "parameters" | "seconds" | "quick" | "staged" | "properties"
> &
  Partial<Pick<GateProof, "top" | "smaller" | "parameters" | "quick" | "staged">> & {
    readonly rests: Fault;
    readonly wakes?: Fault;
  };

function gate({ rests, wakes, ...given }: Given): GateProof {
  return {
    top: `gated_${given.module}`,
    smaller: [],
    parameters: {},
    seconds: 240,
    quick: false,
    staged: false,
    ...given,
    properties: [
      { label: "Rests", claim: claims.Rests, fault: rests },
      ...(wakes === undefined ? [] : [{ label: "Wakes", claim: claims.Wakes, fault: wakes }]),
    ],
  };
}

/** The gate with a Hold of `to` instead of `from`. */
const shorter = (module: string, instance: string, from: string, to: number): Fault => ({
  module,
  from: `.Hold(${from})\n  ) ${instance} (`,
  to: `.Hold(${to})\n  ) ${instance} (`,
});

/** A gate of the kernel. */
const kernelGate = (instance: string, run: string): Gate => ({
  module: "sparf_kernel",
  instance,
  run,
});

/** Narrower lines, line addresses and line counts; no gate depends on their widths. */
const narrow: readonly Fault[] = [
  ["LineBits = 512;", "LineBits = 64;"],
  ["AddrBits = 32;", "AddrBits = 4;"],
  ["RingBits = 16;", "RingBits = 4;"],
].map(([from = "", to = ""]) => ({ module: "sparf_pkg", from, to }));

const narrowed = (...widths: readonly (readonly [string, number, number])[]): readonly Fault[] =>
  widths.map(([name, from, to]) => ({
    module: "sparf_pkg",
    from: `${name} = ${from};`,
    to: `${name} = ${to};`,
  }));

const inUnit = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `u_dut.${name}`);

/**
 * Registers that an idle token walker loads: the parameters of the next head, and values that are
 * derived from the parameters.
 */
const walkerCases: readonly RestCase[] = [
  {
    name: "idle",
    loaded: [
      ...[
        "head_q",
        "u_dut.token_q",
        "u_dut.left_q",
        "u_dut.token_group_q",
        "u_dut.group_mask_q",
        "u_dut.rows_q",
      ],
      ...["u_dut.same_q", "u_dut.byte_q", "u_dut.line_q", "u_dut.all_flash_q"],
    ],
    zero: ["u_dut.state_q"],
  },
  { name: "waiting for its item to be taken", loaded: [], zero: [] },
];

const walker = (
  name: string,
  module: string,
  run: string,
  values: number,
  hold: string,
): GateProof =>
  gate({
    name,
    module: "sparf_token_walker",
    parameters: { Width: 16, Values: values, MaxPageRows: 16 },
    gate: { module, instance: "u_rows_clock", run },
    cases: walkerCases,
    enough: 3,
    rests: {
      module: "sparf_token_walker",
      from: "StateRowItem: begin\n        if (item_ready_i) begin\n          left_q",
      to: "StateRowItem: begin\n        left_q <= left_q - 1'b1;\n        if (item_ready_i) begin\n          left_q",
    },
    wakes: shorter(module, "u_rows_clock", hold, 0),
  });

export const gateProofs: readonly GateProof[] = [
  gate({
    name: "gate_dram_reader",
    module: "sparf_dram_reader",
    parameters: { Lines: 4, Runs: 2 },
    smaller: narrow,
    gate: {
      module: "sparf_engine",
      instance: "u_reader_clock",
      run: "run_valid != '0 || dr_req_valid_o || dr_rsp_valid_i || dram_valid != '0",
    },
    cases: still,
    enough: 3,
    rests: {
      module: "sparf_engine",
      from: "clock_gate u_reader_clock (",
      to: "clock_gate #(\n    .Hold(0)\n  ) u_reader_clock (",
    },
  }),
  gate({
    name: "gate_sel_buffer",
    module: "sparf_sel_buffer",
    gate: {
      module: "sparf_head_front",
      instance: "u_selections_clock",
      run: "sel_reserve || sel_valid_i || sel_read != '0 || sel_done != '0",
    },
    cases: still,
    enough: 6,
    rests: shorter("sparf_head_front", "u_selections_clock", "7", 1),
  }),
  gate({
    name: "gate_page_issue",
    module: "sparf_page_issue",
    quick: true,
    gate: {
      module: "sparf_head_front",
      instance: "u_issue_clock",
      run: "(item_valid[r] && item_ready[r]) || reserve || page_ready_i[r] || rows_ready_i[r]",
    },
    cases: still,
    enough: 1,
    rests: {
      module: "sparf_page_issue",
      from: "if (item_valid_i && item_ready_o) item_q <= item_i;",
      to: "if (item_ready_o) item_q <= item_i;",
    },
  }),
  ...[1, 2].map((ports) =>
    gate({
      name: `gate_ring_allocator_${ports}`,
      module: "sparf_ring_allocator",
      parameters: { Ports: ports },
      gate: {
        module: "sparf_head_front",
        instance: "u_book_clock",
        run:
          "reserve || job_valid || arrive_i[r*Banks+:Banks] != '0 || job_done_i[r] || book_busy " +
          "|| (job_valid_o[r] && job_ready_i[r])",
      },
      cases: [{ name: "still", loaded: ["u_dut.end_q"], zero: [] }],
      enough: 3,
      rests: {
        module: "sparf_head_front",
        from: ".Hold(7)\n    ) u_book_clock (",
        to: ".Hold(1)\n    ) u_book_clock (",
      },
      wakes: {
        module: "sparf_ring_allocator",
        from: "if (reserved_q) ends_q[known_q] <= end_q;",
        to: "if (reserve_i) ends_q[known_q] <= end_q;",
      },
    }),
  ),
  walker(
    "gate_key_rows",
    "sparf_key_tasks",
    "rows_start || (rows_busy && (!rows_item_valid || item_ready_i))",
    0,
    "Hold",
  ),
  walker(
    "gate_value_rows",
    "sparf_value_tasks",
    "state_q == StateBegin || (rows_busy && (!item_valid_o || item_ready_i))",
    1,
    "7",
  ),
  gate({
    name: "gate_key_dims",
    module: "sparf_dim_walker",
    parameters: { Width: 16 },
    gate: {
      module: "sparf_key_tasks",
      instance: "u_dims_clock",
      run: "dims_start || (dims_busy && (!dims_item_valid || item_ready_i))",
    },
    cases: [
      { name: "idle", loaded: ["head_q", "u_dut.left_q"], zero: ["u_dut.state_q"] },
      { name: "waiting for its item to be taken", loaded: [], zero: [] },
    ],
    enough: 2,
    rests: {
      module: "sparf_dim_walker",
      from: "StateItem: begin\n        if (item_ready_i) begin\n          begins_q <= 1'b0;",
      to: "StateItem: begin\n        index_q <= index_q + 1'b1;\n        if (item_ready_i) begin\n          begins_q <= 1'b0;",
    },
    wakes: {
      module: "sparf_dim_walker",
      from: "StateIdle: if (start_i) state_q <= StateBlock;",
      to: "StateIdle: if (left_q[0]) state_q <= StateBlock;",
    },
  }),
  gate({
    name: "gate_append_unit",
    module: "sparf_append_unit",
    parameters: { Width: 16 },
    smaller: narrowed(["AddrBits", 32, 12], ["CountBits", 16, 8], ["LineBits", 512, 128]),
    gate: {
      module: "sparf_engine",
      instance: "u_append_clock",
      run: "append_valid || !append_idle",
    },
    // An idle unit loads the descriptor at its input, and derives values from it.
    cases: [
      {
        name: "idle",
        loaded: inUnit(
          ...[
            "u_check",
            "tag_q",
            "mean_q",
            "log_dims_q",
            "page_log_q",
            "log_rows_q",
            "log_block_q",
          ],
          ...[
            "token_q",
            "dim_flash_q",
            "token_flash_q",
            "next_token_q",
            "group_full_q",
            "block_full_q",
          ],
          ...["group_index_q", "block_index_q", "k_offset_q", "v_offset_q", "k_line_q", "v_line_q"],
          ...[
            "head_q",
            "q_line_q",
            "sum_line_q",
            "k_base_q",
            "v_base_q",
            "place_q",
            "non_finite_q",
          ],
        ),
        zero: inUnit("state_q"),
      },
    ],
    enough: 4,
    staged: true,
    rests: {
      module: "sparf_append_unit",
      from: "StateIdle: begin\n        tag_q <=",
      to: "StateIdle: begin\n        values_q <= values_q >> VB;\n        tag_q <=",
    },
    wakes: {
      module: "sparf_append_unit",
      from: "StateIdle: if (desc_valid_i) state_q <= StateDerive;",
      to: "StateIdle: if (desc_valid_i && !token_q[0]) state_q <= StateDerive;",
    },
  }),
  gate({
    name: "gate_head_loader",
    module: "sparf_head_loader",
    parameters: { Width: 64, MaxKeys: 64, MaxGroup: 8, Slots: 2 },
    smaller: narrowed(["AddrBits", 32, 2], ["CountBits", 16, 9], ["FloatBits", 32, 2]),
    gate: {
      module: "sparf_head_front",
      instance: "u_loader_clock",
      run: "(desc_valid_i && desc_ready_o) || loader_busy",
    },
    cases: [
      {
        name: "idle",
        loaded: inUnit("u_check", "u_fields", "slot_q"),
        zero: inUnit("state_q", "busy_q"),
      },
    ],
    enough: 4,
    staged: true,
    rests: {
      module: "sparf_head_loader",
      from: "if (state_q == StateHead) field_q <= field;",
      to: "if (state_q != StateQueries) field_q <= field;",
    },
    wakes: {
      module: "sparf_head_loader",
      from: "StateIdle: if (desc_valid_i && desc_ready_o) state_q",
      to: "StateIdle: if (desc_valid_i && desc_ready_o && !slot_q[0]) state_q",
    },
  }),
  gate({
    name: "gate_query_unit",
    module: "sparf_query_unit",
    gate: kernelGate("u_query_clock", "head_valid_i || query_busy"),
    cases: still,
    enough: 20,
    staged: true,
    rests: shorter("sparf_kernel", "u_query_clock", "Hold", 0),
  }),
  gate({
    name: "gate_gemv",
    top: "gated_sparf_gemv",
    module: "sparf_gemv_sequencer",
    gate: kernelGate(
      "u_gemv_clock",
      "head_taken || word_write || chosen_write || dims_valid_o || gemv_busy != '0 || (kjob_valid_i && kjob_ready_o)",
    ),
    cases: still,
    enough: 20,
    staged: true,
    rests: shorter("sparf_kernel", "u_gemv_clock", "Hold", 0),
  }),
  gate({
    name: "gate_rank_unit",
    module: "sparf_rank_unit",
    gate: kernelGate(
      "u_rank_clock",
      "head_taken || scale_write || fill_valid[0] || logit_valid || borrow_read || rank_busy",
    ),
    // An idle unit samples each logit, and reads the address of its row.
    cases: [
      {
        name: "idle",
        loaded: [
          ...["arrived_logit_q", "arrived_lane_q", "write_logit_q", "write_lane_q"],
          ...["u_rows.begin_q", "u_rows.row_q", "u_rows.row_out_q"],
        ].map((name) => `u_dut.gen_set[0].u_logits.${name}`),
        zero: [],
      },
    ],
    enough: 80,
    staged: true,
    rests: shorter("sparf_kernel", "u_rank_clock", "Hold", 0),
    wakes: shorter("sparf_kernel", "u_rank_clock", "Hold", 0),
  }),
  gate({
    name: "gate_attend_unit",
    module: "sparf_attend_unit",
    gate: kernelGate(
      "u_attend_clock",
      "head_taken || mean_write || share_write != '0 || share_end || fill_valid[1] || logit_valid || attend_busy || " +
        "(vjob_valid_i && vjob_ready_o)",
    ),
    cases: still,
    enough: 100,
    staged: true,
    rests: shorter("sparf_kernel", "u_attend_clock", "Hold", 0),
  }),
];
