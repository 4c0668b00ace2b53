// SPDX-License-Identifier: Apache-2.0
// relayout_packet_arbiter under any packets of its sources and any pauses. A burst's lowest two bits matter.
`include "prove.svh"
module prove_relayout_packet_arbiter #(
  parameter int unsigned Sources = 3
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [Sources-1:0]   valid_i,
  input logic [Sources-1:0]   last_i,
  input logic [2*Sources-1:0] data_i,
  input logic                 out_ready_i,
  input logic                 pick_i
);
  `FROM_ANY_STATE
  localparam int unsigned FB = relayout_pkg::FlitBits;
  logic [Sources-1:0] ready, taken;
  logic [Sources*FB-1:0] flits;
  logic [FB-1:0] out_flit;
  logic out_valid;
  // The lowest bit of a burst marks the last burst of its packet.
  always @* begin
    for (int unsigned s = 0; s < Sources; s++) flits[s*FB+:FB] = FB'({data_i[2*s+:2], last_i[s]});
  end
  relayout_packet_arbiter #(
    .Sources(Sources)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(valid_i),
    .in_ready_o(ready),
    .in_flit_i(flits),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready_i),
    .out_flit_o(out_flit)
  );
  assign taken = valid_i & ready;

  // The accepted burst, and the source of the packet in progress.
  logic [2:0] word;
  logic in_packet_q, last;
  logic [Sources-1:0] whose_q;
  always @* begin
    word = '0;
    for (int unsigned s = 0; s < Sources; s++) begin
      if (taken[s]) word = word | {data_i[2*s+:2], last_i[s]};
    end
  end
  assign last = word[0];

  logic [1:0] inside;
  logic wrong;
  word_watch #(
    .DataBits(3),
    .CountBits(2)
  ) u_watch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(taken != '0),
    .push_data_i(word),
    .pop_i(out_valid && out_ready_i),
    .pop_data_i(out_flit[2:0]),
    .inside_o(inside),
    .wrong_o(wrong)
  );

  // Packets of other sources that begin while source 0 waits without a pause.
  logic [1:0] others_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      in_packet_q <= 1'b0;
      others_q <= '0;
    end else begin
      if (taken != '0) in_packet_q <= !last;
      if (taken != '0) whose_q <= taken;
      if (!valid_i[0] || taken[0]) others_q <= '0;
      else if (taken != '0 && !in_packet_q && others_q != '1) others_q <= others_q + 1'b1;
    end
  end

  `PROVE(OneAtATime, (taken & (taken - 1'b1)) == '0)
  `PROVE(Together, !(in_packet_q && taken != '0) || taken == whose_q)
  `PROVE(InOrder, !wrong)
  `PROVE(NoneInvented, out_valid == (inside != '0))
  `PROVE(NeverIdle, in_packet_q || valid_i == '0 || (out_valid && !out_ready_i) || taken != '0)
  `PROVE(NoStarvation, 32'(others_q) < Sources)
endmodule
