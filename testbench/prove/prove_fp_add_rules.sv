// SPDX-License-Identifier: Apache-2.0
// Properties of fp_add for every pair of FP32 numbers that need no exact sum.
`include "prove.svh"
module prove_fp_add_rules (
  input logic        clk_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);
  `WINDOW(6)
  logic [31:0] a_q, b_q, sum, swapped;
  always @(posedge clk_i) begin
    if (enters) begin
      a_q <= a_i;
      b_q <= b_i;
    end
  end
  fp_add u_dut (
    .clk_i(clk_i),
    .en_i('1),
    .a_i(a_i),
    .b_i(b_i),
    .sum_o(sum)
  );
  fp_add u_swapped (
    .clk_i(clk_i),
    .en_i('1),
    .a_i(b_i),
    .b_i(a_i),
    .sum_o(swapped)
  );

  logic a_special, b_special, a_nan, b_nan, nan;
  logic [8:0] a_exp, b_exp;
  assign a_special = a_q[30:23] == 8'hff;
  assign b_special = b_q[30:23] == 8'hff;
  assign a_nan = a_special && a_q[22:0] != '0;
  assign b_nan = b_special && b_q[22:0] != '0;
  assign nan = a_nan || b_nan || (a_special && b_special && a_q[31] != b_q[31]);
  assign a_exp = a_q[30:23] == '0 ? 9'd1 : {1'b0, a_q[30:23]};
  assign b_exp = b_q[30:23] == '0 ? 9'd1 : {1'b0, b_q[30:23]};

  `AT_THE_END(NaN, !nan || sum == 32'h7fc00000)
  `AT_THE_END(Infinity, nan || !(a_special || b_special) || sum == (a_special ? a_q : b_q))
  `AT_THE_END(Opposite, a_special || a_q != {!b_q[31], b_q[30:0]} || sum == '0)
  `AT_THE_END(Neutral, a_special || b_q[30:0] != '0 || a_q[30:0] == '0 || sum == a_q)
  `AT_THE_END(FarBelow, a_special || b_special || a_exp < b_exp + 9'd26 || sum == a_q)
  `AT_THE_END(Commutes, sum == swapped)
endmodule
