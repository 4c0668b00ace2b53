// SPDX-License-Identifier: Apache-2.0
// Encodings and latencies of the top-k selector.
package topk_pkg;
  // Keys are looked at a digit at a time, largest digit first.
  localparam int unsigned DigitBits = 8;
  // Bins that a scan passes in a cycle.
  localparam int unsigned ScanBins = 4;

  // From the request of a key to the key, at those who keep keys for a selector.
  localparam int unsigned FetchStages = 2;
  // From a key to its count: keys in order, comparison.
  localparam int unsigned CountStages = 2;
  // From a compared key to a selection that waits at the output: equal or above, rank among its
  // equals, mask, queue.
  localparam int unsigned EmitStages = 4;
  // Selections, and beats on their way to be one, that the output has room for: more than the
  // stages that a beat passes from its request until its place is free again.
  localparam int unsigned QueueBeats = 16;

  // A scan's stages behind the rows of counts: the sum over the lanes (a level each), sums of bins
  // (a doubling each), in which row it is, bins compared, which of them.
  function automatic int unsigned scan_stages(input int unsigned lanes);
    scan_stages = $clog2(lanes) + $clog2(ScanBins) + 3;
  endfunction

  // From scan_start_i to scan_done_o.
  function automatic int unsigned scan_cycles(input int unsigned lanes);
    scan_cycles = (1 << DigitBits) / ScanBins + scan_stages(lanes);
  endfunction
endpackage
