// SPDX-License-Identifier: Apache-2.0
// A gated sparf_token_walker: run_o is the input of its gates. The parameters of a head are stable from
// the start on while the walker is busy, and no other start occurs then.
module gated_sparf_token_walker #(
  parameter int unsigned Width = 16,
  parameter int unsigned Values = 0,
  parameter int unsigned MaxPageRows = 16,
  localparam int unsigned CB = sparf_pkg::CountBits,
  localparam int unsigned ST = sparf_pkg::SelTokens,
  localparam int unsigned HeadBits = sparf_pkg::SlotBits + 2 + 5 * CB + sparf_pkg::LogRowsBits
                                     + sparf_pkg::AddrBits
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                start_i,
  input  logic [HeadBits-1:0] head_i,
  input  logic                sel_valid_i,
  input  logic [CB-1:0]       sel_beat_i,
  input  logic [ST-1:0]       sel_mask_i,
  input  logic                item_ready_i,
  output logic                run_o,
  output logic                assumed_o,
  output logic [1:0]          case_o,
  output logic [sparf_pkg::ItemBits+2:0] seen_o
);
  logic busy, sel_read, item_valid;
  sparf_pkg::item_t item;
  logic [HeadBits-1:0] head_q;
  always @(posedge clk_i) if (!busy && !start_i) head_q <= head_i;

  logic [sparf_pkg::SlotBits-1:0] slot;
  logic select, second;
  logic [CB-1:0] first, flash_end, last, take, dram_first;
  logic [sparf_pkg::LogRowsBits-1:0] log_rows;
  logic [sparf_pkg::AddrBits-1:0] dram_line;
  assign {slot, select, second, first, flash_end, last, take, dram_first, log_rows, dram_line} = head_q;

  sparf_token_walker #(
    .Width(Width),
    .Values(Values != 0),
    .MaxPageRows(MaxPageRows)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .slot_i(slot),
    .select_i(select),
    .second_i(second),
    .first_i(first),
    .flash_end_i(flash_end),
    .end_i(last),
    .take_i(take),
    .log_rows_i(log_rows),
    .dram_line_i(dram_line),
    .dram_first_i(dram_first),
    .sel_valid_i(sel_valid_i),
    .sel_read_o(sel_read),
    .sel_beat_i(sel_beat_i),
    .sel_mask_i(sel_mask_i),
    .busy_o(busy),
    .item_valid_o(item_valid),
    .item_ready_i(item_ready_i),
    .item_o(item)
  );
  assign run_o = start_i || (busy && (!item_valid || item_ready_i));
  assign assumed_o = !(start_i && busy) && 32'(log_rows) <= $clog2(MaxPageRows);
  assign case_o = {busy, !busy};
  assign seen_o = {busy, sel_read, item_valid, item_valid ? item : sparf_pkg::ItemBits'(0)};
endmodule
