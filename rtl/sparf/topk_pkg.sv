// SPDX-License-Identifier: Apache-2.0
// Encodings and latencies of the top-k selector.
package topk_pkg;
  // Keys are looked at a digit at a time, largest digit first.
  localparam int unsigned DigitBits = 8;
  // Bins that a scan passes in a cycle.
  localparam int unsigned ScanBins = 4;

  // From a key to its count: keys, their order, comparison, digits to count.
  localparam int unsigned CountStages = 4;
  // From the request of a key to the key.
  localparam int unsigned FetchStages = 2;
  // From a key's rank among its equals to a selection that waits at the output: mask, queue.
  localparam int unsigned EmitStages = 2;
  // Selections, and beats on their way to be one, that the output has room for: more than the
  // stages that a beat passes from its request until its place is free again.
  localparam int unsigned QueueBeats = 16;

  // A scan's stages behind the rows of counts: rows, the sum over the lanes (a level each), sums of
  // bins (a doubling each), with the rows before, comparison, search.
  function automatic int unsigned scan_stages(input int unsigned lanes);
    scan_stages = 1 + $clog2(lanes) + $clog2(ScanBins) + 3;
  endfunction

  // From scan_start_i to scan_done_o.
  function automatic int unsigned scan_cycles(input int unsigned lanes);
    scan_cycles = (1 << DigitBits) / ScanBins + scan_stages(lanes);
  endfunction
endpackage
