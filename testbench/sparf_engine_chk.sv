// SPDX-License-Identifier: Apache-2.0
// A stream checker on every stream that leaves sparf_engine and on the channels, bound to it.
module sparf_engine_chk #(
  parameter int unsigned Channels = 8
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              done_valid_o,
  input logic                              done_ready_i,
  input logic [31:0]                       done_o,
  input logic                              page_req_valid_o,
  input logic                              page_req_ready_i,
  input logic [sparf_pkg::PageReqBits-1:0] page_req_o,
  input logic [Channels-1:0]               ch_valid_i,
  input logic [Channels-1:0]               ch_ready_o,
  input logic [Channels*sparf_pkg::BeatBits-1:0] ch_data_i,
  input logic                              dr_req_valid_o,
  input logic                              dr_req_ready_i,
  input logic [sparf_pkg::AddrBits-1:0]    dr_req_addr_o,
  input logic                              dw_valid_o,
  input logic                              dw_ready_i,
  input logic [sparf_pkg::AddrBits-1:0]    dw_addr_o,
  input logic [sparf_pkg::LineBits-1:0]    dw_data_o
);
  stream_chk #(
    .DataBits(32)
  ) u_done (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(done_valid_o),
    .ready_i(done_ready_i),
    .data_i(done_o)
  );

  stream_chk #(
    .DataBits(sparf_pkg::PageReqBits)
  ) u_page_req (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(page_req_valid_o),
    .ready_i(page_req_ready_i),
    .data_i(page_req_o)
  );

  stream_chk #(
    .DataBits(sparf_pkg::AddrBits)
  ) u_dr_req (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(dr_req_valid_o),
    .ready_i(dr_req_ready_i),
    .data_i(dr_req_addr_o)
  );

  stream_chk #(
    .DataBits(sparf_pkg::AddrBits + sparf_pkg::LineBits)
  ) u_dw (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(dw_valid_o),
    .ready_i(dw_ready_i),
    .data_i({dw_addr_o, dw_data_o})
  );

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    stream_chk #(
      .DataBits(sparf_pkg::BeatBits)
    ) u_channel (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(ch_valid_i[c]),
      .ready_i(ch_ready_o[c]),
      .data_i(ch_data_i[c*sparf_pkg::BeatBits+:sparf_pkg::BeatBits])
    );
  end
endmodule

bind sparf_engine sparf_engine_chk #(
  .Channels(Channels)
) u_chk (.*);
