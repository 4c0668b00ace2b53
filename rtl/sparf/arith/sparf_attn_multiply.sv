// SPDX-License-Identifier: Apache-2.0
// FP32 product in sparf_kernel_pkg::MultiplyStages stages; stage k computes in the cycle of en_i[k]. Round to
// nearest even. Operands are normal numbers or zeros; a product below the smallest normal number is a zero. A
// product must not overflow.
module sparf_attn_multiply (
  input  logic        clk_i,
  input  logic [sparf_kernel_pkg::MultiplyStages-1:0] en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] product_o
);
  localparam int unsigned Last = 5;
  localparam logic [9:0] Bias = 10'd127;
  // An FPGA's multiplier has unsigned inputs of 24 and 17 bits; its registers store the operands, the parts, and the
  // parts one cycle later.
  localparam int unsigned DB = 17;

  logic [31:0] product_q;
  assign product_o = product_q;

  logic [23:0] a_q0, b_q0;
  logic [23+DB:0] low_q1, low_q2;
  logic [47-DB:0] high_q1, high_q2;
  logic [47:0] product_q3;
  logic [9:0] sum_q0;              // of the exponents
  logic [9:0] field_q[1:3];        // of a product whose leading one is at bit 46, signed
  logic [7:0] field_q4;
  logic [4:0] negative_q, zero_q;
  logic [22:0] fraction_q4;
  logic up_q4, guard, sticky, odd;
  // The parts' sum; where only the upper one has bits, these or the next number.
  logic [24:0] low_sum;
  logic [23-DB:0] top;
  assign low_sum = {1'b0, high_q2[23:0]} + {1'b0, low_q2[23+DB:DB]};
  assign top = high_q2[47-DB:24];

  assign guard = product_q3[47] ? product_q3[23] : product_q3[22];
  assign odd = product_q3[47] ? product_q3[24] : product_q3[23];
  assign sticky = product_q3[21:0] != '0 || (product_q3[47] && product_q3[22]);

  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      a_q0 <= {1'b1, a_i[22:0]};
      b_q0 <= {1'b1, b_i[22:0]};
      sum_q0 <= 10'(a_i[30:23]) + 10'(b_i[30:23]);
      negative_q[0] <= a_i[31] ^ b_i[31];
      zero_q[0] <= a_i[30:23] == '0 || b_i[30:23] == '0;
    end
    if (en_i[1]) begin
      low_q1 <= (24 + DB)'(a_q0) * (24 + DB)'(b_q0[DB-1:0]);
      high_q1 <= (48 - DB)'(a_q0) * (48 - DB)'(b_q0[23:DB]);
      field_q[1] <= sum_q0 - Bias;
      negative_q[1] <= negative_q[0];
      zero_q[1] <= zero_q[0];
    end
    if (en_i[2]) begin
      low_q2 <= low_q1;
      high_q2 <= high_q1;
      field_q[2] <= field_q[1];
      negative_q[2] <= negative_q[1];
      zero_q[2] <= zero_q[1];
    end
    if (en_i[3]) begin
      product_q3 <= {low_sum[24] ? top + 1'b1 : top, low_sum[23:0], low_q2[DB-1:0]};
      field_q[3] <= field_q[2];
      negative_q[3] <= negative_q[2];
      zero_q[3] <= zero_q[2];
    end
    if (en_i[4]) begin
      fraction_q4 <= product_q3[47] ? product_q3[46:24] : product_q3[45:23];
      up_q4 <= guard && (sticky || odd);
      field_q4 <= field_q[3][7:0] + 8'(product_q3[47]);
      negative_q[4] <= negative_q[3];
      zero_q[4] <= zero_q[3] || field_q[3][9] || (field_q[3] == '0 && !product_q3[47]);
    end
    // A carry out of the fraction sets it to 0 and adds one to the field.
    if (en_i[Last]) begin
      product_q[31] <= negative_q[4];
      if (zero_q[4]) product_q[30:0] <= '0;
      else product_q[30:0] <= {field_q4, fraction_q4} + 31'(up_q4);
    end
  end

  if (sparf_kernel_pkg::MultiplyStages != Last + 1) begin : gen_bad_stages
    $error("sparf_attn_multiply: MultiplyStages must be that of its stages");
  end
endmodule
