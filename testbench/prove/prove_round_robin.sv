// SPDX-License-Identifier: Apache-2.0
// round_robin in its two uses: in each cycle the granted requester is accepted, or none. With Late, the requester that
// was granted in the previous cycle is accepted, and a cycle without acceptance follows each acceptance.
`include "prove.svh"
module prove_round_robin #(
  parameter int unsigned Requesters = 5,
  parameter bit Late = 1'b0
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Requesters-1:0] valid_i,
  input logic                  take_i,
  input logic [Requesters-1:0] who_i   // watched: constant from the reset on
);
  `FROM_ANY_STATE
  logic [Requesters-1:0] grant, grant_q, taken, who_q;
  logic took_q;
  assign taken = (Late ? grant_q : grant) & {Requesters{take_i}};
  always @(posedge clk_i) begin
    grant_q <= rst_ni ? grant : '0;
    took_q <= rst_ni && taken != '0;
  end
  `ASSUME(!Late || ((grant_q & ~valid_i) == '0 && !(take_i && took_q)))
  round_robin #(
    .Requesters(Requesters)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_i),
    .taken_i(taken),
    .grant_o(grant)
  );

  // Acceptances of others while the watched requester waits.
  logic [3:0] others_q;
  logic [Requesters-1:0] seen_q;
  logic waits, again_q;
  assign waits = (valid_i & who_q) != '0;
  always @(posedge clk_i) begin
    if (!rst_ni) who_q <= who_i;
    if (!rst_ni || !waits || taken == who_q) begin
      others_q <= '0;
      seen_q <= '0;
      again_q <= 1'b0;
    end else if (taken != '0) begin
      if (others_q != '1) others_q <= others_q + 1'b1;
      seen_q <= seen_q | taken;
      again_q <= again_q || (seen_q & taken) != '0;
    end
  end
  `ASSUME(who_q != '0 && (who_q & (who_q - 1'b1)) == '0)

  `PROVE(OneHot, (grant & (grant - 1'b1)) == '0)
  `PROVE(OnlyRequesters, (grant & ~valid_i) == '0)
  `PROVE(NeverIdle, valid_i == '0 || grant != '0)
  `PROVE(NoStarvation, others_q < 4'(Requesters))
  `PROVE(NoSecondAcceptance, !again_q)
endmodule
