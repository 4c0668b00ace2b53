// SPDX-License-Identifier: Apache-2.0
// Ranks the tokens of a head by its logits of step 1 and weighs the selection. A single query ranks by logits;
// a group by scores, the FP32 sum in the order of queries of RNE(w * RNE(1 / total)). Then it computes alpha,
// the share of the chosen tokens in the softmax of step 1, and the rest, (total - chosen) / total. Logits of
// the next head arrive while one head is ranked, if each fits into half of the memory.
//
// With B = ceil(S / 8) and G queries, passes over the logits need 8 B G cycles each: one pass for a single
// query (after the selection), four for a group (totals, scores at half the rate, chosen). The selector reads
// its keys here: a single query's logits, a group's scores.
//
// QuerySets logits arrive per cycle: query q belongs to set q mod QuerySets in round q / QuerySets, and each
// set has its own memory, for MaxKeys tokens times rounds. With several sets a pass reads one row of eight
// tokens per cycle: three passes of 16 ceil(B / 16) G cycles, one for a single query. While it is empty, the
// memory may be lent for logits of step 2 (lent_i): no head enters then.
`include "assert.svh"
`include "observe.svh"
module sparf_rank_unit #(
  parameter int unsigned MaxKeys = 32768,   // of a set
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned QuerySets = 1,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned KeysPerBeat = sparf_kernel_pkg::KeysPerBeat,
  localparam int unsigned RowBits = $clog2(MaxKeys / KeysPerBeat)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_write_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [SizeBits-1:0]  head_tokens_i,
  input  logic [SizeBits-1:0]  head_take_i,
  input  logic [SizeBits-1:0]  head_window_i,
  input  logic                 scale_write_i,
  input  logic [SlotBits-1:0]  scale_slot_i,
  input  logic [GroupBits-1:0] scale_query_i,
  input  logic [31:0]          scale_i,
  input  logic                 fill_valid_i,   // only while fill_ready_o
  output logic                 fill_ready_o,
  output logic                 empty_o,        // no head is inside
  input  logic [SlotBits-1:0]  fill_slot_i,
  input  logic                 logit_valid_i,
  input  logic [QuerySets*32-1:0] logit_i,     // of each set
  input  logic [GroupBits-1:0] logit_query_i,  // the round
  input  logic [SizeBits-1:0]  logit_token_i,
  input  logic                 logit_end_i,
  output logic                 sel_valid_o,
  input  logic                 sel_ready_i,
  output logic [RowBits-1:0]   sel_beat_o,
  output logic [7:0]           sel_mask_o,
