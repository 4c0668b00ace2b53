// SPDX-License-Identifier: Apache-2.0
// Counts digits of several keys a cycle, then finds the digit at which a number of keys, counted
// from the largest digit down, is reached. Every lane counts in a table of its own, so equal digits
// of one cycle do not meet.
//
// scan_start_i looks for the largest digit d with need_i < keys of digit >= d (there are that many
// keys: need_i is the number less one), and empties the tables on its way. Rows of larger digits
// are taken off as they pass: left_valid_o asks for need_i to become left_o. With scan_done_o,
// topk_pkg::scan_cycles(Lanes) after the start and for a cycle, comes d; the keys above it that have
// not been taken off come in the cycle before. Counts that come with scan_start_i still count;
// meanwhile there are none. Reset empties the tables by a scan whose result means nothing.
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
  input  logic [SumBits-2:0]    need_i,
  output logic                  left_valid_o,
  output logic [SumBits-2:0]    left_o,
  output logic                  scan_done_o,
  output logic [Bits-1:0]       digit_o,
  output logic [SumBits-2:0]    above_o
);
  localparam int unsigned LaneBits = $clog2(MaxKeys / Lanes) + 1;
  localparam int unsigned Bins = topk_pkg::ScanBins;
  localparam int unsigned BinBits = $clog2(Bins);
  localparam int unsigned AddressBits = Bits - BinBits;
  localparam int unsigned Levels = $clog2(Lanes);
  localparam int unsigned Stages = topk_pkg::scan_stages(Lanes);
  localparam int unsigned SumStage = Levels + BinBits - 1;  // sums of a row are there

  logic scan_q;
  logic [AddressBits-1:0] passed_q;  // rows, largest first
  logic [Stages-1:0] valid_q;  // a row is in this stage
  logic [Lanes*Bins*LaneBits-1:0] rows;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    topk_tally #(
      .CountBits(LaneBits)
    ) u_tally (
      .clk_i(clk_i),
      .count_i(count_valid_i[l]),
      .digit_i(count_digit_i[l*Bits +: Bits]),
      .scan_i(scan_q),
      .row_i(~passed_q),
      .row_o(rows[l*Bins*LaneBits +: Bins*LaneBits])
    );
  end

  // Sums of each bin over the lanes: a level each, a bit more each.
  for (genvar s = 0; s <= Levels; s++) begin : gen_level
    localparam int unsigned Count = Lanes >> s;
    localparam int unsigned CountBits = LaneBits + s;
    logic [Bins*Count*CountBits-1:0] sums;
    if (s == 0) begin : gen_rows
      for (genvar l = 0; l < Lanes; l++) begin : gen_lane
        for (genvar b = 0; b < Bins; b++) begin : gen_bin
          assign sums[(b*Lanes+l)*LaneBits +: LaneBits] = rows[(l*Bins+b)*LaneBits +: LaneBits];
        end
      end
    end else begin : gen_sums
      for (genvar i = 0; i < Bins * Count; i++) begin : gen_sum
        always_ff @(posedge clk_i) begin
          sums[i*CountBits +: CountBits] <=
              CountBits'(gen_level[s-1].sums[2*i*(CountBits-1) +: CountBits-1]) +
              CountBits'(gen_level[s-1].sums[(2*i+1)*(CountBits-1) +: CountBits-1]);
        end
      end
    end
  end

  // Of a bin and those above it in the row, largest first. The row at which the number is reached
  // stays in the last of these stages.
  logic reached, found_q;
  logic [SumBits-1:0] prefix_q[BinBits+1][Bins];
  for (genvar b = 0; b < Bins; b++) begin : gen_prefix
    assign prefix_q[0][b] = gen_level[Levels].sums[(Bins-1-b)*SumBits +: SumBits];
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < BinBits; s++) begin
      for (int unsigned b = 0; b < Bins; b++) begin
        if (s != BinBits - 1 || !(reached || found_q)) begin
          prefix_q[s+1][b] <= b < (1 << s) ? prefix_q[s][b]
              : prefix_q[s][b] + prefix_q[s][(b + Bins - (1 << s)) % Bins];
        end
      end
    end
  end

  // Rows are taken off until one is too many; then its bins are looked at.
  logic [AddressBits-1:0] off_q;  // rows that were taken off
  logic [BinBits-1:0] bin, bin_q;  // bins above it in its row
  logic [Bins-2:0] behind_q;  // it is behind so many bins
  logic [SumBits-1:0] left;
  assign left = {1'b0, need_i} - prefix_q[BinBits][Bins-1];
  assign reached = valid_q[SumStage] && !found_q && left[SumBits-1];
  assign left_o = left[SumBits-2:0];
  assign left_valid_o = valid_q[SumStage] && !found_q && !reached;
  assign digit_o = {~off_q, ~bin_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || scan_start_i) begin
      scan_q <= 1'b1;
      passed_q <= '0;
      valid_q <= '0;
      found_q <= 1'b0;
    end else begin
      if (scan_q) begin
        scan_q <= passed_q != '1;
        passed_q <= passed_q + 1'b1;
      end
      valid_q <= {valid_q[Stages-2:0], scan_q};
      if (reached) found_q <= 1'b1;
    end
    if (scan_start_i) off_q <= '0;
    else if (left_valid_o) off_q <= off_q + 1'b1;
    for (int unsigned b = 0; b < Bins - 1; b++) begin
      behind_q[b] <= prefix_q[BinBits][b] <= {1'b0, need_i};
    end
    bin_q <= bin;
  end
  always_comb begin
    bin = '0;
    above_o = '0;
    for (int unsigned b = 0; b < Bins - 1; b++) begin
      if (behind_q[b]) begin
        bin = BinBits'(b + 1);
        above_o = prefix_q[BinBits][b][SumBits-2:0];
      end
    end
  end
  assign scan_done_o = valid_q[Stages-1] && !valid_q[Stages-2];

  if (Lanes < 2 || (Lanes & (Lanes - 1)) != 0 || MaxKeys % Lanes != 0) begin : gen_bad_lanes
    $error("topk_histogram: Lanes must be a power of two, at least 2, and divide MaxKeys");
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
