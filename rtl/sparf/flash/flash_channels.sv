// SPDX-License-Identifier: Apache-2.0
// The flash channels, and the table of pages on their way. A page is entered in the cycle after its
// request, while its requester still shows it; its record is read for the channel whose turn it is,
// if that channel wants it. What this channel has for a ring is on line_*, and is taken.
module flash_channels #(
  parameter int unsigned Channels = 8,
  parameter int unsigned Rings = 4,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned Tags = 256,
  localparam int unsigned TB = sparf_pkg::TagBits,
  localparam int unsigned BB = sparf_pkg::BeatBits,
  localparam int unsigned RecordBits = sparf_pkg::PageBits,
  localparam int unsigned RingIdBits = $clog2(Rings),
  localparam int unsigned PageBits = $clog2(Tags),
  localparam int unsigned TableBits = RingIdBits + PageBits,
  localparam int unsigned RingLineBits = $clog2(RingLines),
  localparam int unsigned ChannelBits = Channels > 1 ? $clog2(Channels) : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [Channels-1:0]            turn_i,         // a bit, or none in a turn of DRAM
  input  logic [ChannelBits-1:0]         channel_i,      // the same as a number
  input  logic [Channels-1:0]            ch_valid_i,
  output logic [Channels-1:0]            ch_ready_o,
  input  logic [Channels-1:0]            ch_first_i,
  input  logic [Channels-1:0]            ch_error_i,
  input  logic [Channels*TB-1:0]         ch_tag_i,
  input  logic [Channels*BB-1:0]         ch_data_i,
  input  logic [Rings-1:0]               page_taken_i,   // a page for this ring is requested
  input  logic [Rings*PageBits-1:0]      page_number_i,
  input  logic [Rings*RecordBits-1:0]    page_record_i,
  output logic                           line_valid_o,
  output logic                           line_error_o,   // of an unreadable page
  output logic                           line_last_o,
  output logic [TableBits-1:0]           line_tag_o,
  output logic [sparf_pkg::SlotBits-1:0] line_slot_o,
  output logic [RingLineBits-1:0]        line_addr_o,
  output logic [sparf_pkg::LineBits-1:0] line_data_o,
  output logic [3*Channels-1:0]          events_o        // of each: a beat came in, was kept, waits
);
  localparam int unsigned LB = sparf_pkg::LineBits;
  localparam int unsigned SB = sparf_pkg::SlotBits;

  // Of the mask the table has the rows that a page of this unit can have.
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
    else page_taken_q <= page_taken_i;
  end
  always_comb begin
    page_place = '0;
    page_entry = '0;
    for (int unsigned r = 0; r < Rings; r++) begin
      if (page_taken_q[r]) begin
        page_place = page_place | {RingIdBits'(r), page_number_i[r*PageBits+:PageBits]};
        page_entry = page_entry
            | {page_record_i[r*RecordBits+sparf_pkg::PageRows+:RecordBits-sparf_pkg::PageRows],
               page_record_i[r*RecordBits+:MaxPageRows]};
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
    .rd_valid_i((want & turn_i) != '0),
    .rd_addr_i(wanted_tags[channel_i]),
    .rd_data_o(found_entry)
  );

  logic [Channels-1:0] line_valid, line_error, line_last;
  logic [TableBits-1:0] line_tag[Channels];
  logic [SB-1:0] line_slot[Channels];
  logic [RingLineBits-1:0] line_addr[Channels];
  logic [LB-1:0] line_data[Channels];

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [2:0] events;
    nfc_channel #(
      .RingLines(RingLines),
      .MaxPageRows(MaxPageRows),
      .TableBits(TableBits)
    ) u_channel (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .turn_i(turn_i[c]),
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
    assign events_o[c] = events[0];
    assign events_o[Channels+c] = events[1];
    assign events_o[2*Channels+c] = events[2];
  end

  assign line_valid_o = line_valid[channel_i];
  assign line_error_o = line_error[channel_i];
  assign line_last_o = line_last[channel_i];
  assign line_tag_o = line_tag[channel_i];
  assign line_slot_o = line_slot[channel_i];
  assign line_addr_o = line_addr[channel_i];
  assign line_data_o = line_data[channel_i];

  if (TableBits > TB) begin : gen_bad_tags
    $error("flash_channels: the tag of a page has 16 bits");
  end
  if (MaxPageRows < 8 || MaxPageRows > sparf_pkg::PageRows) begin : gen_bad_rows
    $error("flash_channels: MaxPageRows must be from 8 to 128");
  end
endmodule
