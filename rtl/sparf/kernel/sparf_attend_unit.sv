// SPDX-License-Identifier: Apache-2.0
// Softmax over the logits of step 2 and the weighted sum of values. When all logits of a head are stored,
// sparf_attend_sequencer walks over its tokens. sparf_attend_softmax computes the weight of a logit just before
// its row of values is read. sparf_attend_lanes multiplies and adds, Lanes values per cycle for each query of a
// set. After the last row sparf_attend_finish folds and blends. Meanwhile logits of the next head may arrive;
// its values wait. QuerySets queries are served in parallel, as in sparf_gemv_sequencer: each set has its
// logits, its weights and its lanes, all in lockstep. With several sets the memory here has space for OwnKeys
// logits, enough for the tokens that SparF selects. A head with more logits (a dense head) stores them in the
// memory of step 1 while that memory has no head.
`include "assert.svh"
module sparf_attend_unit #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned QuerySets = 1,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned SetAddressBits = $clog2(MaxKeys / QuerySets),
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned RingBits = $clog2(RingLines)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_write_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic                 head_dense_i,
  input  logic                 head_mean_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [SizeBits-1:0]  head_tokens_i,
  input  logic [SizeBits-1:0]  head_take_i,
  input  logic [31:0]          head_scale_i,
  input  logic                 mean_write_i,
  input  logic [SlotBits-1:0]  mean_slot_i,
  input  logic [IndexBits-1:0] mean_dim_i,
  input  logic [31:0]          mean_i,
  input  logic [1:0]           share_write_i,
  input  logic [SlotBits-1:0]  share_slot_i,
  input  logic [GroupBits-1:0] share_query_i,
  input  logic                 share_end_i,
  input  logic [31:0]          share_i,
  input  logic                 fill_valid_i,    // only while fill_ready_o
  output logic                 fill_ready_o,
  input  logic [SlotBits-1:0]  fill_slot_i,
  input  logic                 logit_valid_i,
  input  logic [QuerySets*32-1:0] logit_i,      // of each set
  input  logic [GroupBits-1:0] logit_query_i,   // the round
  input  logic                 logit_end_i,
  input  logic                 job_valid_i,
  output logic                 job_ready_o,
`ifdef NEARDATA_ASSERT
  input  logic [SlotBits-1:0]  job_slot_i,
`endif
  input  logic [SizeBits-1:0]  job_count_i,
  input  logic [RingBits-1:0]  job_base_i,
  input  logic                 job_last_i,
  output logic                 job_done_o,
  output logic                 ring_read_o,
  output logic [RingBits-1:0]  ring_line_o,
  input  logic [511:0]         ring_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [SlotBits-1:0]  out_slot_o,
  output logic [GroupBits-1:0] out_query_o,
  output logic [IndexBits:0]   out_line_o,
  output logic [511:0]         out_data_o,
  output logic                 out_last_o,
  input  logic                 lender_empty_i,
  output logic                 borrowed_o,      // see sparf_attend_softmax
  output logic                 borrow_write_o,
  output logic [SetAddressBits-1:0] borrow_write_address_o,
  output logic                 borrow_read_o,
  output logic [SetAddressBits-1:0] borrow_read_address_o,
  input  logic [QuerySets*32-1:0] borrowed_i,   // of each set
  output logic                 non_finite_o,    // a value of out_slot_o was not finite, some cycles ago
  output logic [2:0]           events_o,        // beat, finish, a job waits for its head
  output logic                 busy_o           // not only waiting, for clock gates
);
  localparam int unsigned Words = Width / Lanes;
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Words);
  localparam int unsigned PartialBits = sparf_attn_pkg::SlotBits;
  localparam int unsigned LogSets = $clog2(QuerySets);
  localparam int unsigned Rounds = MaxGroup / QuerySets;
  // The number of a round has a bit even if only one round exists.
  localparam int unsigned SetQueries = Rounds > 1 ? Rounds : 2;
  localparam int unsigned RoundBits = $clog2(SetQueries);
  localparam int unsigned SetKeys = MaxKeys / QuerySets;
  localparam int unsigned OwnKeys = QuerySets == 1 ? MaxKeys
      : MaxKeys <= 65536 ? MaxKeys / 2 : MaxKeys <= 262144 ? 32768 : MaxKeys / 8;
  localparam int unsigned SetSizeBits = $clog2(SetKeys) + 1;
  localparam int unsigned PartialWords = Rounds * sparf_attn_pkg::Partials << WordBits;
  localparam int unsigned PartialAddressBits = $clog2(PartialWords);
  localparam int unsigned RowAddressBits = RoundBits + PartialBits + WordBits;
  localparam int unsigned TotalBits = sparf_attn_pkg::WeightFractionBits + $clog2(MaxKeys) + 1;

  logic non_finite_q;
  assign non_finite_o = non_finite_q;

  // Heads, and the head whose values arrive.
  logic [GroupBits-1:0] groups_q[Slots], group_q;
  logic [Slots-1:0] plains_q;
  logic plain_q, use_valid, head_done;
  logic [SlotBits-1:0] slot, next_slot;
  always_ff @(posedge clk_i) begin
    if (head_write_i) begin
      groups_q[head_slot_i] <= head_group_i;
      plains_q[head_slot_i] <= head_dense_i || !head_mean_i;
    end
    group_q <= groups_q[next_slot];
    plain_q <= plains_q[next_slot];
  end

  logic fetch, finish, sequencer_busy, finish_busy;
  assign busy_o = sequencer_busy || finish_busy;
  logic [RoundBits-1:0] fetch_round;
  logic row_valid, row_empty;
  logic [Lanes*16-1:0] row;
  logic [RowAddressBits-1:0] row_address;
  logic [PartialBits:0] partials;
  sparf_attend_sequencer #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(SetQueries),
    .Slots(Slots),
    .RingLines(RingLines)
  ) u_sequencer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .job_valid_i(job_valid_i),
    .job_ready_o(job_ready_o),
`ifdef NEARDATA_ASSERT
    .job_slot_i(job_slot_i),
