// SPDX-License-Identifier: Apache-2.0
// The front of one kernel moves the data of its heads, of which up to Slots are in flight. A head is loaded
// into the kernel. When the kernel has chosen its dimensions, the front requests keys in the order of
// sparf_key_tasks and values in the same order. Jobs go to the kernel when their data are in the rings; lines
// of output are written, and the last line completes the head.
// The rings' memories, the flash channels and the ports are outside and shared by the fronts.
`include "assert.svh"
`include "observe.svh"
module sparf_head_front #(
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned Tags = 256,  // outstanding pages of each ring
  parameter int unsigned Banks = 1,   // of the rings: pages that can arrive in a cycle
  parameter int unsigned QuerySets = 1,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned CB = sparf_pkg::CountBits,
  localparam int unsigned SB = sparf_pkg::SlotBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned PageBits = $clog2(Tags)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  output logic                           desc_ready_o,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  output logic                           done_valid_o,
  input  logic                           done_ready_i,
  output logic [31:0]                    done_o,
  // Kernel.
  output logic                           head_valid_o,
  input  logic                           head_ready_i,
  output logic [SB-1:0]                  head_slot_o,
  output sparf_pkg::head_t               head_o,
`ifdef NEARDATA_OBSERVE
  output logic [sparf_pkg::TagBits-1:0]  head_tag_o,
`endif
  input  logic                           line_taken_i,
  input  logic                           dims_valid_i,
  input  logic [SB-1:0]                  dims_slot_i,
  input  logic [Width-1:0]               dims_mask_i,
  output logic [1:0]                     job_valid_o,     // 0: keys, 1: values
  input  logic [1:0]                     job_ready_i,
  output logic [2*sparf_pkg::JobBits-1:0] job_o,
  input  logic [1:0]                     job_done_i,
  input  logic                           sel_valid_i,     // always accepted
  input  logic [CB-1:0]                  sel_beat_i,
  input  logic [sparf_pkg::SelTokens-1:0] sel_mask_i,
  input  logic                           out_valid_i,
  output logic                           out_ready_o,
  input  logic [SB-1:0]                  out_slot_i,
  input  logic [sparf_pkg::GroupBits-1:0] out_query_i,
  input  logic [CB-1:0]                  out_line_i,
  input  logic [sparf_pkg::LineBits-1:0] out_data_i,
  input  logic                           out_last_i,
  input  logic [Slots-1:0]               non_finite_i,    // per slot: the kernel has read such a value
  // Pages, of keys and of values.
  output logic [1:0]                     page_valid_o,
  input  logic [1:0]                     page_ready_i,
  output logic [2*sparf_pkg::ItemBits-1:0] page_item_o,  // or lines of DRAM
  output logic [2*PageBits-1:0]          page_number_o,
  output logic [2*AB-1:0]                page_head_o,
  input  logic [2*Banks-1:0]             arrive_i,
  input  logic [Banks*PageBits-1:0]      arrive_number_i,
  input  logic [Banks-1:0]               fail_i,          // a page of fail_slot_i was unreadable
  input  logic [Banks*SB-1:0]            fail_slot_i,
  // Lines of DRAM: for the kernel; for the rings (page_item_o selects the ring).
  output logic                           load_valid_o,
  input  logic                           load_ready_i,
  output logic [AB-1:0]                  load_line_o,
  output logic [RB-1:0]                  load_lines_o,
  output logic [1:0]                     rows_valid_o,
  input  logic [1:0]                     rows_ready_i,
  output logic                           write_valid_o,
  input  logic                           write_ready_i,
  output logic [AB-1:0]                  write_line_o,
  output logic [sparf_pkg::LineBits-1:0] write_data_o,
  // The loading head, while reads of its sums of V are outstanding.
  output logic                           loading_o,
  output logic [AB-1:0]                  loading_head_o,
  output logic [AB-1:0]                  loading_sum_line_o,
  output logic                           start_o,         // event: a head is accepted
  output logic                           busy_o
);
  localparam int unsigned SlotPtrBits = $clog2(Slots);
  localparam int unsigned RingLineBits = $clog2(RingLines);
  localparam int unsigned ItemBits = sparf_pkg::ItemBits;
  localparam int unsigned JobBits = sparf_pkg::JobBits;
  localparam int unsigned LogRowLines = $clog2(sparf_pkg::row_lines(Width));
  localparam int unsigned ContextBits = sparf_pkg::ContextBits;
  localparam int unsigned FieldBits = sparf_pkg::FieldBits;

  logic done_valid_q;
  logic [31:0] done_q;
  logic write_valid_q;
  logic [AB-1:0] write_line_q;
  logic [sparf_pkg::LineBits-1:0] write_data_q;
  assign done_valid_o = done_valid_q;
  assign done_o = done_q;
  assign write_valid_o = write_valid_q;
  assign write_line_o = write_line_q;
  assign write_data_o = write_data_q;

  // Heads in flight.
  logic [Slots-1:0] used_q, failed_q;
  logic [ContextBits-1:0] contexts_q[Slots];
  logic [Width-1:0] masks_q[Slots];
  logic table_valid, refuse_valid, refuse_ready, refuse;
  logic [FieldBits-1:0] refuse_field;
  sparf_pkg::done_t done;
  logic [SB-1:0] new_slot, key_slot, value_slot;
  sparf_pkg::context_t table_context, dims_head, new_head, key_head, value_head, out_head;
  logic [AB-1:0] out_line_q;
  logic [sparf_pkg::TagBits-1:0] out_tag_q;

  assign out_head = contexts_q[out_slot_i[SlotPtrBits-1:0]];
  assign dims_head = contexts_q[dims_slot_i[SlotPtrBits-1:0]];
  assign new_head = contexts_q[new_slot[SlotPtrBits-1:0]];
  assign key_head = contexts_q[key_slot[SlotPtrBits-1:0]];
  assign value_head = contexts_q[value_slot[SlotPtrBits-1:0]];
