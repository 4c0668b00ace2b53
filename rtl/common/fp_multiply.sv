// SPDX-License-Identifier: Apache-2.0
// FP32 multiplication in eight stages; stage k computes in the cycle of en_i[k]. Round to nearest even,
// subnormals are preserved, NaN is 7FC00000.
module fp_multiply (
  input  logic                               clk_i,
  input  logic [ndp_pkg::MultiplyStages-1:0] en_i,
  input  logic [31:0]                        a_i,
  input  logic [31:0]                        b_i,
  output logic [31:0]                        product_o
);
  localparam int unsigned Half = 12;  // bits of b in a partial product
  localparam int unsigned Parts = 3;  // stages of partial products
  localparam int unsigned Mag = 48;

  // The product of two significands of 24 bits is below 2^48, at 2^(sum of the exponents - 300); fp_normalise expects
  // sums of BF16 at 2^(exponent - 296).
  localparam logic [ndp_pkg::ExpSumBits-1:0] Offset = 4;

  logic [23:0] a_q0, b_q0;
  logic [Mag/2+Half-1:0] low_q1, high_q1;
  logic [Mag-1:0] product_q2;
  logic [ndp_pkg::RankBits-1:0] rank_q0, rank_q1, rank_q2;
  logic [ndp_pkg::MultiplyStages-1:0] negative_q;
  logic [31:0] size;

  function automatic logic [ndp_pkg::ExpSumBits-1:0] exponent(input logic [7:0] field);
    exponent = {1'b0, field[7:1], field[0] | field == '0};
  endfunction

  task automatic unpack();
    logic [ndp_pkg::ExpSumBits-1:0] sum;
    logic a_special;
    logic b_special;
    logic nan;
    a_q0 <= {a_i[30:23] != '0, a_i[22:0]};
    b_q0 <= {b_i[30:23] != '0, b_i[22:0]};
    sum = exponent(a_i[30:23]) + exponent(b_i[30:23]);
    a_special = a_i[30:23] == 8'hff;
    b_special = b_i[30:23] == 8'hff;
    nan = (a_special && (a_i[22:0] != '0 || b_i[30:0] == '0)) ||
        (b_special && (b_i[22:0] != '0 || a_i[30:0] == '0));
    // Below the offset the product is less than half of the smallest subnormal by far: at any
    // exponent it rounds to zero.
    rank_q0 <= {nan, a_special || b_special, 1'b0, (sum > Offset) ? sum - Offset : '0};
    negative_q[0] <= (a_i[31] ^ b_i[31]) && !nan;
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i[0]) unpack();
    if (en_i[1]) begin
      low_q1 <= a_q0 * b_q0[Half-1:0];
      high_q1 <= a_q0 * b_q0[2*Half-1:Half];
      rank_q1 <= rank_q0;
    end
    if (en_i[2]) begin
      product_q2 <= Mag'(low_q1) + {high_q1, {Half{1'b0}}};
      rank_q2 <= rank_q1;
    end
    for (int unsigned k = 1; k < ndp_pkg::MultiplyStages; k++) begin
      if (en_i[k]) negative_q[k] <= negative_q[k-1];
    end
  end

  fp_normalise #(
    .SumBits(Mag + 1)
  ) u_normalise (
    .clk_i(clk_i),
    .en_i(en_i[Parts+:ndp_pkg::NormaliseStages]),
    .bf16_i(1'b1),
    .sum_i({1'b0, product_q2}),
    .rank_i(rank_q2),
    .value_o(size)
  );

  assign product_o = {size[31] ^ negative_q[ndp_pkg::MultiplyStages-1], size[30:0]};
endmodule
