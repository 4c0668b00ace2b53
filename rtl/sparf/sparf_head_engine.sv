// SPDX-License-Identifier: Apache-2.0
// A kernel and the front that moves its heads' data, up to Slots heads at a time: descriptors in, lines of
// output and completion reports out. Memories of the rings (0: keys, 1: values), flash channels and the ports
// of DRAM are outside, shared with the other kernels.
// - page: a page to read {index, kind, head}, its number among the pages of its ring, and its record for the
//   channel that delivers it; rows: a run of DRAM lines for the ring, with the same number.
// - arrive: the data of that number are complete in the ring. fail: a page of a slot is unreadable. Each bank
//   of a ring reports them.
// - load: DRAM lines of a head for the kernel, which arrive on line.
`include "observe.svh"
module sparf_head_engine #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned Tags = 256,
  parameter int unsigned Banks = 1,  // of the rings
  parameter int unsigned QuerySets = 1,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned SB = sparf_pkg::SlotBits,
  localparam int unsigned NumberBits = $clog2(Tags),
  localparam int unsigned RingLineBits = $clog2(RingLines),
  localparam int unsigned AskBits = sparf_pkg::PageAskBits
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  output logic                           desc_ready_o,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  output logic                           done_valid_o,
  input  logic                           done_ready_i,
  output logic [31:0]                    done_o,
  output logic [1:0]                     page_valid_o,
  input  logic [1:0]                     page_ready_i,
  output logic [2*AskBits-1:0]           page_ask_o,
  output logic [2*sparf_pkg::PageBits-1:0] page_record_o,
  output logic [2*NumberBits-1:0]        page_number_o,    // of rows, too
  output logic [1:0]                     rows_valid_o,
  input  logic [1:0]                     rows_ready_i,
  output logic [2*AB-1:0]                rows_line_o,
  output logic [2*RB-1:0]                rows_lines_o,
  output logic [2*RingLineBits-1:0]      rows_base_o,      // in the ring
  input  logic [2*Banks-1:0]             arrive_i,
  input  logic [Banks*NumberBits-1:0]    arrive_number_i,
  input  logic [Banks-1:0]               fail_i,
  input  logic [Banks*SB-1:0]            fail_slot_i,
  output logic                           load_valid_o,
  input  logic                           load_ready_i,
  output logic [AB-1:0]                  load_line_o,
  output logic [RB-1:0]                  load_lines_o,
  input  logic                           line_valid_i,
  output logic                           line_ready_o,
  input  logic [LB-1:0]                  line_data_i,
  output logic [1:0]                     ring_read_o,
  output logic [2*RingLineBits-1:0]      ring_line_o,
  input  logic [2*LB-1:0]                ring_data_i,
  output logic                           write_valid_o,
  input  logic                           write_ready_i,
  output logic [AB-1:0]                  write_line_o,
  output logic [LB-1:0]                  write_data_o,
  // The loading head, while reads of its sums of V are outstanding.
  output logic                           loading_o,
  output logic [AB-1:0]                  loading_head_o,
  output logic [AB-1:0]                  loading_sum_line_o,
  output logic                           start_o,          // event: a head is accepted
`ifdef NEARDATA_OBSERVE
  // The kernel's choices, for checkers: a head enters a slot, its dimensions, a beat of its
  // tokens, alpha of a query (the share of the chosen tokens).
  output logic                           seen_head_valid_o,
  output logic [SB-1:0]                  seen_head_slot_o,
  output logic [sparf_pkg::TagBits-1:0]  seen_head_tag_o,
  output logic                           seen_dims_valid_o,
  output logic [SB-1:0]                  seen_dims_slot_o,
  output logic [Width-1:0]               seen_dims_mask_o,
  output logic                           seen_sel_valid_o,
  output logic [SB-1:0]                  seen_sel_slot_o,
  output logic [sparf_pkg::CountBits-1:0] seen_sel_beat_o,
  output logic [sparf_pkg::SelTokens-1:0] seen_sel_mask_o,
  output logic                           seen_sel_last_o,
  output logic                           seen_alpha_valid_o,
  output logic [SB-1:0]                  seen_alpha_slot_o,
  output logic [sparf_pkg::GroupBits-1:0] seen_alpha_query_o,
  output logic [sparf_pkg::FloatBits-1:0] seen_alpha_value_o,
