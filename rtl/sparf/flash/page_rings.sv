// SPDX-License-Identifier: Apache-2.0
// The rings where keys and values lie until their kernel reads them, and whose turn it is to write
// a line into one: in each cycle one of the channels, then (4 of Channels + 4 cycles) DRAM. A line
// is chosen in its turn and written in the cycle after; with the last one its page has arrived.
module page_rings #(
  parameter int unsigned Channels = 8,
  parameter int unsigned Rings = 4,        // keys and values of kernel 0, of kernel 1, ...
  parameter int unsigned RingLines = 2048,
  parameter int unsigned Tags = 256,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned SB = sparf_pkg::SlotBits,
  localparam int unsigned RingIdBits = $clog2(Rings),
  localparam int unsigned PageBits = $clog2(Tags),
  localparam int unsigned RingLineBits = $clog2(RingLines),
  localparam int unsigned NoteBits = RingLineBits + PageBits,
  localparam int unsigned ChannelBits = Channels > 1 ? $clog2(Channels) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  output logic [Channels-1:0]             turn_o,         // a bit, or none in a turn of DRAM
  output logic [ChannelBits-1:0]          channel_o,      // the same as a number
  output logic                            dram_turn_o,
  // A line of the channel whose turn it is.
  input  logic                            flash_valid_i,
  input  logic                            flash_error_i,
  input  logic                            flash_last_i,
  input  logic [RingIdBits+PageBits-1:0]  flash_tag_i,
  input  logic [SB-1:0]                   flash_slot_i,
  input  logic [RingLineBits-1:0]         flash_addr_i,
  input  logic [LB-1:0]                   flash_data_i,
  // A line of DRAM: its run's first line in the ring and number, its place in the run.
  input  logic [Rings-1:0]                dram_valid_i,   // for this ring
  input  logic                            dram_last_i,
  input  logic [NoteBits-1:0]             dram_note_i,
  input  logic [RingLineBits-1:0]         dram_place_i,
  input  logic [LB-1:0]                   dram_data_i,
  output logic [Rings-1:0]                arrive_o,       // a page of this ring
  output logic [PageBits-1:0]             arrive_number_o,
  output logic [Rings/2-1:0]              fail_o,         // it was unreadable, of this kernel
  output logic [SB-1:0]                   fail_slot_o,
  input  logic [Rings-1:0]                ring_read_i,
  input  logic [Rings*RingLineBits-1:0]   ring_addr_i,
  output logic [Rings*LB-1:0]             ring_data_o
);
  localparam int unsigned DramTurns = 4;
  localparam int unsigned Turns = Channels + DramTurns;
  localparam int unsigned TurnBits = $clog2(Turns);

  logic [TurnBits-1:0] count_q;  // one ahead
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= TurnBits'(1);
      turn_o <= Channels'(1);
      channel_o <= '0;
      dram_turn_o <= 1'b0;
    end else begin
      count_q <= count_q == TurnBits'(Turns - 1) ? '0 : count_q + 1'b1;
      turn_o <= Channels'(1) << count_q;
      channel_o <= count_q < TurnBits'(Channels) ? count_q[ChannelBits-1:0] : '0;
      dram_turn_o <= count_q >= TurnBits'(Channels);
    end
  end

  logic write_q, arrive_q, fail_q;
  logic [RingIdBits-1:0] write_ring_q;
  logic [RingLineBits-1:0] write_line_q;
  logic [LB-1:0] write_data_q;

  logic [RingIdBits-1:0] dram_ring;
  always_comb begin
    dram_ring = '0;
    for (int unsigned r = 0; r < Rings; r++) begin
      if (dram_valid_i[r]) dram_ring = dram_ring | RingIdBits'(r);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
      arrive_q <= 1'b0;
      fail_q <= 1'b0;
    end else if (dram_turn_o) begin
      write_q <= dram_valid_i != '0;
      arrive_q <= dram_valid_i != '0 && dram_last_i;
      fail_q <= 1'b0;
    end else begin
      write_q <= flash_valid_i;
      arrive_q <= flash_valid_i && flash_last_i;
      fail_q <= flash_valid_i && flash_error_i;
    end
    if (dram_turn_o && dram_valid_i != '0) begin
      write_ring_q <= dram_ring;
      arrive_number_o <= dram_note_i[PageBits-1:0];
      write_line_q <= dram_note_i[NoteBits-1:PageBits] + dram_place_i;
      write_data_q <= dram_data_i;
    end
    if (!dram_turn_o && flash_valid_i) begin
      {write_ring_q, arrive_number_o} <= flash_tag_i;
      write_line_q <= flash_addr_i;
      write_data_q <= flash_data_i;
      fail_slot_o <= flash_slot_i;
    end
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
      .rd_valid_i(ring_read_i[r]),
      .rd_addr_i(ring_addr_i[r*RingLineBits+:RingLineBits]),
      .rd_data_o(ring_data_o[r*LB+:LB])
    );
  end

  for (genvar r = 0; r < Rings; r++) begin : gen_arrive
    assign arrive_o[r] = arrive_q && 32'(write_ring_q) == r;
  end
  for (genvar k = 0; k < Rings / 2; k++) begin : gen_fail
    assign fail_o[k] = fail_q && 32'(write_ring_q) >> 1 == k;
  end

  if (Channels < 1 || Channels > 16) begin : gen_bad_channels
    $error("page_rings: Channels must be from 1 to 16");
  end
endmodule
