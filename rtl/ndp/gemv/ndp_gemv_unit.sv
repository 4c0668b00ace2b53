// SPDX-License-Identifier: Apache-2.0
// The GEMV array with its accumulators: a slot multiplies one block of Mults * Lanes weights of each of Streams
// rows by the activations of one token. No back-pressure; the latency is fixed.
// - Lanes 0 .. Lanes-1 are loaded in consecutive cycles; the next lane-0 load is at least
//   ndp_pkg::slot_cycles after the previous one. Without load_weights_i a lane reuses its weights. Element k of
//   a block: lane k / Mults, multiplier k % Mults.
// - meta_i, token_i, first_i, last_i are sampled with lane 0. first_i starts the row group's accumulators of
//   the token, last_i requests the results.
// - res_valid_o is high for one cycle, ndp_pkg::gemv_latency after the lane-0 load of a slot with last_i, with
//   one result per stream (stream 0 in the low bits) and meta_i of that slot.
// - bf16_i and format_i are stable while busy_o. busy_o rises in the cycle after a load and falls when all
//   results have left.
// - With LowBit, weights may have fewer than 16 bits (ndp_pkg; their layout in a word: ndp_weight_scales). The
//   scales of the next blocks arrive on weights_i with load_scales_i, at the latest in the cycle before the
//   lane-0 load of their first block. next_valid_i precedes each load by one cycle: next_lane_i is the lane,
//   block_i selects one of the blocks of the scales, and factor_i is the factor of an NVFP4 matrix.
`include "assert.svh"

module ndp_gemv_unit #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Mults = 32,  // of one stream
  parameter int unsigned Lanes = 8,
  parameter int unsigned Bits = 1,    // of x a cycle
  parameter int unsigned MaxTokens = 64,
  parameter int unsigned MetaBits = 16,
  parameter int unsigned Banks = 1,
  parameter int unsigned LowBit = 0,
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits,
  localparam int unsigned LaneBits = $clog2(Lanes),
  localparam int unsigned TokenBits = $clog2(MaxTokens)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        bf16_i,
  input  logic [2:0]                  format_i,  // of the weights
  input  logic                        load_scales_i,
  input  logic                        load_valid_i,
  input  logic [LaneBits-1:0]         load_lane_i,
  input  logic                        load_weights_i,
  input  logic                        next_valid_i,
  input  logic [LaneBits-1:0]         next_lane_i,
  input  logic [2:0]                  block_i,
  input  logic [31:0]                 factor_i,
  input  logic [Mults*16-1:0]         x_i,
  input  logic [Streams*Mults*16-1:0] weights_i,
  input  logic [MetaBits-1:0]         meta_i,
  input  logic [TokenBits-1:0]        token_i,
  input  logic                        first_i,
  input  logic                        last_i,
  output logic                        res_valid_o,
  output logic [Streams*16-1:0]       res_data_o,
  output logic [MetaBits-1:0]         res_meta_o,
  output logic                        busy_o
);
  localparam bit Low = LowBit != 0;
  localparam int unsigned Slot = ndp_pkg::slot_cycles(Bits);
  localparam int unsigned SumBits = ndp_pkg::sum_bits(Mults, Lanes) - ndp_pkg::AlignedBits + AlignedBits;
  localparam int unsigned Latency = ndp_pkg::gemv_latency(Streams, Mults, Lanes, Bits, Low);
  localparam int unsigned WeightBits = Low ? ndp_pkg::DecodedBits : ndp_pkg::OperandBits;
  localparam int unsigned Factors = Streams * ndp_pkg::ScaleBits;
  localparam int unsigned RingBits = $clog2(Latency / Slot + 1);  // slots in flight at once

  logic start;
  logic sums_valid;
  logic halves;
  logic [Streams*Mults*WeightBits-1:0] weights;
  logic [Streams*SumBits-1:0] sums;
  logic [Streams*SumBits-1:0] rest;
  logic [Factors-1:0] factors;
  logic [Streams*ndp_pkg::RankBits-1:0] ranks;
  logic array_busy;
  logic root_busy;
  logic done;
  logic last;

  assign start = load_valid_i && load_lane_i == '0;
  assign busy_o = array_busy || root_busy;

  ndp_gemv_array #(
    .Streams(Streams),
    .Mults(Mults),
    .Lanes(Lanes),
    .Bits(Bits),
    .Banks(Banks),
    .AlignedBits(AlignedBits),
    .LowBit(Low)
  ) u_array (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .bf16_i(bf16_i),
    .halves_i(halves),
    .load_valid_i(load_valid_i),
    .load_lane_i(load_lane_i),
    .load_weights_i(load_weights_i),
    .x_i(x_i),
    .weights_i(weights),
    .sums_valid_o(sums_valid),
    .sums_o(sums),
    .rest_o(rest),
    .ranks_o(ranks),
    .busy_o(array_busy)
  );

  // Slots leave the array and the root in the order of arrival.
  logic [RingBits-1:0] start_q;
  logic [RingBits-1:0] sums_q;
  logic [RingBits-1:0] done_q;
  logic [TokenBits-1:0] tokens_q[1<<RingBits];
  logic [MetaBits-1:0] metas_q[1<<RingBits];
  logic [(1<<RingBits)-1:0] firsts_q;
  logic [(1<<RingBits)-1:0] lasts_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= '0;
      sums_q <= '0;
      done_q <= '0;
    end else begin
      start_q <= start_q + RingBits'(start);
      sums_q <= sums_q + RingBits'(sums_valid);
      done_q <= done_q + RingBits'(done);
    end
    if (start) begin
      tokens_q[start_q] <= token_i;
      metas_q[start_q] <= meta_i;
      firsts_q[start_q] <= first_i;
      lasts_q[start_q] <= last_i;
    end
  end

  if (Low) begin : gen_low_bit
    logic [Factors-1:0] block_factors;
    logic [Factors-1:0] slot_factors_q[1<<RingBits];
    logic [RingBits-1:0] root_q;  // the slot whose streams the root processes

    assign halves = format_i != ndp_pkg::WeightsWide;

    ndp_weight_scales #(
      .Streams(Streams),
      .Mults(Mults),
      .Lanes(Lanes)
    ) u_scales (
      .clk_i(clk_i),
      .bf16_i(bf16_i),
      .format_i(format_i),
      .load_scales_i(load_scales_i),
      .next_valid_i(next_valid_i),
      .next_lane_i(next_lane_i),
      .block_i(block_i),
      .factor_i(factor_i),
      .part_i(load_lane_i[1:0]),
      .weights_i(weights_i),
      .weights_o(weights),
      .factors_o(block_factors)
    );

    always_ff @(posedge clk_i) begin
      if (next_valid_i && next_lane_i == '0) slot_factors_q[start_q] <= block_factors;
      if (sums_valid) root_q <= sums_q;
    end
    assign factors = slot_factors_q[sums_valid ? sums_q : root_q];
  end else begin : gen_wide
    assign halves = 1'b0;
    assign weights = weights_i;
    assign factors = '0;
  end

  ndp_slot_root #(
    .Streams(Streams),
    .SumBits(SumBits),
    .AlignedBits(AlignedBits),
    .MaxTokens(MaxTokens),
    .LowBit(Low)
  ) u_root (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .bf16_i(bf16_i),
    .format_i(format_i),
    .halves_i(halves),
    .valid_i(sums_valid),
    .token_i(tokens_q[sums_q]),
    .first_i(firsts_q[sums_q]),
    .sums_i(sums),
    .rest_i(rest),
    .ranks_i(ranks),
    .factors_i(factors),
    .done_o(done),
    .results_o(res_data_o),
    .busy_o(root_busy)
  );

  assign last = lasts_q[done_q];
  assign res_valid_o = done && last;
  assign res_meta_o = metas_q[done_q];

  // The contract of the loads.
`ifdef NEARDATA_ASSERT
  logic [LaneBits-1:0] load_lane_q;
  logic load_valid_q, busy_q, bf16_q, next_q;
  logic [LaneBits-1:0] next_lane_q;
  logic [$bits(format_i)-1:0] format_q;
  int unsigned since_start_q;
  always_ff @(posedge clk_i) begin
    load_lane_q <= load_lane_i;
    load_valid_q <= load_valid_i;
    busy_q <= rst_ni && busy_o;
    bf16_q <= bf16_i;
    next_q <= next_valid_i;
    next_lane_q <= next_lane_i;
    format_q <= format_i;
    if (!rst_ni) since_start_q <= Slot;
    else since_start_q <= start ? 1 : since_start_q + 32'(since_start_q < Slot);
  end
