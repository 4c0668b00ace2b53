// SPDX-License-Identifier: Apache-2.0
// The product of two FP16 numbers as an FP32, in two stages; stage k works in the cycle of en_i[k].
// It is exact: 22 bits of significand, and an exponent that FP32 has as a normal number. NaN is
// 7FC00000, also of zero times infinity.
module fp16_multiply (
  input  logic        clk_i,
  input  logic [1:0]  en_i,
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  output logic [31:0] product_o
);
  logic [31:0] product_q;
  assign product_o = product_q;

  // The last place of an FP16 weighs 2^(field - 25), so that of the product 2^(fields - 50); a leading
  // one in place 22 has FP32's field 127 - 50 + 22 above the sum of both.
  localparam logic [7:0] TopField = 8'd99;

  logic negative_q, nan_q, inf_q;
  logic [5:0] exp_q;  // the sum of the fields, each at least 1
  logic [21:0] significand_q;

  task automatic multiply();
    logic [10:0] a;
    logic [10:0] b;
    logic a_special;
    logic b_special;
    a = {a_i[14:10] != '0, a_i[9:0]};
    b = {b_i[14:10] != '0, b_i[9:0]};
    a_special = a_i[14:10] == '1;
    b_special = b_i[14:10] == '1;
    significand_q <= 22'(a) * 22'(b);
    exp_q <= 6'(a_i[14:10]) + 6'(a_i[14:10] == '0) + 6'(b_i[14:10]) + 6'(b_i[14:10] == '0);
    negative_q <= a_i[15] ^ b_i[15];
    nan_q <= (a_special && a_i[9:0] != '0) || (b_special && b_i[9:0] != '0) ||
        (a_special && b_i[14:0] == '0) || (b_special && a_i[14:0] == '0);
    inf_q <= a_special || b_special;
  endtask

  // The leading one to place 22, in binary steps.
  task automatic normalise();
    logic [22:0] significand;
    logic [7:0] field;
    significand = {1'b0, significand_q};
    field = 8'(exp_q) + TopField;
    for (int unsigned k = 16; k >= 1; k = k / 2) begin
      if ((significand >> (23 - k)) == '0) begin
        significand = significand << k;
        field = field - 8'(k);
      end
    end
    if (nan_q) product_q <= 32'h7fc00000;
    else if (inf_q) product_q <= {negative_q, 31'h7f800000};
    else if (significand_q == '0) product_q <= {negative_q, 31'h0};
    else product_q <= {negative_q, field, significand[21:0], 1'b0};
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i[0]) multiply();
    if (en_i[1]) normalise();
  end
endmodule
