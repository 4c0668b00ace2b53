// SPDX-License-Identifier: Apache-2.0
// FP32 quotient a / b or square root of a, one bit per cycle, for the few scalars of a head (temperature,
// alpha, gain). Operands are positive normal numbers; the dividend a may also be +0. The result is rounded
// to nearest even and must be a normal number. done_o is high for one cycle, 29 cycles after start_i:
// operands, first remainder, start, 24 bits and a guard bit, rounding. The result stays until the next
// one.
//
// No result is halfway between two numbers (its 25 bits, times the divisor or squared, would need more
// bits than an operand has), so the guard bit alone decides the rounding. No result is so close below a
// power of two that it would round to that power.
`include "assert.svh"
module sparf_attn_scalar (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,   // while idle
  input  logic        root_i,    // square root of a_i; otherwise a_i / b_i
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        done_o,
  output logic [31:0] result_o,
  output logic        busy_o     // for clock gates
);
  localparam int unsigned SB = 24;            // significand
  localparam int unsigned Digits = SB + 1;    // and a guard bit
  localparam int unsigned CountBits = $clog2(Digits);
  // A trial value has one bit before the point, the remainder has two; behind it both have the
  // 24 of the last but one trial of a root. The last trial would need one more, which cannot matter.
  localparam int unsigned TB = Digits;
  localparam int unsigned FB = TB - 1;
  localparam logic [8:0] Bias = 9'd127;

  logic done_q;
  logic [31:0] result_q;
  assign done_o = done_q;
  assign result_o = result_q;

  logic busy_q, round_q, zero_q, smaller_q;
  logic [CountBits-1:0] left_q;   // digits after the next
  logic [7:0] field_q;            // of the result, which is in range
  logic [Digits-1:0] digits_q;    // of the result so far
  logic [SB-2:0] next_q;          // and all but the last of them plus one
  logic [TB:0] rest_q;            // remainder of the dividend or radicand
  logic [TB-1:0] trial_q;         // divisor; root so far, and a one at mark_q
  logic [TB-1:0] mark_q;          // a place behind the next digit of a root

  // Operands arrive from other units, so they are registered, without their signs; the first
  // rest follows in the next cycle.
  logic start_q, begin_q, root_q;
  assign busy_o = start_q || begin_q || busy_q;
  logic [TB:0] first_q;           // rest_q at first
  logic [30:0] a_q, b_q;

  // Operands between 1 and 2. A dividend below the divisor is doubled, a radicand of odd exponent
  // too, so that the first bit of the result is one. A root begins with half of its radicand.
  logic [SB-1:0] ma, mb;
  logic smaller, odd;
  assign ma = {1'b1, a_q[22:0]};
  assign mb = {1'b1, b_q[22:0]};
  assign smaller = ma < mb;
  assign odd = !a_q[23];

  // One step of either: subtract the trial value from the remainder if possible, and double the remainder.
  logic [TB+1:0] taken;
  logic fits;
  logic [TB-1:0] mark;
  assign taken = {1'b0, rest_q} - {2'b00, trial_q};
  assign fits = !taken[TB+1];
  assign mark = {1'b0, mark_q[TB-1:2], mark_q[1] || mark_q[0]};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      begin_q <= 1'b0;
      busy_q <= 1'b0;
      round_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      start_q <= start_i;
      begin_q <= start_q;
      if (begin_q) busy_q <= 1'b1;
      else if (left_q == '0) busy_q <= 1'b0;
      round_q <= busy_q && left_q == '0;
      done_q <= round_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      root_q <= root_i;
      a_q <= a_i[30:0];
      b_q <= b_i[30:0];
    end
    if (start_q) begin
      zero_q <= !root_q && a_q[30:23] == '0;
      smaller_q <= !root_q && smaller;
      if (root_q) begin
        // Half of the exponent, cut towards minus infinity.
        field_q <= 8'((9'(a_q[30:23]) + Bias) >> 1);
        first_q <= ($bits(first_q))'(ma) << odd;
      end else begin
        field_q <= a_q[30:23] - b_q[30:23] + Bias[7:0];
        first_q <= smaller ? {ma, 2'b00} : {1'b0, ma, 1'b0};
      end
    end else if (busy_q) begin
      smaller_q <= 1'b0;
      field_q <= field_q - 8'(smaller_q);
    end
    if (begin_q) begin
      left_q <= CountBits'(Digits - 1);
      digits_q <= '0;
      next_q <= ($bits(next_q))'(1);
      rest_q <= first_q;
      trial_q <= root_q ? TB'(1) << (FB - 1) : {mb, 1'b0};
      mark_q <= root_q ? TB'(1) << (FB - 1) : '0;
    end else if (busy_q) begin
      left_q <= left_q - 1'b1;
      digits_q <= {digits_q[Digits-2:0], fits};
      next_q <= digits_q[0] ? {next_q[SB-3:0], 1'b0} : {digits_q[SB-2:1], 1'b1};
      rest_q <= {fits ? taken[TB-1:0] : rest_q[TB-1:0], 1'b0};
      trial_q <= (trial_q & ~mark_q) | mark | (fits ? mark_q << 1 : '0);
      mark_q <= mark;
    end
    if (round_q) begin
      result_q <= zero_q ? '0
          : {1'b0, field_q, digits_q[0] ? next_q : digits_q[SB-1:1]};
    end
  end

  `IMPLIES(Idle_A, start_i, !start_q && !begin_q && !busy_q && !round_q)
  `IMPLIES(FirstIsOne_A, round_q && !zero_q, digits_q[Digits-1])
  `IMPLIES(Operands_A, start_i,
           !a_i[31] && a_i[30:23] != 8'hff &&
          (a_i[30:23] != '0 || (!root_i && a_i == '0)) &&
          (root_i || (!b_i[31] && b_i[30:23] != 8'hff && b_i[30:23] != '0)))
endmodule
