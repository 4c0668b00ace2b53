// SPDX-License-Identifier: Apache-2.0
// FP32 product in three stages; stage k works in the cycle of en_i[k]. Round to nearest even.
// Operands are normal numbers or zeros; a product below the smallest normal number is a zero, and
// it must not overflow.
module attn_multiply (
  input  logic        clk_i,
  input  logic [2:0]  en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] product_o
);
  localparam logic [9:0] Bias = 10'd127;

  logic negative_q0, negative_q1, zero_q0, zero_q1;
  logic [9:0] field_q0;  // of a product whose leading one is at bit 46, signed
  logic [7:0] field_q1;
  logic [47:0] product_q0;
  logic [24:0] significand_q1;  // the leading one, 23 bits, guard
  logic sticky_q1;
  logic [30:0] rounded;

  assign rounded = {field_q1, 23'd0} + 31'(significand_q1[24:1]) +
      31'(significand_q1[0] && (sticky_q1 || significand_q1[1]));

  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      product_q0 <= 48'({1'b1, a_i[22:0]}) * 48'({1'b1, b_i[22:0]});
      field_q0 <= 10'(a_i[30:23]) + 10'(b_i[30:23]) - Bias;
      negative_q0 <= a_i[31] ^ b_i[31];
      zero_q0 <= a_i[30:23] == '0 || b_i[30:23] == '0;
    end
    if (en_i[1]) begin
      significand_q1 <= product_q0[47] ? product_q0[47:23] : product_q0[46:22];
      sticky_q1 <= product_q0[47] ? product_q0[22:0] != '0 : product_q0[21:0] != '0;
      // The leading one of the significand adds one to the field.
      field_q1 <= field_q0[7:0] + 8'(product_q0[47]) - 8'd1;
      negative_q1 <= negative_q0;
      zero_q1 <= zero_q0 || field_q0[9] || (field_q0 == '0 && !product_q0[47]);
    end
    if (en_i[2]) product_o <= {negative_q1, zero_q1 ? 31'd0 : rounded};
  end
endmodule
