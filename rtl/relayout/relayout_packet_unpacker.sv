// SPDX-License-Identifier: Apache-2.0
// Computes the address of each burst of a packet from the packet's header, which accompanies every burst.
// Bursts of a packet have consecutive addresses.
`include "assert.svh"
module relayout_packet_unpacker #(
  parameter int unsigned Streams = 8
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              valid_i,
  input  logic                              taken_i,
  input  relayout_pkg::header_t             header_i,
  input  logic                              last_i,
  output logic [Streams-1:0]                here_o,   // the burst is written to this stream
  output logic [relayout_pkg::FlowBits-1:0] flow_o,
  output logic [relayout_pkg::AddrBits-1:0] burst_o
);
  relayout_pkg::place_t place_q;
  assign flow_o = header_i.flow;
  assign burst_o = header_i.burst + relayout_pkg::AddrBits'(place_q);
  always_comb begin
    for (int unsigned s = 0; s < Streams; s++) begin
      here_o[s] = valid_i && 32'(header_i.stream) == s;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) place_q <= '0;
    else if (taken_i) place_q <= last_i ? '0 : place_q + 1'b1;
  end

`ifdef NEARDATA_ASSERT
  relayout_pkg::header_t header_q;
  always_ff @(posedge clk_i) if (taken_i) header_q <= header_i;
`endif
  `IMPLIES(SameHeader_A, valid_i && place_q != '0, header_i == header_q)
  `IMPLIES(StreamThere_A, valid_i, 32'(header_i.stream) < Streams)
  `IMPLIES(Length_A, valid_i && last_i,
           32'(header_i.payload_bytes) == (32'(place_q) + 1) * relayout_pkg::BurstBits / 8)
endmodule
