// SPDX-License-Identifier: Apache-2.0
// Completes a head: for each query gain = alpha / total. For each word of Lanes sums it folds the eight partial
// sums as a tree, neighbours first, and then computes, one element per cycle,
//   RNE16(RNE32(RNE32(sum gain) + RNE32(rest mean)))
// with a product below 2^-126 replaced by 0. A head without a mean has alpha 1 and rest 0. Each line leaves
// when it is full.
`include "assert.svh"
module sparf_attend_finish #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned TotalBits = 52,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned Words = Width / Lanes,
  localparam int unsigned WordBits = sparf_kernel_pkg::address_bits(Words),
  localparam int unsigned PartialBits = sparf_attn_pkg::SlotBits
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   head_write_i,    // shares of this slot are outstanding
  input  logic [SlotBits-1:0]    head_slot_i,
  input  logic [1:0]             share_write_i,
  input  logic [SlotBits-1:0]    share_slot_i,
  input  logic [GroupBits-1:0]   share_query_i,
  input  logic                   share_end_i,
  input  logic [31:0]            share_i,
  input  logic                   mean_write_i,
  input  logic [SlotBits-1:0]    mean_slot_i,
  input  logic [IndexBits-1:0]   mean_dim_i,
  input  logic [31:0]            mean_i,
  input  logic                   run_i,           // high until done_o, with the inputs below stable
  input  logic [SlotBits-1:0]    slot_i,
  input  logic [GroupBits-1:0]   group_i,
  input  logic                   plain_i,         // without a mean
  input  logic [PartialBits:0]   partials_i,      // not empty, the first ones
  output logic [GroupBits-1:0]   query_o,
  input  logic [TotalBits-1:0]   total_i,         // of query_o, units of 2^-36
  output logic                   done_o,
  output logic                   fold_read_o,
  output logic [WordBits-1:0]    fold_word_o,
  output logic [PartialBits-1:0] fold_partial_o,
  output logic                   fold_empty_o,
  output logic                   fold_hold_data_o,
  output logic                   fold_hold_sum_o,
  output logic                   fold_add_data_o,
  output logic                   fold_add_sum_o,
  input  logic [Lanes*32-1:0]    sums_i,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic [IndexBits:0]     out_line_o,
  output logic [511:0]           out_data_o,
  output logic                   out_last_o,
  output logic                   busy_o           // for clock gates
);
  localparam int unsigned HalvesPerLine = sparf_kernel_pkg::HalvesPerLine;
  localparam int unsigned PerLine = Width < HalvesPerLine ? Width : HalvesPerLine;
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned NormaliseStages = sparf_kernel_pkg::NormaliseStages;
  localparam logic [5:0] Exponent = 6'd36;  // sum 2^-36 as sparf_attn_normalise reads it
  // Phases of the fold: partial sum n is read in phase n, its data arrive in n + 2; the first of every two sums is
  // stored until the second one arrives, AddLatency after it was added. All eight are added in the last phase.
  localparam int unsigned PhaseBits = 6;
  localparam int unsigned FirstAdd = 3;
  localparam int unsigned AddLatency = sparf_kernel_pkg::AddStages + 1;
  localparam int unsigned PairSum = FirstAdd + AddLatency;   // of 0 and 1; the next pairs' 2 later
  localparam int unsigned QuadSum = PairSum + 2 + AddLatency;  // of 0 to 3; that of 4 to 7 4 later
  localparam int unsigned FoldPhases = QuadSum + 4 + AddLatency;
  // Element to half: operands, product, sum, rounding.
  localparam int unsigned MultiplyStages = sparf_kernel_pkg::MultiplyStages;
  localparam int unsigned AddStages = sparf_kernel_pkg::AddStages;
  localparam int unsigned BlendStages = 1 + MultiplyStages + AddStages + 2;

  logic [GroupBits-1:0] query_q;
  logic fold_empty_q;
  logic [IndexBits:0] out_line_q;
  logic out_last_q;
  assign query_o = query_q;
  assign fold_empty_o = fold_empty_q;
  assign out_line_o = out_line_q;
  assign out_last_o = out_last_q;

  typedef enum logic [2:0] {
    StateIdle,
    StateShares,  // alpha may still be outstanding
    StateGain,
    StateFold,
    StateBlend,
    StateSend
  } state_e;
  state_e state_q, state_d;

  // Results of other units.
  logic [31:0] alpha_q[Slots*MaxGroup], rest_q[Slots*MaxGroup];
  logic [Slots-1:0] shared_q;
  logic [31:0] alphas_q, rests_q;
  // alpha and rest arrive long before the last total is normalised.
  logic known_q, no_rest_q;
  always_ff @(posedge clk_i) begin
    alphas_q <= plain_i ? 32'h3f800000 : alpha_q[{slot_i, query_q}];
    rests_q <= plain_i ? '0 : rest_q[{slot_i, query_q}];
    no_rest_q <= rests_q == '0;
    known_q <= plain_i || shared_q[slot_i] || (share_end_i && share_slot_i == slot_i);
    if (share_write_i[0]) alpha_q[{share_slot_i, share_query_i}] <= share_i;
    if (share_write_i[1]) rest_q[{share_slot_i, share_query_i}] <= share_i;
    for (int unsigned s = 0; s < Slots; s++) begin
      if (head_write_i && head_slot_i == SlotBits'(s)) shared_q[s] <= 1'b0;
      if (share_end_i && share_slot_i == SlotBits'(s)) shared_q[s] <= 1'b1;
    end
  end

  // Gain.
  logic [NormaliseStages-1:0] convert_q;
  logic entering_q, converting_q, gain_done, gain_busy;
  assign busy_o = state_q != StateIdle || gain_busy;
  logic [31:0] total, gain;
  logic [TotalBits-1:0] total_q;
  sparf_attn_normalise #(
    .SumBits(TotalBits + 1)
  ) u_convert (
    .clk_i(clk_i),
    .en_i({convert_q[NormaliseStages-2:0], converting_q}),
    .sum_i((TotalBits + 1)'(total_q)),
    .exponent_i(Exponent),
    .value_o(total)
  );
  sparf_attn_scalar u_gain (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(convert_q[NormaliseStages-1]),
    .root_i(1'b0),
    .a_i(alphas_q),
    .b_i(total),
    .done_o(gain_done),
    .result_o(gain),
    .busy_o(gain_busy)
  );

  // Fold.
  logic [PhaseBits-1:0] phase_q;
  logic fold, add_data;
  function automatic logic at(input logic [PhaseBits-1:0] phase, input int unsigned which);
    at = 32'(phase) == which;
  endfunction
  assign fold = state_q == StateFold;
  assign fold_read_o = fold && 32'(phase_q) < sparf_attn_pkg::Partials;
  assign fold_partial_o = phase_q[PartialBits-1:0];
  assign add_data = fold && 32'(phase_q) < sparf_attn_pkg::Partials + 2;
  assign fold_hold_data_o = add_data && !phase_q[0];
  assign fold_add_data_o = add_data && phase_q[0] && 32'(phase_q) >= FirstAdd;
  assign fold_hold_sum_o = fold &&
      (at(phase_q, PairSum) || at(phase_q, PairSum + 4) || at(phase_q, QuadSum));
  assign fold_add_sum_o = fold &&
      (at(phase_q, PairSum + 2) || at(phase_q, PairSum + 6) || at(phase_q, QuadSum + 4));

  // Blend.
  logic [WordBits-1:0] word_q;
  logic [LaneBits:0] lane_q;
  logic blend, blend_end, word_last, line_end;
  logic [BlendStages-1:0] blend_q;
  logic [31:0] sum_q, mean, mean_q, scaled, compensation, blended;
  logic [15:0] half;
  logic [IndexBits:0] halves_q;  // of the query's row
  // Indices of the next cycle, because a mean arrives one cycle after its read.
  logic [LaneBits-1:0] next_lane;
  logic [IndexBits-1:0] next_dim;
  assign next_lane = blend ? lane_q[LaneBits-1:0] + 1'b1 : '0;
  assign next_dim = IndexBits'({word_q, next_lane});
  assign blend = state_q == StateBlend && !lane_q[LaneBits];
  assign blend_end = state_q == StateBlend && lane_q[LaneBits] && blend_q == '0;
  assign word_last = word_q == WordBits'(Words - 1);
  assign line_end = 32'(halves_q) % PerLine == 0;
  sram_1r1w #(
    .Words(Slots * Width),
    .DataBits(32)
  ) u_means (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(mean_write_i),
    .wr_addr_i({mean_slot_i, mean_dim_i}),
    .wr_data_i(mean_i),
    .rd_valid_i(fold || blend),
    .rd_addr_i({slot_i, next_dim}),
    .rd_data_o(mean)
  );
  sparf_attn_multiply u_scaled (
    .clk_i(clk_i),
    .en_i(blend_q[MultiplyStages-1:0]),
    .a_i(sum_q),
    .b_i(gain),
    .product_o(scaled)
  );
  sparf_attn_multiply u_compensation (
    .clk_i(clk_i),
    .en_i(blend_q[MultiplyStages-1:0]),
    .a_i(rests_q),
    .b_i(no_rest_q ? '0 : mean_q),
    .product_o(compensation)
  );
  sparf_attn_add u_blend (
    .clk_i(clk_i),
    .en_i(blend_q[MultiplyStages +: AddStages]),
    .a_i(scaled),
    .b_i(compensation),
    .sum_o(blended)
  );
  fp_narrow u_half (
    .clk_i(clk_i),
    .en_i(blend_q[MultiplyStages+AddStages +: 2]),
    .bf16_i(1'b0),
    .value_i(blended),
    .value_o(half)
  );

  // Lines.
  logic [511:0] line_q;
  logic query_last;
  assign query_last = query_q == group_i;
  assign out_valid_o = state_q == StateSend;
  assign out_data_o = line_q >> ((HalvesPerLine - PerLine) * 16);
  assign done_o = out_valid_o && out_ready_i && out_last_q;
  assign fold_word_o = word_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateIdle: if (run_i) state_d = StateShares;
      StateShares: if (known_q) state_d = StateGain;
      StateGain: if (gain_done) state_d = StateFold;
      StateFold: if (at(phase_q, FoldPhases - 1)) state_d = StateBlend;
      StateBlend: if (blend_end) state_d = line_end ? StateSend : StateFold;
      StateSend: begin
        if (out_ready_i) state_d = !word_last ? StateFold : query_last ? StateIdle : StateGain;
      end
      default: state_d = StateIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      blend_q <= '0;
      convert_q <= '0;
      entering_q <= 1'b0;
      converting_q <= 1'b0;
    end else begin
      state_q <= state_d;
      blend_q <= {blend_q[BlendStages-2:0], blend};
      convert_q <= {convert_q[NormaliseStages-2:0], converting_q};
      entering_q <= (state_q == StateShares && known_q)
          || (out_valid_o && out_ready_i && word_last && !query_last);
      converting_q <= entering_q;
    end
    total_q <= total_i;
    // The value for the next phase: empty if partials_i + 1 is below that phase.
    fold_empty_q <= fold && 32'(partials_i) < 32'(phase_q);
    // The position of a line is stable from the cycle before the line leaves.
    out_last_q <= word_last && query_last;
    out_line_q <= (halves_q - 1'b1) / ($bits(halves_q))'(PerLine);
    phase_q <= fold ? phase_q + 1'b1 : '0;
    lane_q <= state_q != StateBlend ? '0 : blend ? lane_q + 1'b1 : lane_q;
    if (blend) sum_q <= sums_i[32'(lane_q[LaneBits-1:0])*32 +: 32];
    if (blend) mean_q <= mean;
    if (blend_q[BlendStages-1]) begin
      line_q <= {half, line_q[511:16]};
      halves_q <= halves_q + 1'b1;
    end
    if (state_q == StateIdle) query_q <= '0;
    if (state_q == StateIdle || state_q == StateGain) begin
      word_q <= '0;
      halves_q <= '0;
    end else if ((blend_end && !line_end) || (out_valid_o && out_ready_i && !word_last)) begin
      word_q <= word_q + 1'b1;
    end
    if (out_valid_o && out_ready_i && word_last) query_q <= query_q + 1'b1;
  end
endmodule
