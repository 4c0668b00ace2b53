// SPDX-License-Identifier: Apache-2.0
// The SparF attention engine of a computational storage device: descriptors in, pages from Channels
// flash channels, attention out to controller DRAM. Heads go to Kernels kernels in turn, each with a
// front that moves its data and up to Slots heads in flight.
// - desc: the doorbell, 16 words (sparf_pkg); done answers with status and the descriptor's tag,
//   in the order in which heads end.
// - page_req: a page to read {write, index, kind, head, tag}, or (write) one to program, which needs
//   no answer. ch: raw pages in any order, pages of one channel one after the other; ch_first_i
//   marks the first beat, with the tag; an unreadable page is one beat with first and error.
// - dr: reads of 64-byte lines, answers in order and always taken. dw: writes of lines.
// Each cycle is the turn of one channel or (4 of Channels + 4) of DRAM to write a line into a ring.
// quiet_o: there is nothing to do, and nothing but the count of turns changes before a descriptor
// comes; who skips clocks then skips a multiple of Channels + 4. Outputs are functions of registers.
`include "assert.svh"
module sparf_engine #(
  parameter int unsigned Channels = 8,
  parameter int unsigned Kernels = 2,
  parameter int unsigned Lanes = 16,         // multipliers of a GeMV unit
  parameter int unsigned Width = 128,        // of a head
  parameter int unsigned MaxKeys = 32768,    // tokens of a head times queries of its group
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,          // heads in flight, of each kernel
  parameter int unsigned RingLines = 2048,   // of each ring: keys and values of each kernel
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned Tags = 256,         // pages on their way, of each ring
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
  output logic [31:0]                    done_o,
  output logic                           page_req_valid_o,
  input  logic                           page_req_ready_i,
  output logic [sparf_pkg::PageReqBits-1:0] page_req_o,
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
  input  logic [LB-1:0]                  dr_rsp_data_i,
  output logic                           dw_valid_o,
  input  logic                           dw_ready_i,
  output logic [AB-1:0]                  dw_addr_o,
  output logic [LB-1:0]                  dw_data_o,
  output logic [LB/8-1:0]                dw_strb_o,
  output logic                           quiet_o,
  output logic [Events-1:0]              events_o,
  // What the kernels chose, for who checks it: of each kernel a sparf_pkg::seen_t, and dimensions.
  output logic [Kernels*sparf_pkg::SeenBits-1:0] seen_o,
  output logic [Kernels*Width-1:0]       seen_dims_o
);
  localparam int unsigned RB = sparf_pkg::RingBits;
  localparam int unsigned SB = sparf_pkg::SlotBits;
  localparam int unsigned Rings = 2 * Kernels;  // keys and values of kernel 0, of kernel 1, ...
  localparam int unsigned RingIdBits = $clog2(Rings);
  localparam int unsigned PageBits = $clog2(Tags);
  localparam int unsigned TableBits = RingIdBits + PageBits;
  localparam int unsigned RingLineBits = $clog2(RingLines);
  localparam int unsigned PageReqBits = sparf_pkg::PageReqBits;
  localparam int unsigned SeenBits = sparf_pkg::SeenBits;
  localparam int unsigned DramTurns = 4;
  localparam int unsigned CalmBits = 9;
  localparam int unsigned ChannelBits = Channels > 1 ? $clog2(Channels) : 1;
  localparam int unsigned Turns = Channels + DramTurns;
  localparam int unsigned TurnBits = $clog2(Turns);
  localparam int unsigned Readers = 3 * Kernels + 1;  // rings, kernels' heads, append
  localparam int unsigned ReaderBits = $clog2(Readers);
  localparam int unsigned NoteBits = RingLineBits + PageBits;
  localparam int unsigned AskBits = 2 * AB + 2;
  localparam int unsigned RecordBits = sparf_pkg::PageBits;

  // Turns: of the channels (turn_q has a bit for each), then of DRAM.
  logic [TurnBits-1:0] count_q;  // one ahead
  logic [Channels-1:0] turn_q;
  logic [ChannelBits-1:0] channel_q;
  logic dram_turn_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= TurnBits'(1);
      turn_q <= Channels'(1);
      channel_q <= '0;
      dram_turn_q <= 1'b0;
    end else begin
      count_q <= count_q == TurnBits'(Turns - 1) ? '0 : count_q + 1'b1;
      turn_q <= Channels'(1) << count_q;
      channel_q <= count_q < TurnBits'(Channels) ? count_q[ChannelBits-1:0] : '0;
      dram_turn_q <= count_q >= TurnBits'(Channels);
    end
  end

  // Descriptors.
  logic [Kernels-1:0] head_valid, head_ready;
  logic append_valid, append_idle, bell_busy;
  logic [sparf_pkg::DescBits-1:0] desc;

  doorbell #(
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
    .desc_o(desc),
    .busy_o(bell_busy)
  );

  // Requests of pages: by ring, and the append unit's.
  logic [Rings:0] page_valid, page_ready;
  logic [(Rings+1)*PageReqBits-1:0] page_req;
  logic [Rings*AskBits-1:0] asks;
  logic [Rings*RecordBits-1:0] records;
  logic [Rings*PageBits-1:0] numbers;

  page_requests #(
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

  // The table of pages on their way: written in the cycle after a request, while its requester still
  // shows it; read in the turn of a channel. Of the mask it has the rows that a page of this unit
  // can have.
  localparam int unsigned PageEntryBits = RecordBits - sparf_pkg::PageRows + MaxPageRows;
  logic [Rings-1:0] page_taken_q;
  logic [TableBits-1:0] page_place;
  logic [PageEntryBits-1:0] page_entry, found_entry;
  sparf_pkg::page_t found;
  logic [Channels-1:0] want;
  logic [TableBits-1:0] wanted_tags[Channels];
  assign found = {found_entry[PageEntryBits-1:MaxPageRows],
                  sparf_pkg::PageRows'(found_entry[MaxPageRows-1:0])};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) page_taken_q <= '0;
    else page_taken_q <= page_ready[Rings-1:0];
  end
  always_comb begin
    page_place = '0;
    page_entry = '0;
    for (int unsigned r = 0; r < Rings; r++) begin
      if (page_taken_q[r]) begin
        page_place = page_place | {RingIdBits'(r), numbers[r*PageBits+:PageBits]};
        page_entry = page_entry
            | {records[r*RecordBits+sparf_pkg::PageRows+:RecordBits-sparf_pkg::PageRows],
               records[r*RecordBits+:MaxPageRows]};
      end
    end
  end

  sram_1r1w #(
    .Words(Rings * Tags),
    .DataBits(PageEntryBits)
  ) u_pages (
    .clk_i(clk_i),
    .wr_valid_i(page_taken_q != '0),
    .wr_addr_i(page_place),
    .wr_data_i(page_entry),
    .rd_valid_i(!dram_turn_q && want[channel_q]),
    .rd_addr_i(wanted_tags[channel_q]),
    .rd_data_o(found_entry)
  );

  // Channels. What each has for the rings is taken in its turn.
  logic [Channels-1:0] line_valid, line_error, line_last;
  logic [TableBits-1:0] line_tag[Channels];
  logic [SB-1:0] line_slot[Channels];
  logic [RingLineBits-1:0] line_addr[Channels];
  logic [LB-1:0] line_data[Channels];
  logic [3*Channels-1:0] channel_events;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [2:0] events;
    nfc_channel #(
      .RingLines(RingLines),
      .MaxPageRows(MaxPageRows),
      .TableBits(TableBits)
    ) u_channel (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .turn_i(turn_q[c]),
      .in_valid_i(ch_valid_i[c]),
      .in_ready_o(ch_ready_o[c]),
      .in_first_i(ch_first_i[c]),
      .in_error_i(ch_error_i[c]),
      .in_tag_i(ch_tag_i[c*TB+:TableBits]),
      .in_data_i(ch_data_i[c*BB+:BB]),
      .want_o(want[c]),
      .tag_o(wanted_tags[c]),
      .page_i(found),
      .line_valid_o(line_valid[c]),
      .line_error_o(line_error[c]),
      .line_last_o(line_last[c]),
      .line_tag_o(line_tag[c]),
      .line_slot_o(line_slot[c]),
      .line_addr_o(line_addr[c]),
      .line_data_o(line_data[c]),
      .events_o(events)
    );
    assign channel_events[c] = events[0];
    assign channel_events[Channels+c] = events[1];
    assign channel_events[2*Channels+c] = events[2];
  end

  // Lines of DRAM: readers 0 .. Rings - 1 are rings, then kernels, then the append unit.
  logic [Readers-1:0] run_valid, run_ready;
  logic [Readers*AB-1:0] run_line;
  logic [Readers*RB-1:0] run_lines;
  logic [Readers*NoteBits-1:0] run_note;
  logic dram_valid, dram_ready, dram_last, dram_to_ring;
  logic [ReaderBits-1:0] dram_who;
  logic [NoteBits-1:0] dram_note;
  logic [RB-1:0] dram_place;
  logic [LB-1:0] dram_data;
  logic [Kernels-1:0] kernel_line_ready;
  logic append_line_ready;

  dram_reader #(
    .Readers(Readers),
    .NoteBits(NoteBits)
  ) u_dram_reader (
    .clk_i(clk_i),
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
    .out_who_o(dram_who),
    .out_note_o(dram_note),
    .out_place_o(dram_place),
    .out_last_o(dram_last),
    .out_data_o(dram_data)
  );

  assign dram_to_ring = 32'(dram_who) < Rings;
  always_comb begin
    dram_ready = dram_turn_q;
    for (int unsigned k = 0; k < Kernels; k++) begin
      if (32'(dram_who) == Rings + k) dram_ready = kernel_line_ready[k];
    end
    if (32'(dram_who) == Readers - 1) dram_ready = append_line_ready;
  end

  // The one write into the rings: chosen in a turn, done in the cycle after.
  logic write_q, arrive_q, fail_q;
  logic [RingIdBits-1:0] write_ring_q;
  logic [PageBits-1:0] write_number_q;
  logic [RingLineBits-1:0] write_line_q;
  logic [LB-1:0] write_data_q;
  logic [SB-1:0] write_slot_q;
  logic [Rings*LB-1:0] ring_data;
  logic [Rings-1:0] ring_read;
  logic [Rings*RingLineBits-1:0] ring_addr;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
      arrive_q <= 1'b0;
      fail_q <= 1'b0;
    end else if (dram_turn_q) begin
      write_q <= dram_valid && dram_to_ring;
      arrive_q <= dram_valid && dram_to_ring && dram_last;
      fail_q <= 1'b0;
    end else begin
      write_q <= line_valid[channel_q];
      arrive_q <= line_valid[channel_q] && line_last[channel_q];
      fail_q <= line_valid[channel_q] && line_error[channel_q];
    end
    if (dram_turn_q) begin
      write_ring_q <= RingIdBits'(dram_who);
      write_number_q <= dram_note[PageBits-1:0];
      write_line_q <= dram_note[NoteBits-1:PageBits] + RingLineBits'(dram_place);
      write_data_q <= dram_data;
    end else begin
      {write_ring_q, write_number_q} <= line_tag[channel_q];
      write_line_q <= line_addr[channel_q];
      write_data_q <= line_data[channel_q];
    end
    write_slot_q <= line_slot[channel_q];
  end

  for (genvar r = 0; r < Rings; r++) begin : gen_ring
    sram_1r1w #(
      .Words(RingLines),
      .DataBits(LB)
    ) u_ring (
      .clk_i(clk_i),
      .wr_valid_i(write_q && 32'(write_ring_q) == r),
      .wr_addr_i(write_line_q),
      .wr_data_i(write_data_q),
      .rd_valid_i(ring_read[r]),
      .rd_addr_i(ring_addr[r*RingLineBits+:RingLineBits]),
      .rd_data_o(ring_data[r*LB+:LB])
    );
  end

  // Writers of DRAM and reports of done: kernels, then the append unit.
  logic [Kernels:0] write_valid, write_ready, done_valid, done_ready;
  logic [(Kernels+1)*AB-1:0] write_line;
  logic [(Kernels+1)*LB-1:0] write_data;
  logic [(Kernels+1)*32-1:0] done;
  logic [Kernels-1:0] front_busy, front_start;
  logic [Rings*RingLineBits-1:0] bases;
  logic [Rings-1:0] arrive;
  logic [Kernels*sparf_kernel_pkg::Events-1:0] kernel_events;

  line_writer #(
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

  always_comb begin
    done_ready = '0;
    for (int unsigned k = Kernels + 1; k > 0; k--) begin
      if (done_valid[k-1]) begin
        done_ready = '0;
        done_ready[k-1] = !done_valid_o || done_ready_i;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_valid_o <= 1'b0;
    else if (!done_valid_o || done_ready_i) done_valid_o <= done_valid != '0;
    for (int unsigned k = 0; k <= Kernels; k++) begin
      if (done_ready[k]) done_o <= done[k*32+:32];
    end
  end

  for (genvar r = 0; r < Rings; r++) begin : gen_request
    assign page_req[r*PageReqBits+:PageReqBits] =
        {1'b0, asks[r*AskBits+:AskBits], TB'({RingIdBits'(r), numbers[r*PageBits+:PageBits]})};
    assign run_note[r*NoteBits+:NoteBits] =
        {bases[r*RingLineBits+:RingLineBits], numbers[r*PageBits+:PageBits]};
    assign arrive[r] = arrive_q && 32'(write_ring_q) == r;
  end

  for (genvar k = 0; k < Kernels; k++) begin : gen_kernel
    localparam int unsigned Ring = 2 * k;
    localparam int unsigned Loader = Rings + k;
    assign run_note[Loader*NoteBits+:NoteBits] = '0;

    head_engine #(
      .Lanes(Lanes),
      .Width(Width),
      .MaxKeys(MaxKeys),
      .MaxGroup(MaxGroup),
      .Slots(Slots),
      .RingLines(RingLines),
      .MaxPageRows(MaxPageRows),
      .Tags(Tags)
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
      .arrive_i(arrive[Ring+:2]),
      .arrive_number_i(write_number_q),
      .fail_i(fail_q && 32'(write_ring_q) >> 1 == k),
      .fail_slot_i(write_slot_q),
      .load_valid_o(run_valid[Loader]),
      .load_ready_i(run_ready[Loader]),
      .load_line_o(run_line[Loader*AB+:AB]),
      .load_lines_o(run_lines[Loader*RB+:RB]),
      .line_valid_i(dram_valid && 32'(dram_who) == Loader),
      .line_ready_o(kernel_line_ready[k]),
      .line_data_i(dram_data),
      .ring_read_o(ring_read[Ring+:2]),
      .ring_line_o(ring_addr[Ring*RingLineBits+:2*RingLineBits]),
      .ring_data_i(ring_data[Ring*LB+:2*LB]),
      .write_valid_o(write_valid[k]),
      .write_ready_i(write_ready[k]),
      .write_line_o(write_line[k*AB+:AB]),
      .write_data_o(write_data[k*LB+:LB]),
      .start_o(front_start[k]),
      .busy_o(front_busy[k]),
      .events_o(kernel_events[k*sparf_kernel_pkg::Events+:sparf_kernel_pkg::Events]),
      .seen_o(seen_o[k*SeenBits+:SeenBits]),
      .seen_dims_o(seen_dims_o[k*Width+:Width])
    );
  end

  assign run_note[(Readers-1)*NoteBits+:NoteBits] = '0;

  append_unit #(
    .Width(Width)
  ) u_append (
    .clk_i(clk_i),
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
    .line_valid_i(dram_valid && 32'(dram_who) == Readers - 1),
    .line_ready_o(append_line_ready),
    .line_data_i(dram_data),
    .write_valid_o(write_valid[Kernels]),
    .write_ready_i(write_ready[Kernels]),
    .write_line_o(write_line[Kernels*AB+:AB]),
    .write_data_o(write_data[Kernels*LB+:LB]),
    .page_valid_o(page_valid[Rings]),
    .page_ready_i(page_ready[Rings]),
    .page_req_o(page_req[Rings*PageReqBits+:PageReqBits])
  );

  // Strobes, a cycle late.
  logic busy;
  logic [sparf_pkg::Events-1:0] own_events;
  // Kernels without heads still clear their counters for a while.
  logic [CalmBits-1:0] calm_q;
  assign quiet_o = calm_q == '1;
  assign busy = bell_busy || front_busy != '0 || !append_idle || done_valid_o;
  always_comb begin
    own_events = '0;
    own_events[sparf_pkg::EvPageRead] = page_req_valid_o && page_req_ready_i
                                        && !page_req_o[PageReqBits-1];
    own_events[sparf_pkg::EvPageProgram] = page_req_valid_o && page_req_ready_i
                                           && page_req_o[PageReqBits-1];
    own_events[sparf_pkg::EvDramRead] = dr_req_valid_o && dr_req_ready_i;
    own_events[sparf_pkg::EvDramWrite] = dw_valid_o && dw_ready_i;
    own_events[sparf_pkg::EvHeadStart] = front_start != '0;
    own_events[sparf_pkg::EvHeadDone] = |(done_ready[Kernels-1:0] & done_valid[Kernels-1:0]);
    own_events[sparf_pkg::EvAppendDone] = done_ready[Kernels] && done_valid[Kernels];
    own_events[sparf_pkg::EvBusy] = busy;
  end
  always_ff @(posedge clk_i) begin
    events_o <= rst_ni ? {kernel_events, channel_events, own_events} : '0;
    if (!rst_ni || busy || desc_valid_i || ch_valid_i != '0) calm_q <= '0;
    else if (!quiet_o) calm_q <= calm_q + 1'b1;
  end

`ifndef YOSYS
  if ($bits(sparf_pkg::job_t) != sparf_pkg::JobBits || $bits(sparf_pkg::page_t) != sparf_pkg::PageBits
      || $bits(sparf_pkg::item_t) != sparf_pkg::ItemBits
      || $bits(sparf_pkg::seen_t) != sparf_pkg::SeenBits
      || $bits(sparf_pkg::context_t) != sparf_pkg::ContextBits) begin : gen_bad_records
    $error("sparf_engine: the widths of sparf_pkg are not those of its records");
  end
`endif
  if (Channels < 1 || Channels > 16) begin : gen_bad_channels
    $error("sparf_engine: Channels must be from 1 to 16");
  end
  if (TableBits > TB) begin : gen_bad_tags
    $error("sparf_engine: the tag of a page has 16 bits");
  end
  if (MaxPageRows < 8 || MaxPageRows > sparf_pkg::PageRows) begin : gen_bad_rows
    $error("sparf_engine: MaxPageRows must be from 8 to 128");
  end

endmodule
