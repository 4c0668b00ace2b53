// SPDX-License-Identifier: Apache-2.0
// Counts digits of several keys a cycle, then finds the digit at which a number of keys, counted
// from the largest digit down, is reached. Every lane counts in a table of its own, so equal digits
// of one cycle do not meet.
//
// scan_start_i looks for the largest digit d with need_i <= keys of digit >= d (there are that many
// keys), and empties the tables on its way: topk_pkg::scan_cycles(Lanes) later scan_done_o comes
// for a cycle, with d and the number of keys above it. Counts that come with scan_start_i still
// count; meanwhile there are none. Reset empties the tables by a scan whose result means nothing.
`include "assert.svh"
module topk_histogram #(
  parameter int unsigned Lanes = 8,
  parameter int unsigned MaxKeys = 32768,  // over all lanes
  localparam int unsigned Bits = topk_pkg::DigitBits,
  localparam int unsigned SumBits = $clog2(MaxKeys) + 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Lanes-1:0]      count_valid_i,
  input  logic [Lanes*Bits-1:0] count_digit_i,
  input  logic                  scan_start_i,
  input  logic [SumBits-1:0]    need_i,         // held until scan_done_o
  output logic                  scan_done_o,
  output logic [Bits-1:0]       digit_o,
  output logic [SumBits-1:0]    above_o
);
  localparam int unsigned LaneBits = $clog2(MaxKeys / Lanes) + 1;
  localparam int unsigned Bins = topk_pkg::ScanBins;
  localparam int unsigned BinBits = $clog2(Bins);
  localparam int unsigned AddressBits = Bits - BinBits;
  localparam int unsigned Levels = $clog2(Lanes);
  localparam int unsigned Stages = topk_pkg::scan_stages(Lanes);
  // The stages: rows, Levels of sums, BinBits of sums of bins, and from here on with the rows before.
  localparam int unsigned PrefixStage = 1 + Levels;
  localparam int unsigned TotalStage = PrefixStage + BinBits;

  logic scan_q;
  logic [AddressBits-1:0] row_q;
  logic [Stages-1:0] valid_q, last_q;     // a row is in this stage, the last one
  logic [AddressBits-1:0] stage_row_q[TotalStage + 2];
  logic [Lanes*Bins*LaneBits-1:0] rows;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    topk_tally #(
      .CountBits(LaneBits)
    ) u_tally (
      .clk_i(clk_i),
      .count_i(count_valid_i[l]),
      .digit_i(count_digit_i[l*Bits +: Bits]),
      .scan_i(scan_q),
      .row_i(row_q),
      .row_o(rows[l*Bins*LaneBits +: Bins*LaneBits])
    );
  end

  // Sums of each bin over the lanes, and of a bin and those above it in the row, largest first.
  logic [SumBits-1:0] lane_q[Levels + 1][Bins * Lanes];
  logic [SumBits-1:0] prefix_q[BinBits + 1][Bins];
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Bins; b++) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        lane_q[0][b*Lanes+l] <= SumBits'(rows[(l*Bins+b)*LaneBits +: LaneBits]);
      end
      for (int unsigned s = 0; s < Levels; s++) begin
        for (int unsigned l = 0; l < (Lanes >> (s + 1)); l++) begin
          lane_q[s+1][b*Lanes+l] <= lane_q[s][b*Lanes+2*l] + lane_q[s][b*Lanes+2*l+1];
        end
      end
    end
    for (int unsigned s = 0; s < BinBits; s++) begin
      for (int unsigned b = 0; b < Bins; b++) begin
        prefix_q[s+1][b] <= b < (1 << s) ? prefix_q[s][b]
            : prefix_q[s][b] + prefix_q[s][(b + Bins - (1 << s)) % Bins];
      end
    end
  end
  for (genvar b = 0; b < Bins; b++) begin : gen_prefix
    assign prefix_q[0][b] = lane_q[Levels][(Bins-1-b)*Lanes];
  end

  // With the rows before; compared; and where the number is reached first.
  logic [SumBits-1:0] seen_q;
  logic [SumBits-1:0] total_q[Bins + 1], judged_q[Bins];  // entry b: without bin b and those after
  logic [Bins-1:0] reached_q;
  logic found_q;
  logic [BinBits-1:0] bin;
  logic [SumBits-1:0] above;
  always_comb begin
    bin = '0;
    above = '0;
    for (int unsigned b = Bins; b > 0; b--) begin
      if (reached_q[b-1]) begin
        bin = BinBits'(Bins - b);
        above = judged_q[b-1];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (scan_start_i) seen_q <= '0;
    else if (valid_q[TotalStage-1]) seen_q <= seen_q + prefix_q[BinBits][Bins-1];
    total_q[0] <= seen_q;
    for (int unsigned b = 0; b < Bins; b++) begin
      total_q[b+1] <= seen_q + prefix_q[BinBits][b];
      reached_q[b] <= total_q[b+1] >= need_i;
      judged_q[b] <= total_q[b];
    end
    if (valid_q[TotalStage+1] && !found_q) begin
      digit_o <= {stage_row_q[TotalStage+1], bin};
      above_o <= above;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || scan_start_i) begin
      scan_q <= 1'b1;
      row_q <= '1;
      valid_q <= '0;
      last_q <= '0;
      found_q <= 1'b0;
    end else begin
      if (scan_q) begin
        scan_q <= row_q != '0;
        row_q <= row_q - 1'b1;
      end
      valid_q <= {valid_q[Stages-2:0], scan_q};
      last_q <= {last_q[Stages-2:0], scan_q && row_q == '0};
      if (valid_q[TotalStage+1] && reached_q != '0) found_q <= 1'b1;
    end
    stage_row_q[0] <= row_q;
    for (int unsigned s = 1; s < TotalStage + 2; s++) stage_row_q[s] <= stage_row_q[s-1];
  end
  assign scan_done_o = last_q[Stages-1];

  if (MaxKeys % Lanes != 0) begin : gen_bad_lanes
    $error("topk_histogram: MaxKeys must be a multiple of Lanes");
  end

  `ASSERT(CountOrScan_A, !(count_valid_i != '0 && scan_q))
`ifdef NEARDATA_ASSERT
  logic cleared_q;  // the scan of the reset is over
  logic [Bits-1:0] waited_q;
  always_ff @(posedge clk_i) begin
    waited_q <= scan_start_i ? Bits'(1) : waited_q + 1'b1;
    if (!rst_ni) cleared_q <= 1'b0;
    else if (scan_done_o) cleared_q <= 1'b1;
  end
  `ASSERT(ScanCycles_A, scan_done_o && cleared_q |-> 32'(waited_q) == topk_pkg::scan_cycles(Lanes))
  `ASSERT(Found_A, scan_done_o && cleared_q |-> found_q)
`endif
endmodule
