// SPDX-License-Identifier: Apache-2.0
// The largest exponent of a tile's products: over its beats in each lane, then over the lanes in a tree, one
// level per cycle and one tile per cycle. The result is valid log2(Lanes) + 1 cycles after the last beat.
module sparf_gemv_largest #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned MetaBits = 1,
  localparam int unsigned EB = sparf_kernel_pkg::ExponentSumBits
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic                first_i,
  input  logic                last_i,
  input  logic [MetaBits-1:0] meta_i,
  input  logic [Lanes*EB-1:0] exponents_i,
  output logic                found_o,
  output logic [MetaBits-1:0] meta_o,     // of the last beat
  output logic [Lanes*EB-1:0] lanes_o,    // of each lane
  output logic [EB-1:0]       largest_o,  // of all
  output logic                moves_o     // a tile is in a register after this cycle
);
  localparam int unsigned Levels = $clog2(Lanes);

  logic [EB-1:0] beats_q[Lanes];
  logic [Levels:0] valid_q;
  logic [MetaBits-1:0] level_meta_q[Levels];
  logic [EB-1:0] lane_q[Levels][Lanes];
  logic [EB-1:0] tree_q[Levels][Lanes];
  // The last level.
  logic [MetaBits-1:0] meta_q;
  logic [Lanes*EB-1:0] lanes_q;
  logic [EB-1:0] largest_q;
  logic ends;
  assign ends = valid_i && last_i;
  assign found_o = valid_q[Levels];
  assign meta_o = meta_q;
  assign lanes_o = lanes_q;
  assign largest_o = largest_q;
  assign moves_o = ends || valid_q[Levels-1:0] != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Levels-1:0], ends};
  end

  function automatic logic [EB-1:0] larger(input logic [EB-1:0] a, input logic [EB-1:0] b);
    larger = a > b ? a : b;
  endfunction

  task automatic compare();
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (first_i || exponents_i[i*EB +: EB] > beats_q[i]) beats_q[i] = exponents_i[i*EB +: EB];
    end
  endtask

  task automatic begin_tree();
    for (int unsigned i = 0; i < Lanes; i++) begin
      lane_q[0][i] = beats_q[i];
      tree_q[0][i] = beats_q[i];
    end
    level_meta_q[0] = meta_i;
  endtask

  task automatic join_level(input int unsigned s);
    for (int unsigned i = 0; i < Lanes; i++) lane_q[s+1][i] = lane_q[s][i];
    for (int unsigned i = 0; i < (Lanes >> (s + 1)); i++) begin
      tree_q[s+1][i] = larger(tree_q[s][2*i], tree_q[s][2*i+1]);
    end
    level_meta_q[s+1] = level_meta_q[s];
  endtask

  task automatic join_last();
    for (int unsigned i = 0; i < Lanes; i++) lanes_q[i*EB +: EB] <= lane_q[Levels-1][i];
    largest_q <= larger(tree_q[Levels-1][0], tree_q[Levels-1][1]);
    meta_q <= level_meta_q[Levels-1];
  endtask

  // Last stage first: each stage reads the registers as the previous stage wrote them one cycle earlier.
  always_ff @(posedge clk_i) begin
    if (valid_q[Levels-1]) join_last();
    for (int unsigned s = 1; s < Levels; s++) begin
      if (valid_q[Levels-1-s]) join_level(Levels - 1 - s);
    end
    if (valid_i) compare();
    if (ends) begin_tree();
  end

  if (Lanes < 2) begin : gen_bad_lanes
    $error("sparf_gemv_largest: Lanes must be at least 2");
  end
endmodule
