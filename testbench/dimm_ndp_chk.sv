// SPDX-License-Identifier: Apache-2.0
// A stream checker on every stream of dimm_ndp, both directions, bound to each instance of it.
module dimm_ndp_chk #(
  parameter int unsigned Streams = 8,
  parameter int unsigned TagBits = 6,
  parameter int unsigned StreamBits = 3
) (
  input logic                                       clk_i,
  input logic                                       rst_ni,
  input logic                                       desc_valid_i,
  input logic                                       desc_ready_o,
  input logic [dimm_ndp_pkg::DescBits-1:0]          desc_i,
  input logic                                       done_valid_o,
  input logic                                       done_ready_i,
  input logic [dimm_ndp_pkg::FieldBits-1:0]         done_field_o,
  input logic [Streams-1:0]                         req_valid_o,
  input logic [Streams-1:0]                         req_ready_i,
  input logic [Streams*dimm_ndp_pkg::AddrBits-1:0]  req_addr_o,
  input logic [Streams*TagBits-1:0]                 req_tag_o,
  input logic [Streams-1:0]                         rsp_valid_i,
  input logic [Streams-1:0]                         rsp_ready_o,
  input logic [Streams*TagBits-1:0]                 rsp_tag_i,
  input logic [Streams*dimm_ndp_pkg::BurstBits-1:0] rsp_data_i,
  input logic                                       out_valid_o,
  input logic                                       out_ready_i,
  input logic [StreamBits-1:0]                      out_stream_o,
  input logic [dimm_ndp_pkg::AddrBits-1:0]          out_addr_o,
  input logic [dimm_ndp_pkg::BurstBits-1:0]         out_data_o
);
  localparam int unsigned AB = dimm_ndp_pkg::AddrBits;
  localparam int unsigned BB = dimm_ndp_pkg::BurstBits;

  stream_chk #(
    .DataBits(dimm_ndp_pkg::DescBits)
  ) u_desc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(desc_valid_i),
    .ready_i(desc_ready_o),
    .data_i(desc_i)
  );

  stream_chk #(
    .DataBits(dimm_ndp_pkg::FieldBits)
  ) u_done (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(done_valid_o),
    .ready_i(done_ready_i),
    .data_i(done_field_o)
  );

  stream_chk #(
    .DataBits(StreamBits + AB + BB)
  ) u_out (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(out_valid_o),
    .ready_i(out_ready_i),
    .data_i({out_stream_o, out_addr_o, out_data_o})
  );

  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    stream_chk #(
      .DataBits(AB + TagBits)
    ) u_req (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(req_valid_o[s]),
      .ready_i(req_ready_i[s]),
      .data_i({req_addr_o[s*AB+:AB], req_tag_o[s*TagBits+:TagBits]})
    );

    stream_chk #(
      .DataBits(TagBits + BB)
    ) u_rsp (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(rsp_valid_i[s]),
      .ready_i(rsp_ready_o[s]),
      .data_i({rsp_tag_i[s*TagBits+:TagBits], rsp_data_i[s*BB+:BB]})
    );
  end
endmodule

bind dimm_ndp dimm_ndp_chk #(
  .Streams(Streams),
  .TagBits(TagBits),
  .StreamBits(StreamBits)
) u_chk (.*);
