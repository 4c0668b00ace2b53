// SPDX-License-Identifier: Apache-2.0
// Counts digits of several keys a cycle, then finds the digit at which a number of keys, counted
// from the largest digit down, is reached. Every lane counts in a table of its own, so equal digits
// of one cycle do not meet.
//
// scan_start_i looks for the largest digit d with need_i <= keys of digit >= d (there are that many
// keys), and empties the tables on its way: topk_pkg::ScanCycles later scan_done_o comes for
// a cycle, with d and the number of keys above it. Nothing is counted meanwhile. Reset empties the
// tables by a scan whose result means nothing.
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

  // First stage: a row of every lane, added up. Second stage: the sums, judged.
  logic scan_q, sums_valid_q;
  logic [AddressBits-1:0] row_q, sums_row_q;
  logic [Lanes*Bins*LaneBits-1:0] rows;
  logic [Bins*SumBits-1:0] sums_d, sums_q;

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

  always_comb begin
    sums_d = '0;
    for (int unsigned b = 0; b < Bins; b++) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        sums_d[b*SumBits +: SumBits] =
            sums_d[b*SumBits +: SumBits] + SumBits'(rows[(l*Bins+b)*LaneBits +: LaneBits]);
      end
    end
  end

  // Bins of a row from the largest down.
  logic found_q, found_d;
  logic [SumBits-1:0] seen_q, seen_d;
  logic [BinBits-1:0] bin;

  always_comb begin
    found_d = found_q;
    seen_d = seen_q;
    bin = '0;
    for (int unsigned b = 0; b < Bins; b++) begin
      if (!found_d) begin
        bin = BinBits'(Bins - 1 - b);
        if (seen_d + sums_q[(Bins-1-b)*SumBits +: SumBits] >= need_i) found_d = 1'b1;
        else seen_d = seen_d + sums_q[(Bins-1-b)*SumBits +: SumBits];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || scan_start_i) begin
      scan_q <= 1'b1;
      row_q <= '1;
      sums_valid_q <= 1'b0;
      found_q <= 1'b0;
      scan_done_o <= 1'b0;
    end else begin
      if (scan_q) begin
        scan_q <= row_q != '0;
        row_q <= row_q - 1'b1;
      end
      sums_valid_q <= scan_q;
      if (sums_valid_q) found_q <= found_d;
      scan_done_o <= sums_valid_q && sums_row_q == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    sums_q <= sums_d;
    sums_row_q <= row_q;
    if (scan_start_i) seen_q <= '0;
    else if (sums_valid_q) seen_q <= seen_d;
    if (sums_valid_q && !found_q) digit_o <= {sums_row_q, bin};
  end
  assign above_o = seen_q;

  if (MaxKeys % Lanes != 0) begin : gen_bad_lanes
    $error("topk_histogram: MaxKeys must be a multiple of Lanes");
  end

  `ASSERT(CountOrScan_A, !(count_valid_i != '0 && (scan_start_i || scan_q)))
`ifdef NEARDATA_ASSERT
  logic cleared_q;  // the scan of the reset is over
  logic [Bits-1:0] waited_q;
  always_ff @(posedge clk_i) begin
    waited_q <= scan_start_i ? Bits'(1) : waited_q + 1'b1;
    if (!rst_ni) cleared_q <= 1'b0;
    else if (scan_done_o) cleared_q <= 1'b1;
  end
  `ASSERT(ScanCycles_A, scan_done_o && cleared_q |-> 32'(waited_q) == topk_pkg::ScanCycles)
  `ASSERT(Found_A, scan_done_o && cleared_q |-> found_q)
`endif
endmodule
