// SPDX-License-Identifier: Apache-2.0
// page_rings under any lines of flash and DRAM in their turns. A line's lowest two bits matter.
`include "prove.svh"
module prove_page_rings #(
  parameter int unsigned Channels = 3,
  parameter int unsigned RingLines = 4
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic                         flash_valid_i,
  input logic                         flash_error_i,
  input logic                         flash_last_i,
  input logic [1:0]                   flash_tag_i,
  input logic [sparf_pkg::SlotBits-1:0] flash_slot_i,
  input logic [1:0]                   flash_addr_i,
  input logic [1:0]                   data_i,
  input logic [1:0]                   dram_valid_i,
  input logic                         dram_last_i,
  input logic [2:0]                   dram_note_i,
  input logic [1:0]                   dram_place_i,
  input logic [1:0]                   read_i,
  input logic [3:0]                   read_addr_i,
  input logic                         watch_ring_i,
  input logic [1:0]                   watch_line_i
);
  `FROM_ANY_STATE
  localparam int unsigned LB = sparf_pkg::LineBits;
  localparam int unsigned Turns = Channels + 4;
  localparam int unsigned ChannelBits = $clog2(Channels);
  logic [Channels-1:0] turn;
  logic [ChannelBits-1:0] channel;
  logic dram_turn, arrive_number, fail;
  logic [1:0] arrive;
  logic [sparf_pkg::SlotBits-1:0] fail_slot;
  logic [2*LB-1:0] ring_data;
  page_rings #(
    .Channels(Channels),
    .Rings(2),
    .RingLines(RingLines),
    .Tags(2)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .turn_o(turn),
    .channel_o(channel),
    .dram_turn_o(dram_turn),
    .flash_valid_i(flash_valid_i),
    .flash_error_i(flash_error_i),
    .flash_last_i(flash_last_i),
    .flash_tag_i(flash_tag_i),
    .flash_slot_i(flash_slot_i),
    .flash_addr_i(flash_addr_i),
    .flash_data_i(LB'(data_i)),
    .dram_valid_i(dram_valid_i),
    .dram_last_i(dram_last_i),
    .dram_note_i(dram_note_i),
    .dram_place_i(dram_place_i),
    .dram_data_i(LB'(data_i)),
    .arrive_o(arrive),
    .arrive_number_o(arrive_number),
    .fail_o(fail),
    .fail_slot_o(fail_slot),
    .ring_read_i(read_i),
    .ring_addr_i(read_addr_i),
    .ring_data_o(ring_data)
  );
  `ASSUME(dram_valid_i != 2'b11)

  // What is chosen in this cycle: its ring, line, page.
  logic chosen, ring, number, error, last;
  logic [1:0] line;
  always @* begin
    if (dram_turn) begin
      chosen = dram_valid_i != '0;
      ring = dram_valid_i[1];
      number = dram_note_i[0];
      line = dram_note_i[2:1] + dram_place_i;
      error = 1'b0;
      last = dram_last_i;
    end else begin
      chosen = flash_valid_i;
      {ring, number} = flash_tag_i;
      line = flash_addr_i;
      error = flash_error_i;
      last = flash_last_i;
    end
  end
  logic chosen_q, ring_q, number_q, error_q, last_q, watch_ring_q, written_q, read_q, rest_q;
  logic [1:0] line_q, data_q, watch_line_q, word_q, expected_q, shown, held_q;
  logic [sparf_pkg::SlotBits-1:0] slot_q;
  logic [3:0] waited_q;
  assign shown = watch_ring_q ? ring_data[LB+:2] : ring_data[1:0];
  // One cycle after it is chosen a line is written; what is being written is not read.
  logic watched_write, watched_read;
  assign watched_write = chosen_q && ring_q == watch_ring_q && line_q == watch_line_q;
  assign watched_read = read_i[watch_ring_q] && read_addr_i[2*watch_ring_q+:2] == watch_line_q;
  `ASSUME(!(watched_write && watched_read))
  always @(posedge clk_i) begin
    chosen_q <= rst_ni && chosen;
    ring_q <= ring;
    number_q <= number;
    error_q <= error;
    last_q <= last;
    line_q <= line;
    data_q <= data_i;
    if (!dram_turn && flash_valid_i) slot_q <= flash_slot_i;
    if (!rst_ni) begin
      watch_ring_q <= watch_ring_i;
      watch_line_q <= watch_line_i;
      written_q <= 1'b0;
      read_q <= 1'b0;
    end else begin
      if (watched_write) begin
        written_q <= 1'b1;
        word_q <= data_q;
      end
      read_q <= watched_read && written_q;
      expected_q <= word_q;
    end
    // Cycles since the turn of the channel watched.
    if (!rst_ni || turn[watch_line_q % Channels]) waited_q <= '0;
    else if (waited_q != '1) waited_q <= waited_q + 1'b1;
  end

  logic [Channels:0] turns;
  assign turns = {dram_turn, turn};
  `PROVE(OneTurn, turns != '0 && (turns & (turns - 1'b1)) == '0)
  `PROVE(TurnNumber, dram_turn || turn == Channels'(1) << channel)
  `PROVE(NoStarvation, waited_q < 4'(Turns))
  `PROVE(NothingLost, !read_q || shown == expected_q)
  `PROVE(ArrivesOnce, arrive == (chosen_q && last_q ? (ring_q ? 2'b10 : 2'b01) : 2'b00))
  `PROVE(ArrivesNumber, arrive == '0 || arrive_number == number_q)
  `PROVE(Fails, fail == (chosen_q && error_q))
  `PROVE(FailSlot, !fail || fail_slot == slot_q)
endmodule
