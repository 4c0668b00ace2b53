// SPDX-License-Identifier: Apache-2.0
// Attention kernel of the SparF engine: the arithmetic of up to Slots heads at a time. The results equal those
// of src/golden/attention-engine.ts, bit for bit, for any Lanes.
//
// A head enters with its queries (one, or a group that shares keys and values; rows padded to whole lines) and,
// when it is sparse and uses the mean, the sums of its value columns (64 bits, units of 2^-24). After its dims
// output, which every head has (all ones for a dense head), the kernel accepts its jobs:
//   column jobs   a block of tokens in dimension order; row jobs: tokens in token order. In the
//                 first step (second_i low) only the chosen dimensions count. Logits are in
//                 token order, and the jobs of one step of one head are consecutive among the jobs
//                 of that step.
//   selection     after the last job of step 1, beats of eight tokens; beats without a token are dropped
//   value jobs    rows of values in the order of the tokens of step 2, after all logits of the head
//   output        a row of FP16 per query, padded to lines with zeros; the last line frees the slot
// Data of jobs are in two rings outside (line = base modulo RingLines; read data one cycle later).
// A column job's chosen dimension c (ascending) begins at base + c row_lines; rows of a row job or a value job
// follow each other without gaps. done strobes release a job's lines.
// An exponent of 31 counts as an ordinary exponent: there are no infinities and no NaNs. non_finite marks a
// slot whose head had an exponent of 31 in a query, a chosen key or a chosen value.
`include "assert.svh"
`include "observe.svh"
module sparf_kernel #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,  // queries of a group times tokens, these in eights and
                                           // queries in whole sets
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned QuerySets = 1,    // queries of a group that are served at once
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned DimBits = $clog2(Width) + 1,
  localparam int unsigned LineBits = $clog2(RingLines),
  localparam int unsigned BeatBits = $clog2(MaxKeys / QuerySets / sparf_kernel_pkg::KeysPerBeat)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       head_valid_i,
  output logic                       head_ready_o,
  input  logic [SlotBits-1:0]        head_slot_i,
  input  logic                       head_dense_i,
  input  logic [GroupBits-1:0]       head_group_i,      // queries, less one
  input  logic [SizeBits-1:0]        head_tokens_i,     // S, 1 or more
  input  logic [DimBits-1:0]         head_dims_i,       // r, 1 .. Width
  input  logic [SizeBits-1:0]        head_take_i,       // k, 1 or more; above S: S
  input  logic [SizeBits-1:0]        head_window_i,     // l
  input  logic                       head_mean_i,       // sums of value columns follow the queries
  input  logic [31:0]                head_scale_i,      // FP32 log2(e) / sqrt(width)
  input  logic [31:0]                head_reciprocal_i, // FP32 1 / S
  input  logic                       line_valid_i,
  output logic                       line_ready_o,
  input  logic [511:0]               line_data_i,
  output logic                       dims_valid_o,
  input  logic                       dims_ready_i,
  output logic [SlotBits-1:0]        dims_slot_o,
  output logic [Width-1:0]           dims_mask_o,
  input  logic                       kjob_valid_i,
  output logic                       kjob_ready_o,
  input  logic [SlotBits-1:0]        kjob_slot_i,
  input  logic                       kjob_column_i,
  input  logic                       kjob_second_i,
  input  logic [SizeBits-1:0]        kjob_count_i,      // tokens
  input  logic [LineBits-1:0]        kjob_base_i,
  input  logic [DimBits-1:0]         kjob_dims_i,       // of a column job: chosen dimensions
  input  logic [LineBits-1:0]        kjob_row_lines_i,  // and lines of each
  input  logic                       kjob_last_i,       // of this step of this head
  output logic                       kjob_done_o,
  output logic                       kread_o,
  output logic [LineBits-1:0]        kaddr_o,
  input  logic [511:0]               kdata_i,
  input  logic                       vjob_valid_i,
  output logic                       vjob_ready_o,
`ifdef NEARDATA_ASSERT
  input  logic [SlotBits-1:0]        vjob_slot_i,
`endif
  input  logic [SizeBits-1:0]        vjob_count_i,
  input  logic [LineBits-1:0]        vjob_base_i,
  input  logic                       vjob_last_i,       // of this head
  output logic                       vjob_done_o,
  output logic                       vread_o,
  output logic [LineBits-1:0]        vaddr_o,
  input  logic [511:0]               vdata_i,
  output logic                       sel_valid_o,
  input  logic                       sel_ready_i,
  output logic [BeatBits-1:0]        sel_beat_o,
  output logic [7:0]                 sel_mask_o,
