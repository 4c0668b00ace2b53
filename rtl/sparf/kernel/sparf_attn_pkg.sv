// SPDX-License-Identifier: Apache-2.0
// What the units of the attention kernel have in common: widths and latencies.
package sparf_attn_pkg;
  // Sums that the values of a head are added to in turn, and bits of their number.
  localparam int unsigned Partials = 8;
  localparam int unsigned SlotBits = $clog2(Partials);

  // Resolution of sums of weights.
  localparam int unsigned WeightFractionBits = 36;
endpackage
