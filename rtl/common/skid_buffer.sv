// SPDX-License-Identifier: Apache-2.0
// A pipeline stage of a stream with a registered ready: no combinational path connects its sides. An item leaves a
// cycle after it arrives. An item that arrives while the sink stalls waits in a second register, which is enough for
// one item. Marks have a port of their own, so that the data remain one word of the simulator.
`include "assert.svh"
module skid_buffer #(
  parameter int unsigned DataBits = 64,
  parameter int unsigned MarkBits = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [DataBits-1:0] in_data_i,
  input  logic [MarkBits-1:0] in_marks_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [DataBits-1:0] out_data_o,
  output logic [MarkBits-1:0] out_marks_o
);
  logic out_valid_q;
  logic [DataBits-1:0] out_data_q;
  logic [MarkBits-1:0] out_marks_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_marks_o = out_marks_q;

  logic aside_q;
  logic [DataBits-1:0] aside_data_q;
  logic [MarkBits-1:0] aside_marks_q;
  logic moves, accepted;
  assign in_ready_o = !aside_q;
  assign moves = !out_valid_q || out_ready_i;
  assign accepted = in_valid_i && !aside_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aside_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      aside_q <= !moves && (aside_q || in_valid_i);
      if (moves) out_valid_q <= aside_q || in_valid_i;
    end
    if (accepted) begin
      aside_data_q <= in_data_i;
      aside_marks_q <= in_marks_i;
    end
    if (moves) begin
      out_data_q <= aside_q ? aside_data_q : in_data_i;
      out_marks_q <= aside_q ? aside_marks_q : in_marks_i;
    end
  end

  `STAYS(DataHold_A, out_valid_o, out_ready_i, out_data_o)
  `STAYS(MarksHold_A, out_valid_o, out_ready_i, out_marks_o)
endmodule
