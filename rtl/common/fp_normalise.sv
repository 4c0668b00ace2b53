// SPDX-License-Identifier: Apache-2.0
// Fixed-point sum of aligned products to FP32 in five stages; stage k computes in the cycle of en_i[k].
// The value is sum_i * 2^(exponent - 2 bias + 2 - AlignedBits) with the exponent sum of rank_i; the bias is 15
// or, for BF16, 127. Round to nearest even, subnormals are preserved, overflow becomes infinity, a zero sum is
// +0. Specials override the sum, NaN is 7FC00000. |sum_i| < 2^(SumBits-1).
module fp_normalise #(
  parameter int unsigned SumBits = 53,
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits  // of a product in the sum
) (
  input  logic                         clk_i,
  input  logic [4:0]                   en_i,
  input  logic                         bf16_i,
  input  logic [SumBits-1:0]           sum_i,
  input  logic [ndp_pkg::RankBits-1:0] rank_i,
  output logic [31:0]                  value_o
);
  // A shorter sum is extended to 34 bits.
  localparam int unsigned Pad = SumBits < 34 ? 34 - SumBits : 0;
  localparam int unsigned Mag = SumBits + Pad - 1;
  localparam int unsigned Specials = ndp_pkg::SpecialBits;
  localparam int unsigned ESum = ndp_pkg::ExpSumBits;
  // Exponent field of a sum whose magnitude has its top bit set, less the exponent sum: the value is
  // then 1.x * 2^(SumBits - AlignedBits - 2 bias + exponent sum), and FP32 has bias 127.
  localparam int unsigned E = 11;  // -167 .. 390 and a sign, for any block of up to 2^10
  localparam logic [E-1:0] BaseFp16 = E'(SumBits - AlignedBits + 127 - 30);
  localparam logic [E-1:0] BaseBf16 = E'(SumBits - AlignedBits + 127 - 254);

  logic [31:0] value_q;
  assign value_o = value_q;

  logic negative_q0, negative_q1, negative_q2, negative_q3;
  logic [Specials-1:0] special_q0, special_q1, special_q2, special_q3;
  logic [Mag-1:0] mag_q0, mag_q1, mag_q2;
  logic [E-1:0] exp_q0, exp_q1, exp_q2;
  logic [E-1:0] field_q3;
  logic [24:0] sig_q3;  // 23 bits below the leading one, guard, sticky

  task automatic magnitude();
    logic [SumBits-2:0] size;
    size = sum_i[SumBits-1] ? ~sum_i[SumBits-2:0] + (SumBits - 1)'(1) : sum_i[SumBits-2:0];
    negative_q0 <= sum_i[SumBits-1];
    mag_q0 <= Mag'(size) << Pad;
    exp_q0 <= E'(rank_i[ESum-1:0]) + (bf16_i ? BaseBf16 : BaseFp16);
    special_q0 <= rank_i[ESum+:Specials];
  endtask

  // The leading one is shifted to the top in steps of 32, 16 and then 8, 4, 2, 1.
  task automatic shift_far();
    logic [Mag-1:0] mag;
    logic [E-1:0] exp;
    mag = mag_q0;
    exp = exp_q0;
    for (int unsigned k = 32; k >= 16; k = k / 2) begin
      if ((mag >> (Mag - k)) == '0) begin
        mag = mag << k;
        exp = exp - E'(k);
      end
    end
    mag_q1 <= mag;
    exp_q1 <= exp;
    negative_q1 <= negative_q0;
    special_q1 <= special_q0;
  endtask

  task automatic shift_near();
    logic [Mag-1:0] mag;
    logic [E-1:0] exp;
    mag = mag_q1;
    exp = exp_q1;
    for (int unsigned k = 8; k >= 1; k = k / 2) begin
      if ((mag >> (Mag - k)) == '0) begin
        mag = mag << k;
        exp = exp - E'(k);
      end
    end
    mag_q2 <= mag;
    exp_q2 <= exp;
    negative_q2 <= negative_q1;
    special_q2 <= special_q1;
  endtask

  // Below the smallest normal number the significand is shifted right and the field is 0. After a shift by 26 only the
  // sticky bit remains.
  task automatic denormalise();
    logic [25:0] sig;
    logic [E-1:0] down;
    logic [4:0] places;
    sig = {mag_q2[Mag-1-:25], |mag_q2[Mag-26:0]};
    down = E'(1) - exp_q2;
    places = (down > E'(26)) ? 5'd26 : down[4:0];
    if (!mag_q2[Mag-1]) begin
      field_q3 <= '0;
      sig_q3 <= '0;
    end else if (exp_q2[E-1] || exp_q2 == '0) begin
      field_q3 <= '0;
      sig_q3 <= 25'(sig >> places) | 25'((sig & ~(26'h3ffffff << places)) != '0);
    end else begin
      field_q3 <= exp_q2;
      sig_q3 <= sig[24:0];
    end
    negative_q3 <= negative_q2;
    special_q3 <= special_q2;
  endtask

  // Rounding may carry into the exponent, which is then correct.
  task automatic round();
    logic up;
    logic [E+22:0] rounded;
    up = sig_q3[1] & (sig_q3[0] | sig_q3[2]);
    rounded = {field_q3, sig_q3[24:2]} + (E + 23)'(up);
    if (special_q3[2] || (special_q3[1] && special_q3[0])) value_q <= 32'h7fc00000;
    else if (special_q3 != '0) value_q <= {special_q3[0], 31'h7f800000};
    else if (rounded[E+22:23] >= E'(255)) value_q <= {negative_q3, 31'h7f800000};
    else value_q <= {negative_q3, rounded[30:0]};
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i[0]) magnitude();
    if (en_i[1]) shift_far();
    if (en_i[2]) shift_near();
    if (en_i[3]) denormalise();
    if (en_i[4]) round();
  end

  if (SumBits < 17 || SumBits > 65) begin : gen_bad_sum
    $error("fp_normalise: SumBits must be 17 to 65");
  end
endmodule
