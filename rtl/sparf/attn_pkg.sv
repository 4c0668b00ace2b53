// SPDX-License-Identifier: Apache-2.0
// What the units of the attention kernel have in common: widths and latencies.
package attn_pkg;
  localparam int unsigned HalfBits = 16;
  localparam int unsigned FloatBits = 32;

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

  // A sum of aligned products: the product, as many bits below, the growth of the tree, a sign.
  function automatic int unsigned sum_bits(input int unsigned lanes);
    sum_bits = ndp_pkg::AlignedBits + $clog2(lanes) + 1;
  endfunction
endpackage