`endif
  `NEXT(LanesInOrder_A, load_valid_i && load_lane_i != LaneBits'(Lanes - 1),
        load_valid_i && load_lane_i == load_lane_q + LaneBits'(1))
  `IMPLIES(LanesBegin_A, load_valid_i && load_lane_i != '0, load_valid_q)
  `IMPLIES(SlotsApart_A, start, since_start_q >= Slot)
  `IMPLIES(FormatStable_A, busy_o && busy_q, bf16_i == bf16_q)
  `IMPLIES(NextLane_A, Low && load_valid_i, next_q && load_lane_i == next_lane_q)
  `IMPLIES(FirstBlock_A, Low && load_scales_i && next_valid_i, next_lane_i == '0 && block_i == '0)
  `IMPLIES(WeightsStable_A, Low && busy_o && busy_q, format_i == format_q)

  if (Streams != 1 && Streams != 2 && Streams != 4 && Streams != 8) begin : gen_bad_streams
    $error("ndp_gemv_unit: Streams must be 1, 2, 4 or 8");
  end
  if (Mults != 4 && Mults != 8 && Mults != 16 && Mults != 32) begin : gen_bad_mults
    $error("ndp_gemv_unit: Mults must be 4, 8, 16 or 32");
  end
  if (Lanes != 2 && Lanes != 4 && Lanes != 8) begin : gen_bad_lanes
    $error("ndp_gemv_unit: Lanes must be 2, 4 or 8");
  end
  if (Bits != 1 && Bits != 2) begin : gen_bad_bits
    $error("ndp_gemv_unit: Bits must be 1 or 2: the accumulation takes AccumulateLoop cycles");
  end
  if (LowBit > 1 || (Low && (Mults != 32 || Lanes != 8))) begin : gen_bad_low_bit
    $error("ndp_gemv_unit: LowBit must be 0 or 1, and 1 needs 32 multipliers of 8 lanes");
  end
  if (Slot < Lanes) begin : gen_bad_slot
    $error("ndp_gemv_unit: a slot must have a cycle for each lane");
  end
  if (Slot < Streams || Slot < ndp_pkg::AccumulateLoop) begin : gen_bad_root
    $error("ndp_gemv_unit: the root takes one stream a cycle and must be done before the next slot");
  end
  if (Mults * Lanes < 32) begin : gen_bad_block
    $error("ndp_gemv_unit: a block must be at least one burst of 32 values");
  end
endmodule
