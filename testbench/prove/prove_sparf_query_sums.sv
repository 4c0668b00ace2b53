// SPDX-License-Identifier: Apache-2.0
// sparf_query_sums: magnitudes of one query behind each other, with any pauses, of all dimensions or of the chosen
// ones; a free input picks the query and which of its two sums is followed.
`include "prove.svh"
module prove_sparf_query_sums #(
  parameter int unsigned FixedBits = 4,
  parameter int unsigned SumBits = 6,
  parameter int unsigned MaxGroup = 2,
  localparam int unsigned GroupBits = $clog2(MaxGroup)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input logic                 valid_i,
  input logic                 chosen_i,
  input logic [GroupBits-1:0] query_i,
  input logic                 end_i,
  input logic [FixedBits-1:0] fixed_i,
  input logic [GroupBits-1:0] followed_i,
  input logic                 followed_chosen_i
);
  logic [GroupBits-1:0] followed_q;
  logic followed_chosen_q;
  logic [SumBits-1:0] all, chosen;
  sparf_query_sums #(
    .FixedBits(FixedBits),
    .SumBits(SumBits),
    .MaxGroup(MaxGroup)
  ) u_dut (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .valid_i(valid_i),
    .chosen_i(chosen_i),
    .query_i(query_i),
    .end_i(end_i),
    .fixed_i(fixed_i),
    .sum_query_i(followed_q),
    .all_o(all),
    .chosen_o(chosen)
  );
  `FROM_ANY_STATE
  // A head begins with a clear.
  logic begun_q;
  `ASSUME(!valid_i || (begun_q && !clear_i))

  logic [SumBits-1:0] sum_q, sum, expected_q;
  logic followed, known_q;
  logic [1:0] age_q;  // cycles since the sum's last magnitude, three at most
  assign sum = sum_q + SumBits'(fixed_i);
  assign followed = valid_i && end_i && query_i == followed_q && chosen_i == followed_chosen_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      followed_q <= followed_i;
      followed_chosen_q <= followed_chosen_i;
      {begun_q, known_q} <= '0;
    end else begin
      if (clear_i) begun_q <= 1'b1;
      if (clear_i) sum_q <= '0;
      else if (valid_i) sum_q <= end_i ? '0 : sum;
      if (followed) begin
        known_q <= 1'b1;
        expected_q <= sum;
        age_q <= 2'd1;
      end else if (age_q != 2'd3) begin
        age_q <= age_q + 1'b1;
      end
    end
  end

  `PROVE(AllSum, followed_chosen_q || !known_q || age_q != 2'd3 || all == expected_q)
  `PROVE(ChosenSum, !followed_chosen_q || !known_q || age_q != 2'd3 || chosen == expected_q)
endmodule
