// SPDX-License-Identifier: Apache-2.0
// Fixed-point sum to FP32 in sparf_kernel_pkg::NormaliseStages stages; stage k computes in the cycle of
// en_i[k]. The value is sum_i * 2^(exponent_i - 72): a sum of products of FP16 numbers aligned to an exponent
// sum, of weights (units of 2^-36) or of magnitudes (2^-24). Such a sum is never subnormal and never overflows.
// Round to nearest even; a zero sum is +0. |sum_i| < 2^(SumBits-1).
`include "assert.svh"
module sparf_attn_normalise #(
  parameter int unsigned SumBits = 53
) (
  input  logic               clk_i,
  input  logic [sparf_kernel_pkg::NormaliseStages-1:0] en_i,
  input  logic [SumBits-1:0] sum_i,
  input  logic [5:0]         exponent_i,
  output logic [31:0]        value_o
);
  localparam int unsigned Mag = SumBits - 1;
  localparam int unsigned LowBits = (Mag + 1) / 2;
  localparam int unsigned HighBits = Mag - LowBits;
  localparam int unsigned Stages = sparf_kernel_pkg::NormaliseStages;
  // Field of a sum whose magnitude has its top bit set, less the exponent.
  localparam logic [7:0] Base = 8'(Mag - 1 + 127 - 72);

  logic [31:0] value_q;
  assign value_o = value_q;

  // The magnitude, low half first; then the leading one is shifted to the top in steps of 32, 16, 8, 4,
  // and of 2 and 1 together, the field one stage later; then the rounding increment; then the sum.
  localparam int unsigned Steps = 5;
  localparam int unsigned Shifted = 1 + Steps;  // the stage with the last step
  logic [Stages-2:0] negative_q;
  logic [LowBits-1:0] low_q;
  logic carry_q;
  logic [HighBits-1:0] high_q;
  logic [5:0] exponent_q;
  logic [Mag-1:0] mag_q[Shifted + 1];   // from stage 1 on
  logic [7:0] field_q[Shifted + 2];     // likewise
  logic [5:0] moved_q;                  // by the steps: 32, 16, 8, 4, 2, 1
  logic [22:0] fraction_q;
  logic up_q, zero_q;

  function automatic logic [Mag-1:0] shifted(input logic [Mag-1:0] mag, input int unsigned step);
    shifted = (mag >> (Mag - step)) == '0 ? mag << step : mag;
  endfunction

  logic [Mag-1:0] by_two;
  assign by_two = shifted(mag_q[Steps], 2);

  always_ff @(posedge clk_i) begin
    if (en_i[0]) begin
      negative_q[0] <= sum_i[Mag];
      exponent_q <= exponent_i;
      low_q <= (sum_i[LowBits-1:0] ^ {LowBits{sum_i[Mag]}}) + LowBits'(sum_i[Mag]);
      carry_q <= sum_i[Mag] && sum_i[LowBits-1:0] == '0;
      high_q <= sum_i[Mag-1:LowBits] ^ {HighBits{sum_i[Mag]}};
    end
    if (en_i[1]) begin
      mag_q[1] <= {high_q + HighBits'(carry_q), low_q};
      field_q[1] <= Base + 8'(exponent_q);
    end
    for (int unsigned s = 0; s < Steps - 1; s++) begin
      if (en_i[2+s]) begin
        mag_q[2+s] <= shifted(mag_q[1+s], 32 >> s);
        moved_q[5-s] <= (mag_q[1+s] >> (Mag - (32 >> s))) == '0;
        field_q[2+s] <= field_q[1+s] - (s == 0 ? '0 : 8'(moved_q[6-s]) << (6 - s));
      end
    end
    if (en_i[Shifted]) begin
      mag_q[Shifted] <= shifted(by_two, 1);
      moved_q[1:0] <= {(mag_q[Steps] >> (Mag - 2)) == '0, !by_two[Mag-1]};
      field_q[Shifted] <= field_q[Steps] - {5'd0, moved_q[2], 2'd0};
    end
    if (en_i[Shifted+1]) begin
      field_q[Shifted+1] <= field_q[Shifted] - 8'(moved_q[1:0]);
      fraction_q <= mag_q[Shifted][Mag-2 -: 23];
      up_q <= mag_q[Shifted][Mag-25] &&
          (mag_q[Shifted][Mag-26:0] != '0 || mag_q[Shifted][Mag-24]);
      zero_q <= !mag_q[Shifted][Mag-1];
    end
    // A carry out of the fraction sets it to 0 and adds one to the field.
    if (en_i[Shifted+2]) begin
      value_q <= zero_q ? '0
          : {negative_q[Stages-2], {field_q[Shifted+1], fraction_q} + 31'(up_q)};
    end
    for (int unsigned s = 1; s < Stages - 1; s++) begin
      if (en_i[s]) negative_q[s] <= negative_q[s-1];
    end
  end

  if (SumBits < 34 || SumBits > 65) begin : gen_bad_sum
    $error("sparf_attn_normalise: SumBits must be 34 to 65");
  end
  if (Stages != Shifted + 3) begin : gen_bad_stages
    $error("sparf_attn_normalise: NormaliseStages must be that of its stages");
  end
endmodule
