// SPDX-License-Identifier: Apache-2.0
// sparf_whole_heads against multiplication, for heads that are written at least four cycles apart.
`include "prove.svh"
module prove_sparf_whole_heads #(
  parameter int unsigned Slots = 4,
  parameter int unsigned GroupBits = 3,
  parameter int unsigned CountBits = 4,
  parameter int unsigned Limit = 21,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned TotalBits = GroupBits + CountBits
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [SlotBits-1:0]  watch_i,
  input logic                 write_i,
  input logic [SlotBits-1:0]  slot_i,
  input logic [GroupBits-1:0] group_i,
  input logic [CountBits-1:0] count_i
);
  `FROM_ANY_STATE
  logic [Slots-1:0] whole;
  logic [SlotBits-1:0] watch_q;
  logic known_q, more_q;
  logic [2:0] age_q;  // of the last head that was written
  sparf_whole_heads #(
    .Slots(Slots),
    .GroupBits(GroupBits),
    .CountBits(CountBits),
    .Limit(Limit)
  ) u_dut (
    .clk_i(clk_i),
    .write_i(write_i),
    .slot_i(slot_i),
    .group_i(group_i),
    .count_i(count_i),
    .whole_o(whole)
  );
  `ASSUME(!write_i || age_q >= 3'd3)
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      known_q <= 1'b0;
      watch_q <= watch_i;
      age_q <= '1;
    end else begin
      if (write_i) age_q <= '0;
      else if (age_q != '1) age_q <= age_q + 1'b1;
      if (write_i && slot_i == watch_q) begin
        known_q <= 1'b1;
        more_q <= TotalBits'(count_i) * (TotalBits'(group_i) + 1'b1) > TotalBits'(Limit);
      end
    end
  end
  logic own_q;
  always @(posedge clk_i) if (write_i) own_q <= slot_i == watch_q;
  `ASSUME(running_q || !write_i)
  `PROVE(Product, !known_q || (own_q && age_q < 3'd3) || whole[watch_q] == more_q)
endmodule
