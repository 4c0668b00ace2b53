// SPDX-License-Identifier: Apache-2.0
// Slots of one stream's burst queue: a ring of QueueBursts slots of 64 bytes, filled in any order (the tag
// is the slot) and consumed from its oldest slot. The bytes are in an SRAM outside this module with one
// write port (at the tag) and one read port (at rd_slot_o, oldest + rd_offset_i). With ReadAfterFree the
// cycle after a free still reads the freed block: a response to its slot arrives at the earliest two cycles
// later.
// - A burst written in cycle t counts as present from t+1 on.
// - A free advances the oldest slot in the next cycle: by one slot (pop_i), by one block (free_i, when the
//   oldest slot begins a block), or up to the next block boundary (align_i, when no slot is in use).
// - With LowBit, half_i and quarter_i select blocks with a half or a quarter of the slots; they change only
//   while the oldest slot begins no block. A burst of scales occupies as many slots as a block, with its
//   data in the first; scales_i frees it.
// No back-pressure: a tag is written only while its slot is reserved and absent.
`include "assert.svh"
module ndp_burst_queue #(
  parameter int unsigned QueueBursts = 128,
  parameter int unsigned BurstsPerBlock = 8,
  parameter bit ReadAfterFree = 1'b0,
  parameter bit LowBit = 1'b0,
  localparam int unsigned TagBits = $clog2(QueueBursts),
  localparam int unsigned PtrBits = TagBits + 1,
  localparam int unsigned OffsetBits = BurstsPerBlock > 1 ? $clog2(BurstsPerBlock) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  wr_valid_i,
  input  logic [TagBits-1:0]    wr_tag_i,
  input  logic [OffsetBits-1:0] rd_offset_i,
  output logic [TagBits-1:0]    rd_slot_o,
  input  logic                  pop_i,
  input  logic                  half_i,
  input  logic                  quarter_i,
  input  logic                  free_i,
  input  logic                  scales_i,
  input  logic                  align_i,
  output logic [PtrBits-1:0]    head_o,         // oldest slot, with a wrap bit
  output logic                  head_valid_o,   // the oldest slot is present
  output logic                  block_valid_o   // so is the whole block it begins
);
  localparam int unsigned Half = BurstsPerBlock > 1 ? BurstsPerBlock / 2 : 1;
  localparam int unsigned Quarter = BurstsPerBlock > 3 ? BurstsPerBlock / 4 : 1;
  localparam logic [PtrBits-1:0] BlockMask = PtrBits'(BurstsPerBlock - 1);

  logic [QueueBursts-1:0] present_q;
  logic [PtrBits-1:0] head_q;
  logic [TagBits-1:0] head_slot, block_slot;
  logic [PtrBits-1:0] length;  // of a block
  logic free;

  assign head_slot = head_q[TagBits-1:0];
  assign head_o = head_q;
  assign head_valid_o = present_q[head_slot];

  if (LowBit) begin : gen_lengths
    localparam logic [TagBits-1:0] HalfMask = TagBits'(Half - 1);
    localparam logic [TagBits-1:0] QuarterMask = TagBits'(Quarter - 1);
    logic [TagBits-1:0] half_slot, quarter_slot;
    assign half_slot = head_slot & ~HalfMask;
    assign quarter_slot = head_slot & ~QuarterMask;
    assign free = free_i || scales_i;
    always_comb begin
      if (quarter_i) begin
        block_slot = quarter_slot;
        length = PtrBits'(Quarter);
        block_valid_o = &present_q[quarter_slot+:Quarter];
      end else if (half_i) begin
        block_slot = half_slot;
        length = PtrBits'(Half);
        block_valid_o = &present_q[half_slot+:Half];
      end else begin
        block_slot = head_slot & ~BlockMask[TagBits-1:0];
        length = PtrBits'(BurstsPerBlock);
        block_valid_o = &present_q[(head_slot&~BlockMask[TagBits-1:0])+:BurstsPerBlock];
      end
    end
  end else begin : gen_length
    assign free = free_i;
    assign block_slot = head_slot & ~BlockMask[TagBits-1:0];
    assign length = PtrBits'(BurstsPerBlock);
    assign block_valid_o = &present_q[block_slot+:BurstsPerBlock];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      present_q <= '0;
      head_q <= '0;
    end else begin
      if (wr_valid_i) present_q[wr_tag_i] <= 1'b1;
      if (pop_i) begin
        present_q[head_slot] <= 1'b0;
        head_q <= head_q + 1'b1;
      end
      if (free) begin
        if (LowBit && quarter_i) present_q[block_slot+:Quarter] <= '0;
        else if (LowBit && half_i) present_q[block_slot+:Half] <= '0;
        else present_q[block_slot+:BurstsPerBlock] <= '0;
        head_q <= head_q + length;
      end
      if (align_i) head_q <= (head_q + BlockMask) & ~BlockMask;
    end
  end

  if (ReadAfterFree) begin : gen_read_after_free
    logic freed_q;
    logic [TagBits-1:0] last_slot_q;
    always_ff @(posedge clk_i) begin
      freed_q <= rst_ni && free;
      last_slot_q <= head_slot;
    end
    assign rd_slot_o = (freed_q ? last_slot_q : head_slot) | TagBits'(rd_offset_i);
  end else begin : gen_read
    assign rd_slot_o = head_slot | TagBits'(rd_offset_i);
  end

  `IMPLIES(SlotFree_A, wr_valid_i, !present_q[wr_tag_i])
  `IMPLIES(PopPresent_A, pop_i, head_valid_o)
  `IMPLIES(FreePresent_A, free_i, block_valid_o && head_slot == block_slot)
  `IMPLIES(ScalesPresent_A, LowBit && scales_i, head_valid_o && head_slot == block_slot)
  `HOLDS(OneFree_A, 2'(pop_i) + 2'(free_i) + 2'(align_i) + 2'(LowBit && scales_i) <= 2'd1)
endmodule
