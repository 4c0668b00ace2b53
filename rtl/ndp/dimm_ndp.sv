// SPDX-License-Identifier: Apache-2.0
// The NDP unit of a DIMM: a descriptor in, weights and activations from Streams sub-channels, the
// output rows out. Every output is a function of registers only, and the payload of every stream is
// stable until it is accepted.
// - desc: descriptors of 23 words (dimm_ndp_pkg), at most Descriptors of them between desc and done.
//   done answers in their order: when all outputs of a descriptor are written, or with the field for
//   which ndp_descriptor_check refuses it. The unit loads the inputs of the next descriptor while it
//   drains the results of the previous one. The host enqueues a descriptor that reads the outputs of an
//   earlier one after the answer to the earlier one: the unit does not check this.
// - req/rsp: reads of 64-byte bursts, one port per stream; req_addr_o counts bursts in the stream's
//   sub-channel. Responses carry the request's tag and arrive in any order; a request reserves the
//   space of its response, so rsp_ready_o is 1 from reset on.
// - out: writes of 64-byte bursts; out_stream_o selects the sub-channel.
// - events_o: strobes of dimm_ndp_pkg, one cycle late. While a descriptor runs each cycle is in one
//   phase (load, gate/up, down), and is either a cycle of a slot or one of the three stalls.
// - quiet_o: no register changes before the next handshake; events_o is stable until then.
// rst_ni may fall at any time, and stays low until every read that was requested is answered: in reset
// the unit drops answers, and all descriptors in the queue without a completion. The unit would use a
// later answer as data (assertion AnswerAsked_A); common/reset_drain extends the reset accordingly.
`include "assert.svh"
module dimm_ndp #(
  parameter int unsigned Streams = 8,
  parameter int unsigned MultPerStream = 32,
  parameter int unsigned Lanes = 8,          // of a multiplier
  parameter int unsigned BitsPerCycle = 1,   // of the serial operand
  parameter int unsigned BufferBytes = 262144,
  parameter int unsigned QueueBursts = 128,   // a stream
  parameter int unsigned ActLanes = 256,
  parameter int unsigned MaxTokens = 64,     // of a pass
  parameter int unsigned LowBitWeights = 0,  // 1: accepts MXFP4, MXFP8, NVFP4, FP8, INT8 and INT4 too
  // At work at once: requests, array and drain at one each, and one more that waits.
  parameter int unsigned Descriptors = 1,
  // Bits of a product at the scale of its block: 22 and as many guard bits, or only the upper bits.
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits,
  localparam int unsigned TagBits = $clog2(QueueBursts),
  localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  input  logic                                       desc_valid_i,
  output logic                                       desc_ready_o,
  input  logic [dimm_ndp_pkg::DescBits-1:0]          desc_i,
  output logic                                       done_valid_o,
  input  logic                                       done_ready_i,
  output logic [dimm_ndp_pkg::FieldBits-1:0]         done_field_o,
  output logic [Streams-1:0]                         req_valid_o,
  input  logic [Streams-1:0]                         req_ready_i,
  output logic [Streams*dimm_ndp_pkg::AddrBits-1:0]  req_addr_o,
  output logic [Streams*TagBits-1:0]                 req_tag_o,
  input  logic [Streams-1:0]                         rsp_valid_i,
  output logic [Streams-1:0]                         rsp_ready_o,
  input  logic [Streams*TagBits-1:0]                 rsp_tag_i,
  input  logic [Streams*dimm_ndp_pkg::BurstBits-1:0] rsp_data_i,
  output logic                                       out_valid_o,
  input  logic                                       out_ready_i,
  output logic [StreamBits-1:0]                      out_stream_o,
  output logic [dimm_ndp_pkg::AddrBits-1:0]          out_addr_o,
  output logic [dimm_ndp_pkg::BurstBits-1:0]         out_data_o,
  output logic                                       quiet_o,
  output logic [dimm_ndp_pkg::Events-1:0]            events_o
);
  localparam bit LowBit = LowBitWeights != 0;
  localparam int unsigned BB = dimm_ndp_pkg::BurstBits;
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned ValueBits = ndp_pkg::OperandBits;
  localparam int unsigned SlotCycles = ndp_pkg::slot_cycles(BitsPerCycle);
  localparam int unsigned BlockBytes = MultPerStream * Lanes * ValueBits / 8;
  // Not 0 for an illegal block either: its message must be the first.
  localparam int unsigned BurstsPerBlock = BlockBytes * 8 > BB ? BlockBytes * 8 / BB : 1;
  localparam int unsigned OffsetBits = BurstsPerBlock > 1 ? $clog2(BurstsPerBlock) : 1;
  localparam int unsigned BufferWords = BufferBytes * 8 / BB;
  localparam int unsigned WordBits = $clog2(BufferWords);
  localparam int unsigned PartBits = Streams * ValueBits;
  localparam int unsigned PartIndexBits = $clog2(BB / PartBits);
  localparam int unsigned MetaBits = WordBits + PartIndexBits + 1;
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned TokenBits = $clog2(MaxTokens);
  localparam int unsigned LaneValueBits = MultPerStream * ValueBits;
  localparam int unsigned LanesPerWord = BB / LaneValueBits;
  // Operand reads use every cycle of a short slot: one bank has the even words, the other one the odd words.
  localparam int unsigned BufferBanks = SlotCycles < 2 * Lanes ? 2 : 1;

  if (Streams != 1 && Streams != 2 && Streams != 4 && Streams != 8) begin : gen_bad_streams
    $error("dimm_ndp: Streams must be 1, 2, 4 or 8");
  end
  if (MultPerStream != 4 && MultPerStream != 8 && MultPerStream != 16 && MultPerStream != 32)
  begin : gen_bad_mults
    $error("dimm_ndp: MultPerStream must be 4, 8, 16 or 32");
  end
  if (Lanes != 2 && Lanes != 4 && Lanes != 8) begin : gen_bad_lanes
    $error("dimm_ndp: Lanes must be 2, 4 or 8");
  end
  if (BitsPerCycle != 1 && BitsPerCycle != 2) begin : gen_bad_bits
    $error("dimm_ndp: BitsPerCycle must be 1 or 2");
  end
  if (SlotCycles < Lanes || (SlotCycles < 2 * Lanes && LanesPerWord != 1)) begin : gen_bad_slot
    $error("dimm_ndp: a slot must have a cycle a lane, and two where a lane is less than a word");
  end
  if (SlotCycles < Streams) begin : gen_bad_root
    $error("dimm_ndp: a slot must have a cycle for each stream: 16 / BitsPerCycle >= Streams");
  end
  if (BlockBytes < BB / 8) begin : gen_bad_block
    $error("dimm_ndp: a block must fill a burst: MultPerStream * Lanes >= 32");
  end
  if ((QueueBursts & (QueueBursts - 1)) != 0 || QueueBursts < 2 * BurstsPerBlock || QueueBursts < 2)
  begin : gen_bad_queue
    $error("dimm_ndp: QueueBursts must be a power of two and hold two blocks");
  end
  if ((ActLanes & (ActLanes - 1)) != 0 || ActLanes < 32) begin : gen_bad_act
    $error("dimm_ndp: ActLanes must be a power of two of at least 32");
  end
  if ((BufferWords & (BufferWords - 1)) != 0 || BufferWords * (BB / 8) != BufferBytes
      || BufferWords < 8 || WordBits >= CB) begin : gen_bad_buffer
    $error("dimm_ndp: BufferBytes must be a power of two from 512 to 2097152");
  end
  if (LowBitWeights > 1 || (LowBit && (MultPerStream != 32 || Lanes != 8))) begin : gen_bad_low_bit
    $error("dimm_ndp: LowBitWeights must be 0 or 1, and 1 needs MultPerStream 32 and Lanes 8");
  end
  if (AlignedBits < 12 || AlignedBits > ndp_pkg::AlignedBits) begin : gen_bad_aligned
    $error("dimm_ndp: AlignedBits must be from 12 to 44");
  end
  if (Descriptors < 1 || Descriptors > 4) begin : gen_bad_descriptors
    $error("dimm_ndp: Descriptors must be from 1 to 4");
  end
  if (MaxTokens < 2 || MaxTokens > 1024) begin : gen_bad_tokens
    $error("dimm_ndp: MaxTokens must be from 2 to 1024");
  end

  // Descriptor and the walk over it.
  dimm_ndp_pkg::plan_t newest, plan, drain_plan;
  dimm_ndp_pkg::phase_e phase;
  logic accepted, finished, setup, planned, start, pass_start, all_done;
  logic [CB-1:0] pass_tokens;
  logic held, pending, takes, fetch_idle, fetch_start;
  logic drain_waits, drain_start, drain_hold, plans_moving, phase_moving;

  ndp_descriptor #(
    .Streams(Streams),
    .BurstsPerBlock(BurstsPerBlock),
    .ActLanes(ActLanes),
    .MaxTokens(MaxTokens),
    .BufferWords(BufferWords),
    .LowBit(LowBit),
    .Descriptors(Descriptors)
  ) u_descriptor (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready_o),
    .desc_i(desc_i),
    .done_valid_o(done_valid_o),
    .done_ready_i(done_ready_i),
    .done_field_o(done_field_o),
    .accepted_o(accepted),
    .finished_o(finished),
    .plan_held_i(held),
    .setup_o(setup),
    .start_o(planned),
    .plan_o(newest),
    .done_i(all_done)
  );

  ndp_plans #(
    .Descriptors(Descriptors)
  ) u_plans (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .planned_i(planned),
    .plan_i(newest),
    .held_o(held),
    .fetch_idle_i(fetch_idle),
    .fetch_start_o(fetch_start),
    .pending_o(pending),
    .array_takes_i(takes),
    .array_start_i(start),
    .array_plan_o(plan),
    .drain_waits_o(drain_waits),
    .drain_start_o(drain_start),
    .drain_hold_o(drain_hold),
    .drained_i(all_done),
    .drain_plan_o(drain_plan),
    .moving_o(plans_moving)
  );

  logic x_done, block_valid, chunk_freed;
  logic slot, slot_weights, busy, wait_chunk;
  logic read, read_weights, free_block, load, load_weights, load_first, load_last;
  logic [LaneBits-1:0] read_burst, load_lane;
  logic scales_valid, scales, read_scales, load_scales;
  logic [LaneBits-1:0] read_lane;
  logic [$clog2(dimm_ndp_pkg::ScaledBlocks)-1:0] read_block;
  logic [31:0] read_factor;
  logic [WordBits-1:0] read_addr;
  logic [TokenBits-1:0] load_token;
  logic [MetaBits-1:0] load_meta;
  logic gemv_busy;

  ndp_sequencer #(
    .Streams(Streams),
    .Lanes(Lanes),
    .SlotCycles(SlotCycles),
    .BurstsPerBlock(BurstsPerBlock),
    .ActLanes(ActLanes),
    .MaxTokens(MaxTokens),
    .BufferAddrBits(WordBits),
    .LowBit(LowBit),
    .Descriptors(Descriptors)
  ) u_sequencer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .setup_i(planned),
    .pending_i(pending),
    .next_plan_i(newest),
    .takes_o(takes),
    .plan_i(plan),
    .phase_o(phase),
    .start_o(start),
    .pass_start_o(pass_start),
    .pass_tokens_o(pass_tokens),
    .x_done_i(x_done),
    .block_valid_i(block_valid),
    .scales_valid_i(scales_valid),
    .chunk_freed_i(chunk_freed),
    .drain_waits_i(drain_waits),
    .array_busy_i(gemv_busy),
    .moving_o(phase_moving),
    .slot_o(slot),
    .slot_weights_o(slot_weights),
    .busy_o(busy),
    .wait_chunk_o(wait_chunk),
    .read_o(read),
    .read_lane_o(read_lane),
    .read_block_o(read_block),
    .read_factor_o(read_factor),
    .read_weights_o(read_weights),
    .read_burst_o(read_burst),
    .read_addr_o(read_addr),
    .free_o(free_block),
    .scales_o(scales),
    .read_scales_o(read_scales),
    .load_scales_o(load_scales),
    .load_o(load),
    .load_weights_o(load_weights),
    .load_lane_o(load_lane),
    .load_token_o(load_token),
    .load_first_o(load_first),
    .load_last_o(load_last),
    .load_meta_o(load_meta)
  );

  // Requests, and the queues that their responses fill.
  logic [Streams-1:0] head_valid, x_pop;
  logic [Streams*BB-1:0] queue_data;
  logic fetch_moved;

  ndp_stream_queues #(
    .Streams(Streams),
    .QueueBursts(QueueBursts),
    .BurstsPerBlock(BurstsPerBlock),
    .ReadAfterFree(SlotCycles == Lanes || LowBit),
    .LowBit(LowBit)
  ) u_queues (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(fetch_start),
    .plan_i(newest),
    .format_i(plan.weights),
    .req_valid_o(req_valid_o),
    .req_ready_i(req_ready_i),
    .req_addr_o(req_addr_o),
    .req_tag_o(req_tag_o),
    .rsp_valid_i(rsp_valid_i),
    .rsp_ready_o(rsp_ready_o),
    .rsp_tag_i(rsp_tag_i),
    .rsp_data_i(rsp_data_i),
    .read_i(read_weights | read_scales),
    .read_offset_i(read_scales ? '0 : OffsetBits'(read_burst >> $clog2(LanesPerWord))),
    .free_i(free_block),
    .scales_i(scales),
    .block_valid_o(block_valid),
    .scales_valid_o(scales_valid),
    .pop_i(x_pop),
    .align_i(x_done),
    .head_valid_o(head_valid),
    .data_o(queue_data),
    .idle_o(fetch_idle),
    .moved_o(fetch_moved)
  );

  // Activations into the buffer.
  logic [StreamBits-1:0] x_stream;
  logic x_req, x_gnt;
  logic [WordBits-1:0] x_addr;

  ndp_x_loader #(
    .Streams(Streams),
    .BufferAddrBits(WordBits)
  ) u_x_loader (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(pass_start),
    .row_words_i(plan.in_words),
    .pass_tokens_i(pass_tokens),
    .hold_i(read),
    .head_valid_i(head_valid),
    .pop_o(x_pop),
    .stream_o(x_stream),
    .req_o(x_req),
    .gnt_i(x_gnt),
    .addr_o(x_addr),
    .done_o(x_done)
  );

  // The array: lane operands are a part of a 64-byte word.
  logic [BB-1:0] operand_data;
  logic [LaneValueBits-1:0] lane_x;
  logic [Streams*LaneValueBits-1:0] lane_weights;
  logic res_valid;
  logic [PartBits-1:0] res_data;
  logic [MetaBits-1:0] res_meta;

  if (LanesPerWord == 1) begin : gen_whole_word
    assign lane_x = operand_data;
    assign lane_weights = queue_data;
  end else begin : gen_part_word
    localparam int unsigned SelectBits = $clog2(LanesPerWord);
    logic [SelectBits-1:0] part;
    assign part = load_lane[SelectBits-1:0];
    assign lane_x = operand_data[part*LaneValueBits+:LaneValueBits];
    for (genvar s = 0; s < Streams; s++) begin : gen_stream
      assign lane_weights[s*LaneValueBits+:LaneValueBits] =
          queue_data[s*BB+part*LaneValueBits+:LaneValueBits];
    end
  end

  ndp_gemv_unit #(
    .Streams(Streams),
    .Mults(MultPerStream),
    .Lanes(Lanes),
    .Bits(BitsPerCycle),
    .MaxTokens(MaxTokens),
    .MetaBits(MetaBits),
    .LowBit(LowBitWeights),
    .AlignedBits(AlignedBits)
  ) u_gemv (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .bf16_i(plan.bf16),
    .format_i(plan.weights),
    .load_scales_i(load_scales),
    .load_valid_i(load),
    .load_lane_i(load_lane),
    .load_weights_i(load_weights),
    .next_valid_i(read),
    .next_lane_i(read_lane),
    .block_i(read_block),
    .factor_i(read_factor),
    .x_i(lane_x),
    .weights_i(lane_weights),
    .meta_i(load_meta),
    .token_i(load_token),
    .first_i(load_first),
    .last_i(load_last),
    .res_valid_o(res_valid),
    .res_data_o(res_data),
    .res_meta_o(res_meta),
    .busy_o(gemv_busy)
  );

  // Row results into the chunk halves.
  logic result_req, result_gnt, chunk_full;
  logic [WordBits-1:0] result_addr;
  logic [PartIndexBits-1:0] result_part;
  logic [PartBits-1:0] result_data;

  ndp_result_writer #(
    .BufferAddrBits(WordBits),
    .PartBits(PartBits)
  ) u_result_writer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .res_valid_i(res_valid),
    .res_data_i(res_data),
    .res_meta_i(res_meta),
    .req_o(result_req),
    .gnt_i(result_gnt),
    .addr_o(result_addr),
    .part_o(result_part),
    .data_o(result_data),
    .chunk_full_o(chunk_full)
  );

  // Full chunks out of them: through the activation unit into H, or to memory.
  logic storing, drain_moving, drain_req, drain_gnt, hidden_req, hidden_gnt;
  logic act_start, act_running;
  logic [WordBits-1:0] drain_addr, hidden_addr;
  logic [BB-1:0] hidden_data, drain_data;

  ndp_drain #(
    .Streams(Streams),
    .ActLanes(ActLanes),
    .BufferAddrBits(WordBits)
  ) u_drain (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(drain_start),
    .plan_i(drain_plan),
    .hold_i(drain_hold),
    .full_i(chunk_full),
    .drained_o(all_done),
    .freed_o(chunk_freed),
    .rd_req_o(drain_req),
    .rd_gnt_i(drain_gnt),
    .rd_addr_o(drain_addr),
    .rd_data_i(drain_data),
    .wr_req_o(hidden_req),
    .wr_gnt_i(hidden_gnt),
    .wr_addr_o(hidden_addr),
    .wr_data_o(hidden_data),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_stream_o(out_stream_o),
    .out_addr_o(out_addr_o),
    .out_data_o(out_data_o),
    .storing_o(storing),
    .act_start_o(act_start),
    .act_running_o(act_running),
    .moving_o(drain_moving)
  );

  ndp_buffer #(
    .Words(BufferWords),
    .PartBits(PartBits),
    .Banks(BufferBanks)
  ) u_buffer (
    .clk_i(clk_i),
    .operand_req_i(read),
    .operand_addr_i(read_addr),
    .operand_data_o(operand_data),
    .result_req_i(result_req),
    .result_gnt_o(result_gnt),
    .result_addr_i(result_addr),
    .result_part_i(result_part),
    .result_data_i(result_data),
    .x_req_i(x_req),
    .x_gnt_o(x_gnt),
    .x_addr_i(x_addr),
    .x_data_i(queue_data[x_stream*BB+:BB]),
    .hidden_req_i(hidden_req),
    .hidden_gnt_o(hidden_gnt),
    .hidden_addr_i(hidden_addr),
    .hidden_data_i(hidden_data),
    .drain_req_i(drain_req),
    .drain_gnt_o(drain_gnt),
    .drain_addr_i(drain_addr),
    .drain_data_o(drain_data)
  );

  // Any handshake, and anything that moves on its own accord.
  logic handshake, moving;
  assign handshake = (desc_valid_i & desc_ready_o) | (done_valid_o & done_ready_i)
                     | (|(req_valid_o & req_ready_i)) | (|rsp_valid_i) | (out_valid_o & out_ready_i);
  assign moving = fetch_moved | (|x_pop) | x_req | busy | read | load | read_scales | load_scales
                  | gemv_busy | res_valid | result_req | drain_moving | all_done
                  | accepted | finished | setup | phase_moving | plans_moving;

  ndp_events u_events (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .phase_i(phase),
    .setup_i(setup),
    .accepted_i(accepted),
    .finished_i(finished),
    .pass_start_i(pass_start),
    .slot_i(slot),
    .slot_weights_i(slot_weights),
    .busy_i(busy),
    .wait_chunk_i(wait_chunk),
    .storing_i(storing),
    .out_valid_i(out_valid_o),
    .out_taken_i(out_valid_o & out_ready_i),
    .x_stored_i(x_gnt),
    .act_start_i(act_start),
    .act_running_i(act_running),
    .activity_i(handshake | moving),
    .array_busy_i(gemv_busy),
    .events_o(events_o),
    .quiet_o(quiet_o)
  );

`ifdef NEARDATA_ASSERT
  // Reads that are not answered yet, by stream and tag.
  logic [Streams*QueueBursts-1:0] asked_q;
  logic [Streams-1:0] unasked;
  always_comb begin
    for (int unsigned s = 0; s < Streams; s++) begin
      unasked[s] = rsp_valid_i[s] && !asked_q[s*QueueBursts+32'(rsp_tag_i[s*TagBits+:TagBits])];
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Streams; s++) begin
      if (rsp_valid_i[s]) asked_q[s*QueueBursts+32'(rsp_tag_i[s*TagBits+:TagBits])] <= 1'b0;
      if (req_valid_o[s] && req_ready_i[s])
        asked_q[s*QueueBursts+32'(req_tag_o[s*TagBits+:TagBits])] <= 1'b1;
    end
    if (!rst_ni) asked_q <= '0;
  end
`endif
  `IMPLIES(AnswerAsked_A, rsp_valid_i != '0, unasked == '0)
endmodule