`endif
    .job_count_i(job_count_i),
    .job_base_i(job_base_i),
    .job_last_i(job_last_i),
    .job_done_o(job_done_o),
    .ring_read_o(ring_read_o),
    .ring_line_o(ring_line_o),
    .ring_data_i(ring_data_i),
    .use_valid_i(use_valid),
`ifdef NEARDATA_ASSERT
    .use_slot_i(slot),
`endif
    .use_group_i(RoundBits'(group_q >> LogSets)),
    .fetch_o(fetch),
    .fetch_query_o(fetch_round),
    .row_valid_o(row_valid),
    .row_o(row),
    .row_address_o(row_address),
    .row_empty_o(row_empty),
    .finish_o(finish),
    .partials_o(partials),
    .release_i(head_done),
    .events_o(events_o),
    .busy_o(sequencer_busy)
  );

  // The head number remains stable until long after this flag.
  logic special;
  always_comb begin
    special = 1'b0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      if (sparf_kernel_pkg::non_finite(row[l*16+10 +: 5])) special = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) non_finite_q <= 1'b0;
    else non_finite_q <= row_valid && special;
  end

  logic fold_read, fold_empty, fold_hold_data, fold_hold_sum, fold_add_data, fold_add_sum;
  logic [WordBits-1:0] fold_word;
  logic [PartialBits-1:0] fold_partial;
  // The complete query: its set, and its round in the set.
  logic [QuerySets-1:0] finishes;
  logic [RoundBits-1:0] out_round;
  assign out_round = RoundBits'(out_query_o >> LogSets);

  // All sets are in lockstep: the first set represents them.
  logic [QuerySets-1:0] fill_ready, used, weighs, adds;
  logic [QuerySets*SlotBits-1:0] used_slot, used_next;
  logic [Lanes*32-1:0] set_sums[QuerySets];
  logic [TotalBits-1:0] set_total[QuerySets];
  logic [QuerySets-1:0] borrowed, borrow_write, borrow_read;
  logic [QuerySets*SetAddressBits-1:0] write_address, read_address;
  assign borrowed_o = borrowed[0];
  assign borrow_write_o = borrow_write[0];
  assign borrow_write_address_o = write_address[SetAddressBits-1:0];
  assign borrow_read_o = borrow_read[0];
  assign borrow_read_address_o = read_address[SetAddressBits-1:0];
  assign fill_ready_o = fill_ready[0];
  assign use_valid = used[0];
  assign slot = used_slot[SlotBits-1:0];
  assign next_slot = used_next[SlotBits-1:0];
  for (genvar s = 0; s < QuerySets; s++) begin : gen_set
    // The set has a query in the round.
    logic fetches, weight_valid;
    logic [31:0] weight, weight_q;
    assign weighs[s] = weight_valid;
    if (QuerySets > 1) begin : gen_has
      logic [RoundBits-1:0] row_round;
      assign row_round = row_address[RowAddressBits-1 -: RoundBits];
      assign fetches = {fetch_round, LogSets'(s)} <= (RoundBits + LogSets)'(group_q);
      assign adds[s] = {row_round, LogSets'(s)} <= (RoundBits + LogSets)'(group_q);
      assign finishes[s] = out_query_o[LogSets-1:0] == LogSets'(s);
    end else begin : gen_all
      assign fetches = 1'b1;
      assign adds[s] = 1'b1;
      assign finishes[s] = 1'b1;
    end
    sparf_attend_softmax #(
      .MaxKeys(SetKeys),
      .OwnKeys(OwnKeys / QuerySets),
      .MaxGroup(SetQueries),
      .Slots(Slots),
      .TotalBits(TotalBits)
    ) u_softmax (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .head_write_i(head_write_i),
      .head_slot_i(head_slot_i),
      .head_group_i(RoundBits'(head_group_i >> LogSets)),
      .head_used_i(SetSizeBits'(
          head_dense_i || head_take_i > head_tokens_i ? head_tokens_i : head_take_i)),
      .head_scale_i(head_scale_i),
      .fill_valid_i(fill_valid_i),
      .fill_ready_o(fill_ready[s]),
      .fill_slot_i(fill_slot_i),
      .logit_valid_i(logit_valid_i),
      .logit_i(logit_i[s*32 +: 32]),
      .logit_query_i(RoundBits'(logit_query_i)),
      .logit_end_i(logit_end_i),
      .use_valid_o(used[s]),
      .use_slot_o(used_slot[s*SlotBits +: SlotBits]),
      .next_slot_o(used_next[s*SlotBits +: SlotBits]),
      .fetch_i(fetch),
      .fetch_query_i(fetch_round),
      .fetch_counts_i(fetches),
      .weight_valid_o(weight_valid),
      .weight_o(weight),
      .total_query_i(out_round),
      .total_o(set_total[s]),
      .release_i(head_done),
      .lender_empty_i(lender_empty_i),
      .borrowed_o(borrowed[s]),
      .borrow_write_o(borrow_write[s]),
      .borrow_write_address_o(write_address[s*SetAddressBits +: SetAddressBits]),
      .borrow_read_o(borrow_read[s]),
      .borrow_read_address_o(read_address[s*SetAddressBits +: SetAddressBits]),
      .borrowed_i(borrowed_i[s*32 +: 32])
    );
    always_ff @(posedge clk_i) begin
      if (weight_valid) weight_q <= weight;
    end
    sparf_attend_lanes #(
      .Lanes(Lanes),
      .Words(PartialWords)
    ) u_lanes (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .row_valid_i(row_valid && adds[s]),
      .weight_i(weight_q),
      .values_i(row),
      .address_i(row_address[PartialAddressBits-1:0]),
      .empty_i(row_empty),
      .fold_read_i(fold_read && finishes[s]),
      .fold_address_i(PartialAddressBits'({out_round, fold_partial, fold_word})),
      .fold_empty_i(fold_empty),
      .fold_hold_data_i(fold_hold_data && finishes[s]),
      .fold_hold_sum_i(fold_hold_sum && finishes[s]),
      .fold_add_data_i(fold_add_data && finishes[s]),
      .fold_add_sum_i(fold_add_sum && finishes[s]),
      .sums_o(set_sums[s])
    );
  end

  logic [Lanes*32-1:0] sums;
  logic [TotalBits-1:0] total;
  always_comb begin
    sums = set_sums[0];
    total = set_total[0];
    for (int unsigned s = 1; s < QuerySets; s++) begin
      if (finishes[s]) begin
        sums = set_sums[s];
        total = set_total[s];
      end
    end
  end

  sparf_attend_finish #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .TotalBits(TotalBits)
  ) u_finish (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .head_write_i(head_write_i),
    .head_slot_i(head_slot_i),
    .share_write_i(share_write_i),
    .share_slot_i(share_slot_i),
    .share_query_i(share_query_i),
    .share_end_i(share_end_i),
    .share_i(share_i),
    .mean_write_i(mean_write_i),
    .mean_slot_i(mean_slot_i),
    .mean_dim_i(mean_dim_i),
    .mean_i(mean_i),
    .run_i(finish),
    .slot_i(slot),
    .group_i(group_q),
    .plain_i(plain_q),
    .partials_i(partials),
    .query_o(out_query_o),
    .total_i(total),
    .done_o(head_done),
    .fold_read_o(fold_read),
    .fold_word_o(fold_word),
    .fold_partial_o(fold_partial),
    .fold_empty_o(fold_empty),
    .fold_hold_data_o(fold_hold_data),
    .fold_hold_sum_o(fold_hold_sum),
    .fold_add_data_o(fold_add_data),
    .fold_add_sum_o(fold_add_sum),
    .sums_i(sums),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_line_o(out_line_o),
    .out_data_o(out_data_o),
    .out_last_o(out_last_o),
    .busy_o(finish_busy)
  );
  assign out_slot_o = slot;

`ifdef NEARDATA_ASSERT
  logic [QuerySets-1:0] weighed_q;
  always_ff @(posedge clk_i) weighed_q <= rst_ni ? weighs : '0;
  `HOLDS(WeightInTime_A, (weighed_q & ~(adds & {QuerySets{row_valid}})) == '0)
`endif
  `HOLDS(SetsInStep_A, fill_ready == {QuerySets{fill_ready_o}} && used == {QuerySets{use_valid}})
  `HOLDS(SetsBorrow_A, borrowed == {QuerySets{borrowed_o}} &&
      borrow_write == {QuerySets{borrow_write_o}} && borrow_read == {QuerySets{borrow_read_o}})
  `IMPLIES(SetsShareWrite_A, borrow_write_o, write_address == {QuerySets{borrow_write_address_o}})
  `IMPLIES(SetsShareRead_A, borrow_read_o, read_address == {QuerySets{borrow_read_address_o}})
  `IMPLIES(SetsShareHead_A, use_valid, used_slot == {QuerySets{slot}})
endmodule
