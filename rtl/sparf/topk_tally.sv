// SPDX-License-Identifier: Apache-2.0
// One lane's counts of digits, ScanBins to a row: small memories, one a bin, that are read, changed
// and written in one cycle. scan_i shows a row and empties it.
module topk_tally #(
  parameter int unsigned CountBits = 13,
  localparam int unsigned Bits = topk_pkg::DigitBits,
  localparam int unsigned Bins = topk_pkg::ScanBins,
  localparam int unsigned BinBits = $clog2(Bins)
) (
  input  logic                      clk_i,
  input  logic                      count_i,
  input  logic [Bits-1:0]           digit_i,
  input  logic                      scan_i,   // wins over count_i
  input  logic [Bits-BinBits-1:0]   row_i,
  output logic [Bins*CountBits-1:0] row_o
);
  logic [Bits-BinBits-1:0] address;
  logic [BinBits-1:0] bin;
  logic [CountBits-1:0] counted;

  assign address = scan_i ? row_i : digit_i[Bits-1:BinBits];
  assign bin = digit_i[BinBits-1:0];
  // One counter serves all bins; what a scan writes is nothing.
  assign counted = (scan_i ? '0 : row_o[bin*CountBits +: CountBits]) + CountBits'(!scan_i);

  for (genvar b = 0; b < Bins; b++) begin : gen_bin
    logic [CountBits-1:0] counts[1 << (Bits - BinBits)];
    assign row_o[b*CountBits +: CountBits] = counts[address];
    always_ff @(posedge clk_i) begin
      if (scan_i || (count_i && bin == BinBits'(b))) counts[address] <= counted;
    end
  end
endmodule
