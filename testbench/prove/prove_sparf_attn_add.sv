// SPDX-License-Identifier: Apache-2.0
// sparf_attn_add against the definition of rounding, for its permitted operands: normal numbers and zeros whose sum
// does not overflow; a sum below the least normal number is a zero with its sign.
`include "prove.svh"
module prove_sparf_attn_add #(
  parameter int unsigned SigBits = 8,
  parameter int unsigned Least = 0,
  parameter int unsigned Most = 26
) (
  input logic        clk_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);
  `WINDOW(11)
  localparam int unsigned MagBits = 24 + Most + 1;
  logic [31:0] a_q, b_q, sum, rounded;
  always @(posedge clk_i) begin
    if (enters) begin
      a_q <= a_i & ~((32'd1 << (24 - SigBits)) - 1'b1);
      b_q <= b_i & ~((32'd1 << (24 - SigBits)) - 1'b1);
    end
  end
  sparf_attn_add u_dut (
    .clk_i(clk_i),
    .en_i('1),
    .a_i(a_i & ~((32'd1 << (24 - SigBits)) - 1'b1)),
    .b_i(b_i & ~((32'd1 << (24 - SigBits)) - 1'b1)),
    .sum_o(sum)
  );

  logic finite, negative, meant, normal;
  logic [7:0] distance;
  logic [MagBits-1:0] mag;
  logic signed [11:0] exponent;
  exact_sum #(
    .MostDistance(Most)
  ) u_exact (
    .a_i(a_q),
    .b_i(b_q),
    .finite_o(finite),
    .distance_o(distance),
    .negative_o(negative),
    .mag_o(mag),
    .exponent_o(exponent)
  );
  ieee_round #(
    .MagBits(MagBits)
  ) u_round (
    .negative_i(negative),
    .mag_i(mag),
    .exponent_i(exponent),
    .result_o(rounded),
    .normal_o(normal)
  );
  function automatic logic taken(input logic [31:0] value);
    taken = value[30:0] == '0 || (value[30:23] != '0 && value[30:23] != 8'hff);
  endfunction
  assign meant = taken(a_q) && taken(b_q) && rounded[30:23] != 8'hff &&
      distance >= 8'(Least) && distance <= 8'(Most);
  `AT_THE_END(Rounded, !meant || !normal || sum == rounded)
  `AT_THE_END(Flushed, !meant || normal || sum == {negative, 31'd0})
endmodule
