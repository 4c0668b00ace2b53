// SPDX-License-Identifier: Apache-2.0
// Encodings of the top-k selector.
package topk_pkg;
  // Keys are looked at a digit at a time, largest digit first.
  localparam int unsigned DigitBits = 8;
  // Bins that a scan passes in a cycle.
  localparam int unsigned ScanBins = 4;
  // From scan_start_i to scan_done_o, both counted: the bins, and one stage behind them.
  localparam int unsigned ScanCycles = (1 << DigitBits) / ScanBins + 2;
endpackage
