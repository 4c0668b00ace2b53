// SPDX-License-Identifier: Apache-2.0
// Latencies of the top-k selector.
package sparf_topk_pkg;
  // From the request of a key to the key, at the units that store keys for a selector.
  localparam int unsigned FetchStages = 2;
  // From a key to its digit: keys in order, comparison. The next pass may request keys right after the last of these:
  // the result of sparf_topk_counts is valid before they are compared.
  localparam int unsigned CountStages = 3;
  // From a compared key to a selection that waits at the output: equal or above, rank among its
  // equals, mask, queue.
  localparam int unsigned EmitStages = 3;
  // Entries of the output queue, for selections and for beats in flight: more than the stages that a beat passes from
  // its request until its entry is free.
  localparam int unsigned QueueBeats = 16;

  // Most keys per cycle.
  localparam int unsigned MaxLanes = 8;

  // The number of set bits: three bits per look-up table, and no carry chain for such small counts.
  function automatic logic [3:0] ones(input logic [MaxLanes-1:0] mask);
    logic [MaxLanes:0] lanes;
    logic one, two, carry;
    lanes = {1'b0, mask};
    ones = '0;
    for (int unsigned l = 0; l < MaxLanes; l += 3) begin
      one = lanes[l] ^ lanes[l+1] ^ lanes[l+2];
      two = (lanes[l] & lanes[l+1]) | (lanes[l] & lanes[l+2]) | (lanes[l+1] & lanes[l+2]);
      carry = ones[0] & one;
      ones[0] = ones[0] ^ one;
      {carry, ones[1]} = {(ones[1] & two) | (ones[1] & carry) | (two & carry),
                          ones[1] ^ two ^ carry};
      {ones[3], ones[2]} = {ones[3] | (ones[2] & carry), ones[2] ^ carry};
    end
  endfunction
endpackage
