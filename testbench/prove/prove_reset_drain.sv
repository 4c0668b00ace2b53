// SPDX-License-Identifier: Apache-2.0
// reset_drain between two ports of a memory that answers each request after any time. Here rst_ni is the reset of the
// memory, and wanted_ni the requested reset of the unit.
`include "prove.svh"
module prove_reset_drain #(
  parameter int unsigned CountBits = 3
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       wanted_ni,
  input logic [1:0] asked_i,
  input logic [1:0] answered_i
);
  `FROM_ANY_STATE
  logic unit_n;
  reset_drain #(
    .Ports(2),
    .CountBits(CountBits)
  ) u_dut (
    .clk_i(clk_i),
    .por_ni(rst_ni),
    .rst_ni(wanted_ni),
    .asked_i(asked_i),
    .answered_i(answered_i),
    .rst_no(unit_n)
  );

  // Reads in flight, of each port.
  logic [CountBits-1:0] first_q, second_q;
  logic [CountBits:0] both;
  assign both = {1'b0, first_q} + {1'b0, second_q};
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      second_q <= '0;
    end else begin
      first_q <= first_q + CountBits'(asked_i[0]) - CountBits'(answered_i[0]);
      second_q <= second_q + CountBits'(asked_i[1]) - CountBits'(answered_i[1]);
    end
  end
  `ASSUME(!answered_i[0] || first_q != '0)
  `ASSUME(!answered_i[1] || second_q != '0)
  `ASSUME(both + (CountBits + 1)'(asked_i[0]) + (CountBits + 1)'(asked_i[1]) < (1 << CountBits))

  // The previous cycle: outside of the memory's reset, requested reset, applied reset, no outstanding or accepted read.
  logic before_q, wanted_q, unit_q, quiet_q;
  always @(posedge clk_i) begin
    before_q <= rst_ni;
    wanted_q <= wanted_ni;
    unit_q <= unit_n;
    quiet_q <= both == '0 && asked_i == '0;
  end
  `PROVE(EndsAfterReads, !before_q || unit_q || !unit_n || both == '0)
  `PROVE(BeginsNextCycle, !before_q || wanted_q || !unit_n)
  `PROVE(EndsWhenIdle, !before_q || !wanted_q || !quiet_q || unit_n)
  `PROVE(OnlyRequested, !before_q || !wanted_q || !unit_q || unit_n)
endmodule
