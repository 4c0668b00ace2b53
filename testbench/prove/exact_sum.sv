// SPDX-License-Identifier: Apache-2.0
// The exact sum of two finite FP32 numbers whose exponents are at most MostDistance apart, as a magnitude in units of
// the last place of the smaller one. A sum of zeros is -0 only if both are -0.
module exact_sum #(
  parameter int unsigned MostDistance = 26,
  localparam int unsigned MagBits = 24 + MostDistance + 1
) (
  input  logic [31:0]          a_i,
  input  logic [31:0]          b_i,
  output logic                 finite_o,
  output logic [7:0]           distance_o,
  output logic                 negative_o,
  output logic [MagBits-1:0]   mag_o,
  output logic signed [11:0]   exponent_o
);
  logic [7:0] a_exp, b_exp, least;
  logic [MagBits-1:0] a, b;
  logic signed [MagBits:0] sum;
  always @* begin
    finite_o = a_i[30:23] != 8'hff && b_i[30:23] != 8'hff;
    a_exp = a_i[30:23] == '0 ? 8'd1 : a_i[30:23];
    b_exp = b_i[30:23] == '0 ? 8'd1 : b_i[30:23];
    least = a_exp < b_exp ? a_exp : b_exp;
    distance_o = a_exp < b_exp ? b_exp - a_exp : a_exp - b_exp;
    a = MagBits'({a_i[30:23] != '0, a_i[22:0]}) << (a_exp - least);
    b = MagBits'({b_i[30:23] != '0, b_i[22:0]}) << (b_exp - least);
    sum = (a_i[31] ? -$signed({1'b0, a}) : $signed({1'b0, a})) +
        (b_i[31] ? -$signed({1'b0, b}) : $signed({1'b0, b}));
    negative_o = sum == '0 ? a_i[31] && b_i[31] : sum[MagBits];
    mag_o = sum[MagBits] ? MagBits'(-sum) : sum[MagBits-1:0];
    exponent_o = $signed({4'd0, least}) - 12'sd150;
  end
endmodule
