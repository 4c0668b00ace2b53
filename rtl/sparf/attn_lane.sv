// SPDX-License-Identifier: Apache-2.0
// One dimension of the weighted sum of values: a weight (FP32, 0 or 2^-64 .. 1) times a value
// (FP16, finite), rounded to FP32, added to one of attn_pkg::Partials sums, which are added to each
// other at the end. Stages work when their enable says so; the parent says which sums are operands
// and which of them are still empty.
module attn_lane (
  input  logic                            clk_i,
  input  logic [1:0]                      multiply_en_i,
  input  logic [5:0]                      add_en_i,
  input  logic [30:0]                     weight_i,    // without its sign, which is +
  input  logic [15:0]                     value_i,
  input  logic                            fold_i,      // second operand is a sum, not a product
  input  logic [attn_pkg::SlotBits-1:0]   a_slot_i,
  input  logic                            a_empty_i,
  input  logic [attn_pkg::SlotBits-1:0]   b_slot_i,
  input  logic                            b_empty_i,
  input  logic                            write_i,
  input  logic [attn_pkg::SlotBits-1:0]   write_slot_i,
  output logic [31:0]                     sum_o        // the first sum
);
  localparam int unsigned PB = 35;  // 24 bits by 11
  // Exponent field of a product with its leading one at the top, less both fields: weight
  // 2^(f - 150) mw, value 2^(e - 25) mv, so 2^(f + e - 175 + 34 + 127) = 2^(f + e - 14).
  localparam logic [8:0] FieldOffset = 9'd14;

  logic [31:0] partial[attn_pkg::Partials];
  logic [31:0] added;

  // Product, then normalised and rounded.
  logic negative_q;
  logic [PB-1:0] product_q;
  logic [8:0] field_q;
  logic [10:0] significand;
  logic [PB-1:0] shifted;
  logic [8:0] field;
  logic [31:0] product_f_q;

  assign significand = {value_i[14:10] != '0, value_i[9:0]};

  always_comb begin
    shifted = product_q;
    field = field_q;
    for (int unsigned step = 8; step >= 1; step = step / 2) begin
      if ((shifted >> (PB - step)) == '0) begin
        shifted = shifted << step;
        field = field - 9'(step);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (multiply_en_i[0]) begin
      negative_q <= value_i[15];
      product_q <= weight_i[30:23] == '0 ? '0
                                         : PB'({1'b1, weight_i[22:0]}) * PB'(significand);
      field_q <= 9'(weight_i[30:23]) + 9'(value_i[14:10]) + 9'(value_i[14:10] == '0) -
          FieldOffset;
    end
    if (multiply_en_i[1]) begin
      product_f_q[31] <= negative_q;
      // The leading one adds one to the field.
      product_f_q[30:0] <= !shifted[PB-1] ? '0
          : {field[7:0] - 8'd1, 23'd0} + 31'(shifted[PB-1 -: 24]) +
            31'(shifted[10] && (shifted[9:0] != '0 || shifted[11]));
    end
    if (write_i) partial[write_slot_i] <= added;
  end

  fp_add u_add (
    .clk_i(clk_i),
    .en_i(add_en_i),
    .a_i(a_empty_i ? '0 : partial[a_slot_i]),
    .b_i(!fold_i ? product_f_q : b_empty_i ? '0 : partial[b_slot_i]),
    .sum_o(added)
  );
  assign sum_o = partial[0];
endmodule
