// SPDX-License-Identifier: Apache-2.0
// The gated clock of a unit: it runs while run_i is high, for Hold cycles after run_i falls, and in reset.
// A unit may stop its clock when no input is valid, every stage is empty, and all registers without an enable
// have settled within Hold cycles. `neardata prove gates` proves that a unit behaves the same with and without
// the gate. Synthesis leaves the clock ungated; the simulator skips a unit whose clock is stopped. With
// NEARDATA_OPEN_GATES defined, the simulator leaves the clock ungated, too. The gate samples run_i at the
// falling edge of clk_i; run_i then belongs to the cycle that the next rising edge ends, so a testbench sets
// its inputs before the falling edge.
`ifndef VERILATOR
`ifndef NEARDATA_OPEN_GATES
`define NEARDATA_OPEN_GATES
`endif
`endif
module clock_gate #(
  parameter int unsigned Hold = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic run_i,
  output logic clk_o
);
`ifndef NEARDATA_OPEN_GATES
  localparam int unsigned HoldBits = $clog2(Hold + 1);
  logic [HoldBits-1:0] hold_q;
  logic open_q;
  assign clk_o = clk_i & open_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || run_i) hold_q <= HoldBits'(Hold);
    else if (hold_q != '0) hold_q <= hold_q - 1'b1;
  end
  always_ff @(negedge clk_i) open_q <= run_i || hold_q != '0 || !rst_ni;
`else
  assign clk_o = clk_i;
  logic unused;
  assign unused = rst_ni ^ run_i ^ (Hold == 0);
`endif
endmodule
