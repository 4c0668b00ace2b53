// SPDX-License-Identifier: Apache-2.0
// A gated sparf_attend_unit with one query set; run_o is the input of its clock gate. A logit of step 1 is not for this
// unit, but it opens the gate, too.
module gated_sparf_attend_unit #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 8,
  parameter int unsigned MaxKeys = 16,
  parameter int unsigned MaxGroup = 2,
  parameter int unsigned Slots = 2,
  parameter int unsigned RingLines = 8,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned RingBits = $clog2(RingLines),
  localparam int unsigned SeenBits = 13 + RingBits + SlotBits + GroupBits + IndexBits + 1 + 512
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_taken_i,
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
  input  logic                 fill_valid_i,
  input  logic [SlotBits-1:0]  fill_slot_i,
  input  logic                 logit_valid_i,
  input  logic                 logit_second_i,
  input  logic [31:0]          logit_i,
  input  logic [GroupBits-1:0] logit_query_i,
  input  logic                 logit_end_i,
  input  logic                 job_valid_i,
  input  logic [SizeBits-1:0]  job_count_i,
  input  logic [RingBits-1:0]  job_base_i,
  input  logic                 job_last_i,
  input  logic [511:0]         ring_data_i,
  input  logic                 out_ready_i,
  input  logic                 lender_empty_i,
  input  logic [31:0]          borrowed_i,
  output logic                 run_o,
  output logic                 assumed_o,
  output logic                 case_o,
  output logic [SeenBits-1:0]  seen_o
);
  logic fill_ready, job_ready, job_done, ring_read, out_valid, out_last, borrowed, borrow_write, borrow_read;
  logic non_finite, busy;
  logic [RingBits-1:0] ring_line;
  logic [SlotBits-1:0] out_slot;
  logic [GroupBits-1:0] out_query;
  logic [IndexBits:0] out_line;
  logic [511:0] out_data;
  logic [SizeBits-2:0] write_address, read_address;
  logic [2:0] events;
  sparf_attend_unit #(
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
    .head_dense_i(head_dense_i),
    .head_mean_i(head_mean_i),
    .head_group_i(head_group_i),
    .head_tokens_i(head_tokens_i),
    .head_take_i(head_take_i),
    .head_scale_i(head_scale_i),
    .mean_write_i(mean_write_i),
    .mean_slot_i(mean_slot_i),
    .mean_dim_i(mean_dim_i),
    .mean_i(mean_i),
    .share_write_i(share_write_i),
    .share_slot_i(share_slot_i),
    .share_query_i(share_query_i),
    .share_end_i(share_end_i),
    .share_i(share_i),
    .fill_valid_i(fill_valid_i),
    .fill_ready_o(fill_ready),
    .fill_slot_i(fill_slot_i),
    .logit_valid_i(logit_valid_i && logit_second_i),
    .logit_i(logit_i),
    .logit_query_i(logit_query_i),
    .logit_end_i(logit_end_i),
    .job_valid_i(job_valid_i),
    .job_ready_o(job_ready),
    .job_count_i(job_count_i),
    .job_base_i(job_base_i),
    .job_last_i(job_last_i),
    .job_done_o(job_done),
    .ring_read_o(ring_read),
    .ring_line_o(ring_line),
    .ring_data_i(ring_data_i),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready_i),
    .out_slot_o(out_slot),
    .out_query_o(out_query),
    .out_line_o(out_line),
    .out_data_o(out_data),
    .out_last_o(out_last),
    .lender_empty_i(lender_empty_i),
    .borrowed_o(borrowed),
    .borrow_write_o(borrow_write),
    .borrow_write_address_o(write_address),
    .borrow_read_o(borrow_read),
    .borrow_read_address_o(read_address),
    .borrowed_i(borrowed_i),
    .non_finite_o(non_finite),
    .events_o(events),
    .busy_o(busy)
  );
  assign run_o = head_taken_i || mean_write_i || share_write_i != '0 || share_end_i || fill_valid_i ||
                 logit_valid_i || busy || (job_valid_i && job_ready);
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {fill_ready, job_ready, job_done, ring_read, out_valid, out_last, borrowed, borrow_write,
                   borrow_read, non_finite, events, ring_line, out_slot, out_query, out_line, out_data};
  logic unused;
  assign unused = ^{write_address, read_address};
endmodule