`ifdef NEARDATA_OBSERVE
  output logic [SlotBits-1:0]        sel_slot_o,        // of a selection, for observers
  output logic                       sel_last_o,
  output logic                       alpha_valid_o,     // a sparse head's, for observers
  output logic [SlotBits-1:0]        alpha_slot_o,
  output logic [GroupBits-1:0]       alpha_query_o,
  output logic [31:0]                alpha_o,           // FP32, before the value 1 of a head without mean
`endif
  output logic                       out_valid_o,
  input  logic                       out_ready_i,
  output logic [SlotBits-1:0]        out_slot_o,
  output logic [GroupBits-1:0]       out_query_o,
  output logic [DimBits-1:0]         out_line_o,        // of the query's row
  output logic [511:0]               out_data_o,
  output logic                       out_last_o,        // of the head
  output logic [Slots-1:0]           non_finite_o,      // of each slot; stays until its next head
  output logic [sparf_kernel_pkg::Events-1:0] events_o
);
  localparam int unsigned IndexBits = DimBits - 1;
  localparam int unsigned LaneBits = $clog2(Lanes);

  logic [Slots-1:0] non_finite_q;
  assign non_finite_o = non_finite_q;

  logic head_taken, head_ends;
  logic [SlotBits:0] heads_q;  // in the kernel
  assign head_taken = head_valid_i && head_ready_o;
  assign head_ends = out_valid_o && out_ready_i && out_last_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) heads_q <= '0;
    else heads_q <= heads_q + ($bits(heads_q))'(head_taken) - ($bits(heads_q))'(head_ends);
  end

  // Per slot: one of its operands was not finite.
  logic query_special, key_special, value_special;
  logic [SlotBits-1:0] key_special_slot;
  always_ff @(posedge clk_i) begin
    if (head_taken) non_finite_q[head_slot_i] <= 1'b0;
    if (query_special) non_finite_q[dims_slot_o] <= 1'b1;
    if (key_special) non_finite_q[key_special_slot] <= 1'b1;
    if (value_special) non_finite_q[out_slot_o] <= 1'b1;
    if (!rst_ni) non_finite_q <= '0;
  end

  // The clocks of idle units stop (below). Their longest path without a
  // state leads from a weighted value to its sum.
  localparam int unsigned Hold = 127;
  logic query_clk, gemv_clk, rank_clk, attend_clk;
  logic query_busy, rank_busy, attend_busy;
  logic [1:0] gemv_busy;

  logic word_write, chosen_write, scale_write, mean_write;
  logic [GroupBits-1:0] word_query, scale_query;
  logic [sparf_kernel_pkg::address_bits(Width / Lanes)-1:0] word;
  logic [IndexBits-1:0] chosen_rank, chosen_dim, mean_dim;
  logic [Lanes*16-1:0] word_data;
  logic [31:0] query_product;
  sparf_query_unit #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxGroup(MaxGroup),
    .Slots(Slots)
  ) u_query (
    .clk_i(query_clk),
    .rst_ni(rst_ni),
    .head_valid_i(head_valid_i),
    .head_ready_o(head_ready_o),
    .busy_o(query_busy),
    .head_slot_i(head_slot_i),
    .head_dense_i(head_dense_i),
    .head_group_i(head_group_i),
    .head_dims_i(head_dims_i),
    .head_mean_i(head_mean_i),
    .head_scale_i(head_scale_i),
    .head_reciprocal_i(head_reciprocal_i),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready_o),
    .line_data_i(line_data_i),
    .dims_valid_o(dims_valid_o),
    .dims_ready_i(dims_ready_i),
    .dims_mask_o(dims_mask_o),
    .slot_o(dims_slot_o),
    .word_write_o(word_write),
    .word_query_o(word_query),
    .word_o(word),
    .word_data_o(word_data),
    .chosen_write_o(chosen_write),
    .chosen_rank_o(chosen_rank),
    .chosen_dim_o(chosen_dim),
    .scale_write_o(scale_write),
    .scale_query_o(scale_query),
    .mean_write_o(mean_write),
    .mean_dim_o(mean_dim),
    .product_o(query_product),
    .non_finite_o(query_special)
  );

  logic [1:0] fill_valid, fill_ready;
  logic [SlotBits-1:0] fill_slot;
  logic beat_valid, beat_first, beat_last, beat_column, beat_second, beat_end;
  logic [DimBits-1:0] beat_number;
  logic [Lanes*16-1:0] beat_keys;
  logic [QuerySets*Lanes*16-1:0] beat_query;
  logic [LaneBits:0] beat_live;
  logic [GroupBits-1:0] beat_group;
  logic [SizeBits-1:0] beat_token;
  logic [2:0] gemv_events;
  sparf_gemv_sequencer #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .RingLines(RingLines),
    .QuerySets(QuerySets)
  ) u_sequencer (
    .clk_i(gemv_clk),
    .rst_ni(rst_ni),
    .head_write_i(head_taken),
    .head_slot_i(head_slot_i),
    .head_group_i(head_group_i),
    .prepared_slot_i(dims_slot_o),
    .word_write_i(word_write),
    .word_query_i(word_query),
    .word_i(word),
    .word_data_i(word_data),
    .chosen_write_i(chosen_write),
    .chosen_rank_i(chosen_rank),
    .chosen_dim_i(chosen_dim),
    .mask_write_i(dims_valid_o),
    .mask_i(dims_mask_o),
    .job_valid_i(kjob_valid_i),
    .job_ready_o(kjob_ready_o),
    .job_slot_i(kjob_slot_i),
    .job_column_i(kjob_column_i),
    .job_second_i(kjob_second_i),
    .job_count_i(kjob_count_i),
    .job_base_i(kjob_base_i),
    .job_dims_i(kjob_dims_i),
    .job_row_lines_i(kjob_row_lines_i),
    .job_last_i(kjob_last_i),
    .job_done_o(kjob_done_o),
    .ring_read_o(kread_o),
    .ring_line_o(kaddr_o),
    .ring_data_i(kdata_i),
    .fill_valid_o(fill_valid),
    .fill_ready_i(fill_ready),
    .fill_slot_o(fill_slot),
    .beat_valid_o(beat_valid),
    .beat_first_o(beat_first),
    .beat_last_o(beat_last),
    .beat_column_o(beat_column),
    .beat_number_o(beat_number),
    .beat_keys_o(beat_keys),
    .beat_query_o(beat_query),
    .beat_live_o(beat_live),
    .beat_second_o(beat_second),
    .beat_group_o(beat_group),
    .beat_token_o(beat_token),
    .beat_end_o(beat_end),
    .non_finite_o(key_special),
    .non_finite_slot_o(key_special_slot),
    .events_o(gemv_events),
    .busy_o(gemv_busy[0])
  );

  // Logits, each with its tile.
  typedef struct packed {
    logic second;                 // dense or step 2
    logic step_end;               // the last tile of its step
    logic [GroupBits-1:0] query;  // the round
    logic [SizeBits-1:0] token;   // the first
  } tile_t;
  localparam int unsigned TileBits = 2 + GroupBits + SizeBits;
  tile_t beat_tile, logit_tile;
  assign beat_tile.second = beat_second;
  assign beat_tile.step_end = beat_end;
  assign beat_tile.query = beat_group;
  assign beat_tile.token = beat_token;
  logic logit_valid, logit_last, logit_end;
  logic [QuerySets*32-1:0] logit;
  logic [LaneBits:0] logit_lane;
  logic [SizeBits-1:0] logit_token;
  // The sets are in lockstep: the marks of a logit are those of the first set.
  logic [QuerySets-1:0] set_valid, set_last, set_busy;
  logic [QuerySets*(LaneBits+1)-1:0] set_lane;
  logic [QuerySets*TileBits-1:0] set_tile;
  assign logit_valid = set_valid[0];
  assign logit_last = set_last[0];
  assign logit_lane = set_lane[LaneBits:0];
  assign logit_tile = set_tile[TileBits-1:0];
  assign gemv_busy[1] = set_busy[0];
  for (genvar s = 0; s < QuerySets; s++) begin : gen_set
    sparf_gemv_lanes #(
      .Lanes(Lanes),
      .Width(Width),
      .TagBits(TileBits)
    ) u_gemv (
      .clk_i(gemv_clk),
      .rst_ni(rst_ni),
      .valid_i(beat_valid),
      .first_i(beat_first),
      .last_i(beat_last),
      .column_i(beat_column),
      .beats_i(beat_number),
      .live_i(beat_live),
      .tag_i(beat_tile),
      .keys_i(beat_keys),
      .query_i(beat_query[s*Lanes*16 +: Lanes*16]),
      .logit_valid_o(set_valid[s]),
      .logit_o(logit[s*32 +: 32]),
      .logit_last_o(set_last[s]),
      .logit_lane_o(set_lane[s*(LaneBits+1) +: LaneBits+1]),
      .logit_tag_o(set_tile[s*TileBits +: TileBits]),
      .busy_o(set_busy[s])
    );
  end
  assign logit_token = logit_tile.token + SizeBits'(logit_lane);
  assign logit_end = logit_tile.step_end && logit_last;

  logic [1:0] share_write;
  logic [SlotBits-1:0] share_slot;
  logic [GroupBits-1:0] share_query;
  logic share_end;
  localparam int unsigned SetBits = SizeBits - $clog2(QuerySets);
  logic [31:0] share;
  logic [1:0] rank_events;
  // The memory of logits of the rank unit is lent to step 2.
  logic rank_empty, borrowed, borrow_write, borrow_read;
  logic [SetBits-2:0] borrow_write_address, borrow_read_address;
  logic [QuerySets*32-1:0] lent;
  sparf_rank_unit #(
    .MaxKeys(MaxKeys / QuerySets),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .QuerySets(QuerySets)
  ) u_rank (
    .clk_i(rank_clk),
    .rst_ni(rst_ni),
    .head_write_i(head_taken),
    .head_slot_i(head_slot_i),
    .head_group_i(head_group_i),
    .head_tokens_i(SetBits'(head_tokens_i)),
    .head_take_i(SetBits'(head_take_i)),
    .head_window_i(SetBits'(head_window_i)),
    .scale_write_i(scale_write),
    .scale_slot_i(dims_slot_o),
    .scale_query_i(scale_query),
    .scale_i(query_product),
    .fill_valid_i(fill_valid[0]),
    .fill_ready_o(fill_ready[0]),
    .fill_slot_i(fill_slot),
    .logit_valid_i(logit_valid && !logit_tile.second),
    .logit_i(logit),
    .logit_query_i(logit_tile.query),
    .logit_token_i(SetBits'(logit_token)),
    .logit_end_i(logit_end),
    .sel_valid_o(sel_valid_o),
    .sel_ready_i(sel_ready_i),
    .sel_beat_o(sel_beat_o),
    .sel_mask_o(sel_mask_o),
`ifdef NEARDATA_OBSERVE
    .sel_slot_o(sel_slot_o),
    .sel_last_o(sel_last_o),
`endif
    .share_write_o(share_write),
    .share_slot_o(share_slot),
    .share_query_o(share_query),
    .share_end_o(share_end),
    .share_o(share),
    .empty_o(rank_empty),
    .lent_i(borrowed),
    .lent_write_i(borrow_write),
    .lent_write_address_i(borrow_write_address),
    .lent_read_i(borrow_read),
    .lent_read_address_i(borrow_read_address),
    .lent_o(lent),
    .events_o(rank_events),
    .busy_o(rank_busy)
  );

  logic [2:0] attend_events;
  sparf_attend_unit #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .RingLines(RingLines),
    .QuerySets(QuerySets)
  ) u_attend (
    .clk_i(attend_clk),
    .rst_ni(rst_ni),
    .head_write_i(head_taken),
    .head_slot_i(head_slot_i),
    .head_dense_i(head_dense_i),
    .head_mean_i(head_mean_i),
    .head_group_i(head_group_i),
    .head_tokens_i(head_tokens_i),
    .head_take_i(head_take_i),
    .head_scale_i(head_scale_i),
    .mean_write_i(mean_write),
    .mean_slot_i(dims_slot_o),
    .mean_dim_i(mean_dim),
    .mean_i(query_product),
    .share_write_i(share_write),
    .share_slot_i(share_slot),
    .share_query_i(share_query),
    .share_end_i(share_end),
    .share_i(share),
    .fill_valid_i(fill_valid[1]),
    .fill_ready_o(fill_ready[1]),
    .fill_slot_i(fill_slot),
    .logit_valid_i(logit_valid && logit_tile.second),
    .logit_i(logit),
    .logit_query_i(logit_tile.query),
    .logit_end_i(logit_end),
    .job_valid_i(vjob_valid_i),
    .job_ready_o(vjob_ready_o),
`ifdef NEARDATA_ASSERT
    .job_slot_i(vjob_slot_i),
`endif
    .job_count_i(vjob_count_i),
    .job_base_i(vjob_base_i),
    .job_last_i(vjob_last_i),
    .job_done_o(vjob_done_o),
    .ring_read_o(vread_o),
    .ring_line_o(vaddr_o),
    .ring_data_i(vdata_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_slot_o(out_slot_o),
    .out_query_o(out_query_o),
    .out_line_o(out_line_o),
    .out_data_o(out_data_o),
    .out_last_o(out_last_o),
    .lender_empty_i(rank_empty),
    .borrowed_o(borrowed),
    .borrow_write_o(borrow_write),
    .borrow_write_address_o(borrow_write_address),
    .borrow_read_o(borrow_read),
    .borrow_read_address_o(borrow_read_address),
    .borrowed_i(lent),
    .non_finite_o(value_special),
    .events_o(attend_events),
    .busy_o(attend_busy)
  );

`ifdef NEARDATA_OBSERVE
  assign alpha_valid_o = share_write[0];
  assign alpha_slot_o = share_slot;
  assign alpha_query_o = share_query;
  assign alpha_o = share;
`endif

  assign events_o[sparf_kernel_pkg::EventColumn] = gemv_events[0];
  assign events_o[sparf_kernel_pkg::EventRow] = gemv_events[1];
  assign events_o[sparf_kernel_pkg::EventSelect] = rank_events[0];
  assign events_o[sparf_kernel_pkg::EventWeigh] = rank_events[1];
  assign events_o[sparf_kernel_pkg::EventAttend] = attend_events[0];
  assign events_o[sparf_kernel_pkg::EventFold] = attend_events[1];
  assign events_o[sparf_kernel_pkg::EventKeyWait] =
      heads_q != '0 && kjob_ready_o && !kjob_valid_i;
  assign events_o[sparf_kernel_pkg::EventValueWait] =
      heads_q != '0 && vjob_ready_o && !vjob_valid_i;
  assign events_o[sparf_kernel_pkg::EventBlocked] = gemv_events[2] || attend_events[2];

  clock_gate #(
    .Hold(Hold)
  ) u_query_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(head_valid_i || query_busy),
    .clk_o(query_clk)
  );
  clock_gate #(
    .Hold(Hold)
  ) u_gemv_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(head_taken || word_write || chosen_write || dims_valid_o || gemv_busy != '0 ||
           (kjob_valid_i && kjob_ready_o)),
    .clk_o(gemv_clk)
  );
  clock_gate #(
    .Hold(Hold)
  ) u_rank_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(head_taken || scale_write || fill_valid[0] || logit_valid || borrow_read || rank_busy),
    .clk_o(rank_clk)
  );
  clock_gate #(
    .Hold(Hold)
  ) u_attend_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(head_taken || mean_write || share_write != '0 || share_end || fill_valid[1] ||
           logit_valid || attend_busy || (vjob_valid_i && vjob_ready_o)),
    .clk_o(attend_clk)
  );

  `HOLDS(SetsInStep_A, set_valid == {QuerySets{logit_valid}} && set_busy == {QuerySets{set_busy[0]}})
  `IMPLIES(SetsShareTile_A, logit_valid, set_last == {QuerySets{logit_last}} &&
      set_lane == {QuerySets{logit_lane}} && set_tile == {QuerySets{set_tile[TileBits-1:0]}})

  if ((Slots & (Slots - 1)) != 0 || Slots < 2 || (MaxGroup & (MaxGroup - 1)) != 0 ||
      MaxGroup < 2) begin : gen_bad_tables
    $error("sparf_kernel: Slots and MaxGroup must be powers of two, at least 2");
  end
  if (QuerySets < 1 || QuerySets > MaxGroup || (QuerySets & (QuerySets - 1)) != 0) begin : gen_bad_sets
    $error("sparf_kernel: QuerySets must be a power of two, at most MaxGroup");
  end
  if ((MaxKeys & (MaxKeys - 1)) != 0 || (RingLines & (RingLines - 1)) != 0) begin : gen_bad_sizes
    $error("sparf_kernel: MaxKeys and RingLines must be powers of two");
  end
endmodule
