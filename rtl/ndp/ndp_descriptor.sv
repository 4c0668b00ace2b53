// SPDX-License-Identifier: Apache-2.0
// Accepts descriptors and answers each when its work ends, in order; at most Descriptors are between the two.
// An accepted descriptor waits here for its set-up cycle (setup_o): the first cycle after acceptance in which
// the previous plan may be replaced (plan_held_i is low). In that cycle the plan is derived from the stored
// words; it is valid from the next cycle on.
// With one descriptor, desc_ready_o is high exactly while no descriptor runs.
// A descriptor with a field that breaks a rule (ndp_descriptor_check) is refused in the set-up cycle: no work
// starts, and done_field_o names the field. The answer to a refused descriptor waits for earlier answers, and
// the set-up of the next descriptor waits for that answer.
`include "assert.svh"
module ndp_descriptor #(
  parameter int unsigned Streams = 8,
  parameter int unsigned BurstsPerBlock = 8,
  parameter int unsigned ActLanes = 256,
  parameter int unsigned MaxTokens = 64,
  parameter int unsigned BufferWords = 4096,
  parameter bit LowBit = 1'b0,
  parameter int unsigned Descriptors = 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              desc_valid_i,
  output logic                              desc_ready_o,
  input  logic [dimm_ndp_pkg::DescBits-1:0] desc_i,
  output logic                              done_valid_o,
  input  logic                              done_ready_i,
  output logic [dimm_ndp_pkg::FieldBits-1:0] done_field_o,  // FieldNone unless the descriptor is refused
  output logic                              accepted_o,  // the cycle after each handshake
  output logic                              finished_o,
  input  logic                              plan_held_i,  // plan_o is stable
  output logic                              setup_o,
  output logic                              start_o,     // in that cycle, if the descriptor is not refused
  output dimm_ndp_pkg::plan_t               plan_o,
  input  logic                              done_i  // the last output of the oldest descriptor has left
);
  localparam int unsigned StreamBits = $clog2(Streams);
  localparam int unsigned BlockShift = $clog2(BurstsPerBlock);
  localparam int unsigned ActShift = $clog2(ActLanes / dimm_ndp_pkg::ValuesPerBurst);
  localparam int unsigned BurstShift = $clog2(dimm_ndp_pkg::ValuesPerBurst);
  localparam int unsigned RB = dimm_ndp_pkg::RowBits;
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned FlightBits = $clog2(Descriptors + 1);

  logic accepted_q, finished_q;
  assign accepted_o = accepted_q;
  assign finished_o = finished_q;

  logic words_q;                       // desc_q waits for its set-up cycle
  logic refused_q;                     // the newest that was set up is refused, for field_q
  logic [FlightBits-1:0] in_flight_q;  // accepted and not answered
  logic [FlightBits-1:0] running_q;    // of them, started
  logic [FlightBits-1:0] ended_q;      // of them, done
  logic [dimm_ndp_pkg::DescBits-1:0] desc_q;
  dimm_ndp_pkg::plan_t plan_q, plan_d;
  logic [dimm_ndp_pkg::FieldBits-1:0] field, field_q;
  logic accept, finish, refuse, ends, ended, ok;

  assign ends = done_i && ended_q != running_q;
  assign ended = ended_q != '0;
  assign desc_ready_o = !words_q && in_flight_q != FlightBits'(Descriptors);
  assign done_valid_o = ended || (refused_q && running_q == '0);
  assign setup_o = words_q && !refused_q && !plan_held_i;
  assign start_o = setup_o && ok;
  assign refuse = setup_o && !ok;
  assign done_field_o = refused_q && !ended ? field_q : dimm_ndp_pkg::FieldNone;
  assign plan_o = plan_q;
  assign accept = desc_valid_i & desc_ready_o;
  assign finish = done_valid_o & done_ready_i;

  ndp_descriptor_check #(
    .Streams(Streams),
    .BurstsPerBlock(BurstsPerBlock),
    .ActLanes(ActLanes),
    .MaxTokens(MaxTokens),
    .BufferWords(BufferWords),
    .LowBit(LowBit)
  ) u_check (
    .clk_i(clk_i),
    .load_i(accept),
    .desc_i(desc_i),
    .ok_o(ok),
    .field_o(field)
  );

  logic [31:0] mode;
  logic [CB-1:0] mid_blocks, down_blocks;

  // Bursts of a row: its codes, and a burst of scales before each four or eight blocks.
  function automatic logic [CB-1:0] low_bursts(input logic [CB-1:0] blocks,
                                               input logic [2:0] weights);
    low_bursts = (blocks << (2'(BlockShift) - ndp_pkg::burst_lanes_shift(weights)))
        + ((blocks + ~({CB{1'b1}} << ndp_pkg::scaled_blocks_shift(weights)))
           >> ndp_pkg::scaled_blocks_shift(weights));
  endfunction

  assign mode = desc_q[32*dimm_ndp_pkg::DescMode+:32];
  assign mid_blocks = desc_q[32*dimm_ndp_pkg::DescMidBlocks+:CB];

  always_comb begin
    plan_d.x_base = desc_q[32*dimm_ndp_pkg::DescXBase+:32];
    plan_d.x_stride = desc_q[32*dimm_ndp_pkg::DescXStride+:32];
    plan_d.gate_base = desc_q[32*dimm_ndp_pkg::DescGateBase+:32];
    plan_d.up_base = desc_q[32*dimm_ndp_pkg::DescUpBase+:32];
    plan_d.gu_stride = desc_q[32*dimm_ndp_pkg::DescGuStride+:32];
    plan_d.down_base = desc_q[32*dimm_ndp_pkg::DescDownBase+:32];
    plan_d.down_stride = desc_q[32*dimm_ndp_pkg::DescDownStride+:32];
    plan_d.y_base = desc_q[32*dimm_ndp_pkg::DescYBase+:32];
    plan_d.y_stride = desc_q[32*dimm_ndp_pkg::DescYStride+:32];
    plan_d.mid_rows = desc_q[32*dimm_ndp_pkg::DescMidRows+:32];
    plan_d.mid_groups = (plan_d.mid_rows + RB'(Streams - 1)) >> StreamBits;
    plan_d.out_rows = desc_q[32*dimm_ndp_pkg::DescOutRows+:32];
    plan_d.out_groups = (plan_d.out_rows + RB'(Streams - 1)) >> StreamBits;
    plan_d.out_words = (plan_d.out_rows + RB'(dimm_ndp_pkg::ValuesPerBurst - 1)) >> BurstShift;
    plan_d.tokens = desc_q[32*dimm_ndp_pkg::DescTokens+:CB];
    plan_d.pass_tokens = desc_q[32*dimm_ndp_pkg::DescPassTokens+:CB];
    plan_d.in_blocks = desc_q[32*dimm_ndp_pkg::DescInBlocks+:CB];
    plan_d.in_words = plan_d.in_blocks << BlockShift;
    plan_d.mid_words = mid_blocks << BlockShift;
    plan_d.op = mode[1:0];
    plan_d.weights = LowBit ? mode[14:12] : ndp_pkg::WeightsWide;
    down_blocks = plan_d.op == dimm_ndp_pkg::OpLinear ? plan_d.in_blocks : mid_blocks;
    plan_d.down_words = down_blocks << BlockShift;
    if (plan_d.weights == ndp_pkg::WeightsWide) begin
      plan_d.gu_blocks = plan_d.in_blocks;
      plan_d.down_blocks = down_blocks;
      plan_d.gu_bursts = plan_d.in_words;
      plan_d.down_bursts = plan_d.down_words;
      plan_d.gu_repeats = '0;
      plan_d.down_repeats = '0;
    end else begin
      plan_d.gu_blocks = desc_q[32*dimm_ndp_pkg::DescInWeights+:CB];
      plan_d.down_blocks = desc_q[32*dimm_ndp_pkg::DescMidWeights+:CB];
      plan_d.gu_bursts = low_bursts(plan_d.gu_blocks, plan_d.weights);
      plan_d.down_bursts = low_bursts(plan_d.down_blocks, plan_d.weights);
      plan_d.gu_repeats = mode[16+:dimm_ndp_pkg::RepeatBits];
      plan_d.down_repeats = mode[24+:dimm_ndp_pkg::RepeatBits];
    end
    plan_d.gate_factor = LowBit ? desc_q[32*dimm_ndp_pkg::DescGateFactor+:32] : '0;
    plan_d.up_factor = LowBit ? desc_q[32*dimm_ndp_pkg::DescUpFactor+:32] : '0;
    plan_d.down_factor = LowBit ? desc_q[32*dimm_ndp_pkg::DescDownFactor+:32] : '0;
    plan_d.h_word = desc_q[32*dimm_ndp_pkg::DescHWord+:CB];
    plan_d.c_word = desc_q[32*dimm_ndp_pkg::DescCWord+:CB];
    plan_d.half_words = plan_d.pass_tokens << ActShift;
    plan_d.func = mode[6:4];
    plan_d.up_plus_one = mode[7];
    plan_d.limit = desc_q[32*dimm_ndp_pkg::DescHWord+16+:dimm_ndp_pkg::LimitBits];
    plan_d.bf16 = mode[8];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      words_q <= 1'b0;
      refused_q <= 1'b0;
      in_flight_q <= '0;
      running_q <= '0;
      ended_q <= '0;
      accepted_q <= 1'b0;
      finished_q <= 1'b0;
    end else begin
      if (accept) words_q <= 1'b1;
      else if (setup_o) words_q <= 1'b0;
      if (refuse) refused_q <= 1'b1;
      else if (finish && !ended) refused_q <= 1'b0;
      in_flight_q <= in_flight_q + FlightBits'(accept) - FlightBits'(finish);
      running_q <= running_q + FlightBits'(start_o) - FlightBits'(finish && ended);
      ended_q <= ended_q + FlightBits'(ends) - FlightBits'(finish && ended);
      accepted_q <= accept;
      finished_q <= finish;
    end
    if (accept) desc_q <= desc_i;
    if (setup_o) plan_q <= plan_d;
    if (refuse) field_q <= field;
  end

  `HOLDS(AllCounted_A, in_flight_q == running_q + FlightBits'(words_q) + FlightBits'(refused_q))
endmodule
