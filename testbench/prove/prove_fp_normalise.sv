// SPDX-License-Identifier: Apache-2.0
// fp_normalise against the definition of rounding: every sum, every exponent sum of two operands,
// both formats, and special values.
`include "prove.svh"
module prove_fp_normalise #(
  parameter int unsigned SumBits = 53,
  parameter int unsigned AlignedBits = 44
) (
  input logic                         clk_i,
  input logic                         bf16_i,
  input logic [SumBits-1:0]           sum_i,
  input logic [ndp_pkg::RankBits-1:0] rank_i
);
  `WINDOW(5)
  logic [SumBits-1:0] sum_q;
  logic [2:0] special_q;  // NaN, +inf, -inf
  logic [8:0] rank_q;
  logic bf16_q;
  logic [31:0] value, rounded;
  always @(posedge clk_i) begin
    if (enters) begin
      sum_q <= sum_i;
      {special_q, rank_q} <= rank_i;
      bf16_q <= bf16_i;
    end
  end
  fp_normalise #(
    .SumBits(SumBits),
    .AlignedBits(AlignedBits)
  ) u_dut (
    .clk_i(clk_i),
    .en_i('1),
    .bf16_i(enters ? bf16_i : bf16_q),
    .sum_i(sum_i),
    .rank_i(rank_i),
    .value_o(value)
  );
  ieee_round #(
    .MagBits(SumBits)
  ) u_round (
    .negative_i(sum_q != '0 && sum_q[SumBits-1]),
    .mag_i(sum_q[SumBits-1] ? -sum_q : sum_q),
    .exponent_i($signed({3'd0, rank_q}) + 12'sd2 - 12'(AlignedBits) - (bf16_q ? 12'sd254 : 12'sd30)),
    .result_o(rounded),
    .normal_o()
  );
  // |sum| < 2^(SumBits-1); fields of FP16 are at most 30, those of BF16 at most 254.
  logic meant;
  assign meant = special_q == '0 && sum_q != {1'b1, {(SumBits - 1) {1'b0}}} &&
      rank_q <= (bf16_q ? 9'd508 : 9'd60);
  `AT_THE_END(Fp16, bf16_q || !meant || value == rounded)
  `AT_THE_END(Bf16, !bf16_q || !meant || value == rounded)
  `AT_THE_END(NaN, !(special_q[2] || special_q[1:0] == 2'b11) || value == 32'h7fc00000)
  `AT_THE_END(Infinity, special_q[2] || (special_q[1] == special_q[0]) ||
              value == (special_q[0] ? 32'hff800000 : 32'h7f800000))
endmodule
