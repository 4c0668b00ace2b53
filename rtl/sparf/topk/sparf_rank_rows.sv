// SPDX-License-Identifier: Apache-2.0
// Walks over the logits of step 1 for sparf_rank_unit, one row of eight tokens per cycle: weights, their sums,
// and the scores of a group, bit for bit equal to sparf_rank_tokens. A walk (sparf_rank_blocks) processes
// blocks of sixteen rows of one query after the other, so that a token's scores arrive sixteen cycles apart.
// Weights of a row are summed before they reach their totals, in SumStages cycles.
`include "assert.svh"
module sparf_rank_rows #(
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned QuerySets = 8,      // memories of logits, one per query, round-robin
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
  output logic                      done_o,         // the walk's last weights are in their sums
  output logic                      beat_valid_o,   // scores
  output logic [Lanes*32-1:0]       beat_o
);
  localparam int unsigned BlockBits = sparf_kernel_pkg::LogBlockRows;
  localparam int unsigned FixedBits = sparf_attn_pkg::WeightFractionBits + 1;
  localparam int unsigned SumStages = LaneBits;
  localparam int unsigned SumBits = FixedBits + SumStages;

  logic data_valid, data_last;
  logic [BlockBits-1:0] data_place;
  logic [Lanes-1:0] data_tokens;
  sparf_rank_blocks #(
    .RowBits(RowBits),
    .GroupBits(GroupBits),
    .LogSets($clog2(QuerySets))
  ) u_walk (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .begin_i(begin_i),
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
    .place_o(data_place),
    .tokens_o(data_tokens),
    .last_o(data_last)
  );

  // Data of the walk: logits, their query's largest and scale, and their position.
  typedef struct packed {
    logic last_query;              // of the tokens
    logic last;                    // of all
    logic [GroupBits-1:0] query;
    logic [BlockBits-1:0] place;   // of the row in its block
    logic [Lanes-1:0] tokens;      // of the head
    logic [Lanes-1:0] chosen;
  } step_t;
  localparam int unsigned StepBits = 2 + GroupBits + BlockBits + 2 * Lanes;
  logic logit_valid_q;
  logic [Lanes-1:0] selected_q;
  logic [Lanes*32-1:0] logit_q;
  logic [31:0] top_q, scale_q;
  step_t step_q, weight_step;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) logit_valid_q <= 1'b0;
    else logit_valid_q <= data_valid;
    selected_q <= selected_i;
    if (data_valid) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        logit_q[l*32 +: 32] <= data_tokens[l] ? logits_i[l*32 +: 32] : largest_i;
      end
      top_q <= largest_i;
      scale_q <= scale_i;
      step_q.last_query <= query_o == group_i;
      step_q.last <= data_last;
      step_q.query <= query_o;
      step_q.place <= data_place;
      step_q.tokens <= data_tokens;
      step_q.chosen <= choose_i ? selected_q & data_tokens : '0;
    end
  end

  logic [Lanes-1:0] weights_valid;
  logic [Lanes*32-1:0] weights;
  logic [FixedBits-1:0] fixed[Lanes];
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    // The first lane has the marks of all lanes.
    localparam int unsigned TagBits = l == 0 ? StepBits : 1;
    logic [TagBits-1:0] tag;
    if (l == 0) begin : gen_step
      assign weight_step = tag;
    end else begin : gen_untold
      logic unused;
      assign unused = tag;
    end
    sparf_attn_weigh #(
      .TagBits(TagBits)
    ) u_weigh (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(logit_valid_q),
      .logit_i(logit_q[l*32 +: 32]),
      .largest_i(top_q),
      .scale_i(scale_q),
      .tag_i(TagBits'(l == 0 ? step_q : '0)),
      .valid_o(weights_valid[l]),
      .weight_o(weights[l*32 +: 32]),
      .fixed_o(fixed[l]),
      .tag_o(tag)
    );
  end
  logic weight_valid;
  assign weight_valid = weights_valid[0];
  assign weight_query_o = weight_step.query;

  // Sums of a row: of all its tokens, of its chosen tokens.
  logic [SumBits-1:0] all_q[SumStages+1][Lanes], chosen_q[SumStages+1][Lanes];
  logic [SumStages-1:0] valid_q, last_q;
  logic [SumStages*GroupBits-1:0] query_q;
  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      all_q[0][l] = weight_step.tokens[l] ? SumBits'(fixed[l]) : '0;
      chosen_q[0][l] = weight_step.chosen[l] ? SumBits'(fixed[l]) : '0;
    end
  end
  for (genvar s = 0; s < SumStages; s++) begin : gen_level
    for (genvar l = 0; l < Lanes; l++) begin : gen_sum
      if (l < (Lanes >> (s + 1))) begin : gen_pair
        always_ff @(posedge clk_i) begin
          all_q[s+1][l] <= all_q[s][2*l] + all_q[s][2*l+1];
          chosen_q[s+1][l] <= chosen_q[s][2*l] + chosen_q[s][2*l+1];
        end
      end else begin : gen_none
        assign all_q[s+1][l] = '0;
        assign chosen_q[s+1][l] = '0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[SumStages-2:0], weight_valid};
    last_q <= {last_q[SumStages-2:0], weight_step.last};
    query_q <= {query_q[(SumStages-1)*GroupBits-1:0], weight_step.query};
  end
  assign done_o = valid_q[SumStages-1] && last_q[SumStages-1];

  sparf_weight_totals #(
    .MaxGroup(MaxGroup),
    .TotalBits(TotalBits),
    .FixedBits(SumBits)
  ) u_totals (
    .clk_i(clk_i),
    .clear_i(head_i),
    .valid_i(valid_q[SumStages-1] && add_i),
    .query_i(query_q[(SumStages-1)*GroupBits +: GroupBits]),
    .fixed_i(all_q[SumStages][0]),
    .total_query_i(total_query_i),
    .total_o(total_o)
  );
  sparf_weight_totals #(
    .MaxGroup(MaxGroup),
    .TotalBits(TotalBits),
    .FixedBits(SumBits)
  ) u_chosen (
    .clk_i(clk_i),
    .clear_i(head_i),
    .valid_i(valid_q[SumStages-1] && choose_i),
    .query_i(query_q[(SumStages-1)*GroupBits +: GroupBits]),
    .fixed_i(chosen_q[SumStages][0]),
    .total_query_i(total_query_i),
    .total_o(chosen_o)
  );

  // Scores of a group. A row begins with a token of the head, or has none.
  logic [Lanes-1:0] beats_valid;
  assign beat_valid_o = beats_valid[0];
  for (genvar l = 0; l < Lanes; l++) begin : gen_score
    sparf_rank_sums u_sums (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(weight_valid && score_i),
      .weight_i(weights[l*32 +: 32]),
      .inverse_i(inverse_i),
      .first_i(weight_step.query == '0),
      .last_i(weight_step.last_query && weight_step.tokens[0]),
      .place_i(weight_step.place),
      .sum_valid_o(beats_valid[l]),
      .sum_o(beat_o[l*32 +: 32])
    );
  end

  `HOLDS(LanesInStep_A, weights_valid == {Lanes{weight_valid}} && beats_valid == {Lanes{beat_valid_o}})
endmodule
