// SPDX-License-Identifier: Apache-2.0
// Lanes multipliers and what makes logits of their products. The products of a tile (exact, 22
// bits) wait in a memory until the largest exponent is known, of every lane in a column tile, of
// all lanes in a row tile; then they are aligned to it with 22 bits below, cut, added as integers,
// and rounded to FP32 once. Products that are 0 have no exponent. Logits leave one a cycle, those
// of a column tile in the order of lanes.
//
// Tiles come at distances at which the second walk over the products and the logits' turns never
// meet (gemv_sequencer). With the last beat of a tile of n beats in cycle 0 its first logit is at
// the output in cycle n + Latency.
`include "assert.svh"
module gemv_lanes #(
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
  output logic [TagBits-1:0]   logit_tag_o
);
  localparam int unsigned EB = 6;  // exponent sums: 2 .. 60, 0 for a product that is 0
  localparam int unsigned PB = ndp_pkg::ProductBits;
  localparam int unsigned AB = ndp_pkg::AlignedBits;
  // The product, as many bits below, the growth of Width terms, a sign.
  localparam int unsigned SumBits = AB + $clog2(Width) + 1;
  localparam int unsigned Levels = $clog2(Lanes);
  localparam int unsigned FindStages = (Levels + 1) / 2;
  localparam int unsigned WordBits = 32;  // a lane's product in the memory
  // Room for a tile that is read while the next one comes, and for the search between.
  localparam int unsigned Words = 1 << $clog2(Width + FindStages + 4);
  localparam int unsigned AddressBits = $clog2(Words);
  localparam int unsigned MetaBits = TagBits + LiveBits + 1;  // and column
  localparam int unsigned LogitBits = TagBits + LiveBits + 1;  // and lane, last
  localparam int unsigned NormaliseStages = sparf_kernel_pkg::NormaliseStages;

  // Products, on their way into the memory.
  logic product_valid_q;
  logic [Lanes*WordBits-1:0] product_q, fetched;
  logic [AddressBits-1:0] write_q, read_q;
  logic drain_q;

  sram_1r1w #(
    .Words(Words),
    .DataBits(Lanes * WordBits)
  ) u_products (
    .clk_i(clk_i),
    .wr_valid_i(product_valid_q),
    .wr_addr_i(write_q),
    .wr_data_i(product_q),
    .rd_valid_i(drain_q),
    .rd_addr_i(read_q),
    .rd_data_o(fetched)
  );

  // The largest exponent: over the beats of a tile, then over the lanes (a tile a cycle).
  logic product_first_q, product_last_q;
  logic [CountBits+MetaBits-1:0] product_meta_q;  // beats and what follows the products
  logic [EB-1:0] exponent_q[Lanes];
  logic [EB-1:0] largest_q[Lanes];
  logic [FindStages:0] find_valid_q;
  logic [CountBits+MetaBits-1:0] find_meta_q[FindStages + 1];
  logic [EB-1:0] lane_q[FindStages + 1][Lanes];
  logic [EB-1:0] tree_q[FindStages + 1][Lanes];

  // The second walk: read, align, add.
  logic drain_first_q, fetched_q, fetched_first_q, fetched_last_q;
  logic aligned_valid_q, aligned_first_q, aligned_last_q;
  logic [CountBits-1:0] drain_left_q;
  logic [MetaBits-1:0] drain_meta_q, fetched_meta_q, aligned_meta_q;
  logic [EB-1:0] next_top_q[Lanes];
  logic [EB-1:0] top_q[Lanes];     // of the products that are aligned
  logic [EB-1:0] summed_q[Lanes];  // of those that are added
  logic signed [SumBits-1:0] aligned_q[Lanes];
  logic signed [SumBits-1:0] sum_q[Lanes];

  // A tile's sums, and the tree that makes one of those of a row; one of a column passes it alone.
  logic turn_q, turn_column_q;
  logic [LiveBits-1:0] turn_lane_q, turn_live_q;
  logic [TagBits-1:0] turn_tag_q;
  logic signed [SumBits-1:0] turn_sum_q[Lanes];
  logic [EB-1:0] turn_top_q[Lanes];
  logic [Levels:0] level_valid_q;
  logic signed [SumBits-1:0] level_q[Levels + 1][Lanes];
  logic [EB-1:0] level_top_q[Levels + 1];
  logic [LogitBits-1:0] level_logit_q[Levels + 1];

  logic [NormaliseStages:0] root_valid_q;
  logic [SumBits-1:0] root_q;
  logic [ndp_pkg::RankBits-1:0] rank_q;
  logic [LogitBits-1:0] root_logit_q[NormaliseStages + 1];

  /* verilator lint_off BLKSEQ */
  task automatic multiply();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [15:0] a;
      logic [15:0] b;
      logic [10:0] ma;
      logic [10:0] mb;
      logic [EB-1:0] exponent;
      a = keys_i[i*16 +: 16];
      b = query_i[i*16 +: 16];
      ma = {a[14:10] != '0, a[9:0]};
      mb = {b[14:10] != '0, b[9:0]};
      exponent = ma == '0 || mb == '0 ? '0
          : EB'(a[14:10]) + EB'(b[14:10]) + EB'(a[14:10] == '0) + EB'(b[14:10] == '0);
      exponent_q[i] = exponent;
      product_q[i*WordBits +: WordBits] <= WordBits'({a[15] ^ b[15], exponent, PB'(ma) * PB'(mb)});
    end
  endtask

  task automatic compare();
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (product_first_q || exponent_q[i] > largest_q[i]) largest_q[i] = exponent_q[i];
    end
  endtask

  task automatic begin_find();
    for (int unsigned i = 0; i < Lanes; i++) begin
      lane_q[0][i] = largest_q[i];
      tree_q[0][i] = largest_q[i];
    end
    find_meta_q[0] = product_meta_q;
  endtask

  // Two levels of the search.
  task automatic find(input int unsigned s);
    for (int unsigned i = 0; i < Lanes; i++) begin
      lane_q[s+1][i] = lane_q[s][i];
      tree_q[s+1][i] = tree_q[s][i];
    end
    for (int unsigned l = 2 * s; l < 2 * s + 2; l++) begin
      for (int unsigned i = 0; i < (Lanes >> (l + 1)); i++) begin
        tree_q[s+1][i] = tree_q[s+1][2*i] > tree_q[s+1][2*i+1] ? tree_q[s+1][2*i]
                                                               : tree_q[s+1][2*i+1];
      end
    end
    find_meta_q[s+1] = find_meta_q[s];
  endtask

  // The walk over the products begins: what their lanes align to.
  task automatic end_find();
    for (int unsigned i = 0; i < Lanes; i++) begin
      next_top_q[i] = find_meta_q[FindStages][0] ? lane_q[FindStages][i] : tree_q[FindStages][0];
    end
    drain_left_q = find_meta_q[FindStages][MetaBits +: CountBits];
    drain_meta_q = find_meta_q[FindStages][MetaBits-1:0];
    drain_first_q = 1'b1;
    drain_q <= 1'b1;
  endtask

  task automatic read();
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (drain_first_q) top_q[i] = next_top_q[i];
    end
    fetched_first_q = drain_first_q;
    fetched_last_q = drain_left_q == CountBits'(1);
    fetched_meta_q = drain_meta_q;
    drain_first_q = 1'b0;
    drain_left_q = drain_left_q - 1'b1;
    read_q <= read_q + 1'b1;
    if (fetched_last_q) drain_q <= 1'b0;
  endtask

  task automatic align();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [EB-1:0] places;
      logic [AB-1:0] magnitude;
      places = top_q[i] - fetched[i*WordBits+PB +: EB];
      magnitude = {fetched[i*WordBits +: PB], {ndp_pkg::GuardBits{1'b0}}} >> places;
      aligned_q[i] = SumBits'(magnitude);
      if (fetched[i*WordBits+PB+EB]) aligned_q[i] = -aligned_q[i];
      summed_q[i] = top_q[i];
    end
    aligned_first_q = fetched_first_q;
    aligned_last_q = fetched_last_q;
    aligned_meta_q = fetched_meta_q;
  endtask

  // The last sums of a tile go straight on.
  task automatic add();
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum_q[i] = aligned_first_q ? aligned_q[i] : sum_q[i] + aligned_q[i];
      if (aligned_last_q) begin
        turn_sum_q[i] = sum_q[i];
        turn_top_q[i] = summed_q[i];
      end
    end
    if (aligned_last_q) begin
      turn_q = 1'b1;
      turn_column_q = aligned_meta_q[0];
      turn_lane_q = '0;
      turn_live_q = aligned_meta_q[1 +: LiveBits];
      turn_tag_q = aligned_meta_q[1+LiveBits +: TagBits];
    end
  endtask

  task automatic take_turn();
    for (int unsigned i = 0; i < Lanes; i++) level_q[0][i] = turn_column_q ? '0 : turn_sum_q[i];
    if (turn_column_q) level_q[0][0] = turn_sum_q[turn_lane_q[Levels-1:0]];
    level_top_q[0] = turn_top_q[turn_lane_q[Levels-1:0]];
    turn_q = turn_lane_q + 1'b1 != turn_live_q;
    level_logit_q[0] = {turn_tag_q, turn_lane_q, !turn_q};
    turn_lane_q = turn_lane_q + 1'b1;
  endtask

  task automatic tree(input int unsigned s);
    for (int unsigned i = 0; i < (Lanes >> (s + 1)); i++) begin
      level_q[s+1][i] = level_q[s][2*i] + level_q[s][2*i+1];
    end
    level_top_q[s+1] = level_top_q[s];
    level_logit_q[s+1] = level_logit_q[s];
  endtask

  // Last stage first: each reads what the one before left in the last cycle.
  always_ff @(posedge clk_i) begin
    root_valid_q <= {root_valid_q[NormaliseStages-1:0], level_valid_q[Levels]};
    for (int unsigned s = NormaliseStages; s >= 1; s--) root_logit_q[s] <= root_logit_q[s-1];
    root_logit_q[0] <= level_logit_q[Levels];
    root_q <= level_q[Levels][0];
    rank_q <= ndp_pkg::RankBits'(level_top_q[Levels]);
    for (int unsigned s = 0; s < Levels; s++) begin
      if (level_valid_q[Levels-1-s]) tree(Levels - 1 - s);
    end
    level_valid_q = {level_valid_q[Levels-1:0], turn_q};
    if (turn_q) take_turn();
    if (aligned_valid_q) add();
    aligned_valid_q = fetched_q;
    if (fetched_q) align();
    fetched_q = drain_q;
    if (drain_q) read();
    if (find_valid_q[FindStages]) end_find();
    for (int unsigned s = 0; s < FindStages; s++) begin
      if (find_valid_q[FindStages-1-s]) find(FindStages - 1 - s);
    end
    find_valid_q = {find_valid_q[FindStages-1:0], product_valid_q && product_last_q};
    if (product_valid_q) begin
      compare();
      write_q <= write_q + 1'b1;
      if (product_last_q) begin_find();
    end
    product_valid_q <= valid_i;
    if (valid_i) begin
      multiply();
      product_first_q = first_i;
      product_last_q = last_i;
      product_meta_q = {beats_i, tag_i, live_i, column_i};
    end
    if (!rst_ni) begin
      product_valid_q <= 1'b0;
      drain_q <= 1'b0;
      root_valid_q <= '0;
      write_q <= '0;
      read_q <= '0;
      find_valid_q = '0;
      fetched_q = 1'b0;
      aligned_valid_q = 1'b0;
      turn_q = 1'b0;
      level_valid_q = '0;
    end
  end
  /* verilator lint_on BLKSEQ */

  fp_normalise #(
    .SumBits(SumBits)
  ) u_normalise (
    .clk_i(clk_i),
    .en_i(root_valid_q[NormaliseStages-1:0]),
    .bf16_i(1'b0),
    .sum_i(root_q),
    .rank_i(rank_q),
    .value_o(logit_o)
  );
  assign logit_valid_o = root_valid_q[NormaliseStages];
  assign {logit_tag_o, logit_lane_o, logit_last_o} = root_logit_q[NormaliseStages];
endmodule
