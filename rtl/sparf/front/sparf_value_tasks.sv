// SPDX-License-Identifier: Apache-2.0
// The order in which a front fetches data for its V ring: values of heads in the order of sparf_key_tasks, of
// the selected tokens or, for a dense head, of all tokens.
`include "assert.svh"
module sparf_value_tasks #(
  parameter int unsigned Width = 128,
  parameter int unsigned Slots = 8,
  parameter int unsigned MaxPageRows = 64
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            task_valid_i,
  input  logic [sparf_pkg::SlotBits-1:0]  task_slot_i,
  output logic [sparf_pkg::SlotBits-1:0]  slot_o,        // the head at work
  input  sparf_pkg::context_t             head_i,
  input  logic                            sel_valid_i,
  output logic                            sel_read_o,
  input  logic [sparf_pkg::CountBits-1:0] sel_beat_i,
  input  logic [sparf_pkg::SelTokens-1:0] sel_mask_i,
  output logic                            sel_done_o,
  output logic                            item_valid_o,
  input  logic                            item_ready_i,
  output sparf_pkg::item_t                item_o
);
  localparam int unsigned SlotPtrBits = $clog2(Slots);

  logic [sparf_pkg::SlotBits-1:0] slot_q;
  assign slot_o = slot_q;

  typedef enum logic [1:0] {
    StateIdle,
    StateRead,  // of the head's context
    StateBegin,
    StateRows
  } state_e;

  state_e state_q;
  logic [sparf_pkg::SlotBits-1:0] queue_q[Slots];
  logic [SlotPtrBits:0] wr_q, rd_q;
  logic begin_task, rows_busy;
  sparf_pkg::context_t head_q;  // of the loading head
  assign begin_task = state_q == StateIdle && wr_q != rd_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      wr_q <= '0;
      rd_q <= '0;
    end else begin
      if (task_valid_i) wr_q <= wr_q + 1'b1;
      if (begin_task) rd_q <= rd_q + 1'b1;
      unique case (state_q)
        StateIdle: if (begin_task) state_q <= StateRead;
        StateRead: state_q <= StateBegin;
        StateBegin: state_q <= StateRows;
        StateRows: if (!rows_busy) state_q <= StateIdle;
        default: state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (task_valid_i) queue_q[wr_q[SlotPtrBits-1:0]] <= task_slot_i;
    if (begin_task) slot_q <= queue_q[rd_q[SlotPtrBits-1:0]];
    head_q <= head_i;
  end

  // The walker rests while its item waits.
  logic rows_clk;
  clock_gate #(
    .Hold(7)
  ) u_rows_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(state_q == StateBegin || (rows_busy && (!item_valid_o || item_ready_i))),
    .clk_o(rows_clk)
  );

  sparf_token_walker #(
    .Width(Width),
    .Values(1'b1),
    .MaxPageRows(MaxPageRows)
  ) u_rows (
    .clk_i(rows_clk),
    .rst_ni(rst_ni),
    .start_i(state_q == StateBegin),
    .slot_i(slot_q),
    .select_i(!head_q.dense),
    .second_i(1'b1),
    .first_i('0),
    .flash_end_i(head_q.token_flash),
    .end_i(head_q.tokens),
    .take_i(head_q.take),
    .log_rows_i(head_q.log_rows),
    .dram_line_i(head_q.v_line),
    .dram_first_i(head_q.token_flash),
    .sel_valid_i(sel_valid_i),
    .sel_read_o(sel_read_o),
    .sel_beat_i(sel_beat_i),
    .sel_mask_i(sel_mask_i),
    .busy_o(rows_busy),
    .item_valid_o(item_valid_o),
    .item_ready_i(item_ready_i),
    .item_o(item_o)
  );

  assign sel_done_o = state_q == StateRows && !rows_busy && !head_q.dense;

  `IMPLIES(TaskFits_A, task_valid_i, wr_q - rd_q != (SlotPtrBits + 1)'(Slots))
  // Pages are identified by their index, rows in DRAM by their first line.
  `STAYS(ItemHolds_A, item_valid_o, item_ready_i,
         {item_o.flash, item_o.lines, item_o.job, item_o.flash ? item_o.index : item_o.line})
endmodule
