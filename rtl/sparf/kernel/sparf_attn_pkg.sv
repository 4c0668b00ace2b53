// SPDX-License-Identifier: Apache-2.0
// Shared widths and latencies of the units of the attention kernel.
package sparf_attn_pkg;
  // Partial sums of a head, which rows use round-robin, and bits of their number.
  localparam int unsigned Partials = 8;
  localparam int unsigned SlotBits = $clog2(Partials);

  // Resolution of sums of weights.
  localparam int unsigned WeightFractionBits = 36;
endpackage
