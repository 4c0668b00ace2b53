// SPDX-License-Identifier: Apache-2.0
// FP32 quotient a / b or square root of a, a bit a cycle: for the handful of scalars that a head
// needs (temperature, alpha, gain). Operands are positive normal numbers, a of a quotient may be
// +0; the result is rounded to nearest even and must be a normal number. done_o comes
// 27 cycles after start_i, for a cycle: start, 24 bits and their guard, rounding. The result holds
// until the next.
`include "assert.svh"
module attn_scalar (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,   // while idle
  input  logic        root_i,    // square root of a_i; otherwise a_i / b_i
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        done_o,
  output logic [31:0] result_o
);
  localparam int unsigned Bits = 25;  // the result's significand and a guard bit
  localparam int unsigned CountBits = $clog2(Bits + 1);
  localparam logic [8:0] Bias = 9'd127;

  logic busy_q, root_q, zero_q;
  logic [CountBits-1:0] left_q;
  logic [7:0] field_q;            // of the result, which is in range
  logic [Bits-1:0] digits_q;      // of the result so far
  logic [Bits+1:0] rest_q;        // what is left of the dividend or radicand
  logic [23:0] divisor_q;
  logic [2*Bits-1:0] radicand_q;  // two bits of it come down for each bit of the root

  // Operands as integers of 24 bits. A dividend below the divisor is doubled, a radicand of odd
  // exponent too, so that the first bit of the result is one.
  logic [23:0] ma, mb;
  logic smaller, odd;
  logic [8:0] exponent;
  assign ma = {1'b1, a_i[22:0]};
  assign mb = {1'b1, b_i[22:0]};
  assign smaller = ma < mb;
  assign exponent = {1'b0, a_i[30:23]} - Bias;
  assign odd = exponent[0];

  // One step of either: try to take the trial value off the rest.
  logic [Bits+1:0] rest, trial, taken;
  logic fits;
  assign rest = root_q ? {rest_q[Bits-1:0], radicand_q[2*Bits-1 -: 2]} : rest_q;
  assign trial = root_q ? {digits_q, 2'b01} : (Bits + 2)'(divisor_q);
  assign fits = rest >= trial;
  assign taken = fits ? rest - trial : rest;

  // The first digit is one. Both results are there when it is known which.
  logic up;
  logic [30:0] rounded_down, rounded_up;
  assign up = digits_q[0] && (rest_q != '0 || digits_q[1]);
  assign rounded_down = {field_q, digits_q[Bits-2:1]};
  assign rounded_up = rounded_down + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_o <= 1'b0;
    end else begin
      done_o <= busy_q && left_q == '0;
      if (start_i) busy_q <= 1'b1;
      else if (left_q == '0) busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      root_q <= root_i;
      zero_q <= !root_i && a_i[30:23] == '0;
      left_q <= CountBits'(Bits);
      digits_q <= '0;
      divisor_q <= mb;
      radicand_q <= (2*Bits)'(ma) << (odd ? Bits + 1 : Bits);
      if (root_i) begin
        // Half of the exponent, cut towards minus infinity.
        field_q <= exponent[8:1] + Bias[7:0];
        rest_q <= '0;
      end else begin
        field_q <= a_i[30:23] - b_i[30:23] + Bias[7:0] - 8'(smaller);
        rest_q <= smaller ? (Bits + 2)'(ma) << 1 : (Bits + 2)'(ma);
      end
    end else if (busy_q && left_q != '0) begin
      left_q <= left_q - 1'b1;
      digits_q <= {digits_q[Bits-2:0], fits};
      rest_q <= root_q ? taken : taken << 1;
      radicand_q <= radicand_q << 2;
    end
    if (busy_q && left_q == '0) result_o <= zero_q ? '0 : {1'b0, up ? rounded_up : rounded_down};
  end

  `ASSERT(Idle_A, start_i |-> !busy_q)
  `ASSERT(FirstIsOne_A, busy_q && left_q == '0 && !zero_q |-> digits_q[Bits-1])
  `ASSERT(Operands_A, start_i |-> !a_i[31] && a_i[30:23] != 8'hff &&
          (a_i[30:23] != '0 || (!root_i && a_i == '0)) &&
          (root_i || (!b_i[31] && b_i[30:23] != 8'hff && b_i[30:23] != '0)))
endmodule
