// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: grants the first requester behind the one granted last, one-hot; the first requester
// follows the last. A requester waits for at most Requesters - 1 others. After reset, requester 0 counts as
// granted last.
`include "assert.svh"
module round_robin #(
  parameter int unsigned Requesters = 5
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Requesters-1:0] valid_i,
  input  logic [Requesters-1:0] taken_i,  // the accepted requester, or none
  output logic [Requesters-1:0] grant_o
);
  logic [Requesters-1:0] behind_q, behind;  // behind_q: requesters behind the last granted one
  assign behind = valid_i & behind_q;
  assign grant_o = behind != '0 ? first(behind) : first(valid_i);

  function automatic logic [Requesters-1:0] below(input int unsigned place);
    below = (Requesters'(1) << place) - 1'b1;
  endfunction

  function automatic logic [Requesters-1:0] first(input logic [Requesters-1:0] bits);
    for (int unsigned i = 0; i < Requesters; i++) first[i] = bits[i] && (bits & below(i)) == '0;
  endfunction

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Requesters; i++) begin
      if (!rst_ni) behind_q[i] <= i != 0;
      else if (taken_i != '0) behind_q[i] <= (taken_i & below(i)) != '0;
    end
  end

  `HOLDS(OneTaken_A, (taken_i & (taken_i - 1'b1)) == '0)
  `HOLDS(TakenAsks_A, (taken_i & ~valid_i) == '0)
endmodule
