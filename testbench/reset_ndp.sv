// SPDX-License-Identifier: Apache-2.0
// dimm_ndp in an integrator's reset while reads are in flight. With Drains the reset waits in reset_drain
// until all reads are answered; without Drains it reaches the unit at once. por_ni is the reset of the
// memories.
module reset_ndp #(
  parameter int unsigned Streams = 2,
  parameter int unsigned MultPerStream = 4,
  parameter int unsigned Lanes = 8,
  parameter int unsigned BitsPerCycle = 1,
  parameter int unsigned BufferBytes = 4096,
  parameter int unsigned QueueBursts = 16,
  parameter int unsigned ActLanes = 32,
  parameter int unsigned MaxTokens = 4,
  parameter int unsigned LowBitWeights = 0,
  parameter int unsigned AlignedBits = ndp_pkg::AlignedBits,
  parameter int unsigned Descriptors = 1,
  parameter int unsigned Drains = 1,
  localparam int unsigned AB = dimm_ndp_pkg::AddrBits,
  localparam int unsigned BB = dimm_ndp_pkg::BurstBits,
  localparam int unsigned TagBits = $clog2(QueueBursts),
  localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
  input  logic                              clk_i,
  input  logic                              por_ni,
  input  logic                              rst_ni,
  output logic                              rst_no,       // of the unit
  input  logic                              desc_valid_i,
  output logic                              desc_ready_o,
  input  logic [dimm_ndp_pkg::DescBits-1:0] desc_i,
  output logic                              done_valid_o,
  output logic [Streams-1:0]                req_valid_o,
  output logic [Streams*AB-1:0]             req_addr_o,
  output logic [Streams*TagBits-1:0]        req_tag_o,
  input  logic [Streams-1:0]                rsp_valid_i,
  input  logic [Streams*TagBits-1:0]        rsp_tag_i,
  input  logic [Streams*BB-1:0]             rsp_data_i,
  output logic                              out_valid_o,
  output logic [StreamBits-1:0]             out_stream_o,
  output logic [AB-1:0]                     out_addr_o,
  output logic [BB-1:0]                     out_data_o
);
  logic drained_n;
  reset_drain #(
    .Ports(Streams)
  ) u_drain (
    .clk_i(clk_i),
    .por_ni(por_ni),
    .rst_ni(rst_ni),
    .asked_i(req_valid_o),
    .answered_i(rsp_valid_i),
    .rst_no(drained_n)
  );
  assign rst_no = Drains != 0 ? drained_n : por_ni && rst_ni;

  dimm_ndp #(
    .Streams(Streams),
    .MultPerStream(MultPerStream),
    .Lanes(Lanes),
    .BitsPerCycle(BitsPerCycle),
    .BufferBytes(BufferBytes),
    .QueueBursts(QueueBursts),
    .ActLanes(ActLanes),
    .MaxTokens(MaxTokens),
    .LowBitWeights(LowBitWeights),
    .AlignedBits(AlignedBits),
    .Descriptors(Descriptors)
  ) u_ndp (
    .clk_i(clk_i),
    .rst_ni(rst_no),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready_o),
    .desc_i(desc_i),
    .done_valid_o(done_valid_o),
    .done_ready_i(1'b1),
    .done_field_o(),
    .req_valid_o(req_valid_o),
    .req_ready_i({Streams{1'b1}}),
    .req_addr_o(req_addr_o),
    .req_tag_o(req_tag_o),
    .rsp_valid_i(rsp_valid_i),
    .rsp_ready_o(),
    .rsp_tag_i(rsp_tag_i),
    .rsp_data_i(rsp_data_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(1'b1),
    .out_stream_o(out_stream_o),
    .out_addr_o(out_addr_o),
    .out_data_o(out_data_o),
    .quiet_o(),
    .events_o()
  );
endmodule
