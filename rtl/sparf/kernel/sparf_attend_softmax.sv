// SPDX-License-Identifier: Apache-2.0
// The softmax of step 2, except its division: logits become weights 2^-((largest - logit) scale), and weights
// become totals. Logits are stored in the order of arrival, queries of a token side by side, for two heads.
// When all logits of a head are stored (use_*), they are fetched in the same order. A weight leaves WeighStages
// + 2 cycles after its fetch.
//
// A head with more logits than OwnKeys borrows a memory of MaxKeys (borrow_*) when no head is in either memory:
// no other head enters before the borrowing head ends.
`include "assert.svh"
module sparf_attend_softmax #(
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned OwnKeys = MaxKeys,  // logits in the memory of this unit
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned TotalBits = 52,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 head_write_i,
  input  logic [SlotBits-1:0]  head_slot_i,
  input  logic [GroupBits-1:0] head_group_i,
  input  logic [SizeBits-1:0]  head_used_i,     // tokens in the softmax
  input  logic [31:0]          head_scale_i,
  input  logic                 fill_valid_i,    // only while fill_ready_o
  output logic                 fill_ready_o,
  input  logic [SlotBits-1:0]  fill_slot_i,
  input  logic                 logit_valid_i,
  input  logic [31:0]          logit_i,
  input  logic [GroupBits-1:0] logit_query_i,
  input  logic                 logit_end_i,
  output logic                 use_valid_o,     // a head's logits are all stored
  output logic [SlotBits-1:0]  use_slot_o,
  output logic [SlotBits-1:0]  next_slot_o,     // use_slot_o in the next cycle
  input  logic                 fetch_i,
  input  logic [GroupBits-1:0] fetch_query_i,
  input  logic                 fetch_counts_i,  // the logit belongs to a query: a weight follows
  output logic                 weight_valid_o,
  output logic [31:0]          weight_o,
  input  logic [GroupBits-1:0] total_query_i,
  output logic [TotalBits-1:0] total_o,         // of its weights so far, units of 2^-36
  input  logic                 release_i,       // the head in use ends
  input  logic                 lender_empty_i,
  output logic                 borrowed_o,      // from a head's fill until its end
  output logic                 borrow_write_o,  // of logit_i
  output logic [SizeBits-2:0]  borrow_write_address_o,
  output logic                 borrow_read_o,
  output logic [SizeBits-2:0]  borrow_read_address_o,
  input  logic [31:0]          borrowed_i       // one cycle after the read
);
  localparam int unsigned AddressBits = SizeBits - 1;  // of a logit

  logic borrowed_q;
  assign borrowed_o = borrowed_q;

  // Heads.
  logic [Slots-1:0] whole;
  logic [31:0] scales_q[Slots], scale_q;
  sparf_whole_heads #(
    .Slots(Slots),
    .GroupBits(GroupBits),
    .CountBits(SizeBits),
    .Limit(OwnKeys / 2)
  ) u_whole (
    .clk_i(clk_i),
    .write_i(head_write_i),
    .slot_i(head_slot_i),
    .group_i(head_group_i),
    .count_i(head_used_i),
    .whole_o(whole)
  );
  always_ff @(posedge clk_i) begin
    if (head_write_i) scales_q[head_slot_i] <= head_scale_i;
    scale_q <= scales_q[next_slot_o];
  end

  logic room;
  logic fill_half, arrive_half, arrive_upper, use_half, use_upper;
  sparf_logit_halves #(
    .Slots(Slots)
  ) u_halves (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .fill_valid_i(fill_valid_i),
    .fill_ready_o(room),
    .empty_o(),
    .fill_slot_i(fill_slot_i),
    .fill_whole_i(whole[fill_slot_i]),
    .fill_half_o(fill_half),
    .arrive_end_i(logit_valid_i && logit_end_i),
    .arrive_half_o(arrive_half),
    .arrive_upper_o(arrive_upper),
    .use_valid_o(use_valid_o),
    .use_half_o(use_half),
    .use_upper_o(use_upper),
    .use_slot_o(use_slot_o),
    .next_slot_o(next_slot_o),
    .release_i(release_i)
  );

  // Logits arrive.
  localparam int unsigned OwnBits = $clog2(OwnKeys);
  localparam logic [OwnBits-1:0] Upper = OwnBits'(OwnKeys / 2);
  logic [2*MaxGroup*32-1:0] largest;
  logic [AddressBits-1:0] arrived_q;  // of the head
  always_ff @(posedge clk_i) begin
    if (!rst_ni || (logit_valid_i && logit_end_i)) arrived_q <= '0;
    else if (logit_valid_i) arrived_q <= arrived_q + 1'b1;
  end
  sparf_largest_logits #(
    .MaxGroup(MaxGroup)
  ) u_largest (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(fill_valid_i),
    .clear_half_i(fill_half),
    .valid_i(logit_valid_i),
    .half_i(arrive_half),
    .query_i(logit_query_i),
    .logit_i(logit_i),
    .largest_o(largest)
  );

  // Heads that borrow are whole ones.
  assign borrow_write_o = logit_valid_i && borrowed_q;
  assign borrow_write_address_o = arrived_q;
  assign borrow_read_o = fetch_i && borrowed_q;
  assign borrow_read_address_o = used_q;
  if (OwnKeys < MaxKeys) begin : gen_borrows
    logic [Slots-1:0] borrows;
    sparf_whole_heads #(
      .Slots(Slots),
      .GroupBits(GroupBits),
      .CountBits(SizeBits),
      .Limit(OwnKeys)
    ) u_borrows (
      .clk_i(clk_i),
      .write_i(head_write_i),
      .slot_i(head_slot_i),
      .group_i(head_group_i),
      .count_i(head_used_i),
      .whole_o(borrows)
    );
    assign fill_ready_o = room && (!borrows[fill_slot_i] || lender_empty_i);
    always_ff @(posedge clk_i) begin
      if (!rst_ni || release_i) borrowed_q <= 1'b0;
      else if (fill_valid_i) borrowed_q <= borrows[fill_slot_i];
    end
  end else begin : gen_owns
    assign fill_ready_o = room;
    assign borrowed_q = 1'b0;
    logic unused;
    assign unused = lender_empty_i ^ (^borrowed_i);
  end

  // Stages from a logit to its weight.
  logic [AddressBits-1:0] used_q;  // of the head
  logic fetched_q, counts_q, logit_valid_q;
  logic [31:0] fetched, logit_q, top_q, logit_scale_q;
  logic [GroupBits-1:0] fetched_query_q, logit_query_q, weight_query;
  logic [sparf_attn_pkg::WeightFractionBits:0] fixed;
  sram_1r1w #(
    .Words(OwnKeys),
    .DataBits(32)
  ) u_logits (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(logit_valid_i && !borrowed_q),
    .wr_addr_i(arrived_q[OwnBits-1:0] + (arrive_upper ? Upper : '0)),
    .wr_data_i(logit_i),
    .rd_valid_i(fetch_i && !borrowed_q),
    .rd_addr_i(used_q[OwnBits-1:0] + (use_upper ? Upper : '0)),
    .rd_data_o(fetched)
  );
  sparf_attn_weigh #(
    .TagBits(GroupBits)
  ) u_weigh (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(logit_valid_q),
    .logit_i(logit_q),
    .largest_i(top_q),
    .scale_i(logit_scale_q),
    .tag_i(logit_query_q),
    .valid_o(weight_valid_o),
    .weight_o(weight_o),
    .fixed_o(fixed),
    .tag_o(weight_query)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      logit_valid_q <= 1'b0;
    end else begin
      fetched_q <= fetch_i;
      logit_valid_q <= fetched_q && counts_q;
    end
    if (!rst_ni || release_i) used_q <= '0;
    else if (fetch_i) used_q <= used_q + 1'b1;
    if (fetch_i) fetched_query_q <= fetch_query_i;
    if (fetch_i) counts_q <= fetch_counts_i;
    logit_q <= borrowed_q ? borrowed_i : fetched;
    top_q <= largest[32'({use_half, fetched_query_q})*32 +: 32];
    logit_scale_q <= scale_q;
    logit_query_q <= fetched_query_q;
  end

  sparf_weight_totals #(
    .MaxGroup(MaxGroup),
    .TotalBits(TotalBits)
  ) u_totals (
    .clk_i(clk_i),
    .clear_i(!rst_ni || release_i),
    .valid_i(weight_valid_o),
    .query_i(weight_query),
    .fixed_i(fixed),
    .total_query_i(total_query_i),
    .total_o(total_o)
  );

  `IMPLIES(AllLogits_A, fill_valid_i, !(logit_valid_i && fill_half == arrive_half))
endmodule
