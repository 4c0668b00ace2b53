// SPDX-License-Identifier: Apache-2.0
// The SparF attention engine of a computational storage device: descriptors in, pages from Channels flash channels,
// attention out to controller DRAM. The doorbell sends a head to one of Kernels kernels that has a free slot. Each
// kernel has a front that moves its data, and up to Slots heads in flight.
// - desc: the doorbell, 16 words (sparf_pkg). done answers with status and the descriptor's tag, in the
//   order in which heads end. A descriptor that breaks a rule (sparf_descriptor_check) is answered with the
//   field that breaks it, and no work starts.
// - page_req: a page to read {write, index, kind, head, tag}, or (write) a page to program, which needs no
//   answer. ch: raw pages in any order; pages of one channel never interleave. ch_first_i marks the first
//   beat, with the tag; an unreadable page is one beat with first and error.
// - dr: reads of 64-byte lines, answers in order and always accepted. dw: writes of lines.
// rst_ni may fall at any time, and stays low until every requested page and line has arrived: in reset all
// are accepted and dropped. The engine would use a later one as data (assertions AnswerAsked_A and
// PageAsked_A); common/reset_drain extends the reset accordingly.
// quiet_o: the engine is idle, and only the slot counter of the rings changes before a descriptor arrives. A
// simulator that skips clocks then skips a multiple of Banks * (Channels / Banks, rounded up, + 4). The
// rings of up to 8 channels have one bank, those of more channels have two. Outputs are functions of
// registers.
`include "assert.svh"
`include "observe.svh"
module sparf_engine #(
  parameter int unsigned Channels = 8,
  parameter int unsigned Kernels = 2,
  parameter int unsigned Lanes = 16,         // multipliers of a GeMV unit
  parameter int unsigned Width = 128,        // of a head
  parameter int unsigned MaxKeys = 32768,    // tokens of a head times queries, in whole sets
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,          // heads in flight, of each kernel
  parameter int unsigned RingLines = 2048,   // of each ring: keys and values of each kernel
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned Tags = 256,         // outstanding pages of each ring
  parameter int unsigned QuerySets = 1,      // queries of a group that share keys in a cycle
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned TB = sparf_pkg::TagBits,
  localparam int unsigned BB = sparf_pkg::BeatBits,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned Events = sparf_pkg::events(Channels, Kernels)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  output logic                           desc_ready_o,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  output logic                           done_valid_o,
  input  logic                           done_ready_i,
  output sparf_pkg::done_t               done_o,
  output logic                           page_req_valid_o,
  input  logic                           page_req_ready_i,
  output sparf_pkg::page_req_t           page_req_o,
  input  logic [Channels-1:0]            ch_valid_i,
  output logic [Channels-1:0]            ch_ready_o,
  input  logic [Channels-1:0]            ch_first_i,
  input  logic [Channels-1:0]            ch_error_i,
  input  logic [Channels*TB-1:0]         ch_tag_i,
  input  logic [Channels*BB-1:0]         ch_data_i,
  output logic                           dr_req_valid_o,
  input  logic                           dr_req_ready_i,
  output logic [AB-1:0]                  dr_req_addr_o,
  input  logic                           dr_rsp_valid_i,
  output logic                           dr_rsp_ready_o,
  input  logic [LB-1:0]                  dr_rsp_data_i,
  output logic                           dw_valid_o,
  input  logic                           dw_ready_i,
  output logic [AB-1:0]                  dw_addr_o,
  output logic [LB-1:0]                  dw_data_o,
  output logic [LB/8-1:0]                dw_strb_o,
