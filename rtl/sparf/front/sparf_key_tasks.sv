// SPDX-License-Identifier: Apache-2.0
// The order in which a front fetches data for its K ring, one step of one head after the other. A head whose
// tokens are chosen (its step 2) has priority over a new head (its step 1, or all of it when it is dense). New
// heads follow the order in which the kernel sends their dimensions; step 2 follows the order of step 1. A new
// sparse head waits for space for its selection. The tasks of the V ring have the same order. With alternation,
// a new head that can begin follows each step 2, so that the kernel ranks one head while the chosen tokens of
// another are fetched.
`include "assert.svh"
module sparf_key_tasks #(
  parameter int unsigned Width = 128,
  parameter int unsigned Slots = 8,
  parameter int unsigned MaxPageRows = 64,
  parameter bit Alternates = 1'b0
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            dims_valid_i,    // a head is prepared in the kernel
  input  logic [sparf_pkg::SlotBits-1:0]  dims_slot_i,
  input  logic                            dims_dense_i,    // of the head whose dimensions arrive next
  input  logic [sparf_pkg::CountBits-1:0] dims_beats_i,
  output logic [sparf_pkg::SlotBits-1:0]  new_slot_o,      // the next new head
  input  logic                            new_dense_i,
  input  logic [sparf_pkg::CountBits-1:0] new_beats_i,
  input  logic [sparf_pkg::CountBits-1:0] sel_free_i,      // space for selections, next cycle
  output logic                            sel_reserve_o,
  output logic [sparf_pkg::CountBits-1:0] sel_beats_o,
  input  logic                            sel_valid_i,     // tokens of the next ranked head are available
  output logic                            sel_done_o,      // they are all requested
  output logic [sparf_pkg::SlotBits-1:0]  slot_o,          // the head at work
  input  sparf_pkg::context_t             head_i,
  input  logic [Width-1:0]                mask_i,
  input  logic [sparf_pkg::CountBits-1:0] sel_beat_i,
  input  logic [sparf_pkg::SelTokens-1:0] sel_mask_i,
  output logic                            sel_read_o,
  output logic                            values_valid_o,  // a task for the V ring begins
  output logic [sparf_pkg::SlotBits-1:0]  values_slot_o,
  output logic                            item_valid_o,
  input  logic                            item_ready_i,
  output sparf_pkg::item_t                item_o
);
  localparam int unsigned SlotPtrBits = $clog2(Slots);
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned SB = sparf_pkg::SlotBits;

  logic [sparf_pkg::SlotBits-1:0] new_slot_q;
  logic [sparf_pkg::CountBits-1:0] sel_beats_q;
  logic [sparf_pkg::SlotBits-1:0] slot_q;
  assign new_slot_o = new_slot_q;
  assign sel_beats_o = sel_beats_q;
  assign slot_o = slot_q;

  typedef enum logic [2:0] {
    StateIdle,
    StateRead,   // of the head's context
    StateBegin,
    StateTail,
    StateTailRows,
    StateRows
  } state_e;

  state_e state_q;
  logic second_q;  // step 2 of a sparse head

  // Heads in order: new ones, and those whose step 1 has begun.
  logic [SB-1:0] fresh_q[Slots];
  logic [SB-1:0] ranked_q[Slots];
  logic [SlotPtrBits:0] fresh_wr_q, fresh_rd_q, ranked_wr_q, ranked_rd_q;
  logic begin_ranked, begin_new;

  // Registered copy of the next new head: the front of the queue, or a head that arrives at an empty queue.
  // The front changes only some cycles after a head begins (FrontRests_A), so the copy is up to date.
  logic new_valid_q, new_dense_q, fits_q, first_in, dims_dense_q;
  logic [CB-1:0] dims_beats_q;
  assign first_in = dims_valid_i && fresh_wr_q == fresh_rd_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) new_valid_q <= 1'b0;
    else new_valid_q <= dims_valid_i || fresh_wr_q != fresh_rd_q;
    dims_dense_q <= dims_dense_i;
    dims_beats_q <= dims_beats_i;
    new_slot_q <= first_in ? dims_slot_i : fresh_q[fresh_rd_q[SlotPtrBits-1:0]];
    new_dense_q <= first_in ? dims_dense_q : new_dense_i;
    sel_beats_q <= first_in ? dims_beats_q : new_beats_i;
    fits_q <= first_in ? dims_dense_q || sel_free_i >= dims_beats_q
                       : new_dense_q || sel_free_i >= sel_beats_q;
  end

  logic new_first;
  assign new_first = new_valid_q && fits_q && (!sel_valid_i || (Alternates && second_q));
  assign begin_ranked = state_q == StateIdle && sel_valid_i && !new_first;
  assign begin_new = state_q == StateIdle && new_first;
  assign sel_reserve_o = begin_new && !new_dense_q;

  // The current head, and the positions at which its rows begin and leave flash: registers, because its context is read
  // from a memory and used by the walkers.
  sparf_pkg::context_t head_q;
  logic [Width-1:0] head_mask_q;
  logic [CB-1:0] rows_first_q, rows_flash_q;
  logic step1, step1_q, dims_first_q;
  assign step1 = !second_q && !head_i.dense;
  always_ff @(posedge clk_i) begin
    head_q <= head_i;
    head_mask_q <= mask_i;
    step1_q <= step1;
    dims_first_q <= step1 && !head_i.dim_none;
    rows_first_q <= step1 ? head_i.dim_flash : '0;
    rows_flash_q <= step1 ? head_i.dim_flash : head_i.token_flash;
  end

  assign values_slot_o = slot_q;
  assign values_valid_o = state_q == StateBegin && !step1_q;

  logic dims_start, dims_busy, rows_start, rows_busy;
  logic dims_item_valid, rows_item_valid;
  sparf_pkg::item_t dims_item, rows_item;
  assign dims_start = state_q == StateBegin && dims_first_q;
  assign rows_start = (state_q == StateBegin && !dims_first_q)
                      || state_q == StateTailRows;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      fresh_wr_q <= '0;
      fresh_rd_q <= '0;
      ranked_wr_q <= '0;
      ranked_rd_q <= '0;
    end else begin
      if (dims_valid_i) fresh_wr_q <= fresh_wr_q + 1'b1;
      if (begin_new) fresh_rd_q <= fresh_rd_q + 1'b1;
      if (sel_reserve_o) ranked_wr_q <= ranked_wr_q + 1'b1;
      if (begin_ranked) ranked_rd_q <= ranked_rd_q + 1'b1;
      unique case (state_q)
        StateIdle: if (begin_ranked || begin_new) state_q <= StateRead;
        StateRead: state_q <= StateBegin;
        StateBegin: state_q <= dims_start ? StateTail : StateRows;
        StateTail: begin
          if (!dims_busy) state_q <= head_q.dim_all ? StateIdle : StateTailRows;
        end
        StateTailRows: state_q <= StateRows;
        StateRows: if (!rows_busy) state_q <= StateIdle;
        default: state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (dims_valid_i) fresh_q[fresh_wr_q[SlotPtrBits-1:0]] <= dims_slot_i;
    if (sel_reserve_o) ranked_q[ranked_wr_q[SlotPtrBits-1:0]] <= new_slot_q;
    if (begin_ranked || begin_new) begin
      slot_q <= begin_ranked ? ranked_q[ranked_rd_q[SlotPtrBits-1:0]] : new_slot_q;
      second_q <= begin_ranked;
    end
  end

  // Walkers rest while their item waits.
  localparam int unsigned Hold = 7;
  logic dims_clk, rows_clk;
  clock_gate #(
    .Hold(Hold)
  ) u_dims_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(dims_start || (dims_busy && (!dims_item_valid || item_ready_i))),
    .clk_o(dims_clk)
  );
  clock_gate #(
    .Hold(Hold)
  ) u_rows_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(rows_start || (rows_busy && (!rows_item_valid || item_ready_i))),
    .clk_o(rows_clk)
  );

  sparf_dim_walker #(
    .Width(Width)
  ) u_dims (
    .clk_i(dims_clk),
    .rst_ni(rst_ni),
    .start_i(dims_start),
    .head_i(head_q),
    .slot_i(slot_q),
    .mask_i(head_mask_q),
    .busy_o(dims_busy),
    .item_valid_o(dims_item_valid),
    .item_ready_i(item_ready_i),
    .item_o(dims_item)
  );

  sparf_token_walker #(
    .Width(Width),
    .Values(1'b0),
    .MaxPageRows(MaxPageRows)
  ) u_rows (
    .clk_i(rows_clk),
    .rst_ni(rst_ni),
    .start_i(rows_start),
    .slot_i(slot_q),
    .select_i(second_q),
    .second_i(!step1_q),
    .first_i(rows_first_q),
    .flash_end_i(rows_flash_q),
    .end_i(head_q.tokens),
    .take_i(head_q.take),
    .log_rows_i(head_q.log_rows),
    .dram_line_i(head_q.k_line),
    .dram_first_i(head_q.dim_flash),
    .sel_valid_i(sel_valid_i),
    .sel_read_o(sel_read_o),
    .sel_beat_i(sel_beat_i),
    .sel_mask_i(sel_mask_i),
    .busy_o(rows_busy),
    .item_valid_o(rows_item_valid),
    .item_ready_i(item_ready_i),
    .item_o(rows_item)
  );

  assign item_valid_o = dims_item_valid || rows_item_valid;
  assign item_o = dims_busy ? dims_item : rows_item;
  assign sel_done_o = state_q == StateRows && !rows_busy && second_q;

`ifdef NEARDATA_ASSERT
  // Cycles since a new head began, up to those that the registers of the next one need.
  localparam int unsigned FrontCycles = 4;
  logic [2:0] since_q;
  logic [SB-1:0] front;
  assign front = fresh_q[fresh_rd_q[SlotPtrBits-1:0]];
  always_ff @(posedge clk_i) begin
    if (!rst_ni || begin_new) since_q <= rst_ni ? 3'd1 : 3'd4;
    else if (32'(since_q) < FrontCycles) since_q <= since_q + 1'b1;
  end
  `IMPLIES(FrontRests_A, begin_new, 32'(since_q) >= FrontCycles)
  `IMPLIES(FrontIsNext_A, begin_new, new_slot_o == front)
  `IMPLIES(DimsAhead_A, dims_valid_i, dims_dense_q == dims_dense_i && dims_beats_q == dims_beats_i)
`endif

  if (Slots < 2 || (Slots & (Slots - 1)) != 0) begin : gen_bad_slots
    $error("sparf_key_tasks: Slots must be a power of two, at least 2");
  end
endmodule
