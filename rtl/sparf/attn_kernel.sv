// SPDX-License-Identifier: Apache-2.0
// Softmax-weighted sum of value rows for one query: rows of keys, then rows of values, one a cycle
// each, all FP16 and finite. The result is the sum of 2^-((L_max - L_t) scale) V_t, FP32 a
// dimension, and the sum of the weights; whoever takes it divides. The numbers are those of
// src/golden/attention-engine.ts, bit for bit. With S rows and nobody waiting a head takes
//   3 S + attn_pkg::kernel_overhead(Lanes) cycles
// from its start to its result.
`include "assert.svh"
module attn_kernel #(
  parameter int unsigned Lanes = 128,
  parameter int unsigned MaxRows = 4096,
  localparam int unsigned RowBits = $clog2(MaxRows),
  localparam int unsigned TotalBits = attn_pkg::WeightFractionBits + 1 + RowBits,
  localparam int unsigned RowDataBits = Lanes * attn_pkg::HalfBits
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 start_valid_i,
  output logic                                 start_ready_o,
  input  logic [RowBits:0]                     start_rows_i,   // 1 .. MaxRows
  input  logic [31:0]                          start_scale_i,  // FP32, positive
  input  logic [RowDataBits-1:0]               start_query_i,
  input  logic                                 key_valid_i,
  output logic                                 key_ready_o,
  input  logic [RowDataBits-1:0]               key_data_i,
  input  logic                                 value_valid_i,
  output logic                                 value_ready_o,
  input  logic [RowDataBits-1:0]               value_data_i,
  output logic                                 result_valid_o,
  input  logic                                 result_ready_i,
  output logic [Lanes*attn_pkg::FloatBits-1:0] result_sums_o,
  output logic [TotalBits-1:0]                 result_total_o  // units of 2^-36
);
  typedef enum logic [2:0] {
    StateIdle,
    StateKeys,
    StateLogits,   // the last logits are on their way
    StateWeights,
    StateValues,
    StateFold,
    StateResult
  } state_e;

  state_e state_q, state_d;
  logic [RowBits:0] rows_q, taken_q, logits_q;
  logic [31:0] scale_q;

  logic start, key_taken, value_taken;
  assign start_ready_o = state_q == StateIdle;
  assign start = start_valid_i && start_ready_o;
  assign key_ready_o = state_q == StateKeys;
  assign key_taken = key_valid_i && key_ready_o;

  logic logit_valid;
  logic [31:0] logit;
  attn_dot #(
    .Lanes(Lanes)
  ) u_dot (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .query_valid_i(start),
    .query_data_i(start_query_i),
    .key_valid_i(key_taken),
    .key_data_i(key_data_i),
    .logit_valid_o(logit_valid),
    .logit_o(logit)
  );

  // Weights are read a row ahead; a value row is taken when its weight is there.
  logic run, weights_done, weight_read, weight_valid_q;
  logic [RowBits:0] weight_row_q;
  logic [31:0] weight;
  logic weight_left;
  attn_softmax #(
    .MaxRows(MaxRows)
  ) u_softmax (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(start),
    .logit_valid_i(logit_valid),
    .logit_i(logit),
    .run_i(run),
    .scale_i(scale_q),
    .done_o(weights_done),
    .total_o(result_total_o),
    .read_i(weight_read),
    .row_i(weight_row_q[RowBits-1:0]),
    .weight_o(weight)
  );
  assign run = state_q == StateLogits && logits_q == rows_q;
  assign value_ready_o = weight_valid_q;
  assign value_taken = value_valid_i && value_ready_o;
  assign weight_left = weight_row_q != rows_q;
  assign weight_read = state_q == StateValues && weight_left && (!weight_valid_q || value_taken);

  logic fold, folded;
  attn_accumulate #(
    .Lanes(Lanes)
  ) u_accumulate (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(start),
    .row_valid_i(value_taken),
    .weight_i(weight[30:0]),
    .values_i(value_data_i),
    .fold_i(fold),
    .done_o(folded),
    .sums_o(result_sums_o)
  );
  assign fold = state_q == StateValues && taken_q == rows_q;
  assign result_valid_o = state_q == StateResult;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateIdle: if (start_valid_i) state_d = StateKeys;
      StateKeys: if (key_taken && taken_q + 1'b1 == rows_q) state_d = StateLogits;
      StateLogits: if (run) state_d = StateWeights;
      StateWeights: if (weights_done) state_d = StateValues;
      StateValues: if (fold) state_d = StateFold;
      StateFold: if (folded) state_d = StateResult;
      StateResult: if (result_ready_i) state_d = StateIdle;
      default: state_d = StateIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      weight_valid_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (weight_read) weight_valid_q <= 1'b1;
      else if (value_taken) weight_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      rows_q <= start_rows_i;
      scale_q <= start_scale_i;
      logits_q <= '0;
      weight_row_q <= '0;
    end else begin
      if (logit_valid) logits_q <= logits_q + 1'b1;
      if (weight_read) weight_row_q <= weight_row_q + 1'b1;
    end
    if (start || state_q == StateLogits) taken_q <= '0;
    else if (key_taken || value_taken) taken_q <= taken_q + 1'b1;
  end

  `ASSERT(RowsInRange_A, start_valid_i |-> start_rows_i != '0 &&
          start_rows_i <= (RowBits + 1)'(MaxRows))
  `ASSERT(WeightIsPositive_A, value_taken |-> !weight[31])
  `ASSERT(ResultHolds_A, result_valid_o && !result_ready_i |=> result_valid_o &&
          $stable(result_total_o))
endmodule
