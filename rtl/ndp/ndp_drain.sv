// SPDX-License-Identifier: Apache-2.0
// The output path of the chunk halves: the drain sends a full chunk through the activation unit into H, or to memory.
// At most one of ndp_act_ctrl and ndp_store_unit has a task, so they share one read port of the buffer; data of a
// granted read appear on rd_data_i in the next cycle.
`include "assert.svh"
module ndp_drain #(
  parameter int unsigned Streams = 8,
  parameter int unsigned ActLanes = 256,
  parameter int unsigned BufferAddrBits = 12,
  localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               start_i,
  input  dimm_ndp_pkg::plan_t                plan_i,
  input  logic                               hold_i,         // the next chunk is of a later descriptor
  input  logic                               full_i,         // a chunk
  output logic                               drained_o,      // strobe, one cycle late: the last of all
  output logic                               freed_o,
  output logic                               rd_req_o,       // of the buffer
  input  logic                               rd_gnt_i,
  output logic [BufferAddrBits-1:0]          rd_addr_o,
  input  logic [dimm_ndp_pkg::BurstBits-1:0] rd_data_i,
  output logic                               wr_req_o,       // into H
  input  logic                               wr_gnt_i,
  output logic [BufferAddrBits-1:0]          wr_addr_o,
  output logic [dimm_ndp_pkg::BurstBits-1:0] wr_data_o,
  output logic                               out_valid_o,
  input  logic                               out_ready_i,
  output logic [StreamBits-1:0]              out_stream_o,
  output logic [dimm_ndp_pkg::AddrBits-1:0]  out_addr_o,
  output logic [dimm_ndp_pkg::BurstBits-1:0] out_data_o,
  output logic                               storing_o,
  output logic                               act_start_o,
  output logic                               act_running_o,
  output logic                               moving_o        // a register will change
);
  localparam int unsigned ActWords = ActLanes / dimm_ndp_pkg::ValuesPerBurst;
  localparam int unsigned IndexBits = ActWords > 1 ? $clog2(ActWords) : 1;

  logic moving, act_go, store_go, act_done, store_done;
  logic [BufferAddrBits-1:0] gate_addr, up_addr, hidden_addr;
  logic [dimm_ndp_pkg::CountBits-1:0] task_words;
  logic [dimm_ndp_pkg::RowBits-1:0] valid_rows, first_word;
  logic [dimm_ndp_pkg::AddrBits-1:0] y_base;
  logic gated;
  assign gated = plan_i.op == dimm_ndp_pkg::OpGated;

  ndp_chunk_drain #(
    .ActLanes(ActLanes),
    .BufferAddrBits(BufferAddrBits)
  ) u_chunks (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .plan_i(plan_i),
    .hold_i(hold_i),
    .full_i(full_i),
    .drained_o(drained_o),
    .freed_o(freed_o),
    .storing_o(storing_o),
    .moving_o(moving),
    .act_start_o(act_go),
    .store_start_o(store_go),
    .task_done_i(act_done | store_done),
    .gate_addr_o(gate_addr),
    .up_addr_o(up_addr),
    .hidden_addr_o(hidden_addr),
    .words_o(task_words),
    .valid_rows_o(valid_rows),
    .first_word_o(first_word),
    .y_base_o(y_base)
  );

  logic act_rd_req, ld_valid, ld_up, unit_done;
  logic [BufferAddrBits-1:0] act_rd_addr;
  logic [IndexBits-1:0] ld_index, unit_index;
  logic [dimm_ndp_pkg::BurstBits-1:0] act_data;

  ndp_act_ctrl #(
    .ActLanes(ActLanes),
    .BufferAddrBits(BufferAddrBits)
  ) u_act_ctrl (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(act_go),
    .gated_i(gated),
    .gate_addr_i(gate_addr),
    .up_addr_i(up_addr),
    .hidden_addr_i(hidden_addr),
    .words_i(task_words),
    .valid_rows_i(valid_rows),
    .done_o(act_done),
    .running_o(act_running_o),
    .rd_req_o(act_rd_req),
    .rd_gnt_i(rd_gnt_i & act_rd_req),
    .rd_addr_o(act_rd_addr),
    .wr_req_o(wr_req_o),
    .wr_gnt_i(wr_gnt_i),
    .wr_addr_o(wr_addr_o),
    .wr_data_o(wr_data_o),
    .ld_valid_o(ld_valid),
    .ld_up_o(ld_up),
    .ld_index_o(ld_index),
    .unit_start_o(act_start_o),
    .unit_done_i(unit_done),
    .unit_index_o(unit_index),
    .unit_data_i(act_data)
  );

  ndp_act_unit #(
    .ActLanes(ActLanes)
  ) u_act (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ld_valid_i(ld_valid),
    .ld_up_i(ld_up),
    .ld_index_i(ld_index),
    .ld_data_i(rd_data_i),
    .limit_i(plan_i.limit),
    .up_plus_one_i(plan_i.up_plus_one),
    .start_i(act_start_o),
    .func_i(plan_i.func),
    .bf16_i(plan_i.bf16),
    .gated_i(gated),
    .done_o(unit_done),
    .rd_index_i(unit_index),
    .rd_data_o(act_data)
  );

  logic store_rd_req, store_fetching;
  logic [BufferAddrBits-1:0] store_rd_addr;

  ndp_store_unit #(
    .Streams(Streams),
    .BufferAddrBits(BufferAddrBits)
  ) u_store (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(store_go),
    .addr_i(gate_addr),
    .base_i(y_base),
    .first_word_i(first_word),
    .words_i(task_words),
    .valid_rows_i(valid_rows),
    .done_o(store_done),
    .fetching_o(store_fetching),
    .rd_req_o(store_rd_req),
    .rd_gnt_i(rd_gnt_i & store_rd_req),
    .rd_addr_o(store_rd_addr),
    .rd_data_i(rd_data_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_stream_o(out_stream_o),
    .out_addr_o(out_addr_o),
    .out_data_o(out_data_o)
  );

  assign rd_req_o = act_rd_req | store_rd_req;
  assign rd_addr_o = store_rd_req ? store_rd_addr : act_rd_addr;
  assign moving_o = moving | act_go | act_rd_req | ld_valid | act_start_o | act_running_o
                    | wr_req_o | store_go | store_fetching;

  `HOLDS(OneReader_A, !(act_rd_req && store_rd_req))
endmodule
