// SPDX-License-Identifier: Apache-2.0
// Marks heads with more than Limit entries in a memory that two heads share: count_i entries for each of
// group_i + 1 queries. The result is valid four cycles after a head is written, long before it is used.
module sparf_whole_heads #(
  parameter int unsigned Slots = 8,
  parameter int unsigned GroupBits = 3,
  parameter int unsigned CountBits = 16,
  parameter int unsigned Limit = 2048,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned TotalBits = CountBits + GroupBits
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [SlotBits-1:0]  slot_i,
  input  logic [GroupBits-1:0] group_i,
  input  logic [CountBits-1:0] count_i,
  output logic [Slots-1:0]     whole_o
);
  logic [Slots-1:0] whole_q;
  assign whole_o = whole_q;

  // Operands; the first queries and the other queries; their sum.
  logic [SlotBits-1:0] slot_q;
  logic [GroupBits-1:0] group_q;
  logic [CountBits-1:0] count_q;
  logic [TotalBits-1:0] first_q, others_q, total_q, others;
  logic written_q;

  always_comb begin
    others = '0;
    for (int unsigned b = 1; b < GroupBits; b++) begin
      if (group_q[b]) others = others + (TotalBits'(count_q) << b);
    end
  end

  always_ff @(posedge clk_i) begin
    written_q <= write_i;
    if (write_i) begin
      slot_q <= slot_i;
      group_q <= group_i;
      count_q <= count_i;
    end
    first_q <= TotalBits'(count_q) + (group_q[0] ? TotalBits'(count_q) : '0);
    others_q <= others;
    total_q <= first_q + others_q;
    // A write before the sum of a new head is complete is overwritten.
    for (int unsigned s = 0; s < Slots; s++) begin
      if (!written_q && slot_q == SlotBits'(s)) whole_q[s] <= 32'(total_q) > Limit;
    end
  end
endmodule
