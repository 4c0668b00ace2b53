// SPDX-License-Identifier: Apache-2.0
// One write port of controller DRAM for several writers, round-robin, one line at a time. A writer's line is on
// the port from the cycle after it is selected until it is accepted.
`include "assert.svh"
module sparf_line_writer #(
  parameter int unsigned Writers = 3,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned LB = sparf_pkg::LineBits
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Writers-1:0]    valid_i,
  output logic [Writers-1:0]    ready_o,
  input  logic [Writers*AB-1:0] line_i,
  input  logic [Writers*LB-1:0] data_i,
  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [AB-1:0]         line_o,
  output logic [LB-1:0]         data_o
);
  logic valid_q;
  assign valid_o = valid_q;

  logic [Writers-1:0] who_q, next;

  round_robin #(
    .Requesters(Writers)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_i),
    .taken_i(valid_q ? '0 : next),
    .grant_o(next)
  );

  always_comb begin
    line_o = '0;
    data_o = '0;
    for (int unsigned i = 0; i < Writers; i++) begin
      ready_o[i] = who_q[i] && valid_q && ready_i;
      line_o = line_o | (line_i[i*AB+:AB] & {AB{who_q[i]}});
      data_o = data_o | (data_i[i*LB+:LB] & {LB{who_q[i]}});
    end
  end

  // The port is idle for a cycle between two lines.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_q ? !ready_i : valid_i != '0;
    if (!valid_q) who_q <= next;
  end

  `STAYS(LineHolds_A, valid_o, ready_i, {line_o, data_o})
  `IMPLIES(WriterThere_A, valid_o, (who_q & valid_i) != '0)
endmodule
