// SPDX-License-Identifier: Apache-2.0
// fp_narrow against the definition of rounding, every FP32 number and both formats.
`include "prove.svh"
module prove_fp_narrow (
  input logic        clk_i,
  input logic        bf16_i,
  input logic [31:0] value_i
);
  `WINDOW(2)
  logic [31:0] value_q;
  logic bf16_q;
  always @(posedge clk_i) begin
    if (enters) begin
      value_q <= value_i;
      bf16_q <= bf16_i;
    end
  end

  // The format is that of the unit's job: it is stable while a number is in flight.
  logic [15:0] narrowed, fp16, bf16;
  fp_narrow u_dut (
    .clk_i(clk_i),
    .en_i(2'b11),
    .bf16_i(enters ? bf16_i : bf16_q),
    .value_i(value_i),
    .value_o(narrowed)
  );

  logic [23:0] mag;
  logic signed [11:0] exponent;
  logic finite, nan;
  assign mag = {value_q[30:23] != '0, value_q[22:0]};
  assign exponent = (value_q[30:23] == '0 ? 12'sd1 : $signed({4'd0, value_q[30:23]})) - 12'sd150;
  assign finite = value_q[30:23] != 8'hff;
  assign nan = !finite && value_q[22:0] != '0;
  ieee_round #(
    .MagBits(24),
    .FieldBits(5),
    .FractionBits(10)
  ) u_fp16 (
    .negative_i(value_q[31]),
    .mag_i(mag),
    .exponent_i(exponent),
    .result_o(fp16),
    .normal_o()
  );
  ieee_round #(
    .MagBits(24),
    .FieldBits(8),
    .FractionBits(7)
  ) u_bf16 (
    .negative_i(value_q[31]),
    .mag_i(mag),
    .exponent_i(exponent),
    .result_o(bf16),
    .normal_o()
  );

  `AT_THE_END(Fp16, bf16_q || !finite || narrowed == fp16)
  `AT_THE_END(Bf16, !bf16_q || !finite || narrowed == bf16)
  `AT_THE_END(NaN, !nan || narrowed == (bf16_q ? 16'h7fc0 : 16'h7e00))
  `AT_THE_END(Infinity, finite || nan || narrowed == {value_q[31], bf16_q ? 15'h7f80 : 15'h7c00})
endmodule
