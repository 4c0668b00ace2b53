// SPDX-License-Identifier: Apache-2.0
// sparf_page_rings under any lines of flash and DRAM in their slots. Only the lowest two bits of a
// line are used.
`include "prove.svh"
module prove_sparf_page_rings #(
  parameter int unsigned Channels = 3,
  parameter int unsigned RingLines = 4,
  localparam int unsigned Banks = sparf_pkg::banks(Channels)
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic [Banks-1:0]             flash_valid_i,
  input logic [Banks-1:0]             flash_error_i,
  input logic [Banks-1:0]             flash_last_i,
  input logic [Banks-1:0]             flash_ring_i,
  input logic [Banks-1:0]             flash_number_i,
  input logic [Banks*sparf_pkg::SlotBits-1:0] flash_slot_i,
  input logic [2*Banks-1:0]           flash_addr_i,
  input logic [2*Banks-1:0]           data_i,
  input logic [1:0]                   dram_valid_i,
  input logic                         dram_last_i,
  input logic [1:0]                   dram_base_i,
  input logic                         dram_number_i,
  input logic [1:0]                   dram_place_i,
  input logic [1:0]                   read_i,
  input logic [3:0]                   read_addr_i,
  input logic                         watch_ring_i,
  input logic [1:0]                   watch_line_i
);
  `FROM_ANY_STATE
  localparam int unsigned LB = sparf_pkg::LineBits;
  localparam int unsigned SB = sparf_pkg::SlotBits;
  localparam int unsigned Places = (Channels + Banks - 1) / Banks;
  localparam int unsigned Period = Banks * (Places + 4);
  localparam int unsigned PlaceBits = $clog2(Places);
  logic [Banks*Channels-1:0] ring_slot;
  logic [PlaceBits-1:0] place;
  logic swap, dram_slot;
  logic [Banks-1:0] arrive_number, fail;
  logic [2*Banks-1:0] arrive;
  logic [Banks*SB-1:0] fail_slot;
  logic [Banks*LB-1:0] flash_data;
  logic [2*LB-1:0] ring_data;
  sparf_page_rings #(
    .Channels(Channels),
    .Rings(2),
    .RingLines(RingLines),
    .Tags(2)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ring_slot_o(ring_slot),
    .place_o(place),
    .swap_o(swap),
    .dram_slot_o(dram_slot),
    .flash_valid_i(flash_valid_i),
    .flash_error_i(flash_error_i),
    .flash_last_i(flash_last_i),
    .flash_ring_i(flash_ring_i),
    .flash_number_i(flash_number_i),
    .flash_slot_i(flash_slot_i),
    .flash_addr_i(flash_addr_i),
    .flash_data_i(flash_data),
    .dram_valid_i(dram_valid_i),
    .dram_last_i(dram_last_i),
    .dram_base_i(dram_base_i),
    .dram_number_i(dram_number_i),
    .dram_place_i(dram_place_i),
    .dram_data_i(LB'(data_i[1:0])),
    .arrive_o(arrive),
    .arrive_number_o(arrive_number),
    .fail_o(fail),
    .fail_slot_o(fail_slot),
    .ring_read_i(read_i),
    .ring_addr_i(read_addr_i),
    .ring_data_o(ring_data)
  );
  `ASSUME(dram_valid_i != 2'b11)

  // The selection of this cycle, by bank: its ring, line, page.
  logic [Banks-1:0] chosen, ring, number, error, last, misplaced;
  logic [2*Banks-1:0] line, data;
  logic [1:0] dram_line;
  assign dram_line = dram_base_i + dram_place_i;
  always @* begin
    for (int unsigned b = 0; b < Banks; b++) begin
      flash_data[b*LB+:LB] = LB'(data_i[2*b+:2]);
      misplaced[b] = flash_valid_i[b] && Banks > 1 && flash_addr_i[2*b] != 1'(b);
      if (dram_slot) begin
        chosen[b] = dram_valid_i != '0 && (Banks == 1 || dram_line[0] == 1'(b));
        ring[b] = dram_valid_i[1];
        number[b] = dram_number_i;
        line[2*b+:2] = dram_line;
        data[2*b+:2] = data_i[1:0];
        error[b] = 1'b0;
        last[b] = dram_last_i;
      end else begin
        chosen[b] = flash_valid_i[b];
        ring[b] = flash_ring_i[b];
        number[b] = flash_number_i[b];
        line[2*b+:2] = flash_addr_i[2*b+:2];
        data[2*b+:2] = data_i[2*b+:2];
        error[b] = flash_error_i[b];
        last[b] = flash_last_i[b];
      end
    end
  end
  `ASSUME(misplaced == '0)
  logic [Banks-1:0] chosen_q, ring_q, number_q, error_q, last_q;
  logic watch_ring_q, written_q, read_q;
  logic [2*Banks-1:0] line_q, data_q;
  logic [1:0] watch_line_q, word_q, expected_q, shown;
  logic [Banks*SB-1:0] slot_q;
  logic [3:0] waited_q;
  assign shown = watch_ring_q ? ring_data[LB+:2] : ring_data[1:0];
  // A line is written one cycle after its selection; a line being written is not read.
  logic [Banks-1:0] watched_write;
  logic [1:0] watched_data;
  logic watched_read;
  always @* begin
    watched_data = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      watched_write[b] = chosen_q[b] && ring_q[b] == watch_ring_q
          && line_q[2*b+:2] == watch_line_q;
      if (watched_write[b]) watched_data = watched_data | data_q[2*b+:2];
    end
  end
  assign watched_read = read_i[watch_ring_q] && read_addr_i[2*watch_ring_q+:2] == watch_line_q;
  `ASSUME(!(watched_write != '0 && watched_read))
  // The slots of any channel at any bank.
  logic watched_slot;
  assign watched_slot = Banks > 1 && watch_ring_q ? ring_slot[(Banks-1)*Channels+watch_line_q%Channels] :
      ring_slot[watch_line_q%Channels];
  always @(posedge clk_i) begin
    chosen_q <= chosen & {Banks{rst_ni}};
    ring_q <= ring;
    number_q <= number;
    error_q <= error;
    last_q <= last;
    line_q <= line;
    data_q <= data;
    for (int unsigned b = 0; b < Banks; b++) begin
      if (!dram_slot && flash_valid_i[b]) slot_q[b*SB+:SB] <= flash_slot_i[b*SB+:SB];
    end
    if (!rst_ni) begin
      watch_ring_q <= watch_ring_i;
      watch_line_q <= watch_line_i;
      written_q <= 1'b0;
      read_q <= 1'b0;
    end else begin
      if (watched_write != '0) begin
        written_q <= 1'b1;
        word_q <= watched_data;
      end
      read_q <= watched_read && written_q;
      expected_q <= word_q;
    end
    if (!rst_ni || watched_slot) waited_q <= '0;
    else if (waited_q != '1) waited_q <= waited_q + 1'b1;
  end

  // By bank: more than one ring_slot, other slots than those of `place` and `swap`, arrivals and failures.
  logic [Banks-1:0] several, other, wrong_number, wrong_slot;
  logic [Channels-1:0] whose, twice;
  logic [2*Banks-1:0] arrivals;
  always @* begin
    whose = '0;
    twice = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      several[b] = ({dram_slot, ring_slot[b*Channels+:Channels]}
          & ({dram_slot, ring_slot[b*Channels+:Channels]} - 1'b1)) != '0;
      other[b] = ring_slot[b*Channels+:Channels] != (dram_slot ? '0 : Channels'(
          (Banks * Places)'(1) << place << (swap ? Banks - 1 - b : b) * Places));
      twice = twice | (whose & ring_slot[b*Channels+:Channels]);
      whose = whose | ring_slot[b*Channels+:Channels];
      arrivals[b] = chosen_q[b] && last_q[b] && !ring_q[b];
      arrivals[Banks+b] = chosen_q[b] && last_q[b] && ring_q[b];
      wrong_number[b] = (arrive[b] || arrive[Banks+b]) && arrive_number[b] != number_q[b];
      wrong_slot[b] = fail[b] && fail_slot[b*SB+:SB] != slot_q[b*SB+:SB];
    end
  end
  `PROVE(OneRingSlot, several == '0 && twice == '0 && (dram_slot || whose != '0))
  `PROVE(RingSlotNumber, other == '0)
  `PROVE(NoStarvation, waited_q < 4'(Period))
  `PROVE(NothingLost, !read_q || shown == expected_q)
  `PROVE(ArrivesOnce, arrive == arrivals)
  `PROVE(ArrivesNumber, wrong_number == '0)
  `PROVE(Fails, fail == (chosen_q & error_q))
  `PROVE(FailSlot, wrong_slot == '0)
endmodule
