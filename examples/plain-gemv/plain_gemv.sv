// SPDX-License-Identifier: Apache-2.0
// A GEMV unit of ordinary FP16 multipliers, as a rival of TriMoE's bit-serial one: the same memory
// ports, descriptor, buffer and activation unit (rtl/ndp), another array (plain_array). With 16
// multipliers per stream it multiplies as many values per cycle as TriMoE's 256 lanes of 16 cycles.
// Of the formats it has FP16 alone. Ports and their rules are those of rtl/ndp/dimm_ndp.sv.
`include "assert.svh"
module plain_gemv #(
  parameter int unsigned Streams = 8,
  parameter int unsigned MultPerStream = 16,
  parameter int unsigned BufferBytes = 262144,
  parameter int unsigned QueueBursts = 64,  // a stream
  parameter int unsigned ActLanes = 256,
  parameter int unsigned MaxTokens = 64,    // of a pass
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
  localparam int unsigned BB = dimm_ndp_pkg::BurstBits;
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned SlotCycles = 8;
  localparam int unsigned Words = SlotCycles * MultPerStream / dimm_ndp_pkg::ValuesPerBurst;
  localparam int unsigned WordBits = $clog2(Words);
  localparam int unsigned BufferWords = BufferBytes * 8 / BB;
  localparam int unsigned AddressBits = $clog2(BufferWords);
  localparam int unsigned PartBits = Streams * 16;
  localparam int unsigned PartIndexBits = $clog2(BB / PartBits);
  localparam int unsigned MetaBits = AddressBits + PartIndexBits + 1;
  localparam int unsigned TokenBits = $clog2(MaxTokens);

  // Descriptor and the walk over it.
  dimm_ndp_pkg::plan_t plan;
  dimm_ndp_pkg::phase_e phase;
  logic accepted, finished, setup, planned, start, pass_start, all_done;
  logic [CB-1:0] pass_tokens;

  ndp_descriptor #(
    .Streams(Streams),
    .BurstsPerBlock(Words),
    .ActLanes(ActLanes),
    .MaxTokens(MaxTokens),
    .BufferWords(BufferWords)
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
    .plan_held_i(1'b0),
    .setup_o(setup),
    .start_o(planned),
    .plan_o(plan),
    .done_i(all_done)
  );

  logic x_done, block_valid, chunk_freed;
  logic slot, slot_weights, busy, wait_chunk;
  logic read, read_weights, free_block, load, load_weights, load_first, load_last;
  logic [WordBits-1:0] read_word, load_word;
  logic [AddressBits-1:0] read_addr;
  logic [TokenBits-1:0] load_token;
  logic [MetaBits-1:0] load_meta;

  // Low-bit weights, or several descriptors at work, alone have these.
  // verilator lint_off PINCONNECTEMPTY
  ndp_sequencer #(
    .Streams(Streams),
    .Lanes(Words),
    .SlotCycles(SlotCycles),
    .BurstsPerBlock(Words),
    .ActLanes(ActLanes),
    .MaxTokens(MaxTokens),
    .BufferAddrBits(AddressBits)
  ) u_sequencer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .setup_i(planned),
    .pending_i(1'b0),
    .next_plan_i(plan),
    .takes_o(),
    .plan_i(plan),
    .phase_o(phase),
    .start_o(start),
    .pass_start_o(pass_start),
    .pass_tokens_o(pass_tokens),
    .x_done_i(x_done),
    .block_valid_i(block_valid),
    .scales_valid_i(1'b0),
    .chunk_freed_i(chunk_freed),
    .drain_waits_i(1'b0),
    .array_busy_i(1'b0),
    .moving_o(),
    .slot_o(slot),
    .slot_weights_o(slot_weights),
    .busy_o(busy),
    .wait_chunk_o(wait_chunk),
    .read_o(read),
    .read_weights_o(read_weights),
    .read_burst_o(read_word),
    .read_addr_o(read_addr),
    .free_o(free_block),
    .scales_o(),
    .read_scales_o(),
    .load_scales_o(),
    .load_o(load),
    .load_weights_o(load_weights),
    .load_lane_o(load_word),
    .read_lane_o(),
    .read_block_o(),
    .read_factor_o(),
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
    .BurstsPerBlock(Words)
  ) u_queues (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start),
    .plan_i(plan),
    .format_i(plan.weights),
    .req_valid_o(req_valid_o),
    .req_ready_i(req_ready_i),
    .req_addr_o(req_addr_o),
    .req_tag_o(req_tag_o),
    .rsp_valid_i(rsp_valid_i),
    .rsp_ready_o(rsp_ready_o),
    .rsp_tag_i(rsp_tag_i),
    .rsp_data_i(rsp_data_i),
    .read_i(read_weights),
    .read_offset_i(read_word),
    .free_i(free_block),
    .scales_i(1'b0),
    .block_valid_o(block_valid),
    .scales_valid_o(),
    .pop_i(x_pop),
    .align_i(x_done),
    .head_valid_o(head_valid),
    .data_o(queue_data),
    .idle_o(),
    .moved_o(fetch_moved)
  );

  // verilator lint_on PINCONNECTEMPTY

  // Activations into the buffer.
  logic [StreamBits-1:0] x_stream;
  logic x_req, x_gnt;
  logic [AddressBits-1:0] x_addr;

  ndp_x_loader #(
    .Streams(Streams),
    .BufferAddrBits(AddressBits)
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

  // The array: a word of 32 values of every stream at once.
  logic [BB-1:0] operand_data, drain_data;
  logic res_valid, array_busy;
  logic [PartBits-1:0] res_data;
  logic [MetaBits-1:0] res_meta;

  plain_array #(
    .Streams(Streams),
    .Mults(MultPerStream),
    .MaxTokens(MaxTokens),
    .MetaBits(MetaBits)
  ) u_array (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .load_valid_i(load),
    .load_word_i(load_word),
    .load_weights_i(load_weights),
    .x_i(operand_data),
    .weights_i(queue_data),
    .meta_i(load_meta),
    .token_i(load_token),
    .first_i(load_first),
    .last_i(load_last),
    .res_valid_o(res_valid),
    .res_data_o(res_data),
    .res_meta_o(res_meta),
    .busy_o(array_busy)
  );

  // Row results into the chunk halves.
  logic result_req, result_gnt, chunk_full;
  logic [AddressBits-1:0] result_addr;
  logic [PartIndexBits-1:0] result_part;
  logic [PartBits-1:0] result_data;

  ndp_result_writer #(
    .BufferAddrBits(AddressBits),
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
  logic [AddressBits-1:0] drain_addr, hidden_addr;
  logic [BB-1:0] hidden_data;

  ndp_drain #(
    .Streams(Streams),
    .ActLanes(ActLanes),
    .BufferAddrBits(AddressBits)
  ) u_drain (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start),
    .plan_i(plan),
    .hold_i(1'b0),
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
    .PartBits(PartBits)
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
  assign moving = fetch_moved | (|x_pop) | x_req | busy | read | load | array_busy | res_valid
                  | result_req | drain_moving | all_done;

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
    .array_busy_i(array_busy),
    .events_o(events_o),
    .quiet_o(quiet_o)
  );

  `ASSERT(Fp16Alone_A, busy |-> !plan.bf16)
endmodule
