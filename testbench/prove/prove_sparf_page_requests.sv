// SPDX-License-Identifier: Apache-2.0
// sparf_page_requests between requesters that offer a request until it is accepted and a flash that pauses. Of a
// request one bit and its requester matter.
`include "prove.svh"
module prove_sparf_page_requests #(
  parameter int unsigned Requesters = 3
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  pick_i,
  input logic [Requesters-1:0] begin_i,
  input logic [Requesters-1:0] data_i,
  input logic                  req_ready_i,
  input logic [Requesters-1:0] who_i
);
  `FROM_ANY_STATE
  localparam int unsigned RB = sparf_pkg::PageReqBits;
  logic [Requesters-1:0] valid_q, data_q, ready, who_q;
  logic [Requesters*RB-1:0] requests;
  logic [RB-1:0] req;
  logic req_valid, wrong;
  logic [1:0] words, number;
  logic [2:0] others_q;
  always @(posedge clk_i) begin
    for (int unsigned i = 0; i < Requesters; i++) begin
      if (!rst_ni) valid_q[i] <= 1'b0;
      else if (ready[i] || !valid_q[i]) begin
        valid_q[i] <= begin_i[i];
        data_q[i] <= data_i[i];
      end
    end
  end
  always @* begin
    number = '0;
    for (int unsigned i = 0; i < Requesters; i++) begin
      requests[i*RB+:RB] = RB'({2'(i), data_q[i]});
      if (ready[i]) number = 2'(i);
    end
  end
  sparf_page_requests #(
    .Requesters(Requesters)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_q),
    .ready_o(ready),
    .request_i(requests),
    .req_valid_o(req_valid),
    .req_ready_i(req_ready_i),
    .req_o(req)
  );
  word_watch #(
    .DataBits(3),
    .CountBits(2)
  ) u_watch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(ready != '0),
    .push_data_i({number, data_q[number]}),
    .pop_i(req_valid && req_ready_i),
    .pop_data_i(req[2:0]),
    .inside_o(words),
    .wrong_o(wrong)
  );
  always @(posedge clk_i) begin
    if (!rst_ni) who_q <= who_i;
    if (!rst_ni || (valid_q & who_q) == '0 || (ready & who_q) != '0) others_q <= '0;
    else if (ready != '0 && others_q != '1) others_q <= others_q + 1'b1;
  end
  `ASSUME(who_q != '0 && (who_q & (who_q - 1'b1)) == '0)
  `PROVE(InOrder, !wrong)
  `PROVE(NoneInvented, req_valid == (words != '0))
  `PROVE(OneTaken, (ready & (ready - 1'b1)) == '0 && (ready & ~valid_q) == '0)
  `PROVE(NoStarvation, others_q < 3'(Requesters))
  `PROVE(NeverIdle, valid_q == '0 || ready != '0 || (req_valid && !req_ready_i))
endmodule