`ifdef NEARDATA_OBSERVE
  output logic [SlotBits-1:0]  sel_slot_o,
  output logic                 sel_last_o,
`endif
  output logic [1:0]           share_write_o,  // share_o is a query's alpha, its rest
  output logic [SlotBits-1:0]  share_slot_o,
  output logic [GroupBits-1:0] share_query_o,
  output logic                 share_end_o,    // the head's last
  output logic [31:0]          share_o,
  input  logic                 lent_i,
  input  logic                 lent_write_i,   // of logit_i
  input  logic [SizeBits-2:0]  lent_write_address_i,
  input  logic                 lent_read_i,
  input  logic [SizeBits-2:0]  lent_read_address_i,
  output logic [QuerySets*32-1:0] lent_o,      // of each set, one cycle after the read
  output logic [1:0]           events_o,       // selection, passes
  output logic                 busy_o          // for clock gates
);
  localparam int unsigned LaneBits = $clog2(KeysPerBeat);
  localparam int unsigned LogSets = $clog2(QuerySets);
  localparam int unsigned Rounds = MaxGroup / QuerySets;
  // The number of a round has a bit even if only one round exists.
  localparam int unsigned SetQueries = Rounds > 1 ? Rounds : 2;
  localparam int unsigned RoundBits = $clog2(SetQueries);
  localparam int unsigned Rows = MaxKeys / KeysPerBeat;
  localparam int unsigned TotalBits = sparf_attn_pkg::WeightFractionBits + $clog2(MaxKeys) + 1;

  // Heads.
  logic [GroupBits-1:0] group_q[Slots];
  logic single_q[Slots];
  logic [SizeBits-1:0] tokens_q[Slots], take_q[Slots], window_q[Slots];
  logic [RowBits:0] rows_q[Slots];  // of one query
  logic [RowBits-1:0] last_row_q[Slots];
  logic [Slots-1:0] whole;          // a head needs more than half of the memory
  logic [31:0] scale_q[Slots*MaxGroup];
  logic [RowBits:0] head_rows;
  assign head_rows = ($bits(head_rows))'((head_tokens_i + SizeBits'(KeysPerBeat - 1)) >> LaneBits);
  sparf_whole_heads #(
    .Slots(Slots),
    .GroupBits(RoundBits),
    .CountBits(RowBits + 1),
    .Limit(Rows / 2)
  ) u_whole (
    .clk_i(clk_i),
    .write_i(head_write_i),
    .slot_i(head_slot_i),
    .group_i(RoundBits'(head_group_i >> LogSets)),
    .count_i(head_rows),
    .whole_o(whole)
  );
  always_ff @(posedge clk_i) begin
    if (head_write_i) begin
      group_q[head_slot_i] <= head_group_i;
      single_q[head_slot_i] <= head_group_i == '0;
      tokens_q[head_slot_i] <= head_tokens_i;
      take_q[head_slot_i] <= head_take_i;
      window_q[head_slot_i] <= head_window_i;
      rows_q[head_slot_i] <= head_rows;
      last_row_q[head_slot_i] <= RowBits'((head_tokens_i - 1'b1) >> LaneBits);
    end
    if (scale_write_i) scale_q[{scale_slot_i, scale_query_i}] <= scale_i;
  end

  logic room;
  assign fill_ready_o = room && !lent_i;
  logic fill_half, arrive_half, use_valid, use_half, use_upper, release_half;
  logic [SlotBits-1:0] slot, next_slot;
  sparf_logit_halves #(
    .Slots(Slots)
  ) u_halves (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .fill_valid_i(fill_valid_i),
    .fill_ready_o(room),
    .empty_o(empty_o),
    .fill_slot_i(fill_slot_i),
    .fill_whole_i(whole[fill_slot_i]),
    .fill_half_o(fill_half),
    .arrive_end_i(logit_valid_i && logit_end_i),
    .arrive_half_o(arrive_half),
    .arrive_upper_o(),
    .use_valid_o(use_valid),
    .use_half_o(use_half),
    .use_upper_o(use_upper),
    .use_slot_o(slot),
    .next_slot_o(next_slot),
    .release_i(release_half)
  );
  localparam int unsigned HalfRows = Rows / 2;

  // Logits arrive, and are read by walks and for the selection of a single query.
  logic [2*MaxGroup*32-1:0] largest;
  logic walk_read, key_read;
  logic [RowBits-1:0] walk_address, key_row, base;
  logic [KeysPerBeat*32-1:0] walk_logits;
  logic [QuerySets*KeysPerBeat*32-1:0] set_rows;
  logic [2*SetQueries*32-1:0] set_largest[QuerySets];
  logic [QuerySets-1:0] logits_busy;
  assign base = use_upper ? RowBits'(HalfRows) : '0;
  for (genvar s = 0; s < QuerySets; s++) begin : gen_set
    sparf_rank_logits #(
      .MaxKeys(MaxKeys),
      .MaxGroup(SetQueries),
      .Lends(QuerySets > 1)
    ) u_logits (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .fill_valid_i(fill_valid_i),
      .fill_half_i(fill_half),
      .fill_base_i(fill_half && !whole[fill_slot_i] ? RowBits'(HalfRows) : '0),
      .fill_rows_i(RowBits'(rows_q[fill_slot_i])),
      .logit_valid_i(logit_valid_i),
      .half_i(arrive_half),
      .logit_i(logit_i[s*32 +: 32]),
      .query_i(RoundBits'(logit_query_i)),
      .token_i(logit_token_i),
      .largest_o(set_largest[s]),
      .read_i(walk_read || key_read),
      .read_row_i(key_read ? key_row | base : walk_address),
      .row_o(set_rows[s*KeysPerBeat*32 +: KeysPerBeat*32]),
      .lent_write_i(lent_write_i),
      .lent_write_address_i(lent_write_address_i),
      .lent_read_i(lent_read_i),
      .lent_read_address_i(lent_read_address_i),
      .lent_o(lent_o[s*32 +: 32]),
      .busy_o(logits_busy[s])
    );
    for (genvar r = 0; r < Rounds; r++) begin : gen_largest
      for (genvar h = 0; h < 2; h++) begin : gen_half
        assign largest[(h*MaxGroup+r*QuerySets+s)*32 +: 32] =
            set_largest[s][(h*SetQueries+r)*32 +: 32];
      end
    end
  end
  if (QuerySets > 1) begin : gen_whose
    assign walk_logits = set_rows[32'(walk_query[LogSets-1:0])*KeysPerBeat*32 +: KeysPerBeat*32];
  end else begin : gen_only
    assign walk_logits = set_rows;
  end

  // The head that is ranked.
  typedef enum logic [2:0] {
    StateIdle,
    StateTotals,   // of a group: weights are summed
    StateInverse,  // and inverted
    StateScores,   // and weighed a second time for the scores
    StateSelect,   // of a single query: logits are the keys
    StateWeigh,    // weights of the chosen tokens, and of all tokens for a single query
    StateShares
  } state_e;
  state_e state_q, state_d;
  logic [GroupBits-1:0] head_group_q;
  logic [SizeBits-1:0] head_tokens_q, head_take_q, head_window_q;
  logic [RowBits-1:0] head_rows_q, head_last_row_q;
  logic head_single_q, begin_head, walk_done, select_start, select_ready, select_end, scalars_done;
  logic walking, select_busy, quotients_busy;
  always_ff @(posedge clk_i) begin
    head_group_q <= group_q[next_slot];
    head_single_q <= single_q[next_slot];
    head_tokens_q <= tokens_q[next_slot];
    head_take_q <= take_q[next_slot];
    head_window_q <= window_q[next_slot];
    head_rows_q <= RowBits'(rows_q[next_slot]);
    head_last_row_q <= last_row_q[next_slot];
  end
  assign begin_head = state_q == StateIdle && use_valid && select_ready;
  assign busy_o = state_q != StateIdle || use_valid || !select_ready || walking || select_busy || quotients_busy
                  || logits_busy != '0;
  assign release_half = state_q == StateShares && scalars_done;

  // Walks over its logits: weights, their sums, scores.
  logic walks, score_beat_valid;
  logic [RowBits-1:0] walk_row;
  logic [GroupBits-1:0] walk_query, weight_query, scalar_query;
  logic [KeysPerBeat-1:0] selected;
  logic [TotalBits-1:0] total, chosen_total;
  logic [KeysPerBeat*32-1:0] score_beat;
  logic [31:0] inverse_q[MaxGroup];
  assign walks = (begin_head && !head_single_q) || (state_q == StateInverse && scalars_done) ||
      (state_q == StateSelect && select_end);
  if (QuerySets == 1) begin : gen_tokens
    sparf_rank_tokens #(
      .MaxGroup(MaxGroup),
      .RowBits(RowBits),
      .TotalBits(TotalBits)
    ) u_walks (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .head_i(begin_head),
      .begin_i(walks),
      .add_i(state_q == StateTotals || (state_q == StateWeigh && head_single_q)),
      .score_i(state_q == StateScores),
      .choose_i(state_q == StateWeigh),
      .base_i(base),
      .group_i(head_group_q),
      .rows_i(head_rows_q),
      .last_row_i(head_last_row_q),
      .tokens_i(head_tokens_q),
      .walking_o(walking),
      .read_o(walk_read),
      .address_o(walk_address),
      .row_o(walk_row),
      .query_o(walk_query),
      .logits_i(walk_logits),
      .largest_i(largest[32'({use_half, walk_query})*32 +: 32]),
      .scale_i(scale_q[{slot, walk_query}]),
      .selected_i(selected),
      .weight_query_o(weight_query),
      .inverse_i(inverse_q[weight_query]),
      .total_query_i(scalar_query),
      .total_o(total),
      .chosen_o(chosen_total),
      .done_o(walk_done),
      .beat_valid_o(score_beat_valid),
      .beat_o(score_beat)
    );
  end else begin : gen_rows
    sparf_rank_rows #(
      .MaxGroup(MaxGroup),
      .QuerySets(QuerySets),
      .RowBits(RowBits),
      .TotalBits(TotalBits)
    ) u_walks (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .head_i(begin_head),
      .begin_i(walks),
      .add_i(state_q == StateTotals || (state_q == StateWeigh && head_single_q)),
      .score_i(state_q == StateScores),
      .choose_i(state_q == StateWeigh),
      .base_i(base),
      .group_i(head_group_q),
      .rows_i(head_rows_q),
      .last_row_i(head_last_row_q),
      .tokens_i(head_tokens_q),
      .walking_o(walking),
      .read_o(walk_read),
      .address_o(walk_address),
      .row_o(walk_row),
      .query_o(walk_query),
      .logits_i(walk_logits),
      .largest_i(largest[32'({use_half, walk_query})*32 +: 32]),
      .scale_i(scale_q[{slot, walk_query}]),
      .selected_i(selected),
      .weight_query_o(weight_query),
      .inverse_i(inverse_q[weight_query]),
      .total_query_i(scalar_query),
      .total_o(total),
      .chosen_o(chosen_total),
      .done_o(walk_done),
      .beat_valid_o(score_beat_valid),
      .beat_o(score_beat)
    );
  end

  // Selection, behind the last of them.
  logic score_last, sel_last;
  assign select_start = (begin_head && head_single_q) || score_last;
  sparf_rank_select #(
    .MaxKeys(MaxKeys),
    .Streams(QuerySets > 1)
  ) u_select (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .single_i(head_single_q),
    .tokens_i(head_tokens_q),
    .take_i(head_take_q),
    .window_i(head_window_q),
    .last_row_i(head_last_row_q),
    .head_i(begin_head),
    .score_valid_i(score_beat_valid),
    .score_i(score_beat),
    .score_last_o(score_last),
    .start_i(select_start),
    .ready_o(select_ready),
    .key_read_o(key_read),
    .key_row_o(key_row),
    .logits_i(set_rows[KeysPerBeat*32-1:0]),
    .sel_valid_o(sel_valid_o),
    .sel_ready_i(sel_ready_i),
    .sel_beat_o(sel_beat_o),
    .sel_mask_o(sel_mask_o),
    .sel_last_o(sel_last),
    .chosen_read_i(walk_read && state_q == StateWeigh),
    .chosen_row_i(walk_row),
    .chosen_o(selected),
    .busy_o(select_busy)
  );
  assign select_end = sel_valid_o && sel_ready_i && sel_last;
`ifdef NEARDATA_OBSERVE
  assign sel_slot_o = slot;
  assign sel_last_o = sel_last;
`endif

  // Quotients of the sums.
  logic scalars, scalar_write;
  logic [31:0] scalar;
  logic scalar_second;
  assign scalars = state_q == StateInverse || state_q == StateShares;
  sparf_rank_quotients #(
    .TotalBits(TotalBits),
    .GroupBits(GroupBits)
  ) u_quotients (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(scalars),
    .inverse_i(state_q == StateInverse),
    .group_i(head_group_q),
    .query_o(scalar_query),
    .total_i(total),
    .chosen_i(chosen_total),
    .write_o(scalar_write),
    .second_o(scalar_second),
    .quotient_o(scalar),
    .done_o(scalars_done),
    .busy_o(quotients_busy)
  );
  always_ff @(posedge clk_i) begin
    if (scalar_write && state_q == StateInverse) inverse_q[scalar_query] <= scalar;
  end
  assign share_write_o = state_q != StateShares || !scalar_write ? 2'b00
      : scalar_second ? 2'b10 : 2'b01;
  assign share_slot_o = slot;
  assign share_query_o = scalar_query;
  assign share_o = scalar;
  assign share_end_o = release_half;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateIdle: if (begin_head) state_d = head_single_q ? StateSelect : StateTotals;
      StateTotals: if (walk_done) state_d = StateInverse;
      StateInverse: if (scalars_done) state_d = StateScores;
      StateScores: if (score_last) state_d = StateSelect;
      StateSelect: if (select_end) state_d = StateWeigh;
      StateWeigh: if (walk_done) state_d = StateShares;
      StateShares: if (scalars_done) state_d = StateIdle;
      default: state_d = StateIdle;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateIdle;
    else state_q <= state_d;
  end
  assign events_o = {walking, state_q == StateSelect};

  `IMPLIES(Fits_A, head_write_i, ((32'(head_group_i) >> LogSets) + 1) * 32'(head_rows) <= Rows)
  `IMPLIES(LentEmpty_A, lent_i, empty_o)
  `IMPLIES(SelectsOne_A, sel_valid_o, state_q == StateSelect)
endmodule
