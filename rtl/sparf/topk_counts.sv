// SPDX-License-Identifier: Apache-2.0
// Counts the keys of each digit and above, several keys a cycle, and finds the digit at which a
// number of keys, counted from the largest digit down, is reached.
//
// An accumulator for each digit but 0 begins with minus that number (load_i, short_i), so its sign
// says whether there are enough keys of its digit and above: the largest digit that has enough is
// the one, or 0. What the accumulator of the next larger digit holds (short_i, if there is none) is
// minus the number of keys that the digit itself has to give: left_o.
//
// Counts that come with scan_i are the last ones. Four cycles later, in that of scan_done_o, come
// digit_o and left_o; short_i holds from load_i until then.
`include "assert.svh"
module topk_counts #(
  parameter int unsigned Lanes = 8,
  parameter int unsigned MaxKeys = 32768,  // over all lanes; 1 .. MaxKeys are asked for
  parameter int unsigned DigitBits = 4,
  localparam int unsigned SumBits = $clog2(MaxKeys) + 1  // -MaxKeys .. MaxKeys - 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       load_i,
  input  logic [SumBits-1:0]         short_i,  // minus the number
  input  logic [Lanes-1:0]           count_valid_i,
  input  logic [Lanes*DigitBits-1:0] count_digit_i,
  input  logic                       scan_i,
  output logic                       scan_done_o,
  output logic [DigitBits-1:0]       digit_o,
  output logic [SumBits-1:0]         left_o
);
  localparam int unsigned Digits = 1 << DigitBits;
  localparam int unsigned UpperBits = DigitBits / 2;
  localparam int unsigned LowerBits = DigitBits - UpperBits;
  localparam int unsigned Uppers = 1 << UpperBits;
  localparam int unsigned Lowers = 1 << LowerBits;
  localparam int unsigned BeatBits = $clog2(Lanes) + 1;

  logic [SumBits-1:0] sums_q[Digits];  // that of digit 0 is none
  logic [Digits-1:0] enough;
  assign sums_q[0] = '0;
  assign enough[0] = 1'b1;

  // Of each lane, whether the upper half of its digit and the lower one are at least so much: few
  // look-up tables are left in front of a sum over the lanes.
  logic [Lanes-1:0] upper_q[Uppers], lower_q[Lowers];
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      for (int unsigned u = 0; u < Uppers; u++) begin
        upper_q[u][l] <= count_valid_i[l] &&
            count_digit_i[l*DigitBits+LowerBits +: UpperBits] >= UpperBits'(u);
      end
      for (int unsigned w = 0; w < Lowers; w++) begin
        lower_q[w][l] <= count_valid_i[l] &&
            count_digit_i[l*DigitBits +: LowerBits] >= LowerBits'(w);
      end
    end
  end
  for (genvar d = 1; d < Digits; d++) begin : gen_digit
    localparam int unsigned Upper = d / Lowers;
    localparam int unsigned Lower = d % Lowers;
    logic [Lanes-1:0] reached;
    logic [BeatBits-1:0] beat_q;
    if (Lower == 0) begin : gen_whole
      assign reached = upper_q[Upper];
    end else if (Upper == 0) begin : gen_lowest
      assign reached = upper_q[1] | lower_q[Lower];
    end else if (Upper == Uppers - 1) begin : gen_highest
      assign reached = upper_q[Upper] & lower_q[Lower];
    end else begin : gen_between
      assign reached = upper_q[Upper+1] | (upper_q[Upper] & lower_q[Lower]);
    end
    always_ff @(posedge clk_i) begin
      beat_q <= BeatBits'(topk_pkg::ones(topk_pkg::MaxLanes'(reached)));
      sums_q[d] <= SumBits'(beat_q) + (load_i ? short_i : sums_q[d]);
    end
    assign enough[d] = !sums_q[d][SumBits-1];
  end

  // A digit bit by bit; what lies above it by its bits in turn.
  logic [DigitBits-1:0] digit;
  logic [SumBits-1:0] above[Digits];
  always_comb begin
    digit = '0;
    for (int unsigned b = 0; b < DigitBits; b++) begin
      digit[DigitBits-1-b] = enough[digit | (DigitBits'(1) << (DigitBits - 1 - b))];
    end
    for (int unsigned d = 0; d < Digits - 1; d++) above[d] = sums_q[d+1];
    above[Digits-1] = short_i;
    for (int unsigned b = 0; b < DigitBits; b++) begin
      for (int unsigned d = 0; d < Digits >> (b + 1); d++) begin
        above[d] = digit_o[b] ? above[2*d+1] : above[2*d];
      end
    end
  end
  assign left_o = above[0];

  logic [3:0] scan_q;
  assign scan_done_o = scan_q[3];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) scan_q <= '0;
    else scan_q <= {scan_q[2:0], scan_i};
    digit_o <= digit;
  end

  if (DigitBits < 2 || Lanes > topk_pkg::MaxLanes) begin : gen_bad_digit
    $error("topk_counts: a digit has two bits at least, and Lanes are MaxLanes at most");
  end

  // Keys of a digit and above are no fewer than those above it.
  `ASSERT(Falls_A, scan_q[2] |-> (enough & (enough + 1'b1)) == '0)
  `ASSERT(LoadAlone_A, load_i |-> scan_q == '0)
endmodule
