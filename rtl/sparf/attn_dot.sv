// SPDX-License-Identifier: Apache-2.0
// Logits: one row of keys a cycle against the query that was loaded last, both FP16 and finite. The
// products of a row are exact, aligned to the largest exponent sum with 22 bits below, cut, added
// as integers, and rounded to FP32 once (fp_normalise). A row's logit comes attn_pkg::dot_latency
// cycles after it. Zeros in the query do not count, not even for the largest exponent: that is how
// step 1 looks at some dimensions only.
//
// The query changes only while no row is in the first stage: with or after its last row's cycle.
`include "assert.svh"
module attn_dot #(
  parameter int unsigned Lanes = 128
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                query_valid_i,
  input  logic [Lanes*attn_pkg::HalfBits-1:0] query_data_i,
  input  logic                                key_valid_i,
  input  logic [Lanes*attn_pkg::HalfBits-1:0] key_data_i,
  output logic                                logit_valid_o,
  output logic [attn_pkg::FloatBits-1:0]      logit_o
);
  localparam int unsigned Stages = attn_pkg::tree_stages(Lanes);
  localparam int unsigned Levels = attn_pkg::LevelsPerStage;
  // The product, as many bits below, the growth of the tree, a sign.
  localparam int unsigned SumBits = ndp_pkg::AlignedBits + $clog2(Lanes) + 1;
  localparam int unsigned Latency = attn_pkg::dot_latency(Lanes);
  localparam int unsigned PB = ndp_pkg::ProductBits;
  localparam int unsigned EB = ndp_pkg::ExpSumBits;
  localparam int unsigned AB = ndp_pkg::AlignedBits;

  // valid_q[n]: a row that is n + 1 cycles old.
  logic [Latency-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-2:0], key_valid_i};
  end
  assign logit_valid_o = valid_q[Latency-1];

  logic [ndp_pkg::DecodedBits-1:0] query_q[Lanes];
  // Products wait while the largest exponent is found.
  logic negative_q[Stages + 1][Lanes];
  logic [PB-1:0] product_q[Stages + 1][Lanes];
  logic [EB-1:0] exponent_q[Stages + 1][Lanes];
  // Results of each stage of the trees, in their first elements.
  logic [EB-1:0] largest_q[Stages][Lanes];
  logic signed [SumBits-1:0] aligned_q[Lanes];
  logic signed [SumBits-1:0] sum_q[Stages][Lanes];
  // The largest exponent of a row on its way with the sum.
  logic [EB-1:0] top_q[Stages + 1];

  logic [SumBits-1:0] sum;
  logic [ndp_pkg::RankBits-1:0] rank;

  /* verilator lint_off BLKSEQ */
  task automatic multiply();
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [ndp_pkg::DecodedBits-1:0] key;
      key = ndp_pkg::decode(key_data_i[i*attn_pkg::HalfBits +: attn_pkg::HalfBits], 1'b0);
      negative_q[0][i] = query_q[i][ndp_pkg::SignBit] ^ key[ndp_pkg::SignBit];
      product_q[0][i] = PB'(query_q[i][ndp_pkg::SigBits-1:0]) * PB'(key[ndp_pkg::SigBits-1:0]);
      exponent_q[0][i] = product_q[0][i] == '0 ? '0 :
          EB'(query_q[i][ndp_pkg::SigBits +: ndp_pkg::ExpBits]) +
          EB'(key[ndp_pkg::SigBits +: ndp_pkg::ExpBits]);
    end
  endtask

  // One stage of the search for the largest exponent; the products move along.
  task automatic find_largest(input int unsigned s);
    for (int unsigned i = 0; i < Lanes; i++) begin
      largest_q[s][i] = s == 0 ? exponent_q[0][i] : largest_q[s == 0 ? 0 : s-1][i];
      negative_q[s+1][i] = negative_q[s][i];
      product_q[s+1][i] = product_q[s][i];
      exponent_q[s+1][i] = exponent_q[s][i];
    end
    for (int unsigned l = s * Levels; l < (s + 1) * Levels; l++) begin
      for (int unsigned i = 0; i < (Lanes >> (l + 1)); i++) begin
        largest_q[s][i] = largest_q[s][2*i] > largest_q[s][2*i+1] ? largest_q[s][2*i]
                                                                 : largest_q[s][2*i+1];
      end
    end
  endtask

  task automatic align();
    top_q[0] = largest_q[Stages-1][0];
    for (int unsigned i = 0; i < Lanes; i++) begin
      logic [EB-1:0] distance;
      logic [ndp_pkg::ShiftBits-1:0] places;
      logic [AB-1:0] magnitude;
      distance = largest_q[Stages-1][0] - exponent_q[Stages][i];
      places = distance[EB-1:ndp_pkg::ShiftBits] != '0 ? '1 : distance[ndp_pkg::ShiftBits-1:0];
      magnitude = {product_q[Stages][i], {ndp_pkg::GuardBits{1'b0}}} >> places;
      aligned_q[i] = SumBits'(magnitude);
      if (negative_q[Stages][i]) aligned_q[i] = -aligned_q[i];
    end
  endtask

  // One stage of the sum.
  task automatic add(input int unsigned s);
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum_q[s][i] = s == 0 ? aligned_q[i] : sum_q[s == 0 ? 0 : s-1][i];
    end
    for (int unsigned l = s * Levels; l < (s + 1) * Levels; l++) begin
      for (int unsigned i = 0; i < (Lanes >> (l + 1)); i++) begin
        sum_q[s][i] = sum_q[s][2*i] + sum_q[s][2*i+1];
      end
    end
    top_q[s+1] = top_q[s];
  endtask

  // Last stage first: each reads what the one before left in the last cycle.
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Stages; s++) begin
      if (valid_q[1 + 2*Stages - 1 - s]) add(Stages - 1 - s);
    end
    if (valid_q[Stages]) align();
    for (int unsigned s = 0; s < Stages; s++) begin
      if (valid_q[Stages - 1 - s]) find_largest(Stages - 1 - s);
    end
    if (key_valid_i) multiply();
    if (query_valid_i) begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        query_q[i] = ndp_pkg::decode(query_data_i[i*attn_pkg::HalfBits +: attn_pkg::HalfBits],
                                     1'b0);
      end
    end
    sum <= sum_q[Stages-1][0];
    rank <= {{ndp_pkg::SpecialBits{1'b0}}, top_q[Stages]};
  end
  /* verilator lint_on BLKSEQ */

  fp_normalise #(
    .SumBits(SumBits)
  ) u_normalise (
    .clk_i(clk_i),
    .en_i(valid_q[Latency-2 -: attn_pkg::NormaliseStages]),
    .bf16_i(1'b0),
    .sum_i(sum),
    .rank_i(rank),
    .value_o(logit_o)
  );

  if (Lanes < 4 || (Lanes & (Lanes - 1)) != 0) begin : gen_bad_lanes
    $error("attn_dot: Lanes must be a power of two, at least 4");
  end

  `ASSERT(LogitFollowsRow_A, key_valid_i |=> valid_q[0])
endmodule
