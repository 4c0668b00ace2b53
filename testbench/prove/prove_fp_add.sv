// SPDX-License-Identifier: Apache-2.0
// fp_add against the definition of rounding: the exact sum of two finite numbers, rounded once.
// SigBits is the number of free bits of the significands (24: FP32, 11: FP16, 8: BF16); the exponents differ by Least
// to Most, and with Fp16Range they are exponents of FP16 numbers.
`include "prove.svh"
module prove_fp_add #(
  parameter int unsigned SigBits = 8,
  parameter int unsigned Least = 0,
  parameter int unsigned Most = 26,
  parameter int unsigned Fp16Range = 0
) (
  input logic        clk_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);
  `WINDOW(6)
  localparam int unsigned MagBits = 24 + Most + 1;
  logic [31:0] a_q, b_q, sum, rounded;
  always @(posedge clk_i) begin
    if (enters) begin
      a_q <= a_i & ~((32'd1 << (24 - SigBits)) - 1'b1);
      b_q <= b_i & ~((32'd1 << (24 - SigBits)) - 1'b1);
    end
  end
  fp_add u_dut (
    .clk_i(clk_i),
    .en_i('1),
    .a_i(a_i & ~((32'd1 << (24 - SigBits)) - 1'b1)),
    .b_i(b_i & ~((32'd1 << (24 - SigBits)) - 1'b1)),
    .sum_o(sum)
  );

  logic finite, negative, meant;
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
    .normal_o()
  );
  function automatic logic fp16(input logic [31:0] value);
    fp16 = value[30:0] == '0 || (value[30:23] >= 8'd103 && value[30:23] <= 8'd142);
  endfunction
  assign meant = finite && distance >= 8'(Least) && distance <= 8'(Most) &&
      (Fp16Range == 0 || (fp16(a_q) && fp16(b_q)));
  `AT_THE_END(Rounded, !meant || sum == rounded)
endmodule
