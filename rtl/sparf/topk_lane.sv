// SPDX-License-Identifier: Apache-2.0
// A key on its way to be counted or ranked: in the order of unsigned numbers, a cycle behind the
// key; then against the threshold, whose known digits are its largest ones and the others 0, a
// cycle behind that. Digits are compared by themselves, as the carry chain of a whole comparison
// would take a look-up table a bit, and put together behind their register.
module topk_lane #(
  parameter int unsigned KeyBits = 32,
  parameter int unsigned Float = 1,  // sign and magnitude (binary32 without NaN); -0 equals +0
  parameter int unsigned DigitBits = 4,
  localparam int unsigned Digits = (KeyBits + DigitBits - 1) / DigitBits,
  localparam int unsigned PaddedBits = Digits * DigitBits,  // 0 above the key
  localparam int unsigned IndexBits = $clog2(Digits)
) (
  input  logic                  clk_i,
  input  logic [KeyBits-1:0]    key_i,
  input  logic [PaddedBits-1:0] threshold_i,
  input  logic [Digits-1:0]     known_i,
  input  logic [IndexBits-1:0]  index_i,      // of the digit to be counted next
  output logic [KeyBits-1:0]    key_o,        // in order
  output logic                  above_o,
  output logic                  equal_o,      // as far as is known
  output logic [DigitBits-1:0]  digit_o
);
  // In order a negative key has all of its bits turned round, another one only its sign: so every
  // bit is turned round by one flag, which the look-up tables of the comparison have room for.
  logic [KeyBits-1:0] raw, raw_q;
  logic flip, flip_q;
  if (Float != 0) begin : gen_float
    assign raw = {1'b1, key_i[KeyBits-2:0]};
    assign flip = key_i[KeyBits-1] && key_i[KeyBits-2:0] != '0;
  end else begin : gen_unsigned
    assign raw = key_i;
    assign flip = 1'b0;
  end
  logic [PaddedBits-1:0] padded;
  assign key_o = raw_q ^ {KeyBits{flip_q}};
  assign padded = PaddedBits'(key_o);

  // {a > b, a == b}, bit by bit: no carry chain.
  function automatic logic [1:0] compared(input logic [DigitBits-1:0] a,
                                          input logic [DigitBits-1:0] b);
    compared = 2'b01;
    for (int unsigned i = 0; i < DigitBits; i++) begin
      compared[1] = (a[i] && !b[i]) || (a[i] == b[i] && compared[1]);
      compared[0] = a[i] == b[i] && compared[0];
    end
  endfunction

  // Digits of which nothing is known are the same.
  logic [Digits-1:0] same_q, larger_q, same, larger;
  always_comb begin
    for (int unsigned d = 0; d < Digits; d++) begin
      {larger[d], same[d]} =
          compared(padded[d*DigitBits +: DigitBits], threshold_i[d*DigitBits +: DigitBits]);
    end
    above_o = 1'b0;
    for (int unsigned d = 0; d < Digits; d++) above_o = larger_q[d] || (same_q[d] && above_o);
  end
  assign equal_o = same_q == '1;

  always_ff @(posedge clk_i) begin
    raw_q <= raw;
    flip_q <= flip;
    same_q <= same | ~known_i;
    larger_q <= larger;
    digit_o <= padded[index_i*DigitBits +: DigitBits];
  end
endmodule
