// SPDX-License-Identifier: Apache-2.0
// A gated sparf_rank_unit with one query set; run_o is the input of its clock gate. A logit of step 2 is not for this
// unit, but it opens the gate, too.
module gated_sparf_rank_unit #(
  parameter int unsigned MaxKeys = 32,
  parameter int unsigned MaxGroup = 2,
  parameter int unsigned Slots = 2,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned RowBits = $clog2(MaxKeys / 8),
  localparam int unsigned SeenBits = 9 + RowBits + 8 + SlotBits + GroupBits + 32
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_taken_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [SizeBits-1:0]  head_tokens_i,
  input  logic [SizeBits-1:0]  head_take_i,
  input  logic [SizeBits-1:0]  head_window_i,
  input  logic                 scale_write_i,
  input  logic [SlotBits-1:0]  scale_slot_i,
  input  logic [GroupBits-1:0] scale_query_i,
  input  logic [31:0]          scale_i,
  input  logic                 fill_valid_i,
  input  logic [SlotBits-1:0]  fill_slot_i,
  input  logic                 logit_valid_i,
  input  logic                 logit_second_i,
  input  logic [31:0]          logit_i,
  input  logic [GroupBits-1:0] logit_query_i,
  input  logic [SizeBits-1:0]  logit_token_i,
  input  logic                 logit_end_i,
  input  logic                 sel_ready_i,
  input  logic                 borrowed_i,
  input  logic                 borrow_read_i,
  input  logic [SizeBits-2:0]  borrow_write_address_i,
  input  logic [SizeBits-2:0]  borrow_read_address_i,
  output logic                 run_o,
  output logic                 assumed_o,
  output logic                 case_o,
  output logic [SeenBits-1:0]  seen_o
);
  logic fill_ready, empty, sel_valid, share_end, busy;
  logic [1:0] share_write, events;
  logic [RowBits-1:0] sel_beat;
  logic [7:0] sel_mask;
  logic [SlotBits-1:0] share_slot;
  logic [GroupBits-1:0] share_query;
  logic [31:0] share, lent;
  sparf_rank_unit #(
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .Slots(Slots)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .head_write_i(head_taken_i),
    .head_slot_i(head_slot_i),
    .head_group_i(head_group_i),
    .head_tokens_i(head_tokens_i),
    .head_take_i(head_take_i),
    .head_window_i(head_window_i),
    .scale_write_i(scale_write_i),
    .scale_slot_i(scale_slot_i),
    .scale_query_i(scale_query_i),
    .scale_i(scale_i),
    .fill_valid_i(fill_valid_i),
    .fill_ready_o(fill_ready),
    .empty_o(empty),
    .fill_slot_i(fill_slot_i),
    .logit_valid_i(logit_valid_i && !logit_second_i),
    .logit_i(logit_i),
    .logit_query_i(logit_query_i),
    .logit_token_i(logit_token_i),
    .logit_end_i(logit_end_i),
    .sel_valid_o(sel_valid),
    .sel_ready_i(sel_ready_i),
    .sel_beat_o(sel_beat),
    .sel_mask_o(sel_mask),
    .share_write_o(share_write),
    .share_slot_o(share_slot),
    .share_query_o(share_query),
    .share_end_o(share_end),
    .share_o(share),
    .lent_i(borrowed_i),
    .lent_write_i(logit_valid_i && logit_second_i && borrowed_i),
    .lent_write_address_i(borrow_write_address_i),
    .lent_read_i(borrow_read_i),
    .lent_read_address_i(borrow_read_address_i),
    .lent_o(lent),
    .events_o(events),
    .busy_o(busy)
  );
  assign run_o = head_taken_i || scale_write_i || fill_valid_i || logit_valid_i || borrow_read_i || busy;
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {fill_ready, empty, sel_valid, share_write, share_end, events, busy, sel_beat, sel_mask,
                   share_slot, share_query, share};
  logic unused;
  assign unused = ^lent;
endmodule
