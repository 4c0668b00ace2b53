// SPDX-License-Identifier: Apache-2.0
// The page rings, which store keys and values until a kernel reads them, and the slots of their write
// arbitration. A ring writes one line per cycle: of one of the channels or (in 4 cycles of a round) of DRAM. A
// line is selected in its slot and written in the next cycle; with its last line a page has arrived. More than
// 8 channels deliver more than one line per cycle. The rings then have two banks, of even and of odd lines, and
// two channels have a slot at the same time: channel c at one bank and channel c + Places at the other; every
// second round exchanges the banks (swap_o). The lines of a channel alternate between the banks, so a channel
// has a slot at the right bank in every round.
`include "assert.svh"
module sparf_page_rings #(
  parameter int unsigned Channels = 8,
  parameter int unsigned Rings = 4,        // keys and values of kernel 0, of kernel 1, ...
  parameter int unsigned RingLines = 2048,
  parameter int unsigned Tags = 256,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned SB = sparf_pkg::SlotBits,
  localparam int unsigned RingIdBits = $clog2(Rings),
  localparam int unsigned PageBits = $clog2(Tags),
  localparam int unsigned RingLineBits = $clog2(RingLines),
  localparam int unsigned Banks = sparf_pkg::banks(Channels),
  localparam int unsigned Places = (Channels + Banks - 1) / Banks,  // slots of channels in a round
  localparam int unsigned PlaceBits = Places > 1 ? $clog2(Places) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic [Banks*Channels-1:0]       ring_slot_o,    // at a bank; none in a slot of DRAM
  output logic [PlaceBits-1:0]            place_o,        // the first channel of the present slot
  output logic                            swap_o,         // it has the last bank
  output logic                            dram_slot_o,
  // Lines of the channels of the present slot, by bank.
  input  logic [Banks-1:0]                flash_valid_i,
  input  logic [Banks-1:0]                flash_error_i,
  input  logic [Banks-1:0]                flash_last_i,
  input  logic [Banks*RingIdBits-1:0]     flash_ring_i,
  input  logic [Banks*PageBits-1:0]       flash_number_i,
  input  logic [Banks*SB-1:0]             flash_slot_i,
  input  logic [Banks*RingLineBits-1:0]   flash_addr_i,
  input  logic [Banks*LB-1:0]             flash_data_i,
  // A line of DRAM: its run's first line in the ring and number, its place in the run.
  input  logic [Rings-1:0]                dram_valid_i,   // for this ring
  input  logic                            dram_last_i,
  input  logic [RingLineBits-1:0]         dram_base_i,
  input  logic [PageBits-1:0]             dram_number_i,
  input  logic [RingLineBits-1:0]         dram_place_i,
  input  logic [LB-1:0]                   dram_data_i,
  output logic [Rings*Banks-1:0]          arrive_o,       // a page of this ring, in this bank
  output logic [Banks*PageBits-1:0]       arrive_number_o,
  output logic [Rings/2*Banks-1:0]        fail_o,         // it was unreadable, of this kernel
  output logic [Banks*SB-1:0]             fail_slot_o,
  input  logic [Rings-1:0]                ring_read_i,
  input  logic [Rings*RingLineBits-1:0]   ring_addr_i,
  output logic [Rings*LB-1:0]             ring_data_o
);
  localparam int unsigned DramSlots = 4;
  localparam int unsigned RingSlots = Places + DramSlots;
  localparam int unsigned RingSlotBits = $clog2(RingSlots);
  localparam int unsigned WordBits = RingLineBits - (Banks - 1);  // of a line in its bank

  logic [Banks*Channels-1:0] ring_slot_q;
  logic [PlaceBits-1:0] place_q;
  logic swap_out_q, dram_slot_q;
  logic [Banks*PageBits-1:0] arrive_number_q;
  logic [Banks*SB-1:0] fail_slot_q;
  assign ring_slot_o = ring_slot_q;
  assign place_o = place_q;
  assign swap_o = swap_out_q;
  assign dram_slot_o = dram_slot_q;
  assign arrive_number_o = arrive_number_q;
  assign fail_slot_o = fail_slot_q;

  logic [RingSlotBits-1:0] count_q;  // one ahead
  logic swap_q;                  // likewise
  logic [Banks*Places-1:0] first;
  assign first = count_q < RingSlotBits'(Places) ? (Banks * Places)'(1) << count_q : '0;
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Banks; b++) begin
      if (!rst_ni) ring_slot_q[b*Channels+:Channels] <= Channels'((Banks * Places)'(1) << b * Places);
      else if (swap_q) ring_slot_q[b*Channels+:Channels] <= Channels'(first << (Banks - 1 - b) * Places);
      else ring_slot_q[b*Channels+:Channels] <= Channels'(first << b * Places);
    end
    if (!rst_ni) begin
      count_q <= RingSlotBits'(1);
      swap_q <= 1'b0;
      place_q <= '0;
      swap_out_q <= 1'b0;
      dram_slot_q <= 1'b0;
    end else begin
      count_q <= count_q == RingSlotBits'(RingSlots - 1) ? '0 : count_q + 1'b1;
      if (Banks > 1 && count_q == RingSlotBits'(RingSlots - 1)) swap_q <= !swap_q;
      place_q <= count_q < RingSlotBits'(Places) ? count_q[PlaceBits-1:0] : '0;
      swap_out_q <= swap_q;
      dram_slot_q <= count_q >= RingSlotBits'(Places);
    end
  end

  logic [RingIdBits-1:0] dram_ring;
  logic [RingLineBits-1:0] dram_line;
  assign dram_line = dram_base_i + dram_place_i;
  always_comb begin
    dram_ring = '0;
    for (int unsigned r = 0; r < Rings; r++) begin
      if (dram_valid_i[r]) dram_ring = dram_ring | RingIdBits'(r);
    end
  end

  logic [Rings*Banks-1:0] writes;
  logic [WordBits-1:0] write_word[Banks];
  logic [LB-1:0] write_data[Banks];
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic write_q, last_q, fail_q, dram_here;
    logic [RingIdBits-1:0] write_ring_q;
    logic [WordBits-1:0] write_word_q;
    logic [LB-1:0] write_data_q;
    assign dram_here = dram_valid_i != '0 && (Banks == 1 || 32'(dram_line[0]) == b);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        write_q <= 1'b0;
        fail_q <= 1'b0;
      end else if (dram_slot_q) begin
        write_q <= dram_here;
        fail_q <= 1'b0;
      end else begin
        write_q <= flash_valid_i[b];
        fail_q <= flash_valid_i[b] && flash_error_i[b];
      end
      last_q <= dram_slot_q ? dram_last_i : flash_last_i[b];
      if (dram_slot_q && dram_here) begin
        write_ring_q <= dram_ring;
        arrive_number_q[b*PageBits+:PageBits] <= dram_number_i;
        write_word_q <= dram_line[RingLineBits-1-:WordBits];
        write_data_q <= dram_data_i;
      end
      if (!dram_slot_q && flash_valid_i[b]) begin
        write_ring_q <= flash_ring_i[b*RingIdBits+:RingIdBits];
        arrive_number_q[b*PageBits+:PageBits] <= flash_number_i[b*PageBits+:PageBits];
        write_word_q <= flash_addr_i[(b+1)*RingLineBits-1-:WordBits];
        write_data_q <= flash_data_i[b*LB+:LB];
        fail_slot_q[b*SB+:SB] <= flash_slot_i[b*SB+:SB];
      end
    end

    assign write_word[b] = write_word_q;
    assign write_data[b] = write_data_q;
    for (genvar r = 0; r < Rings; r++) begin : gen_write
      assign writes[r*Banks+b] = write_q && 32'(write_ring_q) == r;
      assign arrive_o[r*Banks+b] = write_q && last_q && 32'(write_ring_q) == r;
    end
    for (genvar k = 0; k < Rings / 2; k++) begin : gen_fail
      assign fail_o[k*Banks+b] = fail_q && 32'(write_ring_q) >> 1 == k;
    end
  end

  for (genvar r = 0; r < Rings; r++) begin : gen_ring
    logic [RingLineBits-1:0] addr;
    logic [LB-1:0] data[Banks];
    assign addr = ring_addr_i[r*RingLineBits+:RingLineBits];
    for (genvar b = 0; b < Banks; b++) begin : gen_half
      sram_1r1w #(
        .Words(RingLines / Banks),
        .DataBits(LB)
      ) u_ring (
        .clk_i(clk_i),
        `RESET_OF_CONTRACTS
        .wr_valid_i(writes[r*Banks+b]),
        .wr_addr_i(write_word[b]),
        .wr_data_i(write_data[b]),
        .rd_valid_i(ring_read_i[r] && (Banks == 1 || 32'(addr[0]) == b)),
        .rd_addr_i(addr[RingLineBits-1-:WordBits]),
        .rd_data_o(data[b])
      );
    end
    if (Banks == 1) begin : gen_one
      assign ring_data_o[r*LB+:LB] = data[0];
    end else begin : gen_two
      logic odd_q;
      always_ff @(posedge clk_i) if (ring_read_i[r]) odd_q <= addr[0];
      assign ring_data_o[r*LB+:LB] = odd_q ? data[Banks-1] : data[0];
    end
  end

  `HOLDS(OneRing_A, (dram_valid_i & (dram_valid_i - 1'b1)) == '0)

  if (Channels < 1 || Channels > 16) begin : gen_bad_channels
    $error("sparf_page_rings: Channels must be from 1 to 16");
  end
endmodule
