// SPDX-License-Identifier: Apache-2.0
// sparf_topk_lanes against the order of keys: the keys above a threshold whose first digits are known,
// the keys that are equal in these digits, and the next digit.
`include "prove.svh"
module prove_sparf_topk_lanes #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned KeyBits = 32,
  parameter int unsigned Float = 1,
  parameter int unsigned DigitBits = 4,
  localparam int unsigned Digits = KeyBits / DigitBits,
  localparam int unsigned IndexBits = $clog2(Digits),
  localparam int unsigned KnownBits = IndexBits + 1
) (
  input logic                     clk_i,
  input logic [Lanes*KeyBits-1:0] keys_i,
  input logic [KeyBits-1:0]       threshold_i,
  input logic [KnownBits-1:0]     known_i,  // how many digits
  input logic [IndexBits-1:0]     index_i,
  input logic [$clog2(Lanes)-1:0] pick_i
);
  `WINDOW(2)
  logic [KeyBits-1:0] key_q, threshold, threshold_q;
  logic [KnownBits-1:0] known_q;
  logic [IndexBits-1:0] index_q;
  logic [Lanes-1:0] above, equal;
  logic [Lanes*DigitBits-1:0] digits;
  logic [$clog2(Lanes)-1:0] pick_q;
  logic [Digits-1:0] known;
  // The first known_i digits, and 0 behind them.
  always @* begin
    known = '0;
    threshold = '0;
    for (int unsigned d = 0; d < Digits; d++) begin
      if (d + 32'(known_i) >= Digits) begin
        known[d] = 1'b1;
        threshold[d*DigitBits +: DigitBits] = threshold_i[d*DigitBits +: DigitBits];
      end
    end
  end
  always @(posedge clk_i) begin
    if (enters) begin
      key_q <= keys_i[32'(pick_i)*KeyBits +: KeyBits];
      pick_q <= pick_i;
    end else if (!leaves) begin
      threshold_q <= threshold;
      known_q <= known_i;
      index_q <= index_i;
    end
  end
  always @* assume (known_i <= KnownBits'(Digits));
  // The number of known digits is stable in the last cycle, in which the comparison uses it once more.
  always @* assume (!leaves || known_i == known_q);
  sparf_topk_lanes #(
    .Lanes(Lanes),
    .KeyBits(KeyBits),
    .Float(Float),
    .DigitBits(DigitBits)
  ) u_dut (
    .clk_i(clk_i),
    .key_valid_i(enters),
    .key_i(keys_i),
    .ordered_valid_i(!enters && !leaves),
    .threshold_i(threshold),
    .known_i(known),
    .index_i(index_i),
    .compared_valid_i(leaves),
    .above_o(above),
    .equal_o(equal),
    .digit_o(digits)
  );

  // Numbers in order: 0 and -0 in the middle, negative ones below it, the larger the lower.
  logic [KeyBits-1:0] ordered, beginning, known_part;
  always @* begin
    ordered = key_q;
    if (Float != 0) begin
      ordered = {1'b1, {(KeyBits - 1) {1'b0}}} + {1'b0, key_q[KeyBits-2:0]};
      if (key_q[KeyBits-1] && key_q[KeyBits-2:0] != '0)
        ordered = {1'b1, {(KeyBits - 1) {1'b0}}} - {1'b0, key_q[KeyBits-2:0]} - 1'b1;
    end
    known_part = ~({KeyBits{1'b1}} >> (32'(known_q) * DigitBits));
    beginning = ordered & known_part;
  end
  // The result `above` is used only when every digit is known.
  `AT_THE_END(Above, known_q != KnownBits'(Digits) ||
              above[pick_q] == (ordered > threshold_q))
  `AT_THE_END(Equal, equal[pick_q] == (beginning == threshold_q))
  `AT_THE_END(Digit, digits[32'(pick_q)*DigitBits +: DigitBits] ==
              DigitBits'(ordered >> (32'(index_q) * DigitBits)))
endmodule
