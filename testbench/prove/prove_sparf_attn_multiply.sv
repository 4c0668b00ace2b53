// SPDX-License-Identifier: Apache-2.0
// sparf_attn_multiply against the definition of rounding, for its permitted operands: normal numbers and zeros whose
// product does not overflow; a product below the least normal number is a zero.
`include "prove.svh"
module prove_sparf_attn_multiply #(
  parameter int unsigned SigBits = 8,    // of a that are free
  parameter int unsigned OtherBits = 8   // of b
) (
  input logic        clk_i,
  input logic [31:0] a_i,
  input logic [31:0] b_i
);
  `WINDOW(6)
  logic [31:0] a, b, a_q, b_q, product, rounded;
  assign a = a_i & ~((32'd1 << (24 - SigBits)) - 1'b1);
  assign b = b_i & ~((32'd1 << (24 - OtherBits)) - 1'b1);
  always @(posedge clk_i) begin
    if (enters) begin
      a_q <= a;
      b_q <= b;
    end
  end
  sparf_attn_multiply u_dut (
    .clk_i(clk_i),
    .en_i('1),
    .a_i(a),
    .b_i(b),
    .product_o(product)
  );

  localparam int unsigned MagBits = SigBits + OtherBits;
  logic a_zero, b_zero, negative, normal, meant;
  logic [MagBits-1:0] mag;
  logic signed [11:0] exponent;
  assign a_zero = a_q[30:23] == '0;
  assign b_zero = b_q[30:23] == '0;
  assign negative = a_q[31] ^ b_q[31];
  assign mag = a_zero || b_zero ? '0
      : MagBits'({1'b1, a_q[22-:SigBits-1]}) * MagBits'({1'b1, b_q[22-:OtherBits-1]});
  assign exponent = $signed({4'd0, a_q[30:23]}) + $signed({4'd0, b_q[30:23]}) - 12'sd254 -
      12'(SigBits - 1) - 12'(OtherBits - 1);
  ieee_round #(
    .MagBits(MagBits)
  ) u_round (
    .negative_i(negative),
    .mag_i(mag),
    .exponent_i(exponent),
    .result_o(rounded),
    .normal_o(normal)
  );
  assign meant = (!a_zero || a_q[22:0] == '0) && (!b_zero || b_q[22:0] == '0) &&
      a_q[30:23] != 8'hff && b_q[30:23] != 8'hff && rounded[30:23] != 8'hff;
  `AT_THE_END(Rounded, !meant || !normal || product == rounded)
  `AT_THE_END(Flushed, !meant || normal || product == {negative, 31'd0})
endmodule
