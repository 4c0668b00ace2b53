// SPDX-License-Identifier: Apache-2.0
// A key on its way to be counted or ranked: in the order of unsigned numbers, a cycle behind the
// key; then against the threshold, whose known digits are its largest ones and the others 0, a
// cycle behind that. Digits are compared by themselves, as the carry chain of a whole comparison
// would take a look-up table a bit, and put together behind their register.
module topk_lane #(
  parameter int unsigned KeyBits = 32,
  parameter int unsigned Float = 1,  // sign and magnitude (binary32 without NaN); -0 equals +0
  localparam int unsigned Bits = topk_pkg::DigitBits,
  localparam int unsigned Digits = KeyBits / Bits,
  localparam int unsigned DigitBits = $clog2(Digits)
) (
  input  logic                 clk_i,
  input  logic [KeyBits-1:0]   key_i,
  input  logic [KeyBits-1:0]   threshold_i,
  input  logic [Digits-1:0]    known_i,
  input  logic [DigitBits-1:0] digit_i,     // to be counted next
  output logic [KeyBits-1:0]   key_o,       // in order
  output logic                 above_o,
  output logic                 equal_o,
  output logic                 alike_o,     // equal as far as is known
  output logic [Bits-1:0]      digit_o
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
  assign key_o = raw_q ^ {KeyBits{flip_q}};

  // {a > b, a == b}, two bits at a time.
  function automatic logic [1:0] compared(input logic [Bits-1:0] a, input logic [Bits-1:0] b);
    compared = 2'b01;
    for (int unsigned i = 0; i < Bits; i += 2) begin
      compared[1] = (a[i+1] && !b[i+1]) || (a[i+1] == b[i+1] && a[i] && !b[i]) ||
          (a[i +: 2] == b[i +: 2] && compared[1]);
      compared[0] = a[i +: 2] == b[i +: 2] && compared[0];
    end
  endfunction

  logic [Digits-1:0] same_q, larger_q;
  logic digit_flip_q;
  logic [Bits-1:0] digit_q;
  always_comb begin
    above_o = 1'b0;
    for (int unsigned d = 0; d < Digits; d++) above_o = larger_q[d] || (same_q[d] && above_o);
  end
  assign equal_o = same_q == '1;
  assign alike_o = (same_q | ~known_i) == '1;
  assign digit_o = digit_q ^ {Bits{digit_flip_q}};

  always_ff @(posedge clk_i) begin
    raw_q <= raw;
    flip_q <= flip;
    for (int unsigned d = 0; d < Digits; d++) begin
      {larger_q[d], same_q[d]} <= compared(key_o[d*Bits +: Bits], threshold_i[d*Bits +: Bits]);
    end
    digit_q <= raw_q[digit_i*Bits +: Bits];
    digit_flip_q <= flip_q;
  end
endmodule
