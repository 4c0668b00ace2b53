// SPDX-License-Identifier: Apache-2.0
// A gated sparf_query_unit; run_o is the input of its clock gate.
module gated_sparf_query_unit #(
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 8,
  parameter int unsigned MaxGroup = 2,
  parameter int unsigned Slots = 2,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Width / Lanes),
  localparam int unsigned SeenBits = 9 + Width + SlotBits + 2 * GroupBits + WordBits + Lanes * 16
                                     + 3 * IndexBits + 32
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_valid_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic                 head_dense_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [IndexBits:0]   head_dims_i,
  input  logic                 head_mean_i,
  input  logic [31:0]          head_scale_i,
  input  logic [31:0]          head_reciprocal_i,
  input  logic                 line_valid_i,
  input  logic [511:0]         line_data_i,
  input  logic                 dims_ready_i,
  output logic                 run_o,
  output logic                 assumed_o,
  output logic                 case_o,
  output logic [SeenBits-1:0]  seen_o
);
  logic head_ready, busy, line_ready, dims_valid, word_write, chosen_write, scale_write, mean_write;
  logic non_finite;
  logic [Width-1:0] dims_mask;
  logic [SlotBits-1:0] slot;
  logic [GroupBits-1:0] word_query, scale_query;
  logic [WordBits-1:0] word;
  logic [Lanes*16-1:0] word_data;
  logic [IndexBits-1:0] chosen_rank, chosen_dim, mean_dim;
  logic [31:0] product;
  sparf_query_unit #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxGroup(MaxGroup),
    .Slots(Slots)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .head_valid_i(head_valid_i),
    .head_ready_o(head_ready),
    .busy_o(busy),
    .head_slot_i(head_slot_i),
    .head_dense_i(head_dense_i),
    .head_group_i(head_group_i),
    .head_dims_i(head_dims_i),
    .head_mean_i(head_mean_i),
    .head_scale_i(head_scale_i),
    .head_reciprocal_i(head_reciprocal_i),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready),
    .line_data_i(line_data_i),
    .dims_valid_o(dims_valid),
    .dims_ready_i(dims_ready_i),
    .dims_mask_o(dims_mask),
    .slot_o(slot),
    .word_write_o(word_write),
    .word_query_o(word_query),
    .word_o(word),
    .word_data_o(word_data),
    .chosen_write_o(chosen_write),
    .chosen_rank_o(chosen_rank),
    .chosen_dim_o(chosen_dim),
    .scale_write_o(scale_write),
    .scale_query_o(scale_query),
    .mean_write_o(mean_write),
    .mean_dim_o(mean_dim),
    .product_o(product),
    .non_finite_o(non_finite)
  );
  assign run_o = head_valid_i || busy;
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {head_ready, busy, line_ready, dims_valid, word_write, chosen_write, scale_write, mean_write,
                   non_finite, dims_mask, slot, word_query, scale_query, word, word_data, chosen_rank,
                   chosen_dim, mean_dim, product};
endmodule
