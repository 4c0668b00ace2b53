// SPDX-License-Identifier: Apache-2.0
// A gated sparf_dim_walker: run_o is the input of its gate. Head and mask are stable from the start on
// while the walker is busy, and no other start occurs then.
module gated_sparf_dim_walker #(
  parameter int unsigned Width = 16,
  localparam int unsigned HeadBits = sparf_pkg::ContextBits + sparf_pkg::SlotBits + Width
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                start_i,
  input  logic [HeadBits-1:0] head_i,
  input  logic                item_ready_i,
  output logic                run_o,
  output logic                assumed_o,
  output logic [1:0]          case_o,
  output logic [sparf_pkg::ItemBits+1:0] seen_o
);
  logic busy, item_valid;
  sparf_pkg::item_t item;
  logic [HeadBits-1:0] head_q;
  always @(posedge clk_i) if (!busy && !start_i) head_q <= head_i;

  sparf_dim_walker #(
    .Width(Width)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .head_i(head_q[HeadBits-1:Width+sparf_pkg::SlotBits]),
    .slot_i(head_q[Width+:sparf_pkg::SlotBits]),
    .mask_i(head_q[Width-1:0]),
    .busy_o(busy),
    .item_valid_o(item_valid),
    .item_ready_i(item_ready_i),
    .item_o(item)
  );
  assign run_o = start_i || (busy && (!item_valid || item_ready_i));
  assign assumed_o = !(start_i && busy);
  assign case_o = {busy, !busy};
  assign seen_o = {busy, item_valid, item_valid ? item : sparf_pkg::ItemBits'(0)};
endmodule
