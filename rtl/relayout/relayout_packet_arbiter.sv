// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter of packets from several sources to one output: the bursts of a packet stay together, one
// burst per cycle, without a pause between packets. A burst leaves a cycle after it is accepted.
`include "assert.svh"
module relayout_packet_arbiter #(
  parameter int unsigned Sources = 8
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  input  logic [Sources-1:0]                        in_valid_i,
  output logic [Sources-1:0]                        in_ready_o,
  input  logic [Sources*relayout_pkg::FlitBits-1:0] in_flit_i,
  output logic                                      out_valid_o,
  input  logic                                      out_ready_i,
  output relayout_pkg::flit_t                       out_flit_o
);
  localparam int unsigned FB = relayout_pkg::FlitBits;

  logic out_valid_q;
  relayout_pkg::flit_t out_flit_q;
  assign out_valid_o = out_valid_q;
  assign out_flit_o = out_flit_q;

  logic locked_q, moves;
  logic [Sources-1:0] whose_q, grant, whose;
  round_robin #(
    .Requesters(Sources)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(in_valid_i),
    .taken_i(locked_q ? '0 : in_valid_i & in_ready_o),
    .grant_o(grant)
  );
  assign whose = locked_q ? whose_q : grant;
  assign moves = !out_valid_q || out_ready_i;
  assign in_ready_o = whose & {Sources{moves}};

  relayout_pkg::flit_t chosen;
  always_comb begin
    chosen = '0;
    for (int unsigned s = 0; s < Sources; s++) begin
      if (whose[s]) chosen = chosen | in_flit_i[s*FB+:FB];
    end
  end

  logic taken;
  assign taken = (in_valid_i & in_ready_o) != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      locked_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (taken) locked_q <= !chosen.last;
      if (moves) out_valid_q <= taken;
    end
    if (taken) begin
      whose_q <= whose;
      out_flit_q <= chosen;
    end
  end

  `STAYS(FlitHolds_A, out_valid_o, out_ready_i, out_flit_o)
endmodule
