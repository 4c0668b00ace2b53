// SPDX-License-Identifier: Apache-2.0
// The clock of a unit that may rest: it runs while run_i is high, Hold cycles longer, and in reset.
// A unit may rest where its clock would change nothing: no input is valid, every stage is empty, and
// what is registered freely has settled within Hold cycles. It does the same with and without its
// clock (`neardata prove gates`), so synthesis, which has no gates in its clocks, leaves the clock as
// it is; the simulator passes over a unit that rests. With NEARDATA_OPEN_GATES defined the simulator's
// gates are open, too. run_i is looked at when clk_i falls, and is then that of the cycle which the
// next rising edge ends: a bench sets its inputs before.
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
