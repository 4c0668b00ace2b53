// SPDX-License-Identifier: Apache-2.0
// round_robin where the granted requester is taken, or none: how every user of it takes.
`include "prove.svh"
module prove_round_robin #(
  parameter int unsigned Requesters = 5
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Requesters-1:0] valid_i,
  input logic                  take_i,
  input logic [Requesters-1:0] who_i   // watched: held from the reset on
);
  `FROM_ANY_STATE
  logic [Requesters-1:0] grant, who_q;
  round_robin #(
    .Requesters(Requesters)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_i),
    .taken_i(grant & {Requesters{take_i}}),
    .grant_o(grant)
  );

  // Takes of others while the watched one waits.
  logic [3:0] others_q;
  logic [Requesters-1:0] seen_q;
  logic waits, again_q;
  assign waits = (valid_i & who_q) != '0;
  always @(posedge clk_i) begin
    if (!rst_ni) who_q <= who_i;
    if (!rst_ni || !waits || (take_i && grant == who_q)) begin
      others_q <= '0;
      seen_q <= '0;
      again_q <= 1'b0;
    end else if (take_i && grant != '0) begin
      if (others_q != '1) others_q <= others_q + 1'b1;
      seen_q <= seen_q | grant;
      again_q <= again_q || (seen_q & grant) != '0;
    end
  end
  `ASSUME(who_q != '0 && (who_q & (who_q - 1'b1)) == '0)

  `PROVE(OneHot, (grant & (grant - 1'b1)) == '0)
  `PROVE(OnlyThoseWhoAsk, (grant & ~valid_i) == '0)
  `PROVE(NeverIdle, valid_i == '0 || grant != '0)
  `PROVE(NoStarvation, others_q < 4'(Requesters))
  `PROVE(NobodyTwice, !again_q)
endmodule
