// SPDX-License-Identifier: Apache-2.0
// One port of completion reports for several reporters, with fixed priority: the lowest number first. A report
// is on the port from the cycle after it is accepted.
`include "assert.svh"
module sparf_done_port #(
  parameter int unsigned Reporters = 3
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [Reporters-1:0]    valid_i,
  output logic [Reporters-1:0]    ready_o,  // accepted
  input  logic [Reporters*32-1:0] done_i,
  output logic                    valid_o,
  input  logic                    ready_i,
  output logic [31:0]             done_o
);
  logic valid_q;
  logic [31:0] done_q;
  assign valid_o = valid_q;
  assign done_o = done_q;

  logic open;
  assign open = !valid_q || ready_i;

  always_comb begin
    ready_o = '0;
    for (int unsigned i = Reporters; i > 0; i--) begin
      if (valid_i[i-1]) begin
        ready_o = '0;
        ready_o[i-1] = open;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (open) valid_q <= valid_i != '0;
    for (int unsigned i = 0; i < Reporters; i++) begin
      if (ready_o[i]) done_q <= done_i[i*32+:32];
    end
  end

  `STAYS(ReportHolds_A, valid_o, ready_i, done_o)
  `HOLDS(OneTaken_A, (ready_o & (ready_o - 1'b1)) == '0 && (ready_o & ~valid_i) == '0)
endmodule
