// SPDX-License-Identifier: Apache-2.0
// The addend of one stream's accumulator for weights with fewer than 16 bits: the sums of a block's two halves,
// each rounded to FP32, multiplied by its factor and added. A sum and its factors arrive with en_i[0]; stage k
// computes in the cycle of en_i[k]. Without halves_i the block has one sum and no factor; term_o is then that
// sum, as fp_normalise rounds it.
module ndp_scaled_terms #(
  parameter int unsigned SumBits = 53,
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits,
  localparam int unsigned Stages = ndp_pkg::term_stages(1'b1)
) (
  input  logic                              clk_i,
  input  logic [Stages-1:0]                 en_i,
  input  logic                              bf16_i,     // of the activations
  input  logic [2:0]                        format_i,   // of the weights
  input  logic                              halves_i,
  input  logic [SumBits-1:0]                sum_i,
  input  logic [SumBits-1:0]                rest_i,
  input  logic [ndp_pkg::RankBits-1:0]      rank_i,
  input  logic [ndp_pkg::ScaleBits-1:0]     factors_i,  // of the first half in the low bits
  output logic [31:0]                       term_o
);
  localparam int unsigned Normalise = ndp_pkg::NormaliseStages;
  localparam int unsigned Multiply = ndp_pkg::MultiplyStages;
  localparam int unsigned ESum = ndp_pkg::ExpSumBits;
  localparam logic [31:0] One = 32'h3f800000;

  // Exponent sums as those of two BF16 numbers, each of bias 127.
  logic [ESum-1:0] rebias;
  logic [ndp_pkg::RankBits-1:0] rank;
  assign rebias = ESum'(10'sd254 - 10'(signed'(ndp_pkg::weight_bias(format_i, bf16_i)))
                        - (bf16_i ? 10'sd127 : 10'sd15));
  assign rank = {rank_i[ndp_pkg::RankBits-1:ESum], rank_i[ESum-1:0] + rebias};

  // Factors wait for the sums to be rounded.
  logic [ndp_pkg::ScaleBits-1:0] factors_q[Normalise];
  logic scaled;
  assign scaled = format_i != ndp_pkg::WeightsWide && format_i != ndp_pkg::WeightsMxfp4
      && format_i != ndp_pkg::WeightsMxfp8;
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < Normalise; k++) begin
      if (en_i[k]) factors_q[k] <= (k == 0) ? (scaled ? factors_i : {2{One}}) : factors_q[k-1];
    end
  end

  logic [31:0] sum[2];
  logic [31:0] scaled_sum[2];
  for (genvar h = 0; h < 2; h++) begin : gen_half
    fp_normalise #(
      .SumBits(SumBits),
      .AlignedBits(AlignedBits)
    ) u_normalise (
      .clk_i(clk_i),
      .en_i(en_i[0+:Normalise]),
      .bf16_i(1'b1),
      .sum_i(h == 0 ? sum_i : rest_i),
      .rank_i(rank),
      .value_o(sum[h])
    );

    fp_multiply u_multiply (
      .clk_i(clk_i),
      .en_i(en_i[Normalise+:Multiply]),
      .a_i(sum[h]),
      .b_i(factors_q[Normalise-1][32*h+:32]),
      .product_o(scaled_sum[h])
    );
  end

  // -0 is the neutral element of the addition.
  fp_add u_add (
    .clk_i(clk_i),
    .en_i(en_i[Normalise+Multiply+:ndp_pkg::AddStages]),
    .a_i(scaled_sum[0]),
    .b_i(halves_i ? scaled_sum[1] : 32'h80000000),
    .sum_o(term_o)
  );
endmodule
