// SPDX-License-Identifier: Apache-2.0
// Counts the keys of each digit and above, several keys per cycle, and finds the digit at which a required
// number of keys, counted from the largest digit down, is reached.
//
// An accumulator for each digit but 0 begins with minus that number (load_i, remaining_i), so its sign tells
// whether enough keys have its digit or a larger one. The result is the largest digit with enough keys, or 0.
// The accumulator of the next larger digit (or remaining_i, if there is none) is then minus the number of keys
// that the digit itself contributes: left_o. The digit contributes all of its keys if the keys of it and above are
// exactly the required number: whole_o. (0 contributes all of its keys only if every counted key is required;
// whole_o is not set then.)
//
// Counts that arrive with scan_i are the last ones. Four cycles later, in the cycle of scan_done_o, digit_o,
// left_o and whole_o are valid; remaining_i is stable from load_i until then.
`include "assert.svh"
module sparf_topk_counts #(
  parameter int unsigned Lanes = 8,
  parameter int unsigned MaxKeys = 32768,  // over all lanes; 1 .. MaxKeys are required
  parameter int unsigned DigitBits = 4,
  localparam int unsigned SumBits = $clog2(MaxKeys) + 1  // -MaxKeys .. MaxKeys - 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       load_i,
  input  logic [SumBits-1:0]         remaining_i,  // minus the number
  input  logic [Lanes-1:0]           count_valid_i,
  input  logic [Lanes*DigitBits-1:0] count_digit_i,
  input  logic                       scan_i,
  output logic                       scan_done_o,
  output logic [DigitBits-1:0]       digit_o,
  output logic [SumBits-1:0]         left_o,
  output logic                       whole_o
);
  localparam int unsigned Digits = 1 << DigitBits;
  localparam int unsigned UpperBits = DigitBits / 2;
  localparam int unsigned LowerBits = DigitBits - UpperBits;
  localparam int unsigned Uppers = 1 << UpperBits;
  localparam int unsigned Lowers = 1 << LowerBits;
  localparam int unsigned BeatBits = $clog2(Lanes) + 1;

  logic [DigitBits-1:0] digit_q;
  assign digit_o = digit_q;

  // A digit's sum in a word of its own; that of digit 0 is none.
  localparam int unsigned WordBits = 32;
  logic [Digits*WordBits-1:WordBits] sums_q;

  // A stage runs for each input, and for one cycle more to become empty.
  logic [1:0] works_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) works_q <= '0;
    else works_q <= {works_q[0], count_valid_i != '0};
  end

  // Per lane, whether the upper and the lower half of its digit are at least each value: then few look-up tables
  // precede a sum over the lanes.
  logic [Lanes-1:0] upper_q[Uppers], lower_q[Lowers];
  logic [BeatBits-1:0] beat_q[Digits];

  task automatic split();
    for (int unsigned u = 0; u < Uppers; u++) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        upper_q[u][l] = count_valid_i[l] &&
            count_digit_i[l*DigitBits+LowerBits +: UpperBits] >= UpperBits'(u);
      end
    end
    for (int unsigned w = 0; w < Lowers; w++) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        lower_q[w][l] = count_valid_i[l] &&
            count_digit_i[l*DigitBits +: LowerBits] >= LowerBits'(w);
      end
    end
  endtask

  task automatic count();
    for (int unsigned d = 1; d < Digits; d++) begin
      logic [Lanes-1:0] reached;
      reached = upper_q[d / Lowers];
      if (d % Lowers != 0 && d / Lowers == 0) reached = upper_q[1] | lower_q[d % Lowers];
      else if (d % Lowers != 0) begin
        reached = reached & lower_q[d % Lowers];
        if (d / Lowers != Uppers - 1) reached = reached | upper_q[d / Lowers + 1];
      end
      beat_q[d] = BeatBits'(sparf_topk_pkg::ones(sparf_topk_pkg::MaxLanes'(reached)));
    end
  endtask

  task automatic add();
    for (int unsigned d = 1; d < Digits; d++) begin
      sums_q[d*WordBits +: WordBits] <= WordBits'(SumBits'(SumBits'(beat_q[d])
          + (load_i ? remaining_i : sums_q[d*WordBits +: SumBits])));
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (works_q[1] || load_i) add();
    if (works_q != '0) count();
    if (count_valid_i != '0 || works_q[0]) split();
    if (!rst_ni) begin
      for (int unsigned d = 1; d < Digits; d++) beat_q[d] = '0;
    end
  end

  // The digit is found bit by bit; in the next cycle its bits select the count above it.
  logic [3:0] scan_q;
  logic [Digits-1:0] enough;
  logic [DigitBits-1:0] digit;
  logic [SumBits-1:0] above[Digits];
  always_comb begin
    enough = '1;
    digit = '0;
    if (scan_q[2]) begin
      for (int unsigned d = 1; d < Digits; d++) enough[d] = !sums_q[d*WordBits+SumBits-1];
      for (int unsigned b = 0; b < DigitBits; b++) begin
        digit[DigitBits-1-b] = enough[digit | (DigitBits'(1) << (DigitBits - 1 - b))];
      end
    end
  end
  always_comb begin
    for (int unsigned d = 0; d < Digits; d++) above[d] = remaining_i;
    if (scan_q[3]) begin
      for (int unsigned d = 0; d < Digits - 1; d++) above[d] = sums_q[(d+1)*WordBits +: SumBits];
      for (int unsigned b = 0; b < DigitBits; b++) begin
        for (int unsigned d = 0; d < Digits >> (b + 1); d++) begin
          above[d] = digit_q[b] ? above[2*d+1] : above[2*d];
        end
      end
    end
  end
  logic [Digits-1:0] just_q;  // digits at and above which there are exactly the required keys
  assign left_o = above[0];
  assign whole_o = just_q[digit_q];
  assign scan_done_o = scan_q[3];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) scan_q <= '0;
    else scan_q <= {scan_q[2:0], scan_i};
    if (scan_q[2]) begin
      digit_q <= digit;
      just_q[0] <= 1'b0;
      for (int unsigned d = 1; d < Digits; d++) begin
        just_q[d] <= sums_q[d*WordBits +: SumBits] == '0;
      end
    end
  end

  if (DigitBits < 2 || Lanes > sparf_topk_pkg::MaxLanes) begin : gen_bad_digit
    $error("sparf_topk_counts: a digit has two bits at least, and Lanes are MaxLanes at most");
  end

  // Keys of a digit and above are at least as many as keys above it.
  `IMPLIES(Falls_A, scan_q[2], (enough & (enough + 1'b1)) == '0)
  `IMPLIES(LoadAlone_A, load_i, scan_q == '0)
endmodule
