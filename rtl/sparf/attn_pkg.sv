// SPDX-License-Identifier: Apache-2.0
// What the units of the attention kernel have in common: widths and latencies.
package attn_pkg;
  localparam int unsigned HalfBits = 16;
  localparam int unsigned FloatBits = 32;

  // Sums that the values of a head are added to in turn, and bits of their number.
  localparam int unsigned Partials = 8;
  localparam int unsigned SlotBits = $clog2(Partials);

  // Resolution of sums of weights.
  localparam int unsigned WeightFractionBits = 36;

  // Levels of a tree that one stage passes.
  localparam int unsigned LevelsPerStage = 2;
  localparam int unsigned NormaliseStages = 5;

  function automatic int unsigned tree_stages(input int unsigned lanes);
    tree_stages = ($clog2(lanes) + LevelsPerStage - 1) / LevelsPerStage;
  endfunction

  // From a row of keys to its logit: product, largest exponent, alignment, sum, normalisation.
  function automatic int unsigned dot_latency(input int unsigned lanes);
    dot_latency = 1 + tree_stages(lanes) + 1 + tree_stages(lanes) + NormaliseStages;
  endfunction

  // A head of S rows takes 3 S cycles and these: the way of the last logit, the way of the last
  // weight (17), of the last value row and three levels of the tree (33), and the turns of the
  // kernel's states (7).
  function automatic int unsigned kernel_overhead(input int unsigned lanes);
    kernel_overhead = dot_latency(lanes) + 57;
  endfunction
endpackage
