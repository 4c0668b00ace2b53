// SPDX-License-Identifier: Apache-2.0
// Packs the beats that pass a channel's filter into lines. A line ends when it is full, at the end of the page,
// and with split_i at the end of each row. A full line leaves through a register, which line_ready_i empties;
// meanwhile the next line is filled. A line can complete in the cycle of its last beat only if the register is
// free or is being emptied: otherwise the beat waits.
`include "assert.svh"
module sparf_line_packer (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           split_i,
  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  input  logic [sparf_pkg::BeatBits-1:0] in_data_i,
  input  logic                           in_row_last_i,
  input  logic                           in_last_i,
  output logic                           empty_o,       // no beat waits for the others of its line
  output logic                           line_valid_o,
  input  logic                           line_ready_i,
  output logic                           line_moved_o,  // a line moves into the register
  output logic                           line_last_o,   // of the page
  output logic [sparf_pkg::LineBits-1:0] line_data_o
);
  localparam int unsigned BeatBits = sparf_pkg::BeatBits;
  localparam int unsigned Beats = sparf_pkg::BeatsPerLine;

  logic line_valid_q, line_last_q;
  logic [sparf_pkg::LineBits-1:0] line_data_q;
  assign line_valid_o = line_valid_q;
  assign line_last_o = line_last_q;
  assign line_data_o = line_data_q;

  logic [Beats-1:0] place_q;  // of the next beat, one-hot
  logic [sparf_pkg::LineBits-BeatBits-1:0] part_q;  // the last beat bypasses the line
  logic ends, taken;

  assign ends = place_q[Beats-1] || in_last_i || (split_i && in_row_last_i);
  assign in_ready_o = !ends || !line_valid_q || line_ready_i;
  assign taken = in_valid_i && in_ready_o;
  assign line_moved_o = taken && ends;
  assign empty_o = place_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q <= Beats'(1);
      line_valid_q <= 1'b0;
    end else begin
      if (taken) place_q <= ends ? Beats'(1) : place_q << 1;
      if (line_moved_o) line_valid_q <= 1'b1;
      else if (line_ready_i) line_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken) begin
      for (int unsigned b = 0; b < Beats - 1; b++) begin
        if (place_q[b]) part_q[b*BeatBits+:BeatBits] <= in_data_i;
      end
    end
    if (line_moved_o) begin
      for (int unsigned b = 0; b < Beats - 1; b++) begin
        line_data_q[b*BeatBits+:BeatBits] <= place_q[b] ? in_data_i : part_q[b*BeatBits+:BeatBits];
      end
      line_data_q[(Beats-1)*BeatBits+:BeatBits] <= place_q[Beats-1] ? in_data_i : '0;
      line_last_q <= in_last_i;
    end
  end

  `STAYS(LineHolds_A, line_valid_o, line_ready_i, {line_last_o, line_data_o})
  `HOLDS(OnePlace_A, place_q != '0 && (place_q & (place_q - 1'b1)) == '0)
endmodule
