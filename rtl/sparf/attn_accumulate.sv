// SPDX-License-Identifier: Apache-2.0
// Weighted sum of value rows, a row a cycle: row i adds to sum i mod Partials of each dimension, in
// order; fold_i, after the last row, adds the sums as a tree, neighbours first. done_o says that
// sums_o holds the result, from then until clear_i, which begins the next sum.
`include "assert.svh"
module attn_accumulate #(
  parameter int unsigned Lanes = 128
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 clear_i,
  input  logic                                 row_valid_i,
  input  logic [30:0]                          weight_i,  // FP32 without its sign, which is +
  input  logic [Lanes*attn_pkg::HalfBits-1:0]  values_i,
  input  logic                                 fold_i,   // a strobe, after the last row
  output logic                                 done_o,
  output logic [Lanes*attn_pkg::FloatBits-1:0] sums_o
);
  localparam int unsigned SB = attn_pkg::SlotBits;
  localparam int unsigned Partials = attn_pkg::Partials;
  localparam int unsigned MultiplyStages = 2;
  localparam int unsigned AddStages = 6;

  // Rows on their way through the multiplier.
  logic [MultiplyStages-1:0] product_valid_q;
  logic [SB-1:0] row_slot_q;              // of the next row that reaches the adder
  logic [Partials-1:0] empty_q;

  // Additions on their way: one enters when a product arrives or when the tree asks.
  logic [AddStages-1:0] add_valid_q;
  logic [SB-1:0] add_slot_q[AddStages];
  logic add_start;
  logic [SB-1:0] a_slot, b_slot;

  // The tree: distance of the operands, then which pair; a level waits for the one before.
  logic folding_q, pending_q;
  logic [SB:0] distance_q;
  logic [SB:0] pair_q;
  logic idle, fold_add;
  assign idle = product_valid_q == '0 && add_valid_q == '0 && !row_valid_i;
  assign fold_add = folding_q && !pending_q;

  assign add_start = product_valid_q[MultiplyStages-1] || fold_add;
  assign a_slot = fold_add ? pair_q[SB-1:0] : row_slot_q;
  assign b_slot = a_slot + distance_q[SB-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      product_valid_q <= '0;
      add_valid_q <= '0;
      empty_q <= '1;
      row_slot_q <= '0;
      folding_q <= 1'b0;
      pending_q <= 1'b0;
      done_o <= 1'b0;
    end else begin
      product_valid_q <= {product_valid_q[MultiplyStages-2:0], row_valid_i};
      add_valid_q <= {add_valid_q[AddStages-2:0], add_start};
      if (product_valid_q[MultiplyStages-1]) row_slot_q <= row_slot_q + 1'b1;
      if (add_valid_q[AddStages-1]) empty_q[add_slot_q[AddStages-1]] <= 1'b0;
      if (fold_i) begin
        folding_q <= 1'b1;
        pending_q <= 1'b1;
        distance_q <= (SB + 1)'(1);
        pair_q <= '0;
      end else if (folding_q && pending_q) begin
        if (idle) begin
          pending_q <= 1'b0;
          if (distance_q == (SB + 1)'(Partials)) begin
            folding_q <= 1'b0;
            done_o <= 1'b1;
          end
        end
      end else if (folding_q) begin
        pair_q <= pair_q + (distance_q << 1);
        if (pair_q + (distance_q << 1) == (SB + 1)'(Partials)) begin
          pair_q <= '0;
          distance_q <= distance_q << 1;
          pending_q <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    add_slot_q[0] <= a_slot;
    for (int unsigned s = 1; s < AddStages; s++) add_slot_q[s] <= add_slot_q[s-1];
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    attn_lane u_lane (
      .clk_i(clk_i),
      .multiply_en_i({product_valid_q[0], row_valid_i}),
      .add_en_i({add_valid_q[AddStages-2:0], add_start}),
      .weight_i(weight_i),
      .value_i(values_i[l*attn_pkg::HalfBits +: attn_pkg::HalfBits]),
      .fold_i(fold_add),
      .a_slot_i(a_slot),
      .a_empty_i(empty_q[a_slot]),
      .b_slot_i(b_slot),
      .b_empty_i(empty_q[b_slot]),
      .write_i(add_valid_q[AddStages-1]),
      .write_slot_i(add_slot_q[AddStages-1]),
      .sum_o(sums_o[l*attn_pkg::FloatBits +: attn_pkg::FloatBits])
    );
  end

  if (Partials < AddStages + 2) begin : gen_bad_partials
    $error("attn_accumulate: a sum must have left the adder before its next row arrives");
  end

  `ASSERT(NoRowWhileFolding_A, !(row_valid_i && folding_q))
  `ASSERT(OneAddition_A, !(product_valid_q[MultiplyStages-1] && fold_add))
endmodule
