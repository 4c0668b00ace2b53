// SPDX-License-Identifier: Apache-2.0
// Walks a descriptor slot by slot: pass, matrix rows, k blocks, tokens. Timing:
// - A slot starts in cycle t (slot_o) when SlotCycles have passed since the last start, its phase is active,
//   its weights are complete in every queue (first token of a block only) and its chunk owns a half of the
//   buffer. The first slot of a chunk acquires a half; the drain releases it.
// - Its operand and weight reads are in cycles t+1 .. t+Lanes, one lane per cycle (read_o); the array is loaded
//   one cycle after each read (load_o). Weights are freed (free_o) with the last lane. If a slot has no spare
//   cycle, they are freed with the lane before it, so that the next slot sees its weights.
// - Low-bit weights are read once for the lanes of a burst. A burst of scales precedes each eight blocks of a
//   row (four of NVFP4). When it is in every queue, a cycle that would start their first slot consumes it
//   (scales_o); it is read in the next cycle, in which the slot may start.
// - Load ends with x_done_i; the next phase is active in the next cycle. Gate/up ends with the start of its
//   last slot; the first slot of down waits until all chunks are drained (H is complete). After the last slot
//   of a pass the next pass loads at once, behind the reads of that slot.
// - With more than one descriptor (pending_i: next_plan_i is the next plan) the tail ends early. The sequencer
//   accepts the next plan (takes_o) when its inputs and hidden rows overwrite no undrained results; if its
//   formats differ, the array must be empty as well. Its first slot waits for the drain unless its chunk halves
//   equal those of the previous plan or are below them.
// - A chunk is ActLanes rows (fewer at the end of a matrix) of gate and up, or of the output.
`include "assert.svh"
module ndp_sequencer #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Lanes = 8,
  parameter int unsigned SlotCycles = 16,
  parameter int unsigned BurstsPerBlock = 8,
  parameter int unsigned ActLanes = 256,
  parameter int unsigned MaxTokens = 64,
  parameter int unsigned BufferAddrBits = 12,
  parameter bit LowBit = 1'b0,
  parameter int unsigned Descriptors = 1,
  localparam int unsigned LaneBits = $clog2(Lanes),
  localparam int unsigned TokenBits = $clog2(MaxTokens),
  localparam int unsigned PartIndexBits = $clog2(dimm_ndp_pkg::ValuesPerBurst / Streams),
  localparam int unsigned MetaBits = BufferAddrBits + PartIndexBits + 1,
  localparam int unsigned ScaledBits = $clog2(dimm_ndp_pkg::ScaledBlocks)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               setup_i,  // the plan is valid from the next cycle on
  input  logic                               pending_i,
  input  dimm_ndp_pkg::plan_t                next_plan_i,
  output logic                               takes_o,  // plan_i is next_plan_i from the next cycle on
  input  dimm_ndp_pkg::plan_t                plan_i,
  output dimm_ndp_pkg::phase_e               phase_o,
  output logic                               start_o,         // first cycle of a descriptor
  output logic                               pass_start_o,    // first cycle of a pass
  output logic [dimm_ndp_pkg::CountBits-1:0] pass_tokens_o,   // tokens of the pass
  input  logic                               x_done_i,
  input  logic                               block_valid_i,   // of all streams
  input  logic                               scales_valid_i,  // of all streams
  input  logic                               chunk_freed_i,   // strobe: the drain releases a half
  input  logic                               drain_waits_i,   // for the previous descriptor
  input  logic                               array_busy_i,
  output logic                               moving_o,        // the phase changes
  output logic                               slot_o,
  output logic                               slot_weights_o,  // the slot loads new weights
  output logic                               busy_o,          // a cycle of some slot
  output logic                               wait_chunk_o,    // the next slot waits for the drain
  output logic                               read_o,
  output logic [LaneBits-1:0]                read_lane_o,
  output logic [ScaledBits-1:0]              read_block_o,    // of the blocks of a burst of scales
  output logic [31:0]                        read_factor_o,   // of the matrix
  output logic                               read_weights_o,
  output logic [LaneBits-1:0]                read_burst_o,    // of a block of weights
  output logic [BufferAddrBits-1:0]          read_addr_o,
  output logic                               free_o,
  output logic                               scales_o,
  output logic                               read_scales_o,
  output logic                               load_scales_o,
  output logic                               load_o,
  output logic                               load_weights_o,
  output logic [LaneBits-1:0]                load_lane_o,
  output logic [TokenBits-1:0]               load_token_o,
  output logic                               load_first_o,
  output logic                               load_last_o,
  output logic [MetaBits-1:0]                load_meta_o      // {chunk complete, part, word}
);
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned RB = dimm_ndp_pkg::RowBits;
  localparam int unsigned AB = BufferAddrBits;
  localparam int unsigned ChunkGroups = ActLanes / Streams;  // row groups of a chunk
  localparam int unsigned GroupBits = $clog2(ChunkGroups);
  localparam int unsigned ActShift = $clog2(ActLanes / dimm_ndp_pkg::ValuesPerBurst);
  localparam int unsigned CoolBits = $clog2(SlotCycles);
  localparam int unsigned LanesPerWordShift = $clog2(Lanes / BurstsPerBlock);
  localparam int unsigned FreeLane = SlotCycles > Lanes ? Lanes - 1 : Lanes - 2;

  logic read_scales_q, load_scales_q, load_q, load_weights_q;
  logic [LaneBits-1:0] load_lane_q;
  logic [TokenBits-1:0] load_token_q;
  logic load_first_q, load_last_q;
  logic [MetaBits-1:0] load_meta_q;
  assign read_scales_o = read_scales_q;
  assign load_scales_o = load_scales_q;
  assign load_o = load_q;
  assign load_weights_o = load_weights_q;
  assign load_lane_o = load_lane_q;
  assign load_token_o = load_token_q;
  assign load_first_o = load_first_q;
  assign load_last_o = load_last_q;
  assign load_meta_o = load_meta_q;

  dimm_ndp_pkg::phase_e phase_q, phase_d;
  logic start_q, pass_start_q;
  logic [CB-1:0] tokens_left_q, pass_tokens;

  // The next slot.
  logic [CB-1:0] token_q, block_q;
  logic [dimm_ndp_pkg::RepeatBits-1:0] repeat_q;  // blocks of weights used with this operand block
  logic scales_q;                 // the scales of the block are read
  logic up_q;                     // up matrix of a gated expert
  logic [RB-1:0] row_q;           // row group
  logic [GroupBits-1:0] group_q;  // row group inside the chunk
  logic half_q;
  logic [AB-1:0] block_addr_q;    // operand block of the first token
  logic [AB-1:0] token_addr_q;    // operand block of this token
  logic [1:0] undrained_q;        // acquired halves
  logic [CoolBits-1:0] cool_q;    // cycles until a slot may start

  // The slot being read, and the lane being loaded one cycle behind it.
  logic read_q, read_weights_q;
  logic [LaneBits-1:0] lane_q;
  logic [AB-1:0] operand_q;
  logic [TokenBits-1:0] slot_token_q;
  logic slot_first_q, slot_last_q;
  logic [ScaledBits-1:0] slot_block_q;
  logic [31:0] slot_factor_q;
  logic [MetaBits-1:0] slot_meta_q;

  logic down, slots_on, first_of_chunk, first_of_phase, chunk_ready, weights_ready, start, take_half;
  logic low, wants_scales, next_operand;
  logic [1:0] burst_lanes_shift;
  logic last_token, last_block, row_done, last_row, chunk_done, phase_done, pass_is_last;
  logic [CB-1:0] row_blocks;
  logic [CB-1:0] row_words;
  logic [ScaledBits-1:0] scaled_mask;  // of the number of a block among those of its burst of scales
  logic [31:0] factor;
  logic [AB-1:0] operand_base, result_base, result_word;
  logic lane_last;
  logic next_loads;      // the next descriptor may load
  logic wait_drained_q;  // its first chunk waits until the earlier chunks are drained

  assign down = phase_q == dimm_ndp_pkg::PhaseDown;
  assign slots_on = down || phase_q == dimm_ndp_pkg::PhaseGateUp;
  assign row_blocks = down ? plan_i.down_blocks : plan_i.gu_blocks;
  assign row_words = down ? plan_i.down_words : plan_i.in_words;
  assign operand_base = down && plan_i.op != dimm_ndp_pkg::OpLinear ? AB'(plan_i.h_word) : '0;
  assign pass_tokens = tokens_left_q < plan_i.pass_tokens ? tokens_left_q : plan_i.pass_tokens;
  assign pass_is_last = tokens_left_q == pass_tokens;

  // Start of a slot.
  assign first_of_chunk = token_q == 0 && block_q == 0 && group_q == 0 && !up_q;
  assign first_of_phase = first_of_chunk && row_q == 0;
  always_comb begin
    chunk_ready = 1'b1;
    if (first_of_chunk) chunk_ready = undrained_q != 2'd2;
    if (first_of_phase && down && plan_i.op != dimm_ndp_pkg::OpLinear)
      chunk_ready = undrained_q == 2'd0;
    if (first_of_chunk && wait_drained_q) chunk_ready = undrained_q == 2'd0;
  end
  assign low = LowBit && plan_i.weights != ndp_pkg::WeightsWide;
  assign scaled_mask = ~({ScaledBits{1'b1}} << ndp_pkg::scaled_blocks_shift(plan_i.weights));
  assign wants_scales = low && token_q == 0 && (block_q[ScaledBits-1:0] & scaled_mask) == '0 && !scales_q;
  assign weights_ready = (block_valid_i && !wants_scales) || token_q != 0;
  assign take_half = start && first_of_chunk;
  assign start = slots_on && cool_q == 0 && chunk_ready && weights_ready;
  assign scales_o = slots_on && cool_q == 0 && chunk_ready && wants_scales && scales_valid_i;

  always_comb begin
    if (!LowBit) factor = '0;
    else if (down) factor = plan_i.down_factor;
    else if (up_q || plan_i.op == dimm_ndp_pkg::OpUngated) factor = plan_i.up_factor;
    else factor = plan_i.gate_factor;
  end

  // The loops that end with this slot.
  assign next_operand = !low || repeat_q == (down ? plan_i.down_repeats : plan_i.gu_repeats);
  assign last_token = token_q == pass_tokens - 1'b1;
  assign last_block = block_q == row_blocks - 1'b1;
  assign row_done = last_token && last_block && (down || up_q || plan_i.op != dimm_ndp_pkg::OpGated);
  assign last_row = row_q == (down ? plan_i.out_groups : plan_i.mid_groups) - 1'b1;
  assign chunk_done = row_done && (last_row || group_q == GroupBits'(ChunkGroups - 1));
  assign phase_done = start && row_done && last_row;

  // The address of its result: chunk halves store {half, up, token, row}.
  always_comb begin
    unique case ({half_q, up_q})
      2'b00: result_base = '0;
      2'b01: result_base = AB'(plan_i.half_words);
      2'b10: result_base = AB'(plan_i.half_words << 1);
      default: result_base = AB'(plan_i.half_words << 1) + AB'(plan_i.half_words);
    endcase
  end
  assign result_word = AB'(plan_i.c_word) + result_base + AB'(token_q << ActShift)
                       + (AB'(group_q) >> PartIndexBits);

  always_comb begin
    phase_d = phase_q;
    unique case (phase_q)
      dimm_ndp_pkg::PhaseIdle: if (setup_i || pending_i) phase_d = dimm_ndp_pkg::PhaseSetup;
      dimm_ndp_pkg::PhaseSetup: phase_d = dimm_ndp_pkg::PhaseLoad;
      dimm_ndp_pkg::PhaseLoad:
      if (x_done_i) begin
        phase_d = plan_i.op == dimm_ndp_pkg::OpLinear ? dimm_ndp_pkg::PhaseDown
                                                      : dimm_ndp_pkg::PhaseGateUp;
      end
      dimm_ndp_pkg::PhaseGateUp: if (phase_done) phase_d = dimm_ndp_pkg::PhaseDown;
      dimm_ndp_pkg::PhaseDown:
      if (phase_done) begin
        phase_d = pass_is_last ? dimm_ndp_pkg::PhaseTail : dimm_ndp_pkg::PhaseLoad;
      end
      dimm_ndp_pkg::PhaseTail:
      if (next_loads) phase_d = dimm_ndp_pkg::PhaseSetup;
      else if (undrained_q == 2'd0) phase_d = dimm_ndp_pkg::PhaseIdle;
      default: phase_d = dimm_ndp_pkg::PhaseIdle;
    endcase
  end

  // Inputs and hidden rows are below the chunk halves. The slot that is read needs only the format.
  if (Descriptors > 1) begin : gen_next
    logic same_format, same_halves, below, drained;
    logic [CB:0] next_end;
    assign drained = undrained_q == 2'd0;
    assign same_format = next_plan_i.bf16 == plan_i.bf16
        && (!LowBit || next_plan_i.weights == plan_i.weights);
    assign same_halves = next_plan_i.c_word == plan_i.c_word
        && next_plan_i.half_words == plan_i.half_words;
    assign next_end = (CB + 1)'(next_plan_i.c_word) + ((CB + 1)'(next_plan_i.half_words) << 2);
    assign below = next_end <= (CB + 1)'(plan_i.c_word);
    assign next_loads = pending_i && !drain_waits_i
        && (same_format || (!read_q && !load_q && !array_busy_i))
        && (drained || next_plan_i.c_word <= plan_i.c_word);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) wait_drained_q <= 1'b0;
      else if (takes_o) wait_drained_q <= !(drained || same_halves || below);
      else if (start) wait_drained_q <= 1'b0;
    end
  end else begin : gen_last
    assign next_loads = 1'b0;
    assign wait_drained_q = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q <= dimm_ndp_pkg::PhaseIdle;
      start_q <= 1'b0;
      pass_start_q <= 1'b0;
      undrained_q <= 2'd0;
      cool_q <= '0;
      half_q <= 1'b0;
      scales_q <= 1'b0;
      read_scales_q <= 1'b0;
      load_scales_q <= 1'b0;
    end else begin
      phase_q <= phase_d;
      scales_q <= scales_o || (scales_q && !start);
      read_scales_q <= scales_o;
      load_scales_q <= read_scales_q;
      start_q <= phase_q == dimm_ndp_pkg::PhaseSetup;
      pass_start_q <= phase_d == dimm_ndp_pkg::PhaseLoad && phase_q != dimm_ndp_pkg::PhaseLoad;
      undrained_q <= undrained_q + 2'(take_half) - 2'(chunk_freed_i);
      if (start) cool_q <= CoolBits'(SlotCycles - 1);
      else if (cool_q != 0) cool_q <= cool_q - 1'b1;
      if (start && chunk_done) half_q <= ~half_q;
    end
  end

  // The next slot: token, block, matrix, row group.
  always_ff @(posedge clk_i) begin
    if (phase_q == dimm_ndp_pkg::PhaseSetup) begin
      tokens_left_q <= next_plan_i.tokens;
    end else if (phase_done && down) begin
      tokens_left_q <= tokens_left_q - pass_tokens;
    end
    if (phase_q == dimm_ndp_pkg::PhaseLoad || phase_done) begin
      token_q <= '0;
      block_q <= '0;
      repeat_q <= '0;
      up_q <= 1'b0;
      row_q <= '0;
      group_q <= '0;
      block_addr_q <= down || phase_q == dimm_ndp_pkg::PhaseLoad ? '0 : AB'(plan_i.h_word);
      token_addr_q <= down || phase_q == dimm_ndp_pkg::PhaseLoad ? '0 : AB'(plan_i.h_word);
    end else if (start) begin
      if (!last_token) begin
        token_q <= token_q + 1'b1;
        token_addr_q <= token_addr_q + AB'(row_words);
      end else begin
        token_q <= '0;
        repeat_q <= next_operand ? '0 : repeat_q + 1'b1;
        if (!last_block) begin
          block_q <= block_q + 1'b1;
          block_addr_q <= block_addr_q + (next_operand ? AB'(BurstsPerBlock) : '0);
          token_addr_q <= block_addr_q + (next_operand ? AB'(BurstsPerBlock) : '0);
        end else begin
          block_q <= '0;
          block_addr_q <= operand_base;
          token_addr_q <= operand_base;
          up_q <= ~row_done;
          if (row_done) begin
            row_q <= row_q + 1'b1;
            group_q <= chunk_done ? '0 : group_q + 1'b1;
          end
        end
      end
    end
  end

  // Reads of the running slot, loads one cycle behind.
  assign lane_last = lane_q == LaneBits'(Lanes - 1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      load_q <= 1'b0;
    end else begin
      if (start) read_q <= 1'b1;
      else if (lane_last) read_q <= 1'b0;
      load_q <= read_q;
    end
    if (start) begin
      lane_q <= '0;
      operand_q <= token_addr_q;
      read_weights_q <= token_q == 0;
      slot_token_q <= TokenBits'(token_q);
      slot_first_q <= block_q == 0;
      slot_block_q <= block_q[ScaledBits-1:0] & scaled_mask;
      slot_factor_q <= factor;
      slot_last_q <= last_block;
      slot_meta_q <= {chunk_done, PartIndexBits'(group_q), result_word};
    end else if (read_q) begin
      lane_q <= lane_q + 1'b1;
    end
    if (read_q) begin
      load_weights_q <= read_weights_q;
      load_lane_q <= lane_q;
      load_token_q <= slot_token_q;
      load_first_q <= slot_first_q;
      load_last_q <= slot_last_q;
      load_meta_q <= slot_meta_q;
    end
  end

  assign phase_o = phase_q;
  assign takes_o = phase_q == dimm_ndp_pkg::PhaseSetup;
  assign moving_o = phase_d != phase_q;
  assign start_o = start_q;
  assign pass_start_o = pass_start_q;
  assign pass_tokens_o = pass_tokens;
  assign slot_o = start;
  assign slot_weights_o = start && token_q == 0;
  assign busy_o = start || scales_o || cool_q != 0;
  assign wait_chunk_o = slots_on && !chunk_ready;
  assign read_o = read_q;
  assign read_lane_o = lane_q;
  assign read_block_o = slot_block_q;
  assign read_factor_o = slot_factor_q;
  assign burst_lanes_shift = low ? ndp_pkg::burst_lanes_shift(plan_i.weights) : 2'd0;
  assign read_weights_o = read_q && read_weights_q
      && (lane_q & ~({LaneBits{1'b1}} << burst_lanes_shift)) == '0;
  assign read_burst_o = lane_q >> burst_lanes_shift;
  assign read_addr_o = operand_q + (AB'(lane_q) >> LanesPerWordShift);
  assign free_o = read_q && read_weights_q && lane_q == LaneBits'(FreeLane);

  `HOLDS(HalvesNotOverdrawn_A, !(chunk_freed_i && undrained_q == 2'd0))
  `IMPLIES(ReadsApart_A, start, !read_q || lane_last)
endmodule