`endif
  output logic                           busy_o,
  output logic [sparf_kernel_pkg::Events-1:0] events_o
);
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned JobBits = sparf_pkg::JobBits;
  localparam int unsigned ItemBits = sparf_pkg::ItemBits;
  localparam int unsigned KernelSlotBits = $clog2(Slots);
  localparam int unsigned KeyBits = $clog2(MaxKeys) + 1;
  localparam int unsigned DimBits = $clog2(Width) + 1;
  localparam int unsigned QueryBits = $clog2(MaxGroup);
  localparam int unsigned SelBits = $clog2(MaxKeys / QuerySets / sparf_pkg::SelTokens);

  logic head_valid, head_ready, dims_valid, sel_valid, sel_last, out_valid, out_ready, out_last;
  logic [SB-1:0] head_slot;
  logic [sparf_pkg::TagBits-1:0] head_tag;
  sparf_pkg::head_t head;
  logic alpha_valid;
  logic [KernelSlotBits-1:0] dims_slot, sel_slot, out_slot, alpha_slot;
  logic [QueryBits-1:0] alpha_query;
  logic [sparf_pkg::FloatBits-1:0] alpha;
  logic [1:0] job_valid, job_ready, job_done;
  logic [2*JobBits-1:0] jobs;
  logic [2*ItemBits-1:0] items;
  logic [2*AB-1:0] heads;
  sparf_pkg::job_t key_job, value_job;
  sparf_pkg::item_t key_item, value_item;
  sparf_pkg::page_ask_t key_ask, value_ask;
  logic [Width-1:0] dims_mask;
  logic [SelBits-1:0] sel_beat;
  logic [sparf_pkg::SelTokens-1:0] sel_mask;
  logic [QueryBits-1:0] out_query;
  logic [DimBits-1:0] out_line;
  logic [LB-1:0] out_data;
  logic [Slots-1:0] non_finite;

`ifdef NEARDATA_OBSERVE
  assign seen_head_valid_o = head_valid && head_ready;
  assign seen_head_slot_o = head_slot;
  assign seen_head_tag_o = head_tag;
  assign seen_dims_valid_o = dims_valid;
  assign seen_dims_slot_o = SB'(dims_slot);
  assign seen_dims_mask_o = dims_mask;
  assign seen_sel_valid_o = sel_valid;
  assign seen_sel_slot_o = SB'(sel_slot);
  assign seen_sel_beat_o = CB'(sel_beat);
  assign seen_sel_mask_o = sel_mask;
  assign seen_sel_last_o = sel_last;
  assign seen_alpha_valid_o = alpha_valid;
  assign seen_alpha_slot_o = SB'(alpha_slot);
  assign seen_alpha_query_o = sparf_pkg::GroupBits'(alpha_query);
  assign seen_alpha_value_o = alpha;
`endif

  assign key_job = jobs[0+:JobBits];
  assign value_job = jobs[JobBits+:JobBits];
  assign key_item = items[0+:ItemBits];
  assign value_item = items[ItemBits+:ItemBits];
  assign key_ask.index = key_item.index;
  assign key_ask.kind = key_item.kind;
  assign key_ask.head = heads[0+:AB];
  assign value_ask.index = value_item.index;
  assign value_ask.kind = value_item.kind;
  assign value_ask.head = heads[AB+:AB];
  assign page_ask_o = {value_ask, key_ask};
  assign page_record_o = {value_item.page, key_item.page};
  assign rows_line_o = {value_item.line, key_item.line};
  assign rows_lines_o = {value_item.lines, key_item.lines};
  assign rows_base_o = {value_item.page.base[RingLineBits-1:0],
                        key_item.page.base[RingLineBits-1:0]};

  sparf_head_front #(
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows),
    .Tags(Tags),
    .Banks(Banks),
    .QuerySets(QuerySets)
  ) u_front (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready_o),
    .desc_i(desc_i),
    .done_valid_o(done_valid_o),
    .done_ready_i(done_ready_i),
    .done_o(done_o),
    .head_valid_o(head_valid),
    .head_ready_i(head_ready),
    .head_slot_o(head_slot),
    .head_o(head),
`ifdef NEARDATA_OBSERVE
    .head_tag_o(head_tag),