`ifdef NEARDATA_OBSERVE
  assign head_tag_o = table_context.tag;
`endif
  assign start_o = desc_valid_i && desc_ready_o;
  assign busy_o = used_q != '0 || done_valid_q;  // from the cycle before its head enters the kernel

  // The loader rests without a head.
  logic loader_clk, loader_busy, some_free_q;
  always_ff @(posedge clk_i) some_free_q <= !rst_ni || used_q != '1;
  clock_gate #(
    .Hold(7)
  ) u_loader_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i((desc_valid_i && desc_ready_o) || loader_busy),
    .clk_o(loader_clk)
  );

  sparf_head_loader #(
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows),
    .Slots(Slots),
    .Tags(Tags),
    .QuerySets(QuerySets)
  ) u_loader (
    .clk_i(loader_clk),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready_o),
    .busy_o(loader_busy),
    .desc_i(desc_i),
    .free_i(~used_q),
    .some_free_i(some_free_q),
    .table_valid_o(table_valid),
    .slot_o(head_slot_o),
    .table_o(table_context),
    .refuse_valid_o(refuse_valid),
    .refuse_ready_i(refuse_ready),
    .refuse_field_o(refuse_field),
    .head_valid_o(head_valid_o),
    .head_ready_i(head_ready_i),
    .head_o(head_o),
    .read_valid_o(load_valid_o),
    .read_ready_i(load_ready_i),
    .read_line_o(load_line_o),
    .read_lines_o(load_lines_o),
    .line_taken_i(line_taken_i),
    .sum_line_o(loading_sum_line_o)
  );
  assign loading_o = loader_busy;
  assign loading_head_o = table_context.head;

  // Selections between the kernel and the two walkers.
  logic [1:0] sel_valid, sel_read, sel_done;
  logic [2*CB-1:0] sel_beat;
  logic [2*sparf_pkg::SelTokens-1:0] sel_mask;
  logic [CB-1:0] sel_free, sel_beats;
  logic sel_reserve;

  logic selections_clk;
  clock_gate #(
    .Hold(7)
  ) u_selections_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(sel_reserve || sel_valid_i || sel_read != '0 || sel_done != '0),
    .clk_o(selections_clk)
  );
  sparf_sel_buffer #(
    .Beats((QuerySets > 1 ? 2 : 1) * MaxKeys / QuerySets / sparf_pkg::SelTokens),
    .Heads(Slots)
  ) u_selections (
    .clk_i(selections_clk),
    .rst_ni(rst_ni),
    .reserve_i(sel_reserve),
    .reserve_beats_i(sel_beats),
    .free_o(sel_free),
    .sel_valid_i(sel_valid_i),
    .sel_beat_i(sel_beat_i),
    .sel_mask_i(sel_mask_i),
    .rd_valid_o(sel_valid),
    .rd_i(sel_read),
    .rd_beat_o(sel_beat),
    .rd_mask_o(sel_mask),
    .rd_done_i(sel_done)
  );

  // The items to fetch, ring by ring.
  logic [1:0] item_valid, item_ready;
  logic [2*ItemBits-1:0] items;
  logic values_valid;
  logic [SB-1:0] values_slot;

  sparf_key_tasks #(
    .Width(Width),
    .Slots(Slots),
    .MaxPageRows(MaxPageRows),
    .Alternates(QuerySets > 1)
  ) u_keys (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .dims_valid_i(dims_valid_i),
    .dims_slot_i(dims_slot_i),
    .dims_dense_i(dims_head.dense),
    .dims_beats_i(dims_head.sel_beats),
    .new_slot_o(new_slot),
    .new_dense_i(new_head.dense),
    .new_beats_i(new_head.sel_beats),
    .sel_free_i(sel_free),
    .sel_reserve_o(sel_reserve),
    .sel_beats_o(sel_beats),
    .sel_valid_i(sel_valid[0]),
    .sel_done_o(sel_done[0]),
    .slot_o(key_slot),
    .head_i(key_head),
    .mask_i(masks_q[key_slot[SlotPtrBits-1:0]]),
    .sel_beat_i(sel_beat[0+:CB]),
    .sel_mask_i(sel_mask[0+:sparf_pkg::SelTokens]),
    .sel_read_o(sel_read[0]),
    .values_valid_o(values_valid),
    .values_slot_o(values_slot),
    .item_valid_o(item_valid[0]),
    .item_ready_i(item_ready[0]),
    .item_o(items[0+:ItemBits])
  );

  sparf_value_tasks #(
    .Width(Width),
    .Slots(Slots),
    .MaxPageRows(MaxPageRows)
  ) u_values (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .task_valid_i(values_valid),
    .task_slot_i(values_slot),
    .slot_o(value_slot),
    .head_i(value_head),
    .sel_valid_i(sel_valid[1]),
    .sel_read_o(sel_read[1]),
    .sel_beat_i(sel_beat[CB+:CB]),
    .sel_mask_i(sel_mask[sparf_pkg::SelTokens+:sparf_pkg::SelTokens]),
    .sel_done_o(sel_done[1]),
    .item_valid_o(item_valid[1]),
    .item_ready_i(item_ready[1]),
    .item_o(items[ItemBits+:ItemBits])
  );

  // The head of an item: the walker may have gone on to another when the item is requested.
  logic [AB-1:0] key_issue_head_q, value_issue_head_q;
  assign page_head_o = {value_issue_head_q, key_issue_head_q};
  always_ff @(posedge clk_i) begin
    if (item_valid[0] && item_ready[0]) key_issue_head_q <= key_head.head;
    if (item_valid[1] && item_ready[1]) value_issue_head_q <= value_head.head;
  end

  for (genvar r = 0; r < 2; r++) begin : gen_ring
    logic reserve, reserve_end, room, job_valid;
    logic [RB-1:0] reserve_lines;
    logic [RingLineBits-1:0] page_line;
    logic [PageBits-1:0] page_number;
    sparf_pkg::job_t job;

    logic issue_clk;
    clock_gate #(
      .Hold(1)
    ) u_issue_clock (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .run_i((item_valid[r] && item_ready[r]) || reserve || page_ready_i[r] || rows_ready_i[r]),
      .clk_o(issue_clk)
    );
    sparf_page_issue #(
      .RingLines(RingLines),
      .Pages(Tags)
    ) u_issue (
      .clk_i(issue_clk),
      .rst_ni(rst_ni),
      .item_valid_i(item_valid[r]),
      .item_ready_o(item_ready[r]),
      .item_i(items[r*ItemBits+:ItemBits]),
      .reserve_o(reserve),
      .reserve_lines_o(reserve_lines),
      .reserve_end_o(reserve_end),
      .room_i(room),
      .page_line_i(page_line),
      .page_number_i(page_number),
      .page_valid_o(page_valid_o[r]),
      .line_valid_o(rows_valid_o[r]),
      .taken_i(page_ready_i[r] || rows_ready_i[r]),
      .request_o(page_item_o[r*ItemBits+:ItemBits]),
      .number_o(page_number_o[r*PageBits+:PageBits]),
      .job_valid_o(job_valid),
      .job_o(job)
    );

    logic book_clk, book_busy;
    clock_gate #(
      .Hold(7)
    ) u_book_clock (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .run_i(reserve || job_valid || arrive_i[r*Banks+:Banks] != '0 || job_done_i[r] || book_busy
             || (job_valid_o[r] && job_ready_i[r])),
      .clk_o(book_clk)
    );
    sparf_ring_allocator #(
      .RingLines(RingLines),
      .Pages(Tags),
      .JobBits(JobBits),
      .Ports(Banks)
    ) u_book (
      .clk_i(book_clk),
      .rst_ni(rst_ni),
      .reserve_i(reserve),
      .reserve_lines_i(reserve_lines),
      .reserve_end_i(reserve_end),
      .room_o(room),
      .page_line_o(page_line),
      .page_number_o(page_number),
      .job_valid_i(job_valid),
      .job_i(job),
      .arrive_i(arrive_i[r*Banks+:Banks]),
      .arrive_number_i(arrive_number_i),
      .job_valid_o(job_valid_o[r]),
      .job_ready_i(job_ready_i[r]),
      .job_o(job_o[r*JobBits+:JobBits]),
      .done_i(job_done_i[r]),
      .busy_o(book_busy)
    );
  end

  // Lines of output, and the end of a head: its last line is written, then it is reported.
  logic write_last_q, out_taken, written_last;
  logic [SB-1:0] write_slot_q;
  logic [sparf_pkg::TagBits-1:0] done_tag_q;
  assign out_ready_o = !write_valid_q && !done_valid_q;
  assign out_taken = out_valid_i && out_ready_o;
  assign written_last = write_valid_q && write_ready_i && write_last_q;
  assign refuse = refuse_valid && refuse_ready;
  // Not during an output: its end would overwrite the done word.
  assign refuse_ready = out_ready_o && !out_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q <= '0;
      failed_q <= '0;
      write_valid_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin
      if (table_valid) begin
        used_q[head_slot_o[SlotPtrBits-1:0]] <= 1'b1;
        failed_q[head_slot_o[SlotPtrBits-1:0]] <= 1'b0;
      end
      if (written_last) used_q[write_slot_q[SlotPtrBits-1:0]] <= 1'b0;
      if (refuse) used_q[head_slot_o[SlotPtrBits-1:0]] <= 1'b0;
      for (int unsigned b = 0; b < Banks; b++) begin
        if (fail_i[b]) failed_q[fail_slot_i[b*SB+:SlotPtrBits]] <= 1'b1;
      end
      if (out_taken) write_valid_q <= 1'b1;
      else if (write_ready_i) write_valid_q <= 1'b0;
      if (written_last || refuse) done_valid_q <= 1'b1;
      else if (done_ready_i) done_valid_q <= 1'b0;
    end
  end

  // An unreadable page does not overwrite the ring's old data, which are not values of the head.
  always_comb begin
    done = '0;
    done.tag = done_tag_q;
    done.unreadable = failed_q[write_slot_q[SlotPtrBits-1:0]];
    done.non_finite = non_finite_i[write_slot_q[SlotPtrBits-1:0]] && !done.unreadable;
    if (refuse) begin
      done = '0;
      done.tag = table_context.tag;
      done.refused = 1'b1;
      done.field = refuse_field;
    end
  end

  always_ff @(posedge clk_i) begin
    if (table_valid) contexts_q[head_slot_o[SlotPtrBits-1:0]] <= table_context;
    if (dims_valid_i) masks_q[dims_slot_i[SlotPtrBits-1:0]] <= dims_mask_i;
    if (out_taken) begin
      // A row's lines are a power of two, out_line_i one of them.
      write_line_q <= out_line_q + ((AB'(out_query_i) << LogRowLines) | AB'(out_line_i));
      write_data_q <= out_data_i;
      write_last_q <= out_last_i;
      write_slot_q <= out_slot_i;
    end
    // The context stays: the slot is free, but its next head is loaded later.
    if (written_last || refuse) done_q <= done;
    if (out_taken) done_tag_q <= out_tag_q;
    // The slot is stable long before a head's first line.
    out_line_q <= out_head.out_line;
    out_tag_q <= out_head.tag;
  end

  if (Slots < 2 || Slots > 16 || (Slots & (Slots - 1)) != 0) begin : gen_bad_slots
    $error("sparf_head_front: Slots must be 2, 4, 8 or 16");
  end

`ifdef NEARDATA_ASSERT
  logic [SB-1:0] out_slot_q;
  always_ff @(posedge clk_i) out_slot_q <= out_slot_i;
`endif
  `IMPLIES(OutSlotStays_A, out_valid_i, out_slot_i == out_slot_q)
endmodule
