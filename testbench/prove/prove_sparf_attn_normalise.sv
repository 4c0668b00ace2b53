// SPDX-License-Identifier: Apache-2.0
// sparf_attn_normalise against the definition of rounding, every sum and exponent.
`include "prove.svh"
module prove_sparf_attn_normalise #(
  parameter int unsigned SumBits = 53
) (
  input logic               clk_i,
  input logic [SumBits-1:0] sum_i,
  input logic [5:0]         exponent_i
);
  `WINDOW(9)
  logic [SumBits-1:0] sum_q;
  logic [5:0] exponent_q;
  logic [31:0] value, rounded;
  always @(posedge clk_i) begin
    if (enters) begin
      sum_q <= sum_i;
      exponent_q <= exponent_i;
    end
  end
  sparf_attn_normalise #(
    .SumBits(SumBits)
  ) u_dut (
    .clk_i(clk_i),
    .en_i('1),
    .sum_i(sum_i),
    .exponent_i(exponent_i),
    .value_o(value)
  );
  ieee_round #(
    .MagBits(SumBits)
  ) u_round (
    .negative_i(sum_q[SumBits-1]),
    .mag_i(sum_q[SumBits-1] ? -sum_q : sum_q),
    .exponent_i($signed({6'd0, exponent_q}) - 12'sd72),
    .result_o(rounded),
    .normal_o()
  );
  logic meant;
  assign meant = sum_q != {1'b1, {(SumBits - 1) {1'b0}}};  // |sum| < 2^(SumBits-1)
  `AT_THE_END(Rounded, !meant || value == rounded)
endmodule
