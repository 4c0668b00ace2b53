// SPDX-License-Identifier: Apache-2.0
// Exact products of a beat of FP16 keys and a beat of a FP16 query: significand (22 bits), sum of the exponents
// (2 to 60, or 0 if the product is 0), sign. A product leaves three cycles after its operands, as a word {sign,
// exponent, significand} and with its exponent on a second port. The marks of the beat have the same latency.
module sparf_gemv_products #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned MetaBits = 1,
  localparam int unsigned EB = sparf_kernel_pkg::ExponentSumBits,
  localparam int unsigned WordBits = sparf_kernel_pkg::ProductWordBits
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      valid_i,
  input  logic                      first_i,
  input  logic                      last_i,
  input  logic [MetaBits-1:0]       meta_i,
  input  logic [Lanes*16-1:0]       keys_i,
  input  logic [Lanes*16-1:0]       query_i,
  output logic                      valid_o,
  output logic                      first_o,
  output logic                      last_o,
  output logic [MetaBits-1:0]       meta_o,
  output logic [Lanes*WordBits-1:0] product_o,
  output logic [Lanes*EB-1:0]       exponents_o,
  output logic                      moves_o  // a beat is in a register after this cycle
);
  localparam int unsigned PB = ndp_pkg::ProductBits;
  localparam int unsigned MB = PB / 2;  // of an operand's significand
  // Significands, product, and that once more, as multipliers of an FPGA have registers before, in and
  // behind them.
  localparam int unsigned Stages = 3;

  logic [Stages-1:0] valid_q, first_q, last_q;
  logic [MetaBits-1:0] meta_q[Stages];
  logic [Lanes*WordBits-1:0] product_q;
  logic [Lanes*EB-1:0] exponents_q;
  assign valid_o = valid_q[Stages-1];
  assign first_o = first_q[Stages-1];
  assign last_o = last_q[Stages-1];
  assign meta_o = meta_q[Stages-1];
  assign product_o = product_q;
  assign exponents_o = exponents_q;
  assign moves_o = valid_i || valid_q[Stages-2:0] != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], valid_i};
    first_q <= {first_q[Stages-2:0], first_i};
    last_q <= {last_q[Stages-2:0], last_i};
    if (valid_i) meta_q[0] <= meta_i;
    for (int unsigned s = 1; s < Stages; s++) if (valid_q[s-1]) meta_q[s] <= meta_q[s-1];
  end

  logic [MB-1:0] key_q[Lanes], element_q[Lanes];
  logic [PB-1:0] multiplied_q[Lanes];
  logic [EB-2:0] key_exponent_q[Lanes], element_exponent_q[Lanes];
  logic [EB-1:0] product_exponent_q[Lanes];
  logic [Lanes-1:0] negative_q, product_negative_q;

  task automatic unpack();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [15:0] a;
      logic [15:0] b;
      a = keys_i[i*16 +: 16];
      b = query_i[i*16 +: 16];
      key_q[i] = {a[14:10] != '0, a[9:0]};
      element_q[i] = {b[14:10] != '0, b[9:0]};
      key_exponent_q[i] = a[14:10] | 5'(a[14:10] == '0);
      element_exponent_q[i] = b[14:10] | 5'(b[14:10] == '0);
      negative_q[i] = a[15] ^ b[15];
    end
  endtask

  task automatic multiply();
    for (int unsigned i = 0; i < Lanes; i++) begin
      multiplied_q[i] = PB'(key_q[i]) * PB'(element_q[i]);
      product_exponent_q[i] = key_q[i] == '0 || element_q[i] == '0 ? '0
          : EB'(key_exponent_q[i]) + EB'(element_exponent_q[i]);
      product_negative_q[i] = negative_q[i];
    end
  endtask

  task automatic store_product();
    for (int unsigned i = 0; i < Lanes; i++) begin
      exponents_q[i*EB +: EB] <= product_exponent_q[i];
      product_q[i*WordBits +: WordBits] <=
          WordBits'({product_negative_q[i], product_exponent_q[i], multiplied_q[i]});
    end
  endtask

  // Last stage first: each stage reads the registers as the previous stage wrote them one cycle earlier.
  always_ff @(posedge clk_i) begin
    if (valid_q[1]) store_product();
    if (valid_q[0]) multiply();
    if (valid_i) unpack();
  end
endmodule
