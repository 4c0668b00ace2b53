// SPDX-License-Identifier: Apache-2.0
// The largest logit of each query of two heads, in the halves of a memory of logits. A logit that arrives in
// cycle t is included from t+2 on. Each query has its own comparator, because logits of one query may arrive in
// consecutive cycles.
`include "assert.svh"
module sparf_largest_logits #(
  parameter int unsigned MaxGroup = 8,
  localparam int unsigned GroupBits = $clog2(MaxGroup)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,  // before the logits of a head
  input  logic                     clear_half_i,
  input  logic                     valid_i,
  input  logic                     half_i,
  input  logic [GroupBits-1:0]     query_i,
  input  logic [31:0]              logit_i,
  output logic [2*MaxGroup*32-1:0] largest_o   // of half 0, then of half 1
);
  localparam logic [31:0] LowestFloat = 32'hff800000;

  logic [2*MaxGroup*32-1:0] largest_q;
  assign largest_o = largest_q;

  logic [2*MaxGroup-1:0] which_q;
  logic [31:0] order_q;  // in the order of unsigned numbers

  always_ff @(posedge clk_i) begin
    which_q <= rst_ni && valid_i ? (2*MaxGroup)'(1) << {half_i, query_i} : '0;
    if (valid_i) order_q <= sparf_kernel_pkg::ordered(logit_i);
    if (which_q != '0) begin
      for (int unsigned i = 0; i < 2 * MaxGroup; i++) begin
        if ({which_q[i], order_q} > {1'b1, sparf_kernel_pkg::ordered(largest_q[i*32+:32])}) begin
          largest_q[i*32+:32] <= sparf_kernel_pkg::unordered(order_q);
        end
      end
    end
    if (clear_i) begin
      for (int unsigned i = 0; i < 2 * MaxGroup; i++) begin
        if (clear_half_i == 1'(i / MaxGroup)) largest_q[i*32+:32] <= LowestFloat;
      end
    end
  end

  `IMPLIES(ClearsOther_A, clear_i && valid_i, clear_half_i != half_i)
endmodule
