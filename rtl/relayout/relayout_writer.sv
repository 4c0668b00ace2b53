// SPDX-License-Identifier: Apache-2.0
// Writes the bursts of packets to the addresses in their headers, from several sources: the readers of this
// DIMM and the links. One burst of each source per cycle; sources with a burst for the same stream are served
// round-robin.
`include "assert.svh"
module relayout_writer #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Sources = 3
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  input  logic [Sources-1:0]                         in_valid_i,
  output logic [Sources-1:0]                         in_ready_o,
  input  logic [Sources*relayout_pkg::HeaderBits-1:0] in_header_i,
  input  logic [Sources*relayout_pkg::BurstBits-1:0] in_data_i,
  input  logic [Sources-1:0]                         in_last_i,
  output logic [Streams-1:0]                         write_valid_o,
  input  logic [Streams-1:0]                         write_ready_i,
  output logic [Streams*relayout_pkg::FlowBits-1:0]  write_flow_o,
  output logic [Streams*relayout_pkg::AddrBits-1:0]  write_burst_o,
  output logic [Streams*relayout_pkg::BurstBits-1:0] write_data_o
);
  localparam int unsigned FlowBits = relayout_pkg::FlowBits;
  localparam int unsigned AddrBits = relayout_pkg::AddrBits;
  localparam int unsigned BurstBits = relayout_pkg::BurstBits;
  localparam int unsigned HB = relayout_pkg::HeaderBits;
  localparam int unsigned WriteBits = FlowBits + AddrBits + BurstBits;

  logic [Streams-1:0] write_valid_q;
  logic [Streams*relayout_pkg::FlowBits-1:0] write_flow_q;
  logic [Streams*relayout_pkg::AddrBits-1:0] write_burst_q;
  logic [Streams*relayout_pkg::BurstBits-1:0] write_data_q;
  assign write_valid_o = write_valid_q;
  assign write_flow_o = write_flow_q;
  assign write_burst_o = write_burst_q;
  assign write_data_o = write_data_q;

  logic [Sources*Streams-1:0] here;
  logic [Streams*Sources-1:0] taken;
  logic [Sources*WriteBits-1:0] writes;
  for (genvar f = 0; f < Sources; f++) begin : gen_source
    logic [FlowBits-1:0] flow;
    logic [AddrBits-1:0] burst;
    relayout_packet_unpacker #(
      .Streams(Streams)
    ) u_unpacker (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(in_valid_i[f]),
      .taken_i(in_valid_i[f] && in_ready_o[f]),
      .header_i(in_header_i[f*HB+:HB]),
      .last_i(in_last_i[f]),
      .here_o(here[f*Streams+:Streams]),
      .flow_o(flow),
      .burst_o(burst)
    );
    assign writes[f*WriteBits+:WriteBits] = {flow, burst, in_data_i[f*BurstBits+:BurstBits]};
  end
  always_comb begin
    in_ready_o = '0;
    for (int unsigned s = 0; s < Streams; s++) in_ready_o = in_ready_o | taken[s*Sources+:Sources];
  end

  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    logic [Sources-1:0] asks, grant;
    logic room;
    logic [WriteBits-1:0] chosen;
    always_comb begin
      chosen = '0;
      for (int unsigned f = 0; f < Sources; f++) begin
        asks[f] = here[f*Streams+s];
        if (grant[f]) chosen = chosen | writes[f*WriteBits+:WriteBits];
      end
    end
    round_robin #(
      .Requesters(Sources)
    ) u_arbiter (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(asks),
      .taken_i(taken[s*Sources+:Sources]),
      .grant_o(grant)
    );
    assign room = !write_valid_q[s] || write_ready_i[s];
    assign taken[s*Sources+:Sources] = grant & {Sources{room}};
    always_ff @(posedge clk_i) begin
      if (!rst_ni) write_valid_q[s] <= 1'b0;
      else if (room) write_valid_q[s] <= asks != '0;
      if (room && asks != '0) begin
        {write_flow_q[s*FlowBits+:FlowBits], write_burst_q[s*AddrBits+:AddrBits],
         write_data_q[s*BurstBits+:BurstBits]} <= chosen;
      end
    end
    `STAYS(WriteHolds_A, write_valid_o[s], write_ready_i[s],
           ({write_flow_o[s*FlowBits+:FlowBits], write_burst_o[s*AddrBits+:AddrBits],
          write_data_o[s*BurstBits+:BurstBits]}))
  end
endmodule
