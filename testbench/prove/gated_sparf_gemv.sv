// SPDX-License-Identifier: Apache-2.0
// The gated part of sparf_kernel that computes logits: sparf_gemv_sequencer, which is the instance u_dut, and
// sparf_gemv_lanes, with one query set. run_o is the input of their clock gate.
module gated_sparf_gemv #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 8,
  parameter int unsigned MaxKeys = 32,
  parameter int unsigned MaxGroup = 2,
  parameter int unsigned Slots = 2,
  parameter int unsigned RingLines = 8,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned RingBits = $clog2(RingLines),
  localparam int unsigned LiveBits = $clog2(Lanes) + 1,
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Width / Lanes),
  localparam int unsigned TagBits = 2 + GroupBits + SizeBits,
  localparam int unsigned SeenBits = 12 + RingBits + 2 * SlotBits + 32 + LiveBits + TagBits
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_taken_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [SlotBits-1:0]  prepared_slot_i,
  input  logic                 word_write_i,
  input  logic [GroupBits-1:0] word_query_i,
  input  logic [WordBits-1:0]  word_i,
  input  logic [Lanes*16-1:0]  word_data_i,
  input  logic                 chosen_write_i,
  input  logic [IndexBits-1:0] chosen_rank_i,
  input  logic [IndexBits-1:0] chosen_dim_i,
  input  logic                 dims_valid_i,
  input  logic [Width-1:0]     mask_i,
  input  logic                 job_valid_i,
  input  logic [SlotBits-1:0]  job_slot_i,
  input  logic                 job_column_i,
  input  logic                 job_second_i,
  input  logic [SizeBits-1:0]  job_count_i,
  input  logic [RingBits-1:0]  job_base_i,
  input  logic [IndexBits:0]   job_dims_i,
  input  logic [RingBits-1:0]  job_row_lines_i,
  input  logic                 job_last_i,
  input  logic [511:0]         ring_data_i,
  input  logic [1:0]           fill_ready_i,
  output logic                 run_o,
  output logic                 assumed_o,
  output logic                 case_o,
  output logic [SeenBits-1:0]  seen_o
);
  logic job_ready, job_done, ring_read, non_finite, logit_valid, logit_last;
  logic [RingBits-1:0] ring_line;
  logic [1:0] fill_valid, busy;
  logic [SlotBits-1:0] fill_slot, non_finite_slot;
  logic [2:0] events;
  logic [31:0] logit;
  logic [LiveBits-1:0] logit_lane;
  logic [TagBits-1:0] logit_tag;
  logic beat_valid, beat_first, beat_last, beat_column, beat_second, beat_end;
  logic [IndexBits:0] beat_number;
  logic [Lanes*16-1:0] beat_keys, beat_query;
  logic [LiveBits-1:0] beat_live;
  logic [GroupBits-1:0] beat_group;
  logic [SizeBits-1:0] beat_token;
  sparf_gemv_sequencer #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .RingLines(RingLines)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .head_write_i(head_taken_i),
    .head_slot_i(head_slot_i),
    .head_group_i(head_group_i),
    .prepared_slot_i(prepared_slot_i),
    .word_write_i(word_write_i),
    .word_query_i(word_query_i),
    .word_i(word_i),
    .word_data_i(word_data_i),
    .chosen_write_i(chosen_write_i),
    .chosen_rank_i(chosen_rank_i),
    .chosen_dim_i(chosen_dim_i),
    .mask_write_i(dims_valid_i),
    .mask_i(mask_i),
    .job_valid_i(job_valid_i),
    .job_ready_o(job_ready),
    .job_slot_i(job_slot_i),
    .job_column_i(job_column_i),
    .job_second_i(job_second_i),
    .job_count_i(job_count_i),
    .job_base_i(job_base_i),
    .job_dims_i(job_dims_i),
    .job_row_lines_i(job_row_lines_i),
    .job_last_i(job_last_i),
    .job_done_o(job_done),
    .ring_read_o(ring_read),
    .ring_line_o(ring_line),
    .ring_data_i(ring_data_i),
    .fill_valid_o(fill_valid),
    .fill_ready_i(fill_ready_i),
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
    .non_finite_o(non_finite),
    .non_finite_slot_o(non_finite_slot),
    .events_o(events),
    .busy_o(busy[0])
  );
  sparf_gemv_lanes #(
    .Lanes(Lanes),
    .Width(Width),
    .TagBits(TagBits)
  ) u_lanes (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(beat_valid),
    .first_i(beat_first),
    .last_i(beat_last),
    .column_i(beat_column),
    .beats_i(beat_number),
    .live_i(beat_live),
    .tag_i({beat_second, beat_end, beat_group, beat_token}),
    .keys_i(beat_keys),
    .query_i(beat_query),
    .logit_valid_o(logit_valid),
    .logit_o(logit),
    .logit_last_o(logit_last),
    .logit_lane_o(logit_lane),
    .logit_tag_o(logit_tag),
    .busy_o(busy[1])
  );
  assign run_o = head_taken_i || word_write_i || chosen_write_i || dims_valid_i || busy != '0
                 || (job_valid_i && job_ready);
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {job_ready, job_done, ring_read, non_finite, logit_valid, logit_last, fill_valid, events,
                   ring_line, fill_slot, non_finite_slot, logit, logit_lane, logit_tag};
endmodule
