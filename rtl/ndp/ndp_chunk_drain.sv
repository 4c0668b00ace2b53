// SPDX-License-Identifier: Apache-2.0
// Drains full chunks in the order in which the array fills them: chunks of gate/up through the activation
// unit into H (ndp_act_ctrl), chunks of the output to memory (ndp_store_unit), token by token. The drain
// walks the descriptor as the sequencer does, so a full chunk needs no description. Timing: the task of a
// token starts (act_start_o, store_start_o) two cycles after its chunk became full or the previous task
// ended, whichever is later. The half is released (freed_o) in the cycle in which the chunk's last task
// ends.
`include "assert.svh"
module ndp_chunk_drain #(
  parameter int unsigned ActLanes = 256,
  parameter int unsigned BufferAddrBits = 12,
  localparam int unsigned ActWords = ActLanes / dimm_ndp_pkg::ValuesPerBurst
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               start_i,  // first cycle of a descriptor
  input  dimm_ndp_pkg::plan_t                plan_i,
  input  logic                               hold_i,   // the next chunk is of a later descriptor
  input  logic                               full_i,   // strobe: one more chunk is full
  output logic                               drained_o,  // strobe, one cycle late: the last of all
  output logic                               freed_o,
  output logic                               storing_o,  // the oldest chunk is one of the output
  output logic                               moving_o,  // a task starts in the next cycle
  output logic                               act_start_o,
  output logic                               store_start_o,
  input  logic                               task_done_i,
  output logic [BufferAddrBits-1:0]          gate_addr_o,
  output logic [BufferAddrBits-1:0]          up_addr_o,
  output logic [BufferAddrBits-1:0]          hidden_addr_o,
  output logic [dimm_ndp_pkg::CountBits-1:0] words_o,
  output logic [dimm_ndp_pkg::RowBits-1:0]   valid_rows_o,
  output logic [dimm_ndp_pkg::RowBits-1:0]   first_word_o,
  output logic [dimm_ndp_pkg::AddrBits-1:0]  y_base_o
);
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned RB = dimm_ndp_pkg::RowBits;
  localparam int unsigned AB = BufferAddrBits;

  logic drained_q, act_start_q, store_start_q;
  assign drained_o = drained_q;
  assign act_start_o = act_start_q;
  assign store_start_o = store_start_q;

  logic busy_q;
  logic [1:0] full_q;
  logic storing_q, half_q;
  logic [CB-1:0] token_q, tokens_left_q, pass_tokens;
  logic [RB-1:0] rows_left_q, words_left_q, first_word_q;
  logic [AB-1:0] chunk_addr_q, hidden_addr_q;
  logic [dimm_ndp_pkg::AddrBits-1:0] y_token_q, y_pass_q;

  logic begin_token, last_token, last_chunk, chunk_end, matrix_end, pass_end;
  logic first_storing;
  logic [RB-1:0] first_rows, first_words;
  logic [AB-1:0] half_base;

  assign pass_tokens = tokens_left_q < plan_i.pass_tokens ? tokens_left_q : plan_i.pass_tokens;
  assign begin_token = !busy_q && full_q != 2'd0 && !hold_i;
  assign last_token = token_q == pass_tokens - 1'b1;
  assign last_chunk = rows_left_q <= RB'(ActLanes);
  assign chunk_end = task_done_i && last_token;
  assign matrix_end = chunk_end && last_chunk;
  assign pass_end = matrix_end && storing_q;

  // The matrix that a pass begins with.
  assign first_storing = plan_i.op == dimm_ndp_pkg::OpLinear;
  assign first_rows = first_storing ? plan_i.out_rows : plan_i.mid_rows;
  assign first_words = first_storing ? plan_i.out_words : RB'(plan_i.mid_words);
  assign half_base = AB'(plan_i.c_word) + (half_q ? AB'(plan_i.half_words << 1) : '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      full_q <= 2'd0;
      half_q <= 1'b0;
      drained_q <= 1'b0;
    end else begin
      drained_q <= pass_end && tokens_left_q == pass_tokens;
      full_q <= full_q + 2'(full_i) - 2'(chunk_end);
      if (chunk_end) half_q <= ~half_q;
      if (begin_token) busy_q <= 1'b1;
      else if (task_done_i) busy_q <= 1'b0;
    end

    if (start_i) begin
      tokens_left_q <= plan_i.tokens;
    end else if (pass_end) begin
      tokens_left_q <= tokens_left_q - pass_tokens;
    end

    // Matrix and chunk.
    if (start_i || pass_end) begin
      storing_q <= first_storing;
      rows_left_q <= first_rows;
      words_left_q <= first_words;
      first_word_q <= '0;
    end else if (matrix_end) begin
      storing_q <= 1'b1;
      rows_left_q <= plan_i.out_rows;
      words_left_q <= plan_i.out_words;
      first_word_q <= '0;
    end else if (chunk_end) begin
      rows_left_q <= rows_left_q - RB'(ActLanes);
      words_left_q <= words_left_q - RB'(ActWords);
      first_word_q <= first_word_q + RB'(ActWords);
    end

    // Token. A pass continues the output rows where the previous pass ended.
    if (start_i) y_pass_q <= plan_i.y_base;
    else if (pass_end) y_pass_q <= y_token_q + plan_i.y_stride;
    if (begin_token && token_q == 0) begin
      chunk_addr_q <= half_base;
      hidden_addr_q <= AB'(plan_i.h_word) + AB'(first_word_q);
      y_token_q <= y_pass_q;
    end else if (task_done_i) begin
      chunk_addr_q <= chunk_addr_q + AB'(ActWords);
      hidden_addr_q <= hidden_addr_q + AB'(plan_i.mid_words);
      if (!last_token) y_token_q <= y_token_q + plan_i.y_stride;
    end
    if (start_i || chunk_end) token_q <= '0;
    else if (task_done_i) token_q <= token_q + 1'b1;

    act_start_q <= rst_ni & begin_token & ~storing_q;
    store_start_q <= rst_ni & begin_token & storing_q;
  end

  assign freed_o = chunk_end;
  assign moving_o = begin_token;
  assign storing_o = storing_q;
  assign gate_addr_o = chunk_addr_q;
  assign up_addr_o = chunk_addr_q + AB'(plan_i.half_words);
  assign hidden_addr_o = hidden_addr_q;
  assign words_o = last_chunk ? CB'(words_left_q) : CB'(ActWords);
  assign valid_rows_o = rows_left_q;
  assign first_word_o = first_word_q;
  assign y_base_o = y_token_q;

  `HOLDS(TwoHalves_A, full_q != 2'd3)
  `IMPLIES(TaskRuns_A, task_done_i, busy_q)
endmodule
