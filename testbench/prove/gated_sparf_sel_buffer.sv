// SPDX-License-Identifier: Apache-2.0
// A gated sparf_sel_buffer; run_o is the input of its clock gate.
module gated_sparf_sel_buffer #(
  parameter int unsigned Beats = 4,
  parameter int unsigned Heads = 4,
  localparam int unsigned CB = sparf_pkg::CountBits,
  localparam int unsigned ST = sparf_pkg::SelTokens
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          reserve_i,
  input  logic [CB-1:0] reserve_beats_i,
  input  logic          sel_valid_i,
  input  logic [CB-1:0] sel_beat_i,
  input  logic [ST-1:0] sel_mask_i,
  input  logic [1:0]    rd_i,
  input  logic [1:0]    rd_done_i,
  output logic          run_o,
  output logic          assumed_o,
  output logic          case_o,
  output logic [3*CB+2*ST+1:0] seen_o
);
  logic [CB-1:0] room;
  logic [1:0] rd_valid;
  logic [2*CB-1:0] rd_beat;
  logic [2*ST-1:0] rd_mask;

  sparf_sel_buffer #(
    .Beats(Beats),
    .Heads(Heads)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .reserve_i(reserve_i),
    .reserve_beats_i(reserve_beats_i),
    .free_o(room),
    .sel_valid_i(sel_valid_i),
    .sel_beat_i(sel_beat_i),
    .sel_mask_i(sel_mask_i),
    .rd_valid_o(rd_valid),
    .rd_i(rd_i),
    .rd_beat_o(rd_beat),
    .rd_mask_o(rd_mask),
    .rd_done_i(rd_done_i)
  );
  assign run_o = reserve_i || sel_valid_i || rd_i != '0 || rd_done_i != '0;
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {room, rd_valid, rd_beat, rd_mask};
endmodule
