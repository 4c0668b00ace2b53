// SPDX-License-Identifier: Apache-2.0
// The reset of a unit with outstanding reads: rst_no falls in the cycle after rst_ni. It rises when rst_ni is
// high and every accepted read (asked_i) is answered (answered_i), in any order.
// A unit in reset accepts answers and drops them, so a later job never receives them as data. por_ni is the
// reset of the memories behind the unit: after it no read is outstanding.
// - asked_i, answered_i: strobes of each port; the last beat of a page is its answer.
`include "assert.svh"
module reset_drain #(
  parameter int unsigned Ports = 1,
  parameter int unsigned CountBits = 16  // of outstanding reads, of all ports together
) (
  input  logic             clk_i,
  input  logic             por_ni,
  input  logic             rst_ni,
  input  logic [Ports-1:0] asked_i,
  input  logic [Ports-1:0] answered_i,
  output logic             rst_no
);
  logic rst_n_q;
  assign rst_no = rst_n_q;

  logic [CountBits-1:0] count_q, asked, answered;
  always_comb begin
    asked = '0;
    answered = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      asked = asked + CountBits'(asked_i[p]);
      answered = answered + CountBits'(answered_i[p]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!por_ni) begin
      count_q <= '0;
      rst_n_q <= 1'b0;
    end else begin
      count_q <= count_q + asked - answered;
      rst_n_q <= rst_ni && (rst_n_q || (count_q == '0 && asked == '0));
    end
  end

  `IMPLIES(AnswerAsked_A, por_ni, answered <= count_q)
  `IMPLIES(CountFits_A, por_ni, asked <= {CountBits{1'b1}} - count_q)
endmodule