`ifdef NEARDATA_OBSERVE
  // The choices of each kernel, for checkers: a head enters a slot, its dimensions, a beat of its
  // tokens, alpha of a query.
  output logic [Kernels-1:0]             seen_head_valid_o,
  output logic [Kernels*sparf_pkg::SlotBits-1:0] seen_head_slot_o,
  output logic [Kernels*TB-1:0]          seen_head_tag_o,
  output logic [Kernels-1:0]             seen_dims_valid_o,
  output logic [Kernels*sparf_pkg::SlotBits-1:0] seen_dims_slot_o,
  output logic [Kernels*Width-1:0]       seen_dims_mask_o,
  output logic [Kernels-1:0]             seen_sel_valid_o,
  output logic [Kernels*sparf_pkg::SlotBits-1:0] seen_sel_slot_o,
  output logic [Kernels*sparf_pkg::CountBits-1:0] seen_sel_beat_o,
  output logic [Kernels*sparf_pkg::SelTokens-1:0] seen_sel_mask_o,
  output logic [Kernels-1:0]             seen_sel_last_o,
  output logic [Kernels-1:0]             seen_alpha_valid_o,
  output logic [Kernels*sparf_pkg::SlotBits-1:0] seen_alpha_slot_o,
  output logic [Kernels*sparf_pkg::GroupBits-1:0] seen_alpha_query_o,
  output logic [Kernels*sparf_pkg::FloatBits-1:0] seen_alpha_value_o,
`endif
  output logic                           quiet_o,
  output logic [Events-1:0]              events_o
);
  localparam int unsigned RB = sparf_pkg::RingBits;
  localparam int unsigned SB = sparf_pkg::SlotBits;
  localparam int unsigned Rings = 2 * Kernels;  // keys and values of kernel 0, of kernel 1, ...
  localparam int unsigned RingIdBits = $clog2(Rings);
  localparam int unsigned PageBits = $clog2(Tags);
  localparam int unsigned RingLineBits = $clog2(RingLines);
  localparam int unsigned PageReqBits = sparf_pkg::PageReqBits;
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned GB = sparf_pkg::GroupBits;
  localparam int unsigned FB = sparf_pkg::FloatBits;
  localparam int unsigned ST = sparf_pkg::SelTokens;
  localparam int unsigned CalmBits = 9;
  localparam int unsigned Banks = sparf_pkg::banks(Channels);
  localparam int unsigned Places = (Channels + Banks - 1) / Banks;
  localparam int unsigned PlaceBits = Places > 1 ? $clog2(Places) : 1;
  localparam int unsigned Readers = 3 * Kernels + 1;  // rings, kernels' heads, append
  localparam int unsigned AskBits = sparf_pkg::PageAskBits;
  localparam int unsigned RecordBits = sparf_pkg::PageBits;

  logic [Events-1:0] events_q;
  assign events_o = events_q;

  // The tag of a page that a ring requested, and the note that returns with lines of DRAM for a ring.
  typedef struct packed {
    logic [RingIdBits-1:0] ring;
    logic [PageBits-1:0] number;
  } page_tag_t;
  typedef struct packed {
    logic [RingLineBits-1:0] base;        // first line in the ring
    logic [PageBits-1:0] number;
  } note_t;
  localparam int unsigned NoteBits = RingLineBits + PageBits;

  // Descriptors.
  logic [Kernels-1:0] head_valid, head_ready, loading;
  logic [Kernels*AB-1:0] loading_head, loading_sum_line;
  logic append_valid, append_idle, bell_busy;
  logic [sparf_pkg::DescBits-1:0] desc;

  sparf_doorbell #(
    .Kernels(Kernels),
    .Descs(2 * Slots)
  ) u_doorbell (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready_o),
    .desc_i(desc_i),
    .head_valid_o(head_valid),
    .head_ready_i(head_ready),
    .append_valid_o(append_valid),
    .append_ready_i(append_idle),
    .loading_i(loading),
    .loading_head_i(loading_head),
    .loading_sum_line_i(loading_sum_line),
    .desc_o(desc),
    .busy_o(bell_busy)
  );

  // Requests of pages: by ring, and the append unit's.
  logic [Rings:0] page_valid, page_ready;
  logic [(Rings+1)*PageReqBits-1:0] page_req;
  logic [Rings*AskBits-1:0] asks;
  logic [Rings*RecordBits-1:0] records;
  logic [Rings*PageBits-1:0] numbers;

  sparf_page_requests #(
    .Requesters(Rings + 1)
  ) u_page_requests (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(page_valid),
    .ready_o(page_ready),
    .request_i(page_req),
    .req_valid_o(page_req_valid_o),
    .req_ready_i(page_req_ready_i),
    .req_o(page_req_o)
  );

  // Flash, and the rings, which store lines of flash and of DRAM in alternating slots.
  logic [Banks*Channels-1:0] ring_slot;
  logic [PlaceBits-1:0] place;
  logic swap, dram_slot;
  logic [Banks-1:0] line_valid, line_error, line_last;
  logic [Banks*RingIdBits-1:0] line_ring;
  logic [Banks*PageBits-1:0] line_number;
  logic [Banks*SB-1:0] line_slot, fail_slot;
  logic [Banks*RingLineBits-1:0] line_addr;
  logic [Banks*LB-1:0] line_data;
  logic [3*Channels-1:0] channel_events;
  sparf_flash_channels #(
    .Channels(Channels),
    .Rings(Rings),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows),
    .Tags(Tags)
  ) u_flash (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ring_slot_i(ring_slot),
    .place_i(place),
    .swap_i(swap),
    .ch_valid_i(ch_valid_i),
    .ch_ready_o(ch_ready_o),
    .ch_first_i(ch_first_i),
    .ch_error_i(ch_error_i),
    .ch_tag_i(ch_tag_i),
    .ch_data_i(ch_data_i),
    .page_taken_i(page_ready[Rings-1:0]),
    .page_number_i(numbers),
    .page_record_i(records),
    .line_valid_o(line_valid),
    .line_error_o(line_error),
    .line_last_o(line_last),
    .line_ring_o(line_ring),
    .line_number_o(line_number),
    .line_slot_o(line_slot),
    .line_addr_o(line_addr),
    .line_data_o(line_data),
    .events_o(channel_events)
  );

  logic [Rings*LB-1:0] ring_data;
  logic [Rings-1:0] ring_read;
  logic [Rings*Banks-1:0] arrive;
  logic [Rings*RingLineBits-1:0] ring_addr;
  logic [Banks*PageBits-1:0] arrive_number;
  logic [Kernels*Banks-1:0] fail;
  sparf_page_rings #(
    .Channels(Channels),
    .Rings(Rings),
    .RingLines(RingLines),
    .Tags(Tags)
  ) u_rings (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ring_slot_o(ring_slot),
    .place_o(place),
    .swap_o(swap),
    .dram_slot_o(dram_slot),
    .flash_valid_i(line_valid),
    .flash_error_i(line_error),
    .flash_last_i(line_last),
    .flash_ring_i(line_ring),
    .flash_number_i(line_number),
    .flash_slot_i(line_slot),
    .flash_addr_i(line_addr),
    .flash_data_i(line_data),
    .dram_valid_i(dram_valid[Rings-1:0]),
    .dram_last_i(dram_last),
    .dram_base_i(dram_note.base),
    .dram_number_i(dram_note.number),
    .dram_place_i(RingLineBits'(dram_place)),
    .dram_data_i(dram_data),
    .arrive_o(arrive),
    .arrive_number_o(arrive_number),
    .fail_o(fail),
    .fail_slot_o(fail_slot),
    .ring_read_i(ring_read),
    .ring_addr_i(ring_addr),
    .ring_data_o(ring_data)
  );

  // Lines of DRAM: readers 0 .. Rings - 1 are rings, then kernels, then the append unit.
  logic [Readers-1:0] run_valid, run_ready;
  logic [Readers*AB-1:0] run_line;
  logic [Readers*RB-1:0] run_lines;
  logic [Readers*NoteBits-1:0] run_note;
  logic [Readers-1:0] dram_valid, dram_ready;
  logic dram_last;
  note_t dram_note;
  logic [RB-1:0] dram_place;
  logic [LB-1:0] dram_data;

  // The clock of the reader stops while its requested lines are outstanding.
  logic reader_clk;
  clock_gate u_reader_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(run_valid != '0 || dr_req_valid_o || dr_rsp_valid_i || dram_valid != '0),
    .clk_o(reader_clk)
  );
  sparf_dram_reader #(
    .Readers(Readers),
    .NoteBits(NoteBits)
  ) u_dram_reader (
    .clk_i(reader_clk),
    .rst_ni(rst_ni),
    .run_valid_i(run_valid),
    .run_ready_o(run_ready),
    .run_line_i(run_line),
    .run_lines_i(run_lines),
    .run_note_i(run_note),
    .req_valid_o(dr_req_valid_o),
    .req_ready_i(dr_req_ready_i),
    .req_line_o(dr_req_addr_o),
    .rsp_valid_i(dr_rsp_valid_i),
    .rsp_data_i(dr_rsp_data_i),
    .out_valid_o(dram_valid),
    .out_ready_i(dram_ready),
    .out_note_o(dram_note),
    .out_place_o(dram_place),
    .out_last_o(dram_last),
    .out_data_o(dram_data)
  );

  assign dram_ready[Rings-1:0] = {Rings{dram_slot}};

  // Writers of DRAM and reports of done: kernels, then the append unit.
  logic [Kernels:0] write_valid, write_ready, done_valid, done_ready;
  logic [(Kernels+1)*AB-1:0] write_line;
  logic [(Kernels+1)*LB-1:0] write_data;
  logic [(Kernels+1)*32-1:0] done;
  logic [Kernels-1:0] front_busy, front_start;
  logic [Rings*RingLineBits-1:0] bases;
  logic [Kernels*sparf_kernel_pkg::Events-1:0] kernel_events;

  sparf_line_writer #(
    .Writers(Kernels + 1)
  ) u_line_writer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(write_valid),
    .ready_o(write_ready),
    .line_i(write_line),
    .data_i(write_data),
    .valid_o(dw_valid_o),
    .ready_i(dw_ready_i),
    .line_o(dw_addr_o),
    .data_o(dw_data_o)
  );
  assign dw_strb_o = '1;
  assign dr_rsp_ready_o = 1'b1;

  sparf_done_port #(
    .Reporters(Kernels + 1)
  ) u_done (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(done_valid),
    .ready_o(done_ready),
    .done_i(done),
    .valid_o(done_valid_o),
    .ready_i(done_ready_i),
    .done_o(done_o)
  );

  // Requests of the rings, page by page or as rows of DRAM.
  sparf_pkg::page_ask_t ask;
  sparf_pkg::page_req_t request;
  page_tag_t page_tag;
  note_t note;
  logic [Rings*PageReqBits-1:0] ring_req;
  logic [Rings*NoteBits-1:0] ring_note;
  always_comb begin
    request.write = 1'b0;
    for (int unsigned r = 0; r < Rings; r++) begin
      ask = asks[r*AskBits+:AskBits];
      page_tag.ring = RingIdBits'(r);
      page_tag.number = numbers[r*PageBits+:PageBits];
      request.index = ask.index;
      request.kind = ask.kind;
      request.head = ask.head;
      request.tag = TB'(page_tag);
      note.base = bases[r*RingLineBits+:RingLineBits];
      note.number = page_tag.number;
      ring_req[r*PageReqBits+:PageReqBits] = request;
      ring_note[r*NoteBits+:NoteBits] = note;
    end
  end
  assign page_req[0+:Rings*PageReqBits] = ring_req;
  assign run_note = (Readers * NoteBits)'(ring_note);  // the others' lines need none

  for (genvar k = 0; k < Kernels; k++) begin : gen_kernel
    localparam int unsigned Ring = 2 * k;
    localparam int unsigned Loader = Rings + k;
    sparf_head_engine #(
      .Lanes(Lanes),
      .Width(Width),
      .MaxKeys(MaxKeys),
      .MaxGroup(MaxGroup),
      .Slots(Slots),
      .RingLines(RingLines),
      .MaxPageRows(MaxPageRows),
      .Tags(Tags),
      .Banks(Banks),
      .QuerySets(QuerySets)
    ) u_head (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .desc_valid_i(head_valid[k]),
      .desc_ready_o(head_ready[k]),
      .desc_i(desc),
      .done_valid_o(done_valid[k]),
      .done_ready_i(done_ready[k]),
      .done_o(done[k*32+:32]),
      .page_valid_o(page_valid[Ring+:2]),
      .page_ready_i(page_ready[Ring+:2]),
      .page_ask_o(asks[Ring*AskBits+:2*AskBits]),
      .page_record_o(records[Ring*RecordBits+:2*RecordBits]),
      .page_number_o(numbers[Ring*PageBits+:2*PageBits]),
      .rows_valid_o(run_valid[Ring+:2]),
      .rows_ready_i(run_ready[Ring+:2]),
      .rows_line_o(run_line[Ring*AB+:2*AB]),
      .rows_lines_o(run_lines[Ring*RB+:2*RB]),
      .rows_base_o(bases[Ring*RingLineBits+:2*RingLineBits]),
      .arrive_i(arrive[Ring*Banks+:2*Banks]),
      .arrive_number_i(arrive_number),
      .fail_i(fail[k*Banks+:Banks]),
      .fail_slot_i(fail_slot),
      .load_valid_o(run_valid[Loader]),
      .load_ready_i(run_ready[Loader]),
      .load_line_o(run_line[Loader*AB+:AB]),
      .load_lines_o(run_lines[Loader*RB+:RB]),
      .line_valid_i(dram_valid[Loader]),
      .line_ready_o(dram_ready[Loader]),
      .line_data_i(dram_data),
      .ring_read_o(ring_read[Ring+:2]),
      .ring_line_o(ring_addr[Ring*RingLineBits+:2*RingLineBits]),
      .ring_data_i(ring_data[Ring*LB+:2*LB]),
      .write_valid_o(write_valid[k]),
      .write_ready_i(write_ready[k]),
      .write_line_o(write_line[k*AB+:AB]),
      .write_data_o(write_data[k*LB+:LB]),
      .loading_o(loading[k]),
      .loading_head_o(loading_head[k*AB+:AB]),
      .loading_sum_line_o(loading_sum_line[k*AB+:AB]),
      .start_o(front_start[k]),
`ifdef NEARDATA_OBSERVE
      .seen_head_valid_o(seen_head_valid_o[k]),
      .seen_head_slot_o(seen_head_slot_o[k*SB+:SB]),
      .seen_head_tag_o(seen_head_tag_o[k*TB+:TB]),
      .seen_dims_valid_o(seen_dims_valid_o[k]),
      .seen_dims_slot_o(seen_dims_slot_o[k*SB+:SB]),
      .seen_dims_mask_o(seen_dims_mask_o[k*Width+:Width]),
      .seen_sel_valid_o(seen_sel_valid_o[k]),
      .seen_sel_slot_o(seen_sel_slot_o[k*SB+:SB]),
      .seen_sel_beat_o(seen_sel_beat_o[k*CB+:CB]),
      .seen_sel_mask_o(seen_sel_mask_o[k*ST+:ST]),
      .seen_sel_last_o(seen_sel_last_o[k]),
      .seen_alpha_valid_o(seen_alpha_valid_o[k]),
      .seen_alpha_slot_o(seen_alpha_slot_o[k*SB+:SB]),
      .seen_alpha_query_o(seen_alpha_query_o[k*GB+:GB]),
      .seen_alpha_value_o(seen_alpha_value_o[k*FB+:FB]),
`endif
      .busy_o(front_busy[k]),
      .events_o(kernel_events[k*sparf_kernel_pkg::Events+:sparf_kernel_pkg::Events])
    );
  end

  logic append_clk;
  clock_gate u_append_clock (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_i(append_valid || !append_idle),
    .clk_o(append_clk)
  );
  sparf_append_unit #(
    .Width(Width),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows)
  ) u_append (
    .clk_i(append_clk),
    .rst_ni(rst_ni),
    .desc_valid_i(append_valid),
    .desc_ready_o(append_idle),
    .desc_i(desc),
    .done_valid_o(done_valid[Kernels]),
    .done_ready_i(done_ready[Kernels]),
    .done_o(done[Kernels*32+:32]),
    .read_valid_o(run_valid[Readers-1]),
    .read_ready_i(run_ready[Readers-1]),
    .read_line_o(run_line[(Readers-1)*AB+:AB]),
    .read_lines_o(run_lines[(Readers-1)*RB+:RB]),
    .line_valid_i(dram_valid[Readers-1]),
    .line_ready_o(dram_ready[Readers-1]),
    .line_data_i(dram_data),
    .write_valid_o(write_valid[Kernels]),
    .write_ready_i(write_ready[Kernels]),
    .write_line_o(write_line[Kernels*AB+:AB]),
    .write_data_o(write_data[Kernels*LB+:LB]),
    .page_valid_o(page_valid[Rings]),
    .page_ready_i(page_ready[Rings]),
    .page_req_o(page_req[Rings*PageReqBits+:PageReqBits])
  );

  // Strobes, one cycle late.
  logic busy;
  logic [sparf_pkg::Events-1:0] own_events;
  // Kernels without heads still clear their counters for a while.
  logic [CalmBits-1:0] calm_q;
  logic busy_q;
  assign quiet_o = calm_q == '1;
  assign busy = bell_busy || front_busy != '0 || !append_idle || done_valid_o;
  always_comb begin
    own_events = '0;
    own_events[sparf_pkg::EvPageRead] = page_req_valid_o && page_req_ready_i
                                        && !page_req_o.write;
    own_events[sparf_pkg::EvPageProgram] = page_req_valid_o && page_req_ready_i
                                           && page_req_o.write;
    own_events[sparf_pkg::EvDramRead] = dr_req_valid_o && dr_req_ready_i;
    own_events[sparf_pkg::EvDramWrite] = dw_valid_o && dw_ready_i;
    own_events[sparf_pkg::EvHeadStart] = front_start != '0;
    own_events[sparf_pkg::EvHeadDone] = |(done_ready[Kernels-1:0] & done_valid[Kernels-1:0]);
    own_events[sparf_pkg::EvAppendDone] = done_ready[Kernels] && done_valid[Kernels];
    own_events[sparf_pkg::EvBusy] = busy;
  end
  always_ff @(posedge clk_i) begin
    events_q <= rst_ni ? {kernel_events, channel_events, own_events} : '0;
    busy_q <= !rst_ni || busy;
    if (!rst_ni || busy_q || desc_valid_i || ch_valid_i != '0) calm_q <= '0;
    else if (!quiet_o) calm_q <= calm_q + 1'b1;
  end

`ifdef NEARDATA_ASSERT
  // Outstanding pages, by tag, and those that arrive in this cycle.
  localparam int unsigned PageTags = 1 << (RingIdBits + PageBits);
  logic [PageTags-1:0] pages_q;
  logic [Channels-1:0] page_begins, page_unasked;
  assign page_begins = ch_valid_i & ch_ready_o & ch_first_i;
  always_comb begin
    for (int unsigned c = 0; c < Channels; c++) begin
      page_unasked[c] = page_begins[c] && (32'(ch_tag_i[c*TB+:TB]) >= PageTags
                                           || !pages_q[ch_tag_i[c*TB+:RingIdBits+PageBits]]);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Channels; c++) begin
      if (page_begins[c]) pages_q[ch_tag_i[c*TB+:RingIdBits+PageBits]] <= 1'b0;
    end
    if (page_req_valid_o && page_req_ready_i && !page_req_o.write)
      pages_q[page_req_o.tag[RingIdBits+PageBits-1:0]] <= 1'b1;
    if (!rst_ni) pages_q <= '0;
  end
`endif
  `HOLDS(PageAsked_A, page_unasked == '0)

`ifndef YOSYS
  if ($bits(sparf_pkg::job_t) != sparf_pkg::JobBits || $bits(sparf_pkg::page_t) != sparf_pkg::PageBits
      || $bits(sparf_pkg::item_t) != sparf_pkg::ItemBits
      || $bits(sparf_pkg::done_t) != sparf_pkg::DoneBits
      || $bits(sparf_pkg::page_req_t) != sparf_pkg::PageReqBits
      || $bits(sparf_pkg::page_ask_t) != sparf_pkg::PageAskBits
      || $bits(sparf_pkg::context_t) != sparf_pkg::ContextBits) begin : gen_bad_records
    $error("sparf_engine: the widths of sparf_pkg are not those of its records");
  end
`endif
endmodule
