// SPDX-License-Identifier: Apache-2.0
// One flash channel: beats of raw pages in, lines for the page rings out.
// - Beats wait in a queue of QueueBeats, the oldest in a register behind it. When that beat is the first of a
//   page and the previous page is complete, the channel requests the page's record (want_o, tag_o). The table
//   reads it in the channel's slot at bank 0 (ring_slot_i[0]). The record arrives in the next cycle (page_i) and is
//   decoded in the one after. From then on the filter accepts one beat per cycle. Beats that pass reach the
//   line two cycles later.
// - A line leaves in the channel's slot at the bank of the line (its lowest bit, of two), at the earliest one
//   slot after it is complete. At most two slots pass without a line, behind the first line of a page, as the
//   lines of a page and the slots of a channel alternate between the banks. The last line of a page completes
//   the page. An unreadable page, a single beat, counts as a page of zeros: its rows pass as if all beats had
//   arrived, and its lines are marked as failed.
// in_ready_o is a register: the queue has space for two beats. The queue covers the wait for slots, so it fills
// only if lines arrive faster than slots.
`include "assert.svh"
module sparf_nfc_channel #(
  parameter int unsigned RingLines = 2048,
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned TableBits = 10,  // bits of a page's tag
  parameter int unsigned QueueBeats = 32,
  parameter int unsigned Banks = 1,       // of the rings
  localparam int unsigned RingLineBits = $clog2(RingLines)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [Banks-1:0]               ring_slot_i,
  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  input  logic                           in_first_i,
  input  logic                           in_error_i,
  input  logic [TableBits-1:0]           in_tag_i,
  input  logic [sparf_pkg::BeatBits-1:0] in_data_i,
  output logic                           want_o,
  output logic [TableBits-1:0]           tag_o,
  input  sparf_pkg::page_t               page_i,
  output logic                           line_valid_o,   // accepted in the slot at its bank
  output logic                           line_error_o,   // of an unreadable page
  output logic                           line_last_o,
  output logic [TableBits-1:0]           line_tag_o,
  output logic [sparf_pkg::SlotBits-1:0] line_slot_o,
  output logic [RingLineBits-1:0]        line_addr_o,
  output logic [sparf_pkg::LineBits-1:0] line_data_o,
  output logic [2:0]                     events_o        // beat in, beat passes, beat waits
);
  logic in_ready_q, line_error_q;
  logic [TableBits-1:0] line_tag_q;
  logic [sparf_pkg::SlotBits-1:0] line_slot_q;
  logic [RingLineBits-1:0] line_addr_q;
  assign in_ready_o = in_ready_q;
  assign line_error_o = line_error_q;
  assign line_tag_o = line_tag_q;
  assign line_slot_o = line_slot_q;
  assign line_addr_o = line_addr_q;

  // One piece of the simulator's code for all channels, which are busy most of the time.
  /* verilator no_inline_module */
  localparam int unsigned BeatBits = sparf_pkg::BeatBits;
  localparam int unsigned PtrBits = $clog2(QueueBeats) + 1;
  localparam int unsigned RowBits = $clog2(MaxPageRows);

  // Waiting beats, each with its marks.
  typedef struct packed {
    logic first;                  // of its page
    logic error;                  // the page is unreadable
    logic [TableBits-1:0] tag;
  } mark_t;
  localparam int unsigned MarkBits = 2 + TableBits;
  logic [MarkBits-1:0] marks_q[QueueBeats];
  logic [BeatBits-1:0] beats_q[QueueBeats];
  mark_t in_mark, head_mark_q;
  logic [PtrBits-1:0] wr_q, rd_q, filled_q;  // filled: without the head
  logic push, pop, next, head_valid_q;
  logic [BeatBits-1:0] head_data_q;

  assign push = in_valid_i && in_ready_q;
  assign next = (pop || !head_valid_q) && filled_q != '0;
  assign in_mark.first = in_first_i;
  assign in_mark.error = in_error_i;
  assign in_mark.tag = in_tag_i;
  assign tag_o = head_mark_q.tag;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_q <= '0;
      rd_q <= '0;
      filled_q <= '0;
      head_valid_q <= 1'b0;
      in_ready_q <= 1'b1;  // beats of pages from before the reset are dropped in it
    end else begin
      if (push) wr_q <= wr_q + 1'b1;
      if (next) rd_q <= rd_q + 1'b1;
      if (push && !next) filled_q <= filled_q + 1'b1;
      else if (next && !push) filled_q <= filled_q - 1'b1;
      if (next) head_valid_q <= 1'b1;
      else if (pop) head_valid_q <= 1'b0;
      in_ready_q <= filled_q < PtrBits'(QueueBeats - 1);
    end
    if (push) begin
      marks_q[wr_q[PtrBits-2:0]] <= in_mark;
      beats_q[wr_q[PtrBits-2:0]] <= in_data_i;
    end
    if (next) begin
      head_mark_q <= marks_q[rd_q[PtrBits-2:0]];
      head_data_q <= beats_q[rd_q[PtrBits-2:0]];
    end
  end

  // A page begins: its record is on page_i, and then in a register.
  logic begin_q, record_q, asked, open_q, zero_q;
  logic drop_q;  // the beat of an unreadable page
  logic flow_q;  // beats are sent to the filter
  sparf_pkg::page_t page_q;
  assign asked = want_o && ring_slot_i[0];

  logic filter_idle, filter_in_ready, kept_valid, kept_ready;
  logic pack_valid, pack_ready;
  typedef struct packed {
    logic row;   // the last beat of a row that passes
    logic page;  // and of all that pass
  } last_t;
  localparam int unsigned LastBits = 2;
  last_t kept_last, pack_last;
  logic packer_empty, split_q, line_full, line_ring_slot, line_moved;
  logic [BeatBits-1:0] kept_data, pack_data;
  logic [1:0] filter_events;

  assign want_o = head_valid_q && head_mark_q.first && filter_idle && !kept_valid && !pack_valid
                  && packer_empty && !begin_q && !record_q && !open_q;
  assign pop = drop_q || (head_valid_q && filter_in_ready && flow_q);

  sparf_nfc_filter #(
    .MaxRows(MaxPageRows),
    .MaxRowBeats(sparf_pkg::RowBeats),
    .BeatBits(BeatBits)
  ) u_filter (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .page_valid_i(record_q),
    .page_ready_o(filter_idle),
    .page_mask_i(page_q.mask[MaxPageRows-1:0]),
    .page_rows_i((RowBits + 1)'(1) << page_q.log_rows),
    .page_row_beats_i(sparf_pkg::BeatCountBits'(1) << page_q.log_row_beats),
    .page_used_beats_i(page_q.used_beats),
    .in_valid_i((head_valid_q || zero_q) && open_q),
    .in_ready_o(filter_in_ready),
    .in_data_i(zero_q ? '0 : head_data_q),
    .out_valid_o(kept_valid),
    .out_ready_i(kept_ready),
    .out_data_o(kept_data),
    .out_row_last_o(kept_last.row),
    .out_last_o(kept_last.page),
    .events_o(filter_events)
  );

  skid_buffer #(
    .DataBits(BeatBits),
    .MarkBits(LastBits)
  ) u_kept (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(kept_valid),
    .in_ready_o(kept_ready),
    .in_data_i(kept_data),
    .in_marks_i(kept_last),
    .out_valid_o(pack_valid),
    .out_ready_i(pack_ready),
    .out_data_o(pack_data),
    .out_marks_o(pack_last)
  );

  sparf_line_packer u_packer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .split_i(split_q),
    .in_valid_i(pack_valid),
    .in_ready_o(pack_ready),
    .in_data_i(pack_data),
    .in_row_last_i(pack_last.row),
    .in_last_i(pack_last.page),
    .empty_o(packer_empty),
    .line_valid_o(line_full),
    .line_ready_i(line_ring_slot),
    .line_moved_o(line_moved),
    .line_last_o(line_last_o),
    .line_data_o(line_data_o)
  );

  // The destination of the page; the fields of a waiting line are copied, because the next page may begin.
  logic [TableBits-1:0] page_tag_q;
  logic [sparf_pkg::SlotBits-1:0] page_slot_q;
  logic [RingLineBits-1:0] next_line_q;

  assign line_valid_o = line_full;
  assign line_ring_slot = line_addr_q[0] ? ring_slot_i[Banks-1] : ring_slot_i[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begin_q <= 1'b0;
      record_q <= 1'b0;
      open_q <= 1'b0;
      drop_q <= 1'b0;
      flow_q <= 1'b0;
    end else begin
      begin_q <= asked;
      drop_q <= asked && head_mark_q.error;
      record_q <= begin_q;
      if (record_q) open_q <= 1'b1;
      else if (open_q && filter_idle) open_q <= 1'b0;
      if (record_q) flow_q <= !zero_q;
      else if (open_q && filter_idle) flow_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begin_q) begin
      page_q <= page_i;
      zero_q <= head_mark_q.error;
      page_tag_q <= tag_o;
    end
    if (record_q) begin
      split_q <= page_q.split;
      page_slot_q <= page_q.slot;
      next_line_q <= page_q.base[RingLineBits-1:0];
    end else if (line_moved) begin
      next_line_q <= next_line_q + 1'b1;
    end
    if (line_moved) begin
      line_tag_q <= page_tag_q;
      line_addr_q <= next_line_q;
      line_slot_q <= page_slot_q;
      line_error_q <= zero_q;
    end
  end

  assign events_o = {in_valid_i && !in_ready_q, filter_events[1] && !zero_q, push};

  `IMPLIES(PageBegins_A, head_valid_q && !open_q && !begin_q && !record_q, head_mark_q.first)
endmodule