`endif
    .line_taken_i(line_valid_i && line_ready_o),
    .dims_valid_i(dims_valid),
    .dims_slot_i(SB'(dims_slot)),
    .dims_mask_i(dims_mask),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready),
    .job_o(jobs),
    .job_done_i(job_done),
    .sel_valid_i(sel_valid),
    .sel_beat_i(CB'(sel_beat)),
    .sel_mask_i(sel_mask),
    .out_valid_i(out_valid),
    .out_ready_o(out_ready),
    .out_slot_i(SB'(out_slot)),
    .out_query_i(sparf_pkg::GroupBits'(out_query)),
    .out_line_i(CB'(out_line)),
    .out_data_i(out_data),
    .out_last_i(out_last),
    .non_finite_i(non_finite),
    .page_valid_o(page_valid_o),
    .page_ready_i(page_ready_i),
    .page_item_o(items),
    .page_number_o(page_number_o),
    .page_head_o(heads),
    .arrive_i(arrive_i),
    .arrive_number_i(arrive_number_i),
    .fail_i(fail_i),
    .fail_slot_i(fail_slot_i),
    .load_valid_o(load_valid_o),
    .load_ready_i(load_ready_i),
    .load_line_o(load_line_o),
    .load_lines_o(load_lines_o),
    .rows_valid_o(rows_valid_o),
    .rows_ready_i(rows_ready_i),
    .write_valid_o(write_valid_o),
    .write_ready_i(write_ready_i),
    .write_line_o(write_line_o),
    .write_data_o(write_data_o),
    .loading_o(loading_o),
    .loading_head_o(loading_head_o),
    .loading_sum_line_o(loading_sum_line_o),
    .start_o(start_o),
    .busy_o(busy_o)
  );

  sparf_kernel #(
    .Lanes(Lanes),
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .Slots(Slots),
    .RingLines(RingLines),
    .QuerySets(QuerySets)
  ) u_kernel (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .head_valid_i(head_valid),
    .head_ready_o(head_ready),
    .head_slot_i(head_slot[KernelSlotBits-1:0]),
    .head_dense_i(head.dense),
    .head_group_i(QueryBits'(head.group - 1'b1)),
    .head_tokens_i(KeyBits'(head.tokens)),
    .head_dims_i(DimBits'(head.dims)),
    .head_take_i(KeyBits'(head.take)),
    .head_window_i(KeyBits'(head.window)),
    .head_mean_i(head.mean_enable),
    .head_scale_i(head.scale),
    .head_reciprocal_i(head.reciprocal),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready_o),
    .line_data_i(line_data_i),
    .dims_valid_o(dims_valid),
    .dims_ready_i(1'b1),
    .dims_slot_o(dims_slot),
    .dims_mask_o(dims_mask),
    .kjob_valid_i(job_valid[0]),
    .kjob_ready_o(job_ready[0]),
    .kjob_slot_i(key_job.slot[KernelSlotBits-1:0]),
    .kjob_column_i(key_job.column),
    .kjob_second_i(key_job.second),
    .kjob_count_i(KeyBits'(key_job.count)),
    .kjob_base_i(key_job.base[RingLineBits-1:0]),
    .kjob_dims_i(DimBits'(key_job.dims)),
    .kjob_row_lines_i(key_job.row_lines[RingLineBits-1:0]),
    .kjob_last_i(key_job.last),
    .kjob_done_o(job_done[0]),
    .kread_o(ring_read_o[0]),
    .kaddr_o(ring_line_o[0+:RingLineBits]),
    .kdata_i(ring_data_i[0+:LB]),
    .vjob_valid_i(job_valid[1]),
    .vjob_ready_o(job_ready[1]),
`ifdef NEARDATA_ASSERT
    .vjob_slot_i(value_job.slot[KernelSlotBits-1:0]),
`endif
    .vjob_count_i(KeyBits'(value_job.count)),
    .vjob_base_i(value_job.base[RingLineBits-1:0]),
    .vjob_last_i(value_job.last),
    .vjob_done_o(job_done[1]),
    .vread_o(ring_read_o[1]),
    .vaddr_o(ring_line_o[RingLineBits+:RingLineBits]),
    .vdata_i(ring_data_i[LB+:LB]),
    .sel_valid_o(sel_valid),
    .sel_ready_i(1'b1),
    .sel_beat_o(sel_beat),
    .sel_mask_o(sel_mask),
`ifdef NEARDATA_OBSERVE
    .sel_slot_o(sel_slot),
    .sel_last_o(sel_last),
    .alpha_valid_o(alpha_valid),
    .alpha_slot_o(alpha_slot),
    .alpha_query_o(alpha_query),
    .alpha_o(alpha),
`endif
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .out_slot_o(out_slot),
    .out_query_o(out_query),
    .out_line_o(out_line),
    .out_data_o(out_data),
    .out_last_o(out_last),
    .non_finite_o(non_finite),
    .events_o(events_o)
  );
endmodule
