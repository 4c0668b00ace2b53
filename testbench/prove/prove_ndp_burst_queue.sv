// SPDX-License-Identifier: Apache-2.0
// ndp_burst_queue as a stream uses it: slots are reserved in order, a reserved slot is written once, and
// the oldest is consumed, alone or with its block; an alignment passes over slots that are not
// reserved.
`include "prove.svh"
module prove_ndp_burst_queue #(
  parameter int unsigned QueueBursts = 4,
  parameter int unsigned BurstsPerBlock = 2,
  localparam int unsigned TagBits = $clog2(QueueBursts)
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               reserve_i,
  input logic               skip_i,       // the next reservation begins a block
  input logic               wr_valid_i,
  input logic [TagBits-1:0] wr_tag_i,
  input logic               pop_i,
  input logic               free_i,
  input logic               align_i,
  input logic               rd_offset_i
);
  `FROM_ANY_STATE
  localparam logic [TagBits:0] BlockMask = (TagBits + 1)'(BurstsPerBlock - 1);
  logic [TagBits:0] head, next_q, oldest_q;
  logic head_valid, block_valid, freed_q;
  logic [TagBits-1:0] rd_slot, freed_slot_q;
  logic [QueueBursts-1:0] reserved_q, written_q, block, gap;

  ndp_burst_queue #(
    .QueueBursts(QueueBursts),
    .BurstsPerBlock(BurstsPerBlock),
    .ReadAfterFree(1'b1)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .wr_valid_i(wr_valid_i),
    .wr_tag_i(wr_tag_i),
    .rd_offset_i(rd_offset_i),
    .rd_slot_o(rd_slot),
    .pop_i(pop_i),
    .half_i(1'b0),
    .quarter_i(1'b0),
    .free_i(free_i),
    .scales_i(1'b0),
    .align_i(align_i),
    .head_o(head),
    .head_valid_o(head_valid),
    .block_valid_o(block_valid)
  );

  // Slots from the oldest to the end of its block.
  assign block = {{(QueueBursts - BurstsPerBlock) {1'b0}}, {BurstsPerBlock{1'b1}}} <<
      (oldest_q[TagBits-1:0] & ~BlockMask[TagBits-1:0]);
  assign gap = block & ({QueueBursts{1'b1}} << oldest_q[TagBits-1:0]);
  logic starts_block;
  assign starts_block = (oldest_q & BlockMask) == '0;

  `ASSUME(!reserve_i || next_q - oldest_q < (TagBits + 1)'(QueueBursts))
  `ASSUME(!skip_i || (!reserve_i &&
          ((next_q + BlockMask) & ~BlockMask) - oldest_q <= (TagBits + 1)'(QueueBursts)))
  `ASSUME(!wr_valid_i || (reserved_q[wr_tag_i] && !written_q[wr_tag_i]))
  `ASSUME(!pop_i || written_q[oldest_q[TagBits-1:0]])
  `ASSUME(!free_i || ((written_q & block) == block && starts_block))
  `ASSUME(!align_i || ((reserved_q & gap) == '0 && ((oldest_q + BlockMask) & ~BlockMask) - oldest_q
          <= next_q - oldest_q))
  `ASSUME(2'(pop_i) + 2'(free_i) + 2'(align_i) <= 2'd1)

  logic [QueueBursts-1:0] consumed;
  assign consumed = free_i ? block : QueueBursts'(pop_i) << oldest_q[TagBits-1:0];
  always @(posedge clk_i) begin
    freed_q <= rst_ni && free_i;
    freed_slot_q <= oldest_q[TagBits-1:0];
    if (!rst_ni) begin
      next_q <= '0;
      oldest_q <= '0;
      reserved_q <= '0;
      written_q <= '0;
    end else begin
      if (reserve_i) next_q <= next_q + 1'b1;
      if (skip_i) next_q <= (next_q + BlockMask) & ~BlockMask;
      if (pop_i) oldest_q <= oldest_q + 1'b1;
      if (free_i) oldest_q <= oldest_q + (TagBits + 1)'(BurstsPerBlock);
      if (align_i) oldest_q <= (oldest_q + BlockMask) & ~BlockMask;
      reserved_q <= (reserved_q | (QueueBursts'(reserve_i) << next_q[TagBits-1:0])) & ~consumed;
      written_q <= (written_q | (QueueBursts'(wr_valid_i) << wr_tag_i)) & ~consumed;
    end
  end

  `PROVE(InOrder, head == oldest_q)
  `PROVE(HeadPresent, head_valid == written_q[oldest_q[TagBits-1:0]])
  `PROVE(BlockPresent, block_valid == ((written_q & block) == block))
  `PROVE(ReadsOldest, freed_q || rd_slot == (oldest_q[TagBits-1:0] | TagBits'(rd_offset_i)))
  `PROVE(ReadsFreed, !freed_q || rd_slot == (freed_slot_q | TagBits'(rd_offset_i)))
  `PROVE(NoStaleBurst, !head_valid || written_q[oldest_q[TagBits-1:0]])
endmodule
