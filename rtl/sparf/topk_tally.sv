// SPDX-License-Identifier: Apache-2.0
// One lane's counts of digits, ScanBins to a row: a small memory that is read, changed and written
// in one cycle. scan_i shows a row and empties it.
module topk_tally #(
  parameter int unsigned CountBits = 13,
  localparam int unsigned Bits = topk_pkg::DigitBits,
  localparam int unsigned BinBits = $clog2(topk_pkg::ScanBins),
  localparam int unsigned RowBits = topk_pkg::ScanBins * CountBits
) (
  input  logic                    clk_i,
  input  logic                    count_i,
  input  logic [Bits-1:0]         digit_i,
  input  logic                    scan_i,   // wins over count_i
  input  logic [Bits-BinBits-1:0] row_i,
  output logic [RowBits-1:0]      row_o
);
  logic [RowBits-1:0] rows[1 << (Bits - BinBits)];
  logic [Bits-BinBits-1:0] address;
  logic [RowBits-1:0] counted;

  assign address = scan_i ? row_i : digit_i[Bits-1:BinBits];
  assign row_o = rows[address];

  for (genvar b = 0; b < topk_pkg::ScanBins; b++) begin : gen_bin
    assign counted[b*CountBits +: CountBits] =
        row_o[b*CountBits +: CountBits] + CountBits'(digit_i[BinBits-1:0] == BinBits'(b));
  end

  always_ff @(posedge clk_i) begin
    if (scan_i || count_i) rows[address] <= scan_i ? '0 : counted;
  end
endmodule
