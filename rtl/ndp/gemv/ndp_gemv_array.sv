// SPDX-License-Identifier: Apache-2.0
// Banks of multipliers joined to one array: block sums of Streams weight streams, exact up to the truncation of
// the alignment. Lanes 0 .. Lanes-1 of a slot are loaded in consecutive cycles, the next slot at the earliest
// slot_cycles after. In the cycle of sums_valid_o, ndp_pkg::sum_age after the lane-0 load, sums_o has each
// stream's sum of aligned products (two's complement) and ranks_o has {NaN, +inf, -inf, largest exponent sum};
// both stay for slot_cycles. With halves_i, stable while busy_o, sums_o are the sums of the first half of the
// lanes and rest_o the sums of the second half, at one scale. One bank simulates fastest, many banks synthesize
// fastest; latency and result are the same.
module ndp_gemv_array #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Mults = 32,  // of one stream
  parameter int unsigned Lanes = 8,
  parameter int unsigned Bits = 1,
  parameter int unsigned Banks = 1,
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits,
  parameter bit LowBit = 1'b0,  // weights arrive decoded
  localparam int unsigned WeightBits = LowBit ? ndp_pkg::DecodedBits : ndp_pkg::OperandBits,
  localparam int unsigned LaneBits = $clog2(Lanes),
  localparam int unsigned SumBits = ndp_pkg::sum_bits(Mults, Lanes) - ndp_pkg::AlignedBits + AlignedBits
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 bf16_i,
  input  logic                                 halves_i,
  input  logic                                 load_valid_i,
  input  logic [LaneBits-1:0]                  load_lane_i,
  input  logic                                 load_weights_i,
  input  logic [Mults*16-1:0]                  x_i,
  input  logic [Streams*Mults*WeightBits-1:0]  weights_i,
  output logic                                 sums_valid_o,
  output logic [Streams*SumBits-1:0]           sums_o,
  output logic [Streams*SumBits-1:0]           rest_o,
  output logic [Streams*ndp_pkg::RankBits-1:0] ranks_o,
  output logic                                 busy_o
);
  localparam int unsigned BankMults = Mults / Banks;
  localparam int unsigned BankLevels = $clog2(BankMults);
  localparam int unsigned Levels = $clog2(Banks);
  localparam int unsigned BankBits = AlignedBits + 1 + BankLevels;
  localparam int unsigned Rank = ndp_pkg::RankBits;
  localparam int unsigned Slot = ndp_pkg::slot_cycles(Bits);
  localparam int unsigned RankAge = ndp_pkg::rank_age(Mults, Lanes);
  localparam int unsigned TreeAge = ndp_pkg::tree_age(Mults, Lanes, Bits);
  localparam int unsigned SumAge = ndp_pkg::sum_age(Mults, Lanes, Bits);
  localparam int unsigned Copies = ndp_pkg::rank_copies(Mults, Lanes, Bits);
  localparam int unsigned N = Streams * Banks;

  logic [Streams*SumBits-1:0] sums_q;
  logic [Streams*ndp_pkg::RankBits-1:0] ranks_q;
  assign sums_o = sums_q;
  assign ranks_o = ranks_q;

  // Bit k: a slot has age k. The distance of slots exceeds every range that is tested.
  logic [SumAge:1] age_q;

  logic [N*Rank-1:0] bank_rank;
  logic [N*BankBits-1:0] bank_sum;
  logic [N-1:0] bank_carry;
  logic [Streams*Rank-1:0] top;

  assign sums_valid_o = age_q[SumAge];
  assign busy_o = |age_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) age_q <= '0;
    else age_q <= {age_q[SumAge-1:1], load_valid_i && load_lane_i == '0};
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_banks
    logic [Streams*BankMults*WeightBits-1:0] weights;
    logic [Streams*Rank-1:0] rank_q;
    logic [Streams*BankBits-1:0] sum;
    logic [Streams-1:0] carry_q;

    for (genvar s = 0; s < Streams; s++) begin : gen_streams
      assign weights[s*BankMults*WeightBits+:BankMults*WeightBits] =
          weights_i[(s*Mults+b*BankMults)*WeightBits+:BankMults*WeightBits];
      assign bank_rank[(s*Banks+b)*Rank+:Rank] = rank_q[s*Rank+:Rank];
      assign bank_sum[(s*Banks+b)*BankBits+:BankBits] = sum[s*BankBits+:BankBits];
      assign bank_carry[s*Banks+b] = carry_q[s];
    end

    ndp_gemv_bank #(
      .Streams(Streams),
      .Mults(BankMults),
      .ArrayMults(Mults),
      .Lanes(Lanes),
      .Bits(Bits),
      .AlignedBits(AlignedBits),
      .LowBit(LowBit)
    ) u_bank (
      .clk_i(clk_i),
      .bf16_i(bf16_i),
      .load_valid_i(load_valid_i),
      .load_lane_i(load_lane_i),
      .load_weights_i(load_weights_i),
      .x_i(x_i[b*BankMults*16+:BankMults*16]),
      .weights_i(weights),
      .age_i(age_q),
      .top_i(top),
      .rank_o(rank_q),
      .sum_o(sum),
      .carry_o(carry_q)
    );
  end

  // The banks' results joined, one level per cycle; level l has N >> l nodes from level(l) on, and level 0
  // has the registers of the banks.
  logic [Rank-1:0] rank_q[2*N];
  logic [SumBits-1:0] node_q[2*N];
  logic carry_q[2*N];
  logic [Streams*Rank-1:0] top_q;

  assign top = (Banks == 1) ? bank_rank[Streams*Rank-1:0] : top_q;

  function automatic int unsigned level(input int unsigned number);
    level = 2 * N - (2 * N >> number);
  endfunction

  // Joins two nodes of the adder tree: the carry of the lower node is added, that of the upper node is forwarded.
  function automatic logic [SumBits-1:0] joined(input int unsigned lower);
    joined = node_q[lower] + node_q[lower+1] + SumBits'(carry_q[lower]);
  endfunction

  task automatic join_ranks();
    for (int unsigned l = Levels; l > 0; l--) begin
      if (age_q[RankAge-1-Levels+l]) begin
        if (l == 1) begin
          for (int unsigned i = 0; i < N; i++) rank_q[i] = bank_rank[i*Rank+:Rank];
        end
        for (int unsigned i = 0; i < (N >> l); i++) begin
          rank_q[level(l)+i] = ndp_pkg::higher(rank_q[level(l-1)+2*i], rank_q[level(l-1)+2*i+1]);
          if (l == Levels) begin
            top_q[i*Rank+:Rank] <= rank_q[level(l)+i];
          end
        end
      end
    end
  endtask

  task automatic join_sums();
    for (int unsigned l = Levels; l > 0; l--) begin
      if (|age_q[TreeAge-1-Levels+l+:Lanes]) begin
        for (int unsigned i = 0; i < (N >> l); i++) begin
          node_q[level(l)+i] = joined(level(l - 1) + 2 * i);
          carry_q[level(l)+i] = carry_q[level(l-1)+2*i+1];
        end
      end
    end
  endtask

  // Level 0 is not a register.
  task automatic take_sums();
    if (|age_q[TreeAge-Levels+:Lanes]) begin
      for (int unsigned i = 0; i < N; i++) begin
        node_q[i] = SumBits'(bank_sum[i*BankBits+:BankBits]);
        carry_q[i] = bank_carry[i];
      end
    end
  endtask

  // Each lane of each multiplier adds 2^AlignedBits to its product: 2^(SumBits-1) in all,
  // so the total fits into SumBits bits and its top bit, inverted, is the sign of the sum.
  // Half the lanes add half of that.
  logic [SumBits-1:0] total_q[Streams];
  logic [SumBits-1:0] first_q[Streams];  // of the first half
  logic second_d;                        // its other half begins
  logic [Streams*SumBits-1:0] rest_q;

  assign rest_o = LowBit ? rest_q : '0;

  task automatic accumulate();
    second_d = LowBit && halves_i && age_q[TreeAge+Lanes/2];
    if (|age_q[TreeAge+:Lanes]) begin
      for (int unsigned s = 0; s < Streams; s++) begin
        if (second_d) first_q[s] = total_q[s];
        total_q[s] = (age_q[TreeAge] || second_d ? '0 : total_q[s]) + node_q[level(Levels)+s] +
            SumBits'(carry_q[level(Levels)+s]);
      end
    end
    if (age_q[SumAge-1]) begin
      for (int unsigned s = 0; s < Streams; s++) begin
        sums_q[s*SumBits+:SumBits] <= LowBit && halves_i ? half_sum(first_q[s])
            : {~total_q[s][SumBits-1], total_q[s][SumBits-2:0]};
        rest_q[s*SumBits+:SumBits] <= half_sum(total_q[s]);
      end
      ranks_q <= copy_q[Copies];
    end
  endtask

  function automatic logic [SumBits-1:0] half_sum(input logic [SumBits-1:0] half);
    half_sum = {{2{~half[SumBits-2]}}, half[SumBits-3:0]};
  endfunction

  // copy_q[k]: the top of the tree as it was k * slot_cycles ago. copy_q[0] is not a register.
  logic [Streams*Rank-1:0] copy_q[Copies+1];

  task automatic copy_ranks();
    for (int unsigned k = Copies; k > 0; k--) begin
      if (age_q[RankAge-1+k*Slot]) copy_q[k] = copy_q[k-1];
    end
  endtask

  always_ff @(posedge clk_i) begin
    copy_q[0] = top;
    take_sums();
    accumulate();
    copy_ranks();
    join_sums();
    join_ranks();
  end

  if (Banks < 1 || (Banks & (Banks - 1)) != 0 || Mults % Banks != 0) begin : gen_bad_banks
    $error("ndp_gemv_array: Banks must be a power of two that divides Mults");
  end
endmodule
