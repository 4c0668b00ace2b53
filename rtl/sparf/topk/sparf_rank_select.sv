// SPDX-License-Identifier: Apache-2.0
// Selects the tokens of a head. A single query's keys are its logits, which arrive
// sparf_topk_pkg::FetchStages after key_read_o. A group's keys are its scores, which arrive before the start,
// beat after beat, and are stored here. The selection is stored, too: a row of it appears in the cycle after
// chosen_read_i.
`include "assert.svh"
module sparf_rank_select #(
  parameter int unsigned MaxKeys = 32768,
  parameter bit Streams = 0,  // scores may arrive in every cycle, of any group
  localparam int unsigned KeysPerBeat = sparf_kernel_pkg::KeysPerBeat,
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned Rows = MaxKeys / KeysPerBeat,
  localparam int unsigned RowBits = $clog2(Rows),
  localparam int unsigned DataBits = KeysPerBeat * 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   single_i,
  input  logic [SizeBits-1:0]    tokens_i,
  input  logic [SizeBits-1:0]    take_i,
  input  logic [SizeBits-1:0]    window_i,
  input  logic [RowBits-1:0]     last_row_i,
  input  logic                   head_i,        // a new head, before its scores
  input  logic                   score_valid_i,
  input  logic [DataBits-1:0]    score_i,
  output logic                   score_last_o,  // this beat
  input  logic                   start_i,
  output logic                   ready_o,
  output logic                   key_read_o,
  output logic [RowBits-1:0]     key_row_o,
  input  logic [DataBits-1:0]    logits_i,
  output logic                   sel_valid_o,
  input  logic                   sel_ready_i,
  output logic [RowBits-1:0]     sel_beat_o,
  output logic [KeysPerBeat-1:0] sel_mask_o,
  output logic                   sel_last_o,
  input  logic                   chosen_read_i,
  input  logic [RowBits-1:0]     chosen_row_i,
  output logic [KeysPerBeat-1:0] chosen_o,
  output logic                   busy_o         // for clock gates
);
  logic [RowBits-1:0] score_row_q;
  // A group has at least two queries, so its logits fill at least twice its rows.
  localparam int unsigned ScoreRows = Streams ? Rows : Rows / 2;
  localparam int unsigned ScoreBits = $clog2(ScoreRows);
  logic score_last_q;  // without Streams at least 32 cycles separate two beats
  logic [DataBits-1:0] score, score_q;
  assign score_last_o = score_valid_i && (Streams ? score_row_q == last_row_i : score_last_q);
  always_ff @(posedge clk_i) begin
    if (head_i) score_row_q <= '0;
    else if (score_valid_i) score_row_q <= score_row_q + 1'b1;
    score_last_q <= score_row_q == last_row_i;
    score_q <= score;
  end
  sram_1r1w #(
    .Words(ScoreRows),
    .DataBits(DataBits)
  ) u_scores (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(score_valid_i),
    .wr_addr_i(score_row_q[ScoreBits-1:0]),
    .wr_data_i(score_i),
    .rd_valid_i(key_read_o && !single_i),
    .rd_addr_i(key_row_o[ScoreBits-1:0]),
    .rd_data_o(score)
  );

  logic [sparf_topk_pkg::FetchStages-1:0] key_valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) key_valid_q <= '0;
    else key_valid_q <= {key_valid_q[sparf_topk_pkg::FetchStages-2:0], key_read_o};
  end
  sparf_argtopk #(
    .MaxKeys(MaxKeys),
    .KeyBits(32),
    .KeysPerCycle(KeysPerBeat),
    .Float(1)
  ) u_select (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_valid_i(start_i),
    .start_ready_o(ready_o),
    .start_count_i(tokens_i),
    .start_take_i(take_i),
    .start_window_i(window_i),
    .read_valid_o(key_read_o),
    .read_beat_o(key_row_o),
    .key_valid_i(key_valid_q[sparf_topk_pkg::FetchStages-1]),
    .key_data_i(single_i ? logits_i : score_q),
    .sel_valid_o(sel_valid_o),
    .sel_ready_i(sel_ready_i),
    .sel_beat_o(sel_beat_o),
    .sel_mask_o(sel_mask_o),
    .sel_last_o(sel_last_o),
    .busy_o(busy_o)
  );

  // The memory is emptied as the keys are read, all of it in the first pass, when nothing is selected yet.
  logic sel_taken;
  assign sel_taken = sel_valid_o && sel_ready_i;
  sram_1r1w #(
    .Words(Rows),
    .DataBits(KeysPerBeat)
  ) u_chosen (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(sel_taken || key_read_o),
    .wr_addr_i(sel_taken ? sel_beat_o : key_row_o),
    .wr_data_i(sel_taken ? sel_mask_o : '0),
    .rd_valid_i(chosen_read_i),
    .rd_addr_i(chosen_row_i),
    .rd_data_o(chosen_o)
  );

  `IMPLIES(Ready_A, start_i, ready_o)
endmodule
