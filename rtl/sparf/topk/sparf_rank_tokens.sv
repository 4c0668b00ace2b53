// SPDX-License-Identifier: Apache-2.0
// Walks over the logits of step 1 for sparf_rank_unit, one token per cycle: weights, their sums, and the scores
// of a group. sparf_rank_rows does the same with eight tokens per cycle.
module sparf_rank_tokens #(
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned RowBits = 12,
  parameter int unsigned TotalBits = 52,
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned Lanes = sparf_kernel_pkg::KeysPerBeat,
  localparam int unsigned LaneBits = $clog2(Lanes)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      head_i,         // another one: sums begin
  input  logic                      begin_i,        // a walk begins in the next cycle
  input  logic                      add_i,          // weights add to the totals,
  input  logic                      score_i,        // or to scores,
  input  logic                      choose_i,       // or, of chosen tokens, to the chosen totals
  input  logic [RowBits-1:0]        base_i,
  input  logic [GroupBits-1:0]      group_i,        // queries, less one
  input  logic [RowBits-1:0]        rows_i,         // of a query
  input  logic [RowBits-1:0]        last_row_i,
  input  logic [RowBits+LaneBits:0] tokens_i,
  output logic                      walking_o,
  output logic                      read_o,         // a row of logits, which arrives two cycles later
  output logic [RowBits-1:0]        address_o,
  output logic [RowBits-1:0]        row_o,          // of the query
  output logic [GroupBits-1:0]      query_o,        // of the row
  input  logic [Lanes*32-1:0]       logits_i,
  input  logic [31:0]               largest_i,
  input  logic [31:0]               scale_i,
  input  logic [Lanes-1:0]          selected_i,     // one cycle after read_o
  output logic [GroupBits-1:0]      weight_query_o,
  input  logic [31:0]               inverse_i,      // of the query
  input  logic [GroupBits-1:0]      total_query_i,
  output logic [TotalBits-1:0]      total_o,
  output logic [TotalBits-1:0]      chosen_o,
  output logic                      done_o,         // the walk's last weight
  output logic                      beat_valid_o,   // scores
  output logic [Lanes*32-1:0]       beat_o
);
  logic walk_last, walk_token, data_valid;
  logic [LaneBits-1:0] walk_lane;
  sparf_rank_walk #(
    .RowBits(RowBits),
    .LaneBits(LaneBits),
    .GroupBits(GroupBits)
  ) u_walk (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .begin_i(begin_i),
    .rest_i(score_i),
    .base_i(base_i),
    .group_i(group_i),
    .rows_i(rows_i),
    .last_row_i(last_row_i),
    .tokens_i(tokens_i),
    .walking_o(walking_o),
    .read_o(read_o),
    .address_o(address_o),
    .row_o(row_o),
    .valid_o(data_valid),
    .query_o(query_o),
    .lane_o(walk_lane),
    .token_o(walk_token),
    .last_o(walk_last)
  );

  // Data of the walk: a logit, its query's largest and scale, and its position.
  typedef struct packed {
    logic last_query;             // of a token
    logic last;                   // of all
    logic token;                  // of the head
    logic chosen;
    logic [GroupBits-1:0] query;
    logic [LaneBits-1:0] lane;
  } step_t;
  localparam int unsigned StepBits = 4 + GroupBits + LaneBits;
  logic logit_valid_q;
  logic [Lanes-1:0] selected_q;
  logic [31:0] logit_q, top_q, head_scale_q;
  step_t step_q, weight_step;
  logic weight_valid;
  logic [31:0] weight;
  logic [sparf_attn_pkg::WeightFractionBits:0] fixed;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) logit_valid_q <= 1'b0;
    else logit_valid_q <= data_valid;
    selected_q <= selected_i;
    if (data_valid) begin
      logit_q <= walk_token ? logits_i[32'(walk_lane)*32 +: 32] : largest_i;
      top_q <= largest_i;
      head_scale_q <= scale_i;
      step_q.last_query <= query_o == group_i;
      step_q.last <= walk_last;
      step_q.token <= walk_token;
      step_q.chosen <= choose_i && selected_q[walk_lane] && walk_token;
      step_q.query <= query_o;
      step_q.lane <= walk_lane;
    end
  end

  sparf_attn_weigh #(
    .TagBits(StepBits)
  ) u_weigh (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(logit_valid_q),
    .logit_i(logit_q),
    .largest_i(top_q),
    .scale_i(head_scale_q),
    .tag_i(step_q),
    .valid_o(weight_valid),
    .weight_o(weight),
    .fixed_o(fixed),
    .tag_o(weight_step)
  );
  assign weight_query_o = weight_step.query;
  assign done_o = weight_valid && weight_step.last;

  // Sums of weights.
  sparf_weight_totals #(
    .MaxGroup(MaxGroup),
    .TotalBits(TotalBits)
  ) u_totals (
    .clk_i(clk_i),
    .clear_i(head_i),
    .valid_i(weight_valid && add_i && weight_step.token),
    .query_i(weight_step.query),
    .fixed_i(fixed),
    .total_query_i(total_query_i),
    .total_o(total_o)
  );
  sparf_weight_totals #(
    .MaxGroup(MaxGroup),
    .TotalBits(TotalBits)
  ) u_chosen (
    .clk_i(clk_i),
    .clear_i(head_i),
    .valid_i(weight_valid && weight_step.chosen),
    .query_i(weight_step.query),
    .fixed_i(fixed),
    .total_query_i(total_query_i),
    .total_o(chosen_o)
  );

  // Scores of a group.
  sparf_rank_scores u_scores (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(weight_valid && score_i),
    .weight_i(weight),
    .inverse_i(inverse_i),
    .first_i(weight_step.query == '0),
    .last_i(weight_step.last_query),
    .lane_i(weight_step.lane),
    .beat_valid_o(beat_valid_o),
    .beat_o(beat_o)
  );
endmodule
