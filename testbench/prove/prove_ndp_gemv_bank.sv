// SPDX-License-Identifier: Apache-2.0
// The sums of ndp_gemv_bank against the exact sum of the products in its lanes, each truncated by the alignment to the
// largest exponent (Aligned, then Pairs and Sum), and its rank against the largest exponent sum of the lanes, with NaN
// and infinities (Rank). Registers have any initial contents; slots are as close as permitted; the bank is part of an
// array of ArrayMults. The harness reads registers of the lanes by name: products (acc), which prove_ndp_serial_step
// proves to be those of the operands, signs and exponents of the operands (w, x_top), and outputs of leaves and nodes
// of the tree (node and carry).
`include "prove.svh"
module prove_ndp_gemv_bank #(
  parameter int unsigned Bits = 1,
  parameter int unsigned ArrayMults = 4,
  parameter int unsigned AlignedBits = 44,
  localparam int unsigned Mults = 4,
  localparam int unsigned Lanes = 2,
  localparam int unsigned Slot = ndp_pkg::slot_cycles(Bits),
  localparam int unsigned Steps = ndp_pkg::serial_steps(Bits),
  localparam int unsigned AlignAge = ndp_pkg::align_age(ArrayMults, Lanes, Bits),
  localparam int unsigned Hold = ndp_pkg::hold_cycles(ArrayMults, Lanes, Bits),
  localparam int unsigned SumAge = ndp_pkg::sum_age(ArrayMults, Lanes, Bits),
  localparam int unsigned Acc = 11 + Steps * Bits,
  localparam int unsigned TreeBits = AlignedBits + 1 + $clog2(Mults)
) (
  input logic                         clk_i,
  input logic                         bf16_i,
  input logic                         sums_i,          // observed: sums, or a rank
  input logic                         lane_i,          // the sums of this lane
  input logic                         begins_i,        // a slot begins
  input logic                         load_weights_i,
  input logic [Mults*16-1:0]          x_i,
  input logic [Mults*16-1:0]          weights_i,
  input logic [ndp_pkg::RankBits-1:0] top_i
);
  // A lane's exponents are read in the first cycle of its window, its products in the second.
  localparam int unsigned ReadAge = AlignAge - Hold;
  localparam int unsigned LeafCycle = Hold + 2;
  localparam int unsigned SumCycle = LeafCycle + $clog2(Mults);
  localparam int unsigned RankCycle = Lanes + 1 + $clog2(Mults);
  localparam int unsigned Last = SumCycle > RankCycle ? SumCycle : RankCycle;
  logic [5:0] age_q;
  initial age_q = '0;
  always @(posedge clk_i) if (age_q <= 6'(Last)) age_q <= age_q + 1'b1;
  logic enters;
  assign enters = age_q == '0;

  // Slots in flight, at least Slot cycles apart; lane c is loaded at age c.
  logic [SumAge:1] ages_q;
  logic [SumAge:0] ages;
  logic near;
  assign ages = {ages_q, begins_i};
  always_comb begin
    near = 1'b0;
    for (int unsigned i = 0; i <= SumAge; i++) begin
      for (int unsigned j = i + 1; j <= SumAge && j < i + Slot; j++) begin
        if (ages[i] && ages[j]) near = 1'b1;
      end
    end
  end
  always @* assume (!near);
  always @(posedge clk_i) ages_q <= ages[SumAge-1:0];
  // The window is that of a slot from its begin, or of a lane from the age at which it is read.
  always @* assume (!enters || (sums_i ? (lane_i ? ages[ReadAge+1] : ages[ReadAge]) : begins_i));

  logic [ndp_pkg::RankBits-1:0] rank;
  logic [TreeBits-1:0] sum;
  logic carry;
  ndp_gemv_bank #(
    .Streams(1),
    .Mults(Mults),
    .ArrayMults(ArrayMults),
    .Lanes(Lanes),
    .Bits(Bits),
    .AlignedBits(AlignedBits)
  ) u_dut (
    .clk_i(clk_i),
    .bf16_i(bf16_i),
    .load_valid_i(begins_i || ages[1]),
    .load_lane_i(ages[1]),
    .load_weights_i(load_weights_i),
    .x_i(x_i),
    .weights_i(weights_i),
    .age_i(ages_q),
    .top_i(top_i),
    .rank_o(rank),
    .sum_o(sum),
    .carry_o(carry)
  );

  // Yosys joins these to the registers of the same names: [lane * Mults + multiplier].
  (* hierconn *) logic [Acc-1:0] \u_dut.acc_q[0] , \u_dut.acc_q[1] , \u_dut.acc_q[2] , \u_dut.acc_q[3] ;
  (* hierconn *) logic [Acc-1:0] \u_dut.acc_q[4] , \u_dut.acc_q[5] , \u_dut.acc_q[6] , \u_dut.acc_q[7] ;
  (* hierconn *) logic [19:0] \u_dut.w_q[0] , \u_dut.w_q[1] , \u_dut.w_q[2] , \u_dut.w_q[3] ;
  (* hierconn *) logic [19:0] \u_dut.w_q[4] , \u_dut.w_q[5] , \u_dut.w_q[6] , \u_dut.w_q[7] ;
  (* hierconn *) logic [8:0] \u_dut.x_top_q[0] , \u_dut.x_top_q[1] , \u_dut.x_top_q[2] , \u_dut.x_top_q[3] ;
  (* hierconn *) logic [8:0] \u_dut.x_top_q[4] , \u_dut.x_top_q[5] , \u_dut.x_top_q[6] , \u_dut.x_top_q[7] ;
  (* hierconn *) logic [10:0] \u_dut.x_digits_q[0] , \u_dut.x_digits_q[1] , \u_dut.x_digits_q[2] ;
  (* hierconn *) logic [10:0] \u_dut.x_digits_q[3] , \u_dut.x_digits_q[4] , \u_dut.x_digits_q[5] ;
  (* hierconn *) logic [10:0] \u_dut.x_digits_q[6] , \u_dut.x_digits_q[7] ;
  logic [8*Acc-1:0] accs;
  logic [8*20-1:0] ws;
  logic [8*9-1:0] xs;
  logic [8*11-1:0] digits;
  assign accs = {\u_dut.acc_q[7] , \u_dut.acc_q[6] , \u_dut.acc_q[5] , \u_dut.acc_q[4] , \u_dut.acc_q[3] ,
                 \u_dut.acc_q[2] , \u_dut.acc_q[1] , \u_dut.acc_q[0] };
  assign ws = {\u_dut.w_q[7] , \u_dut.w_q[6] , \u_dut.w_q[5] , \u_dut.w_q[4] , \u_dut.w_q[3] , \u_dut.w_q[2] ,
               \u_dut.w_q[1] , \u_dut.w_q[0] };
  assign xs = {\u_dut.x_top_q[7] , \u_dut.x_top_q[6] , \u_dut.x_top_q[5] , \u_dut.x_top_q[4] ,
               \u_dut.x_top_q[3] , \u_dut.x_top_q[2] , \u_dut.x_top_q[1] , \u_dut.x_top_q[0] };
  assign digits = {\u_dut.x_digits_q[7] , \u_dut.x_digits_q[6] , \u_dut.x_digits_q[5] ,
                   \u_dut.x_digits_q[4] , \u_dut.x_digits_q[3] , \u_dut.x_digits_q[2] ,
                   \u_dut.x_digits_q[1] , \u_dut.x_digits_q[0] };

  // Of multiplier p of a lane: sign and sum of exponents, sampled in the cycle in which the bank reads them.
  logic sums_q, lane_q;
  logic [Mults-1:0] negative, negative_q;
  logic [8:0] exponent[Mults], exponent_q[Mults], top_q, top;
  logic [21:0] product_q[Mults];
  logic [Mults-1:0] nan, plus, minus;
  logic lane;
  assign lane = sums_q ? lane_q : age_q == 6'd2;
  always_comb begin
    for (int unsigned p = 0; p < Mults; p++) begin
      logic [19:0] w;
      logic [8:0] x;
      logic x_nan, special;
      w = (enters ? lane_i : lane) ? ws[(Mults+p)*20 +: 20] : ws[p*20 +: 20];
      x = (enters ? lane_i : lane) ? xs[(Mults+p)*9 +: 9] : xs[p*9 +: 9];
      x_nan = lane ? digits[(Mults+p)*11+9] : digits[p*11+9];
      negative[p] = w[19] != x[8];
      exponent[p] = 9'(w[18:11]) + 9'(x[7:0]);
      special = w[18:11] == '1 || x[7:0] == '1;
      nan[p] = (w[18:11] == '1 && w[9]) || (x[7:0] == '1 && x_nan) ||
          (special && (w[18:11] == '0 || x[7:0] == '0));
      plus[p] = special && !nan[p] && !negative[p];
      minus[p] = special && !nan[p] && negative[p];
    end
  end
  // The largest exponent sum of finite products, none of which is zero.
  logic [8:0] largest_q, largest;
  logic [2:0] specials_q;
  always_comb begin
    largest = age_q == 6'd1 ? '0 : largest_q;
    for (int unsigned p = 0; p < Mults; p++) begin
      logic [7:0] w, x;
      w = lane ? ws[(Mults+p)*20+11 +: 8] : ws[p*20+11 +: 8];
      x = lane ? xs[(Mults+p)*9 +: 8] : xs[p*9 +: 8];
      if (w != '0 && x != '0 && w != '1 && x != '1 && exponent[p] > largest) largest = exponent[p];
    end
  end
  always @(posedge clk_i) begin
    if (enters) begin
      sums_q <= sums_i;
      lane_q <= lane_i;
      negative_q <= negative;
      for (int unsigned p = 0; p < Mults; p++) exponent_q[p] <= exponent[p];
    end
    if (age_q == 6'd1) begin
      for (int unsigned p = 0; p < Mults; p++) begin
        product_q[p] <= lane ? accs[(Mults+p)*Acc +: 22] : accs[p*Acc +: 22];
      end
    end
    if (age_q == 6'(Hold)) top_q <= top_i[8:0];
    if (age_q == 6'd1 || age_q == 6'(Lanes)) begin
      largest_q <= largest;
      specials_q <= (age_q == 6'd1 ? 3'd0 : specials_q) | {nan != '0, plus != '0, minus != '0};
    end
  end

  // Outputs of the leaves (multipliers), and then of pairs of leaves: a node and its carry.
  (* hierconn *) logic [TreeBits-1:0] \u_dut.node_q[0] , \u_dut.node_q[1] , \u_dut.node_q[2] ;
  (* hierconn *) logic [TreeBits-1:0] \u_dut.node_q[3] , \u_dut.node_q[4] , \u_dut.node_q[5] ;
  (* hierconn *) logic \u_dut.carry_q[0] , \u_dut.carry_q[1] , \u_dut.carry_q[2] ;
  (* hierconn *) logic \u_dut.carry_q[3] , \u_dut.carry_q[4] , \u_dut.carry_q[5] ;
  logic [TreeBits-1:0] leaf[Mults], pair[2], pairs_q[2], sum_q;
  assign leaf[0] = \u_dut.node_q[0] + TreeBits'(\u_dut.carry_q[0] );
  assign leaf[1] = \u_dut.node_q[1] + TreeBits'(\u_dut.carry_q[1] );
  assign leaf[2] = \u_dut.node_q[2] + TreeBits'(\u_dut.carry_q[2] );
  assign leaf[3] = \u_dut.node_q[3] + TreeBits'(\u_dut.carry_q[3] );
  assign pair[0] = \u_dut.node_q[4] + TreeBits'(\u_dut.carry_q[4] );
  assign pair[1] = \u_dut.node_q[5] + TreeBits'(\u_dut.carry_q[5] );
  always @(posedge clk_i) begin
    if (age_q == 6'(LeafCycle)) begin
      pairs_q[0] <= leaf[0] + leaf[1];
      pairs_q[1] <= leaf[2] + leaf[3];
    end
    if (age_q == 6'(LeafCycle + 1)) sum_q <= pair[0] + pair[1];
  end

  // The upper AlignedBits of a product with 22 places behind it, moved down to the largest exponent,
  // exactly as far, by its sign and with 2^AlignedBits on top.
  logic [Mults-1:0] wrong;
  always_comb begin
    for (int unsigned p = 0; p < Mults; p++) begin
      logic [43:0] moved;
      logic [TreeBits-1:0] aligned;
      moved = {product_q[p], 22'd0} >> (top_q - exponent_q[p]);
      aligned = TreeBits'(moved[43-:AlignedBits]);
      wrong[p] = (exponent_q[p] <= top_q || product_q[p] == '0) &&
          leaf[p] != (TreeBits'(1) << AlignedBits) + (negative_q[p] ? -aligned : aligned);
    end
  end
  logic rst_ni;
  assign rst_ni = 1'b1;
  `PROVE(Aligned, !sums_q || age_q != 6'(LeafCycle) || wrong == '0)
  `PROVE(Pairs, !sums_q || age_q != 6'(LeafCycle + 1) ||
         (pair[0] == pairs_q[0] && pair[1] == pairs_q[1]))
  `PROVE(Sum, !sums_q || age_q != 6'(SumCycle) || sum + TreeBits'(carry) == sum_q)
  `PROVE(Rank, sums_q || age_q != 6'(RankCycle) || rank == {specials_q, largest_q})
endmodule
