// SPDX-License-Identifier: Apache-2.0
// Lanes multipliers and the conversion of their products to logits. The products of a tile (exact, 22 bits)
// wait in a memory until the largest exponent is known: per lane in a column tile, over all lanes in a row
// tile. Then they are aligned to it with 22 bits below, truncated, added as integers, and rounded to FP32 once.
// Products that are 0 have no exponent. Logits leave one per cycle, logits of a column tile in the order of
// lanes.
//
// The distance between tiles keeps the second walk over the products and the output slots of logits disjoint
// (sparf_gemv_sequencer). With the last beat of a tile of n beats in cycle 0, its first logit is at the output
// in cycle n + Latency.
`include "assert.svh"
module sparf_gemv_lanes #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned TagBits = 1,
  localparam int unsigned CountBits = $clog2(Width) + 1,
  localparam int unsigned LiveBits = $clog2(Lanes) + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  input  logic                 first_i,
  input  logic                 last_i,
  input  logic                 column_i,
  input  logic [CountBits-1:0] beats_i,   // of the tile, with its last beat
  input  logic [LiveBits-1:0]  live_i,
  input  logic [TagBits-1:0]   tag_i,
  input  logic [Lanes*16-1:0]  keys_i,
  input  logic [Lanes*16-1:0]  query_i,
  output logic                 logit_valid_o,
  output logic [31:0]          logit_o,
  output logic                 logit_last_o,  // of the tile
  output logic [LiveBits-1:0]  logit_lane_o,
  output logic [TagBits-1:0]   logit_tag_o,
  output logic                 busy_o         // one cycle late
);
  localparam int unsigned EB = sparf_kernel_pkg::ExponentSumBits;
  localparam int unsigned PB = ndp_pkg::ProductBits;
  localparam int unsigned AB = ndp_pkg::AlignedBits;
  // The product, as many bits below it, the growth of Width terms, a sign. Sums are computed in two parts, the upper
  // part one cycle later.
  localparam int unsigned SumBits = AB + $clog2(Width) + 1;
  localparam int unsigned LowBits = SumBits / 2;
  localparam int unsigned HighBits = SumBits - LowBits;
  localparam int unsigned Levels = $clog2(Lanes);
  localparam int unsigned FindStages = Levels;
  localparam int unsigned WordBits = sparf_kernel_pkg::ProductWordBits;
  // Space for a tile that is read while the next one arrives, and for the search between.
  localparam int unsigned Words = 1 << $clog2(Width + FindStages + 4);
  localparam int unsigned AddressBits = $clog2(Words);
  localparam int unsigned MetaBits = TagBits + LiveBits + 1;  // and column
  localparam int unsigned LogitBits = TagBits + LiveBits + 1;  // and lane, last

  logic busy_q;
  assign busy_o = busy_q;

  logic product_valid, product_first, product_last, products_move;
  logic [CountBits+MetaBits-1:0] product_meta;  // beats and the fields below
  logic [Lanes*WordBits-1:0] product;
  logic [Lanes*EB-1:0] exponents;
  sparf_gemv_products #(
    .Lanes(Lanes),
    .MetaBits($bits(product_meta))
  ) u_products (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_i),
    .first_i(first_i),
    .last_i(last_i),
    .meta_i({beats_i, tag_i, live_i, column_i}),
    .keys_i(keys_i),
    .query_i(query_i),
    .valid_o(product_valid),
    .first_o(product_first),
    .last_o(product_last),
    .meta_o(product_meta),
    .product_o(product),
    .exponents_o(exponents),
    .moves_o(products_move)
  );

  // Products, before the memory.
  logic [Lanes*WordBits-1:0] fetched;
  logic [AddressBits-1:0] write_q, read_q;
  logic drain_q;

  sram_1r1w #(
    .Words(Words),
    .DataBits(Lanes * WordBits)
  ) u_memory (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(product_valid),
    .wr_addr_i(write_q),
    .wr_data_i(product),
    .rd_valid_i(drain_q),
    .rd_addr_i(read_q),
    .rd_data_o(fetched)
  );

  logic found, search_moves;
  logic [CountBits+MetaBits-1:0] found_meta;
  logic [Lanes*EB-1:0] lane_largest;
  logic [EB-1:0] largest;
  sparf_gemv_largest #(
    .Lanes(Lanes),
    .MetaBits($bits(found_meta))
  ) u_largest (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(product_valid),
    .first_i(product_first),
    .last_i(product_last),
    .meta_i(product_meta),
    .exponents_i(exponents),
    .found_o(found),
    .meta_o(found_meta),
    .lanes_o(lane_largest),
    .largest_o(largest),
    .moves_o(search_moves)
  );

  // The second walk: data of the read, their register, shift distance, shifted by fours, by ones.
  localparam int unsigned WalkStages = 5;
  logic drain_first_q;
  logic [CountBits-1:0] drain_left_q;
  logic [MetaBits-1:0] drain_meta_q;
  logic [EB-1:0] next_top_q[Lanes];
  logic [WalkStages-1:0] walk_valid_q, walk_last_q;
  logic [MetaBits-1:0] walk_meta_q[WalkStages];
  logic [EB-1:0] walk_top_q[WalkStages][Lanes];
  logic [Lanes*WordBits-1:0] word_q;
  logic [EB-1:0] places_q[Lanes];
  logic [PB-1:0] placed_q[Lanes];
  logic [AB-1:0] coarse_q[Lanes];
  logic [1:0] fine_q[Lanes];
  logic [AB-1:0] aligned_q[Lanes];
  logic [Lanes-1:0] placed_negative_q, coarse_negative_q, aligned_negative_q;

  // The walk's sums, and the same one cycle later for the upper parts.
  logic upper_valid_q, upper_last_q;
  logic [HighBits-1:0] upper_q[Lanes];
  logic [LowBits-1:0] sum_low_q[Lanes];
  logic [Lanes-1:0] sum_carry_q;
  logic [HighBits-1:0] sum_high_q[Lanes];

  // Sums of a tile before the adder tree: all lanes of a row at once, lanes of a column one by one.
  logic tile_valid_q, tile_column_q, high_valid_q, high_column_q;
  logic [LiveBits-1:0] tile_lane_q, tile_live_q;
  logic [Levels-1:0] high_lane_q;
  logic [TagBits-1:0] tile_tag_q;
  logic [LowBits-1:0] tile_low_q[Lanes];
  logic [HighBits-1:0] tile_high_q[Lanes];
  logic [EB-1:0] tile_top_q[Lanes];
  logic leaf_valid_q, leaf_valid_d, tree_moves;
  logic [Lanes*LowBits-1:0] leaf_low_q;
  logic [Lanes*HighBits-1:0] leaf_high_q;
  logic [EB-1:0] leaf_top_q;
  logic [LogitBits-1:0] leaf_logit_q;
  sparf_gemv_tree #(
    .Lanes(Lanes),
    .SumBits(SumBits),
    .LowBits(LowBits),
    .LogitBits(LogitBits)
  ) u_tree (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(leaf_valid_q),
    .low_i(leaf_low_q),
    .high_i(leaf_high_q),
    .exponent_i(leaf_top_q),
    .logit_i(leaf_logit_q),
    .valid_o(logit_valid_o),
    .value_o(logit_o),
    .logit_o({logit_tag_o, logit_lane_o, logit_last_o}),
    .moves_o(tree_moves)
  );

  // The walk over the products begins: the exponent that each lane aligns to.
  task automatic end_find();
    for (int unsigned i = 0; i < Lanes; i++) begin
      next_top_q[i] = found_meta[0] ? lane_largest[i*EB +: EB] : largest;
    end
    drain_left_q = found_meta[MetaBits +: CountBits];
    drain_meta_q = found_meta[MetaBits-1:0];
    drain_first_q = 1'b1;
    drain_q <= 1'b1;
  endtask

  task automatic read();
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (drain_first_q) walk_top_q[0][i] = next_top_q[i];
    end
    walk_last_q[0] = drain_left_q == CountBits'(1);
    walk_meta_q[0] = drain_meta_q;
    drain_first_q = 1'b0;
    drain_left_q = drain_left_q - 1'b1;
    read_q <= read_q + 1'b1;
    if (walk_last_q[0]) drain_q <= 1'b0;
  endtask

  // The marks that pass through the walk's stages with the data.
  task automatic follow(input int unsigned s);
    for (int unsigned i = 0; i < Lanes; i++) walk_top_q[s][i] = walk_top_q[s-1][i];
    walk_last_q[s] = walk_last_q[s-1];
    walk_meta_q[s] = walk_meta_q[s-1];
  endtask

  task automatic place();
    for (int unsigned i = 0; i < Lanes; i++) begin
      places_q[i] = walk_top_q[1][i] - word_q[i*WordBits+PB +: EB];
      placed_q[i] = word_q[i*WordBits +: PB];
      placed_negative_q[i] = word_q[i*WordBits+PB+EB];
    end
  endtask

  task automatic shift_coarse();
    for (int unsigned i = 0; i < Lanes; i++) begin
      coarse_q[i] = {placed_q[i], {ndp_pkg::GuardBits{1'b0}}} >> {places_q[i][EB-1:2], 2'b00};
      fine_q[i] = places_q[i][1:0];
      coarse_negative_q[i] = placed_negative_q[i];
    end
  endtask

  // A negative product is inverted here; its 1 is added with it.
  task automatic shift_fine();
    for (int unsigned i = 0; i < Lanes; i++) begin
      aligned_q[i] = (coarse_q[i] >> fine_q[i]) ^ {AB{coarse_negative_q[i]}};
      aligned_negative_q[i] = coarse_negative_q[i];
    end
  endtask

  // The last sums of a tile leave at once, and the next sums begin at zero.
  task automatic add_low();
    for (int unsigned i = 0; i < Lanes; i++) begin
      {sum_carry_q[i], sum_low_q[i]} = (LowBits + 1)'(({1'b0, aligned_q[i][LowBits-1:0], 1'b1} +
          {1'b0, sum_low_q[i], aligned_negative_q[i]}) >> 1);
      upper_q[i] = {{(SumBits - AB){aligned_negative_q[i]}}, aligned_q[i][AB-1:LowBits]};
      if (walk_last_q[WalkStages-1]) begin
        tile_low_q[i] = sum_low_q[i];
        sum_low_q[i] = '0;
        tile_top_q[i] = walk_top_q[WalkStages-1][i];
      end
    end
    upper_last_q = walk_last_q[WalkStages-1];
    if (walk_last_q[WalkStages-1]) begin
      tile_valid_q = 1'b1;
      tile_column_q = walk_meta_q[WalkStages-1][0];
      tile_lane_q = '0;
      tile_live_q = walk_meta_q[WalkStages-1][1 +: LiveBits];
      tile_tag_q = walk_meta_q[WalkStages-1][1+LiveBits +: TagBits];
    end
  endtask

  task automatic add_high();
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum_high_q[i] = HighBits'(({upper_q[i], 1'b1} +
          {sum_high_q[i], sum_carry_q[i]}) >> 1);
      if (upper_last_q) begin
        tile_high_q[i] = sum_high_q[i];
        sum_high_q[i] = '0;
      end
    end
  endtask

  task automatic take_tile();
    for (int unsigned i = 0; i < Lanes; i++) begin
      leaf_low_q[i*LowBits +: LowBits] <= tile_column_q ? '0 : tile_low_q[i];
    end
    if (tile_column_q) leaf_low_q[LowBits-1:0] <= tile_low_q[tile_lane_q[Levels-1:0]];
    leaf_top_q <= tile_top_q[tile_lane_q[Levels-1:0]];
    high_column_q = tile_column_q;
    high_lane_q = tile_lane_q[Levels-1:0];
    tile_valid_q = tile_lane_q + 1'b1 != tile_live_q;
    leaf_logit_q <= {tile_tag_q, tile_lane_q, !tile_valid_q};
    tile_lane_q = tile_lane_q + 1'b1;
  endtask

  task automatic take_high();
    for (int unsigned i = 0; i < Lanes; i++) begin
      leaf_high_q[i*HighBits +: HighBits] <= high_column_q ? '0 : tile_high_q[i];
    end
    if (high_column_q) leaf_high_q[HighBits-1:0] <= tile_high_q[high_lane_q];
  endtask

  // Last stage first: each stage reads the registers of the previous cycle. An upper part precedes
  // the lower part, whose carry it adds.
  always_ff @(posedge clk_i) begin
    if (high_valid_q) take_high();
    high_valid_q = tile_valid_q;
    leaf_valid_d = tile_valid_q;
    leaf_valid_q <= leaf_valid_d;
    if (tile_valid_q) take_tile();
    if (upper_valid_q) add_high();
    upper_valid_q = walk_valid_q[WalkStages-1];
    if (walk_valid_q[4]) add_low();
    if (walk_valid_q[3]) shift_fine();
    if (walk_valid_q[2]) shift_coarse();
    if (walk_valid_q[1]) place();
    if (walk_valid_q[0]) word_q = fetched;
    for (int unsigned s = WalkStages - 1; s >= 1; s--) begin
      if (walk_valid_q[s-1]) follow(s);
    end
    walk_valid_q = {walk_valid_q[WalkStages-2:0], drain_q};
    if (drain_q) read();
    if (found) end_find();
    if (product_valid) write_q <= write_q + 1'b1;
    busy_q <= drain_q || tile_valid_q || upper_valid_q || high_valid_q || walk_valid_q != '0 ||
        leaf_valid_d || products_move || search_moves || tree_moves;
    if (!rst_ni) begin
      drain_q <= 1'b0;
      write_q <= '0;
      read_q <= '0;
      walk_valid_q = '0;
      for (int unsigned i = 0; i < Lanes; i++) begin
        sum_low_q[i] = '0;
        sum_high_q[i] = '0;
      end
      upper_valid_q = 1'b0;
      tile_valid_q = 1'b0;
      high_valid_q = 1'b0;
      leaf_valid_q <= 1'b0;
    end
  end
endmodule
