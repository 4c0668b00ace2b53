// SPDX-License-Identifier: Apache-2.0
// The read side of Streams sub-channels: requests for the bursts of the plan, and one queue per stream that
// responses fill in any order. All streams read a block of weights together (read_i with read_offset_i, at any
// offset of the block; free_i releases the block). Activations are read burst by burst from one stream (pop_i).
// Data appear on data_o in the cycle after. scales_i frees the burst of scales before low-bit blocks; the burst
// is read in the cycle after that, at offset 0. The plan belongs to the requests; the format of blocks belongs
// to the descriptor of the array.
`include "assert.svh"
module ndp_stream_queues #(
  parameter int unsigned Streams = 8,
  parameter int unsigned QueueBursts = 128,
  parameter int unsigned BurstsPerBlock = 8,
  parameter bit ReadAfterFree = 1'b0,  // of a block's last burst
  parameter bit LowBit = 1'b0,
  localparam int unsigned TagBits = $clog2(QueueBursts),
  localparam int unsigned OffsetBits = BurstsPerBlock > 1 ? $clog2(BurstsPerBlock) : 1
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  input  logic                                       start_i,
  input  dimm_ndp_pkg::plan_t                        plan_i,
  input  logic [2:0]                                 format_i,        // of the weights that are read
  output logic [Streams-1:0]                         req_valid_o,
  input  logic [Streams-1:0]                         req_ready_i,
  output logic [Streams*dimm_ndp_pkg::AddrBits-1:0]  req_addr_o,
  output logic [Streams*TagBits-1:0]                 req_tag_o,
  input  logic [Streams-1:0]                         rsp_valid_i,
  output logic [Streams-1:0]                         rsp_ready_o,  // always: space is reserved
  input  logic [Streams*TagBits-1:0]                 rsp_tag_i,
  input  logic [Streams*dimm_ndp_pkg::BurstBits-1:0] rsp_data_i,
  input  logic                                       read_i,
  input  logic [OffsetBits-1:0]                      read_offset_i,
  input  logic                                       free_i,
  input  logic                                       scales_i,
  output logic                                       block_valid_o,   // in every stream
  output logic                                       scales_valid_o,  // in every stream
  input  logic [Streams-1:0]                         pop_i,
  input  logic                                       align_i,        // blocks begin after these
  output logic [Streams-1:0]                         head_valid_o,
  output logic [Streams*dimm_ndp_pkg::BurstBits-1:0] data_o,
  output logic                                       idle_o,
  output logic                                       moved_o
);
  localparam int unsigned PtrBits = TagBits + 1;

  logic [Streams*PtrBits-1:0] heads;
  logic [Streams-1:0] stream_block_valid;
  logic [Streams*TagBits-1:0] read_slot;
  assign block_valid_o = &stream_block_valid;
  assign scales_valid_o = &head_valid_o;
  assign rsp_ready_o = '1;

  // Eight bits a weight, or four.
  logic half, quarter;
  assign quarter = ndp_pkg::burst_lanes_shift(format_i) == 2'd2;
  assign half = ndp_pkg::burst_lanes_shift(format_i) == 2'd1;

  ndp_stream_fetch #(
    .Streams(Streams),
    .QueueBursts(QueueBursts),
    .BurstsPerBlock(BurstsPerBlock),
    .LowBit(LowBit)
  ) u_fetch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .plan_i(plan_i),
    .head_i(heads),
    .req_valid_o(req_valid_o),
    .req_ready_i(req_ready_i),
    .req_addr_o(req_addr_o),
    .req_tag_o(req_tag_o),
    .idle_o(idle_o),
    .moved_o(moved_o)
  );

  for (genvar s = 0; s < Streams; s++) begin : gen_queue
    ndp_burst_queue #(
      .QueueBursts(QueueBursts),
      .BurstsPerBlock(BurstsPerBlock),
      .ReadAfterFree(ReadAfterFree),
      .LowBit(LowBit)
    ) u_queue (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .wr_valid_i(rsp_valid_i[s]),
      .wr_tag_i(rsp_tag_i[s*TagBits+:TagBits]),
      .rd_offset_i(read_i ? read_offset_i : '0),
      .rd_slot_o(read_slot[s*TagBits+:TagBits]),
      .pop_i(pop_i[s]),
      .half_i(half),
      .quarter_i(quarter),
      .free_i(free_i),
      .scales_i(scales_i),
      .align_i(align_i),
      .head_o(heads[s*PtrBits+:PtrBits]),
      .head_valid_o(head_valid_o[s]),
      .block_valid_o(stream_block_valid[s])
    );
  end

  sram_1r1w #(
    .Banks(Streams),
    .Words(QueueBursts),
    .DataBits(dimm_ndp_pkg::BurstBits)
  ) u_memory (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(rsp_valid_i),
    .wr_addr_i(rsp_tag_i),
    .wr_data_i(rsp_data_i),
    .rd_valid_i({Streams{read_i}} | pop_i),
    .rd_addr_i(read_slot),
    .rd_data_o(data_o)
  );

  `IMPLIES(OneReader_A, read_i, pop_i == '0)
endmodule
