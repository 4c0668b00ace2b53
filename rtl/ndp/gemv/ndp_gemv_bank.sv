// SPDX-License-Identifier: Apache-2.0
// Mults bit-serial multipliers of each of Streams weight streams, the search for the largest exponent of a
// block, and a tree that adds one lane of all multipliers per cycle.
// - x is the serial operand, shared by the streams; the weights stay until a load replaces them.
// - Lane c of a slot is loaded at age c and multiplies at ages c+1 .. c+Steps. Its product waits in the lane
//   until the largest exponent of the block is known. At age AlignAge+1+c the product is shifted by the
//   difference of the exponents and enters the tree. The lanes are skewed by a cycle, so a multiplier shares
//   one shifter and one input of the tree among its lanes.
// - rank_o: {specials, largest exponent sum} of this bank; the array returns the largest of all banks as top_i.
//   sum_o with carry_o: the sum of this bank over one lane.
// - The tree represents an aligned product a with sign s as {~s, a ^ s}. That is 2^AlignedBits + a or
//   2^AlignedBits - a - 1, always positive; the missing ones travel as carries: every node adds one and
//   forwards one. Level l needs AlignedBits + 1 + l bits.
module ndp_gemv_bank #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Mults = 32,       // of this bank, for one stream
  parameter int unsigned ArrayMults = 32,  // of all banks, for one stream
  parameter int unsigned Lanes = 8,
  parameter int unsigned Bits = 1,
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits,
  parameter bit LowBit = 1'b0,             // weights arrive decoded
  localparam int unsigned WeightBits = LowBit ? ndp_pkg::DecodedBits : ndp_pkg::OperandBits,
  localparam int unsigned LaneBits = $clog2(Lanes),
  localparam int unsigned SumAge = ndp_pkg::sum_age(ArrayMults, Lanes, Bits),
  localparam int unsigned TreeBits = AlignedBits + 1 + $clog2(Mults)
) (
  input  logic                                 clk_i,
  input  logic                                 bf16_i,
  input  logic                                 load_valid_i,
  input  logic [LaneBits-1:0]                  load_lane_i,
  input  logic                                 load_weights_i,
  input  logic [Mults*16-1:0]                  x_i,
  input  logic [Streams*Mults*WeightBits-1:0]  weights_i,
  input  logic [SumAge:1]                      age_i,
  input  logic [Streams*ndp_pkg::RankBits-1:0] top_i,
  output logic [Streams*ndp_pkg::RankBits-1:0] rank_o,
  output logic [Streams*TreeBits-1:0]          sum_o,
  output logic [Streams-1:0]                   carry_o
);
  localparam int unsigned Steps = ndp_pkg::serial_steps(Bits);
  localparam int unsigned AlignAge = ndp_pkg::align_age(ArrayMults, Lanes, Bits);
  localparam int unsigned Hold = ndp_pkg::hold_cycles(ArrayMults, Lanes, Bits);
  localparam int unsigned ReadAge = AlignAge - Hold;  // when the lane's exponent is read
  localparam int unsigned Levels = $clog2(Mults);
  localparam int unsigned Sig = ndp_pkg::SigBits;
  localparam int unsigned Exp = ndp_pkg::ExpBits;
  localparam int unsigned ESum = ndp_pkg::ExpSumBits;
  localparam int unsigned Rank = ndp_pkg::RankBits;
  localparam int unsigned Prod = ndp_pkg::ProductBits;
  localparam int unsigned Shift = ndp_pkg::ShiftBits;
  // The product enters the accumulator at the top while digits leave at the bottom. Its upper part remains u < 2^Sig: u
  // + w * digit <= (2^Sig - 1) + (2^Sig - 1)(2^Bits - 1) < 2^(Sig + Bits), then Bits are shifted out.
  localparam int unsigned Low = Steps * Bits;
  localparam int unsigned Acc = Sig + Low;
  localparam int unsigned N = Streams * Mults;  // one lane of every multiplier; stream-major

  logic [Streams*ndp_pkg::RankBits-1:0] root_rank_q;
  logic [Streams*TreeBits-1:0] root_sum_q;
  logic [Streams-1:0] root_carry_q;
  assign rank_o = root_rank_q;
  assign sum_o = root_sum_q;
  assign carry_o = root_carry_q;

  // Lanes, [lane * N + stream * Mults + multiplier]; x [lane * Mults + multiplier].
  logic [ndp_pkg::DecodedBits-1:0] w_q[Lanes*N];
  logic [Acc-1:0] acc_q[Lanes*N];
  logic [Sig-1:0] x_digits_q[Lanes*Mults];  // the next digit in the low bits
  logic [Exp:0] x_top_q[Lanes*Mults];       // {sign, exponent}

  // Operands of the current lane, before any register.
  logic [ndp_pkg::DecodedBits-1:0] w_d[N];
  logic [Exp:0] x_top_d[Mults];
  logic x_nan_d[Mults];
  logic [ndp_pkg::DecodedBits-1:0] x_d[Mults];

  // [h * N + i]: read h cycles ago; Hold registers.
  logic [ESum-1:0] exponent_q[(Hold+1)*N];
  logic [Prod-1:0] product_q[(Hold+1)*N];
  logic sign_q[(Hold+1)*N];

  logic [Shift-1:0] shift_q[N];

  // Trees; level l has N >> l nodes from 2N - (2N >> l) on. The last level is in the outputs.
  logic [Rank-1:0] rank_q[2*N];
  logic [TreeBits-1:0] node_q[2*N];
  logic carry_q[2*N];

  // The index of a multiplier in its lane, and the first multiplier of a lane.
  function automatic int unsigned at(input int unsigned stream, input int unsigned multiplier);
    at = stream * Mults + multiplier;
  endfunction

  function automatic int unsigned lane(input int unsigned number);
    lane = number * N;
  endfunction

  // The first node of a level of a tree; node i of a level joins nodes 2i and 2i+1 of the level below.
  function automatic int unsigned level(input int unsigned number);
    level = 2 * N - (2 * N >> number);
  endfunction

  // Joins two nodes of the adder tree: the carry of the lower node is added, that of the upper node is forwarded.
  function automatic logic [TreeBits-1:0] joined(input int unsigned lower);
    joined = node_q[lower] + node_q[lower+1] + TreeBits'(carry_q[lower]);
  endfunction

  // At age AlignAge+2+c, one level per cycle.
  task automatic add_tree();
    for (int unsigned l = Levels; l > 0; l--) begin
      if (|age_i[AlignAge+1+l+:Lanes]) begin
        if (l == Levels) begin
          for (int unsigned s = 0; s < Streams; s++) begin
            root_sum_q[s*TreeBits+:TreeBits] <= joined(level(l - 1) + 2 * s);
            root_carry_q[s] <= carry_q[level(l-1)+2*s+1];
          end
        end else begin
          for (int unsigned i = 0; i < (N >> l); i++) begin
            node_q[level(l)+i] = joined(level(l - 1) + 2 * i);
            carry_q[level(l)+i] = carry_q[level(l-1)+2*i+1];
          end
        end
      end
    end
  endtask

  // At age AlignAge+1+c: the product at the block's scale. Its lane is read Hold cycles earlier.
  task automatic align();
    if (|age_i[ReadAge+1+:Lanes]) begin
      for (int unsigned i = 0; i < N; i++) begin
        product_q[i] = '0;
        sign_q[i] = 1'b0;
      end
      for (int unsigned c = 0; c < Lanes; c++) begin
        if (age_i[ReadAge+1+c]) begin
          for (int unsigned s = 0; s < Streams; s++) begin
            for (int unsigned p = 0; p < Mults; p++) begin
              product_q[at(s, p)] = product_q[at(s, p)] | acc_q[lane(c)+at(s, p)][Prod-1:0];
              sign_q[at(s, p)] = sign_q[at(s, p)] |
                  (w_q[lane(c)+at(s, p)][ndp_pkg::SignBit] ^ x_top_q[c*Mults+p][Exp]);
            end
          end
        end
      end
    end
    if (|age_i[AlignAge+1+:Lanes]) begin
      for (int unsigned i = 0; i < N; i++) begin
        node_q[i] = TreeBits'({
          ~sign_q[Hold*N+i],
          at_scale(product_q[Hold*N+i], shift_q[i]) ^ {AlignedBits{sign_q[Hold*N+i]}}
        });
        carry_q[i] = sign_q[Hold*N+i];
      end
    end
    for (int unsigned h = Hold; h > 0; h--) begin
      for (int unsigned i = 0; i < N; i++) begin
        product_q[h*N+i] = product_q[(h-1)*N+i];
        sign_q[h*N+i] = sign_q[(h-1)*N+i];
      end
    end
  endtask

  // The upper AlignedBits of {product, guard bits} at the block's scale; lower bits are truncated.
  function automatic logic [AlignedBits-1:0] at_scale(input logic [Prod-1:0] p,
                                                      input logic [Shift-1:0] places);
    at_scale = AlignedBits'(({p, {ndp_pkg::GuardBits{1'b0}}} >> places)
                            >> (ndp_pkg::AlignedBits - AlignedBits));
  endfunction

  // Operands of the lane whose bit is 1, by a reduction over the lanes; one bit is 1 at most.
  task automatic read_lane(input logic [Lanes-1:0] read);
    for (int unsigned i = 0; i < N; i++) w_d[i] = '0;
    for (int unsigned p = 0; p < Mults; p++) begin
      x_top_d[p] = '0;
      x_nan_d[p] = 1'b0;
    end
    for (int unsigned c = 0; c < Lanes; c++) begin
      if (read[c]) begin
        for (int unsigned i = 0; i < N; i++) w_d[i] = w_d[i] | w_q[lane(c)+i];
        for (int unsigned p = 0; p < Mults; p++) begin
          x_top_d[p] = x_top_d[p] | x_top_q[c*Mults+p];
          x_nan_d[p] = x_nan_d[p] | x_digits_q[c*Mults+p][ndp_pkg::NanBit];
        end
      end
    end
  endtask

  // At age AlignAge+c: the distance below the block's largest exponent. With a special operand the difference and the
  // finite sum are meaningless; a zero has a zero product at any shift.
  task automatic align_shift();
    if (|age_i[ReadAge+:Lanes]) begin
      read_lane(age_i[ReadAge+:Lanes]);
      for (int unsigned s = 0; s < Streams; s++) begin
        for (int unsigned p = 0; p < Mults; p++) begin
          exponent_q[at(s, p)] = ESum'(w_d[at(s, p)][Sig+:Exp]) + ESum'(x_top_d[p][Exp-1:0]);
        end
      end
    end
    if (|age_i[AlignAge+:Lanes]) begin
      for (int unsigned s = 0; s < Streams; s++) begin
        for (int unsigned p = 0; p < Mults; p++) begin
          shift_q[at(s, p)] = saturate(top_i[s*Rank+:ESum] - exponent_q[Hold*N+at(s, p)]);
        end
      end
    end
    for (int unsigned h = Hold; h > 0; h--) begin
      for (int unsigned i = 0; i < N; i++) exponent_q[h*N+i] = exponent_q[(h-1)*N+i];
    end
  endtask

  function automatic logic [Shift-1:0] saturate(input logic [ESum-1:0] distance);
    saturate = (|distance[ESum-1:Shift]) ? {Shift{1'b1}} : distance[Shift-1:0];
  endfunction

  // At age Lanes+1, one level per cycle.
  task automatic rank_tree();
    for (int unsigned l = Levels; l > 0; l--) begin
      if (age_i[Lanes+l]) begin
        if (l == Levels) begin
          for (int unsigned s = 0; s < Streams; s++) begin
            root_rank_q[s*Rank+:Rank] <=
                ndp_pkg::higher(rank_q[level(l-1)+2*s], rank_q[level(l-1)+2*s+1]);
          end
        end else begin
          for (int unsigned i = 0; i < (N >> l); i++) begin
            rank_q[level(l)+i] =
                ndp_pkg::higher(rank_q[level(l-1)+2*i], rank_q[level(l-1)+2*i+1]);
          end
        end
      end
    end
  endtask

  // At age c+1: the exponent of lane c against those of the lanes before it.
  task automatic rank_lane();
    if (|age_i[1+:Lanes]) begin
      read_lane(age_i[1+:Lanes]);
      for (int unsigned s = 0; s < Streams; s++) begin
        for (int unsigned p = 0; p < Mults; p++) begin
          rank_q[at(s, p)] = ndp_pkg::higher(
              age_i[1] ? '0 : rank_q[at(s, p)],
              rank_of(w_d[at(s, p)], x_top_d[p], x_nan_d[p]));
        end
      end
    end
  endtask

  function automatic logic [Rank-1:0] rank_of(input logic [ndp_pkg::DecodedBits-1:0] wv,
                                              input logic [Exp:0] xv, input logic xn);
    logic w_special;
    logic x_special;
    logic w_zero;
    logic x_zero;
    logic nan;
    logic inf;
    logic negative;
    logic [ESum-1:0] exponents;
    w_special = &wv[Sig+:Exp];
    x_special = &xv[Exp-1:0];
    w_zero = wv[Sig+:Exp] == '0;
    x_zero = xv[Exp-1:0] == '0;
    negative = wv[ndp_pkg::SignBit] ^ xv[Exp];
    nan = (w_special & (wv[ndp_pkg::NanBit] | x_zero)) | (x_special & (xn | w_zero));
    inf = w_special | x_special;
    exponents = (ESum'(wv[Sig+:Exp]) + ESum'(xv[Exp-1:0])) & {ESum{~(inf | w_zero | x_zero)}};
    rank_of = {nan, inf & ~nan & ~negative, inf & ~nan & negative, exponents};
  endfunction

  // At ages c+1 .. c+Steps.
  task automatic multiply();
    for (int unsigned c = 0; c < Lanes; c++) begin
      if (|age_i[c+1+:Steps]) begin
        for (int unsigned s = 0; s < Streams; s++) begin
          for (int unsigned p = 0; p < Mults; p++) begin
            acc_q[lane(c)+at(s, p)] = step(acc_q[lane(c)+at(s, p)], w_q[lane(c)+at(s, p)][Sig-1:0],
                                           x_digits_q[c*Mults+p][Bits-1:0]);
          end
        end
        for (int unsigned p = 0; p < Mults; p++) begin
          x_digits_q[c*Mults+p] = x_digits_q[c*Mults+p] >> Bits;
        end
      end
    end
  endtask

  // The lower part has bits from before the product, which are shifted out with its digits: no adder reads them.
  function automatic logic [Acc-1:0] step(input logic [Acc-1:0] a, input logic [Sig-1:0] sig,
                                          input logic [Bits-1:0] digit);
    logic [Sig+Bits-1:0] upper;
    upper = (Sig + Bits)'(a[Acc-1:Low]);
    for (int unsigned k = 0; k < Bits; k++) begin
      upper = upper + ({(Sig + Bits){digit[k]}} & ((Sig + Bits)'(sig) << k));
    end
    step = Acc'({upper, a[Low-1:0]} >> Bits);
  endfunction

  function automatic logic [ndp_pkg::DecodedBits-1:0] weight_at(input int unsigned i);
    weight_at = ndp_pkg::DecodedBits'(weights_i[WeightBits*i+:WeightBits]);
  endfunction

  // At age c.
  task automatic load();
    logic [31:0] pair;
    if (load_valid_i && load_weights_i) begin
      for (int unsigned i = 0; i < N / 2; i++) begin
        pair = 32'(weights_i[2*WeightBits*i+:2*WeightBits]);
        w_d[2*i] = LowBit ? weight_at(2 * i) : ndp_pkg::decode(pair[15:0], bf16_i);
        w_d[2*i+1] = LowBit ? weight_at(2 * i + 1) : ndp_pkg::decode(pair[31:16], bf16_i);
      end
    end
    if (load_valid_i) begin
      for (int unsigned p = 0; p < Mults / 2; p++) begin
        pair = x_i[32*p+:32];
        x_d[2*p] = ndp_pkg::decode(pair[15:0], bf16_i);
        x_d[2*p+1] = ndp_pkg::decode(pair[31:16], bf16_i);
      end
    end
    for (int unsigned c = 0; c < Lanes; c++) begin
      if (load_valid_i && load_lane_i == LaneBits'(c)) begin
        if (load_weights_i) begin
          for (int unsigned i = 0; i < N; i++) w_q[lane(c)+i] = w_d[i];
        end
        for (int unsigned i = 0; i < N; i++) begin
          acc_q[lane(c)+i] = acc_q[lane(c)+i] & {{Sig{1'b0}}, {Low{1'b1}}};
        end
        for (int unsigned p = 0; p < Mults; p++) begin
          x_top_q[c*Mults+p] = x_d[p][Sig+:Exp+1];
          x_digits_q[c*Mults+p] = x_d[p][Sig-1:0];
        end
      end
    end
  endtask

`ifdef NEARDATA_REFERENCE
  // Reference of the trees: sums and ranks of a cycle, computed flat, then delayed like the trees.
  logic [TreeBits-1:0] flat_sum_q[(Levels+1)*Streams];
  logic [Rank-1:0] flat_rank_q[(Levels+1)*Streams];

  // Before all registers change.
  task automatic compare();
    for (int unsigned s = 0; s < Streams; s++) begin
      if (|age_i[AlignAge+2+Levels+:Lanes]) begin
        assert (root_sum_q[s*TreeBits+:TreeBits] + TreeBits'(root_carry_q[s]) == flat_sum_q[Levels*Streams+s])
        else $error("adder tree differs from the sum");
      end
      if (age_i[Lanes+1+Levels]) begin
        assert (root_rank_q[s*Rank+:Rank] == flat_rank_q[Levels*Streams+s])
        else $error("rank tree differs from the largest");
      end
    end
  endtask

  // After the write of the leaves.
  task automatic form_flat();
    logic [AlignedBits-1:0] aligned;
    for (int unsigned l = Levels; l > 0; l--) begin
      for (int unsigned s = 0; s < Streams; s++) begin
        flat_sum_q[l*Streams+s] = flat_sum_q[(l-1)*Streams+s];
        flat_rank_q[l*Streams+s] = flat_rank_q[(l-1)*Streams+s];
      end
    end
    for (int unsigned s = 0; s < Streams; s++) begin
      flat_sum_q[s] = TreeBits'(Mults) << AlignedBits;
      flat_rank_q[s] = '0;
      for (int unsigned p = 0; p < Mults; p++) begin
        aligned = node_q[at(s, p)][AlignedBits-1:0] ^ {AlignedBits{carry_q[at(s, p)]}};
        if (carry_q[at(s, p)]) flat_sum_q[s] = flat_sum_q[s] - TreeBits'(aligned);
        else flat_sum_q[s] = flat_sum_q[s] + TreeBits'(aligned);
        flat_rank_q[s][Rank-1:ESum] = flat_rank_q[s][Rank-1:ESum] | rank_q[at(s, p)][Rank-1:ESum];
        if (rank_q[at(s, p)][ESum-1:0] > flat_rank_q[s][ESum-1:0]) begin
          flat_rank_q[s][ESum-1:0] = rank_q[at(s, p)][ESum-1:0];
        end
      end
    end
  endtask
`endif

  always_ff @(posedge clk_i) begin
`ifdef NEARDATA_REFERENCE
    compare();
`endif
    add_tree();
    align();
    align_shift();
    rank_tree();
    rank_lane();
`ifdef NEARDATA_REFERENCE
    form_flat();
`endif
    multiply();
    load();
  end

  if (Mults < 2 || (Mults & (Mults - 1)) != 0) begin : gen_bad_mults
    $error("ndp_gemv_bank: Mults must be a power of two and at least 2");
  end
endmodule
