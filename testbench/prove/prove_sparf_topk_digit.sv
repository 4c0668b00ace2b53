// SPDX-License-Identifier: Apache-2.0
// A selection digit by digit, as an induction: sparf_topk_lanes and sparf_topk_counts connected as in sparf_argtopk,
// for one pass over the keys after a reset or after any other pass. Before the pass some digits are known, and a number
// of keys that begin with them is required, at least one and at most all; all larger keys are selected. After the pass
// the same is true with one more digit and the same total number of keys. Before the first digit this is the request;
// after the last digit the threshold is the smallest selected key.
`include "prove.svh"
module prove_sparf_topk_digit #(
  parameter int unsigned MaxKeys = 16,
  parameter int unsigned KeyBits = 8,
  parameter int unsigned Lanes = 4,
  parameter int unsigned DigitBits = 4,
  localparam int unsigned Digits = KeyBits / DigitBits,
  localparam int unsigned IndexBits = $clog2(Digits),
  localparam int unsigned SumBits = $clog2(MaxKeys) + 1,
  localparam int unsigned Beats = MaxKeys / Lanes
) (
  input logic                         clk_i,
  input logic [MaxKeys*KeyBits-1:0]   keys_i,
  input logic [MaxKeys-1:0]           candidates_i,
  input logic [KeyBits-1:0]           threshold_i,
  input logic [IndexBits-1:0]         index_i,     // of the digit that the pass finds
  input logic [SumBits-1:0]           remaining_i,     // minus the required number
  input logic                         reset_i,     // a reset or any other pass before the pass
  input logic [Lanes-1:0]             before_i,
  input logic [Lanes*DigitBits-1:0]   digits_i
);
  // The previous pass ends in the first cycle. Four cycles later it is evaluated and the first keys arrive.
  localparam int unsigned First = 4;
  localparam int unsigned Load = First + 1;
  localparam int unsigned Scan = First + 2 + Beats - 1;
  `WINDOW(Scan + 4)

  logic [MaxKeys*KeyBits-1:0] keys_q, keys;
  logic [MaxKeys-1:0] candidates_q, candidates;
  logic [KeyBits-1:0] threshold_q, threshold, known_part;
  logic [IndexBits-1:0] index_q, index;
  logic [SumBits-1:0] remaining_q, remaining;
  assign keys = enters ? keys_i : keys_q;
  assign candidates = enters ? candidates_i : candidates_q;
  assign threshold = (enters ? threshold_i : threshold_q) & known_part;
  assign index = enters ? index_i : index_q;
  assign remaining = enters ? remaining_i : remaining_q;
  always @(posedge clk_i) begin
    keys_q <= keys;
    candidates_q <= candidates;
    threshold_q <= threshold;
    index_q <= index;
    remaining_q <= remaining;
  end
  always @* assume (32'(index) < Digits);
  logic [Digits-1:0] known;
  assign known = {Digits{1'b1}} << (32'(index) + 1);
  assign known_part = {KeyBits{1'b1}} << ((32'(index) + 1) * DigitBits);

  // Keys, a beat a cycle.
  logic key_valid;
  logic [1:0] valid_q;
  logic [Lanes-1:0] candidate, candidate_q0, candidate_q1, equal, counted;
  logic [Lanes*KeyBits-1:0] beat;
  logic [Lanes*DigitBits-1:0] digits;
  assign key_valid = age_q >= 6'(First) && age_q < 6'(First + Beats);
  always @* begin
    beat = '0;
    candidate = '0;
    for (int unsigned b = 0; b < Beats; b++) begin
      if (age_q == 6'(First + b)) begin
        beat = keys[b*Lanes*KeyBits +: Lanes*KeyBits];
        candidate = candidates[b*Lanes +: Lanes];
      end
    end
  end
  always @(posedge clk_i) begin
    valid_q <= {valid_q[0], key_valid};
    candidate_q0 <= candidate;
    candidate_q1 <= candidate_q0;
  end
  sparf_topk_lanes #(
    .Lanes(Lanes),
    .KeyBits(KeyBits),
    .Float(0),
    .DigitBits(DigitBits)
  ) u_lanes (
    .clk_i(clk_i),
    .key_valid_i(key_valid),
    .key_i(beat),
    .ordered_valid_i(valid_q[0]),
    .threshold_i(threshold),
    .known_i(known),
    .index_i(index),
    .compared_valid_i(valid_q[1]),
    .above_o(),
    .equal_o(equal),
    .digit_o(digits)
  );

  // Before the pass: a reset, or keys of another one, of which one at least was counted.
  assign counted = enters ? before_i : age_q < 6'(First) ? '0 : candidate_q1 & equal;
  always @* assume (!enters || before_i != '0);
  logic scan_done, whole;
  logic [DigitBits-1:0] digit;
  logic [SumBits-1:0] left;
  sparf_topk_counts #(
    .Lanes(Lanes),
    .MaxKeys(MaxKeys),
    .DigitBits(DigitBits)
  ) u_counts (
    .clk_i(clk_i),
    .rst_ni(!(enters && reset_i)),
    .load_i(age_q == 6'(Load)),
    .remaining_i(remaining),
    .count_valid_i(counted),
    .count_digit_i(enters ? digits_i : digits),
    .scan_i(enters || age_q == 6'(Scan)),
    .scan_done_o(scan_done),
    .digit_o(digit),
    .left_o(left),
    .whole_o(whole)
  );

  // The number of candidates above the known digits, and of those that begin with them, before and after the pass.
  logic [SumBits:0] above, same, above_next, same_next, needed, needed_next;
  logic [KeyBits-1:0] next, next_part;
  always @* begin
    {above, same, above_next, same_next} = '0;
    next_part = {KeyBits{1'b1}} << (32'(index_q) * DigitBits);
    next = threshold_q | (KeyBits'(digit) << (32'(index_q) * DigitBits));
    for (int unsigned i = 0; i < MaxKeys; i++) begin
      if (candidates_q[i]) begin
        above = above +
            (SumBits + 1)'((keys_q[i*KeyBits +: KeyBits] & known_part) > threshold_q);
        same = same +
            (SumBits + 1)'((keys_q[i*KeyBits +: KeyBits] & known_part) == threshold_q);
        above_next = above_next +
            (SumBits + 1)'((keys_q[i*KeyBits +: KeyBits] & next_part) > next);
        same_next = same_next +
            (SumBits + 1)'((keys_q[i*KeyBits +: KeyBits] & next_part) == next);
      end
    end
    needed = (SumBits + 1)'(1 << SumBits) - {1'b0, remaining_q};
    needed_next = (SumBits + 1)'(1 << SumBits) - {1'b0, left};
  end
  logic meant;
  assign meant = needed != '0 && needed <= same && remaining_q[SumBits-1];
  `AT_THE_END(InTime, scan_done)
  `AT_THE_END(SameTotal, !meant || above_next + needed_next == above + needed)
  `AT_THE_END(Enough, !meant || (needed_next != '0 && needed_next <= same_next))
  `AT_THE_END(Whole, !meant || whole == (needed_next == same_next && digit != '0))
endmodule
