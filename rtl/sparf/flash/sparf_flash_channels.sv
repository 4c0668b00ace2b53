// SPDX-License-Identifier: Apache-2.0
// The flash channels, and the table of outstanding pages. A page is entered in the cycle after its request,
// while its requester still shows it. The table is read for one channel per cycle: the channel whose slot at
// bank 0 it is, if that channel requests a record. The line of the channel whose slot at a bank it is appears
// on line_* if it belongs to that bank of a ring, and is always accepted.
`include "assert.svh"
module sparf_flash_channels #(
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
  localparam int unsigned Banks = sparf_pkg::banks(Channels),
  localparam int unsigned Places = (Channels + Banks - 1) / Banks,  // slots of channels in a round
  localparam int unsigned PlaceBits = Places > 1 ? $clog2(Places) : 1,
  localparam int unsigned ChannelBits = Channels > 1 ? $clog2(Banks * Places) : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [Banks*Channels-1:0]      ring_slot_i,    // at a bank; none in a slot of DRAM
  input  logic [PlaceBits-1:0]           place_i,        // slot of channels place_i + b * Places
  input  logic                           swap_i,         // the first of them at the last bank
  input  logic [Channels-1:0]            ch_valid_i,
  output logic [Channels-1:0]            ch_ready_o,
  input  logic [Channels-1:0]            ch_first_i,
  input  logic [Channels-1:0]            ch_error_i,
  input  logic [Channels*TB-1:0]         ch_tag_i,
  input  logic [Channels*BB-1:0]         ch_data_i,
  input  logic [Rings-1:0]               page_taken_i,   // a page for this ring is requested
  input  logic [Rings*PageBits-1:0]      page_number_i,
  input  logic [Rings*RecordBits-1:0]    page_record_i,
  output logic [Banks-1:0]               line_valid_o,
  output logic [Banks-1:0]               line_error_o,   // of an unreadable page
  output logic [Banks-1:0]               line_last_o,
  output logic [Banks*RingIdBits-1:0]    line_ring_o,
  output logic [Banks*PageBits-1:0]      line_number_o,
  output logic [Banks*sparf_pkg::SlotBits-1:0] line_slot_o,
  output logic [Banks*RingLineBits-1:0]  line_addr_o,
  output logic [Banks*sparf_pkg::LineBits-1:0] line_data_o,
  output logic [3*Channels-1:0]          events_o        // of each: a beat arrived, passed, waits
);
  localparam int unsigned LB = sparf_pkg::LineBits;
  localparam int unsigned SB = sparf_pkg::SlotBits;

  // A page's place in the table, which is its tag.
  typedef struct packed {
    logic [RingIdBits-1:0] ring;
    logic [PageBits-1:0] number;
  } place_t;
  // A table entry of a page: its record, with the most rows of a page of this unit.
  typedef struct packed {
    logic [SB-1:0] slot;
    logic split;
    logic [sparf_pkg::LogRowsBits-1:0] log_rows;
    logic [sparf_pkg::LogBeatsBits-1:0] log_row_beats;
    logic [sparf_pkg::BeatCountBits-1:0] used_beats;
    logic [sparf_pkg::RingBits-1:0] base;
    logic [MaxPageRows-1:0] mask;
  } entry_t;
  localparam int unsigned EntryBits = RecordBits - sparf_pkg::PageRows + MaxPageRows;
  logic [Rings-1:0] page_taken_q;
  logic [TableBits-1:0] page_place;
  sparf_pkg::page_t record;
  place_t place;
  entry_t entry, found_entry;
  logic [EntryBits-1:0] page_entry;
  sparf_pkg::page_t found;
  logic [Channels-1:0] want;
  logic [TableBits-1:0] wanted_tags[Banks*Places];
  logic [TableBits-1:0] wanted_tag;
  assign found.slot = found_entry.slot;
  assign found.split = found_entry.split;
  assign found.log_rows = found_entry.log_rows;
  assign found.log_row_beats = found_entry.log_row_beats;
  assign found.used_beats = found_entry.used_beats;
  assign found.base = found_entry.base;
  assign found.mask = sparf_pkg::PageRows'(found_entry.mask);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) page_taken_q <= '0;
    else page_taken_q <= page_taken_i;
  end
  always_comb begin
    page_place = '0;
    page_entry = '0;
    for (int unsigned r = 0; r < Rings; r++) begin
      place.ring = RingIdBits'(r);
      place.number = page_number_i[r*PageBits+:PageBits];
      record = page_record_i[r*RecordBits+:RecordBits];
      entry.slot = record.slot;
      entry.split = record.split;
      entry.log_rows = record.log_rows;
      entry.log_row_beats = record.log_row_beats;
      entry.used_beats = record.used_beats;
      entry.base = record.base;
      entry.mask = record.mask[MaxPageRows-1:0];
      if (page_taken_q[r]) begin
        page_place = page_place | place;
        page_entry = page_entry | entry;
      end
    end
  end

  sram_1r1w #(
    .Words(Rings * Tags),
    .DataBits(EntryBits)
  ) u_pages (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(page_taken_q != '0),
    .wr_addr_i(page_place),
    .wr_data_i(page_entry),
    .rd_valid_i((want & ring_slot_i[Channels-1:0]) != '0),
    .rd_addr_i(wanted_tag),
    .rd_data_o(found_entry)
  );

  logic [Banks*Places-1:0] line_valid, line_error, line_last;
  logic [TableBits-1:0] line_tag[Banks*Places];
  logic [SB-1:0] line_slot[Banks*Places];
  logic [RingLineBits-1:0] line_addr[Banks*Places];
  logic [LB-1:0] line_data[Banks*Places];

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [2:0] events;
    logic [Banks-1:0] ring_slot;
    for (genvar b = 0; b < Banks; b++) begin : gen_ring_slot
      assign ring_slot[b] = ring_slot_i[b*Channels+c];
    end
    sparf_nfc_channel #(
      .RingLines(RingLines),
      .MaxPageRows(MaxPageRows),
      .TableBits(TableBits),
      .Banks(Banks)
    ) u_channel (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .ring_slot_i(ring_slot),
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

  // Slots without a channel: the last bank may have fewer channels than the others.
  for (genvar c = Channels; c < Banks * Places; c++) begin : gen_none
    assign line_valid[c] = 1'b0;
    assign line_error[c] = 1'b0;
    assign line_last[c] = 1'b0;
    assign wanted_tags[c] = '0;
    assign line_tag[c] = '0;
    assign line_slot[c] = '0;
    assign line_addr[c] = '0;
    assign line_data[c] = '0;
  end

  // The channels of the current slot, one per bank, and their lines for the bank of the slot.
  logic [Banks-1:0] granted_valid, granted_error, granted_last;
  logic [TableBits-1:0] granted_want[Banks], granted_tag[Banks];
  logic [SB-1:0] granted_slot[Banks];
  logic [RingLineBits-1:0] granted_addr[Banks];
  logic [LB-1:0] granted_data[Banks];
  for (genvar g = 0; g < Banks; g++) begin : gen_place
    logic [ChannelBits-1:0] who;
    assign who = ChannelBits'(place_i) + ChannelBits'(g * Places);
    assign granted_want[g] = wanted_tags[who];
    assign granted_valid[g] = line_valid[who];
    assign granted_error[g] = line_error[who];
    assign granted_last[g] = line_last[who];
    assign granted_tag[g] = line_tag[who];
    assign granted_slot[g] = line_slot[who];
    assign granted_addr[g] = line_addr[who];
    assign granted_data[g] = line_data[who];
  end
  assign wanted_tag = swap_i ? granted_want[Banks-1] : granted_want[0];
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    localparam int unsigned Swapped = Banks - 1 - b;
    logic fits;
    assign fits = Banks == 1 || 32'(line_addr_o[b*RingLineBits]) == b;
    assign line_valid_o[b] = (swap_i ? granted_valid[Swapped] : granted_valid[b]) && fits;
    assign line_error_o[b] = swap_i ? granted_error[Swapped] : granted_error[b];
    assign line_last_o[b] = swap_i ? granted_last[Swapped] : granted_last[b];
    assign line_slot_o[b*SB+:SB] = swap_i ? granted_slot[Swapped] : granted_slot[b];
    assign line_addr_o[b*RingLineBits+:RingLineBits] = swap_i ? granted_addr[Swapped] : granted_addr[b];
    assign line_data_o[b*LB+:LB] = swap_i ? granted_data[Swapped] : granted_data[b];
  end
  place_t line_place;
  always_comb begin
    for (int unsigned b = 0; b < Banks; b++) begin
      line_place = swap_i ? granted_tag[Banks-1-b] : granted_tag[b];
      line_ring_o[b*RingIdBits+:RingIdBits] = line_place.ring;
      line_number_o[b*PageBits+:PageBits] = line_place.number;
    end
  end

  `HOLDS(OnePage_A, (page_taken_i & (page_taken_i - 1'b1)) == '0)

  if (TableBits > TB) begin : gen_bad_tags
    $error("sparf_flash_channels: the tag of a page has 16 bits");
  end
  if (MaxPageRows < 8 || MaxPageRows > sparf_pkg::PageRows) begin : gen_bad_rows
    $error("sparf_flash_channels: MaxPageRows must be from 8 to 128");
  end
endmodule
