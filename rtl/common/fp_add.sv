// SPDX-License-Identifier: Apache-2.0
// FP32 addition in six stages; stage k computes in the cycle of en_i[k]. Round to nearest even, subnormals are
// preserved, NaN is 7FC00000, x + -x is +0.
module fp_add (
  input  logic        clk_i,
  input  logic [5:0]  en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);
  logic [31:0] sum_q;
  assign sum_o = sum_q;

  // Result sign, sign of a zero sum, value that overrides the sum.
  logic negative_q0, negative_q1, negative_q2, negative_q3, negative_q4;
  logic zero_negative_q0, zero_negative_q1, zero_negative_q2, zero_negative_q3, zero_negative_q4;
  logic nan_q0, nan_q1, nan_q2, nan_q3, nan_q4;
  logic inf_q0, inf_q1, inf_q2, inf_q3, inf_q4;
  logic subtract_q0, subtract_q1;
  logic [7:0] exp_q0, exp_q1;  // of the operand of larger magnitude, at least 1
  logic [7:0] distance_q0;
  logic [23:0] large_q0, small_q0, large_q1;
  logic [26:0] small_q1;  // with guard, round, sticky
  // {carry, 24 bits, guard, round, sticky}; the exponent is that of the carry bit.
  logic [27:0] sum_q2, sum_q3, sum_q4;
  logic [8:0] exp_q2, exp_q3, exp_q4;

  task automatic order();
    logic [7:0] ea;
    logic [7:0] eb;
    logic [23:0] ma;
    logic [23:0] mb;
    logic a_larger;
    logic a_special;
    logic b_special;
    ea = a_i[30:23] | 8'(a_i[30:23] == '0);
    eb = b_i[30:23] | 8'(b_i[30:23] == '0);
    ma = {a_i[30:23] != '0, a_i[22:0]};
    mb = {b_i[30:23] != '0, b_i[22:0]};
    a_larger = a_i[30:0] >= b_i[30:0];
    a_special = a_i[30:23] == 8'hff;
    b_special = b_i[30:23] == 8'hff;
    exp_q0 <= a_larger ? ea : eb;
    distance_q0 <= a_larger ? ea - eb : eb - ea;
    large_q0 <= a_larger ? ma : mb;
    small_q0 <= a_larger ? mb : ma;
    subtract_q0 <= a_i[31] ^ b_i[31];
    negative_q0 <= a_larger ? a_i[31] : b_i[31];
    zero_negative_q0 <= a_i[31] & b_i[31];
    nan_q0 <= (a_special && a_i[22:0] != '0) || (b_special && b_i[22:0] != '0) ||
        (a_special && b_special && a_i[31] != b_i[31]);
    inf_q0 <= a_special || b_special;
  endtask

  task automatic align();
    logic [26:0] wide;
    logic [4:0] places;
    wide = {small_q0, 3'b000};
    places = (distance_q0 > 8'd27) ? 5'd27 : distance_q0[4:0];
    small_q1 <= (wide >> places) | 27'((wide & ~(27'h7ffffff << places)) != '0);
    large_q1 <= large_q0;
    exp_q1 <= exp_q0;
    subtract_q1 <= subtract_q0;
    negative_q1 <= negative_q0;
    zero_negative_q1 <= zero_negative_q0;
    nan_q1 <= nan_q0;
    inf_q1 <= inf_q0;
  endtask

  task automatic add();
    sum_q2 <= {1'b0, large_q1, 3'b000} + ({1'b0, small_q1} ^ {28{subtract_q1}}) +
        28'(subtract_q1);
    exp_q2 <= 9'(exp_q1) + 9'd1;
    negative_q2 <= negative_q1;
    zero_negative_q2 <= zero_negative_q1;
    nan_q2 <= nan_q1;
    inf_q2 <= inf_q1;
  endtask

  // The leading one is shifted up as far as the exponent, at least 1, allows: min(leading zeros,
  // exponent - 1) in binary steps.
  task automatic shift_far();
    logic [27:0] sum;
    logic [8:0] exp;
    sum = sum_q2;
    exp = exp_q2;
    for (int unsigned k = 16; k >= 8; k = k / 2) begin
      if ((sum >> (28 - k)) == '0 && exp > 9'(k)) begin
        sum = sum << k;
        exp = exp - 9'(k);
      end
    end
    sum_q3 <= sum;
    exp_q3 <= exp;
    negative_q3 <= negative_q2;
    zero_negative_q3 <= zero_negative_q2;
    nan_q3 <= nan_q2;
    inf_q3 <= inf_q2;
  endtask

  task automatic shift_near();
    logic [27:0] sum;
    logic [8:0] exp;
    sum = sum_q3;
    exp = exp_q3;
    for (int unsigned k = 4; k >= 1; k = k / 2) begin
      if ((sum >> (28 - k)) == '0 && exp > 9'(k)) begin
        sum = sum << k;
        exp = exp - 9'(k);
      end
    end
    sum_q4 <= sum;
    exp_q4 <= exp;
    negative_q4 <= negative_q3;
    zero_negative_q4 <= zero_negative_q3;
    nan_q4 <= nan_q3;
    inf_q4 <= inf_q3;
  endtask

  // Without a leading one the number is subnormal or zero: field 0.
  task automatic round();
    logic up;
    logic [31:0] rounded;
    up = sum_q4[3] & (sum_q4[4] | (sum_q4[2:0] != '0));
    rounded = {exp_q4 & {9{sum_q4[27]}}, sum_q4[26:4]} + 32'(up);
    if (nan_q4) sum_q <= 32'h7fc00000;
    else if (inf_q4 || rounded[31:23] >= 9'd255) sum_q <= {negative_q4, 31'h7f800000};
    else if (sum_q4 == '0) sum_q <= {zero_negative_q4, 31'h0};
    else sum_q <= {negative_q4, rounded[30:0]};
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i[0]) order();
    if (en_i[1]) align();
    if (en_i[2]) add();
    if (en_i[3]) shift_far();
    if (en_i[4]) shift_near();
    if (en_i[5]) round();
  end
endmodule
