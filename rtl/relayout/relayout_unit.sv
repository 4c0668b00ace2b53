// SPDX-License-Identifier: Apache-2.0
// Relayout unit of a DIMM's buffer chip: moves runs of bursts from streams (rank-sub-channels) of this
// DIMM to streams of this DIMM or of another. The director sends one descriptor per run (run_i, from
// stream run_from_i). Runs of one stream are executed in order, runs of different streams in parallel.
// Packets for other DIMMs leave for DIMM-Link (link_out), which numbers them and adds their checksums.
// Packets of other DIMMs arrive (link_in) and are written, and so are packets of this DIMM for itself,
// which cross no link.
// The unit reads at most one burst and writes at most one burst per stream and cycle. In each cycle it sends one burst
// to the links and one to this DIMM. Up to `Ways` bursts per cycle arrive from the links, with the packets of each
// input port in sequence: three links of 25 GB/s exceed 64 GB/s. Every requested burst has reserved space, so an answer
// never waits. Writes wait only for the memory, so links never block each other.
module relayout_unit #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Packets = 32,  // of each stream, between reads and link
  parameter int unsigned Flows = 16,    // that are written in parallel
  parameter int unsigned Ways = 2,      // of packets from the links
  localparam int unsigned PtrBits = $clog2(Packets),
  localparam int unsigned TagBits = PtrBits + relayout_pkg::PlaceBits
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,
  input  logic [7:0]                                 dimm_i,          // this one; never changes
  input  logic                                       run_valid_i,
  output logic                                       run_ready_o,
  input  logic [7:0]                                 run_from_i,
  input  relayout_pkg::run_t                         run_i,
  input  logic                                       expect_valid_i,  // of a flow that ends here
  output logic                                       expect_ready_o,
  input  logic [relayout_pkg::FlowBits-1:0]          expect_flow_i,
  input  logic [relayout_pkg::AddrBits-1:0]          expect_bursts_i,
  output logic                                       end_valid_o,
  input  logic                                       end_ready_i,
  output logic [relayout_pkg::FlowBits-1:0]          end_flow_o,
  output logic [Streams-1:0]                         read_valid_o,
  input  logic [Streams-1:0]                         read_ready_i,
  output logic [Streams*TagBits-1:0]                 read_tag_o,
  output logic [Streams*relayout_pkg::AddrBits-1:0]  read_burst_o,
  input  logic [Streams-1:0]                         rsp_valid_i,
  input  logic [Streams*TagBits-1:0]                 rsp_tag_i,
  input  logic [Streams*relayout_pkg::BurstBits-1:0] rsp_data_i,
  output logic [Streams-1:0]                         write_valid_o,
  input  logic [Streams-1:0]                         write_ready_i,
  output logic [Streams*relayout_pkg::FlowBits-1:0]  write_flow_o,
  output logic [Streams*relayout_pkg::AddrBits-1:0]  write_burst_o,
  output logic [Streams*relayout_pkg::BurstBits-1:0] write_data_o,
  input  logic [Streams-1:0]                         written_valid_i,
  input  logic [Streams*relayout_pkg::FlowBits-1:0]  written_flow_i,
  output logic                                       link_out_valid_o,
  input  logic                                       link_out_ready_i,
  output logic [relayout_pkg::HeaderBits-1:0]        link_out_header_o,
  output logic [relayout_pkg::BurstBits-1:0]         link_out_data_o,
  output logic                                       link_out_last_o,
  input  logic [Ways-1:0]                            link_in_valid_i,
  output logic [Ways-1:0]                            link_in_ready_o,
  input  logic [Ways*relayout_pkg::HeaderBits-1:0]   link_in_header_i,
  input  logic [Ways*relayout_pkg::BurstBits-1:0]    link_in_data_i,
  input  logic [Ways-1:0]                            link_in_last_i,
  // A burst left for a link, one for this DIMM; a flow ended; one arrived at each input port of the links.
  output logic [Ways+2:0]                            events_o
);
  localparam int unsigned AB = relayout_pkg::AddrBits;
  localparam int unsigned BB = relayout_pkg::BurstBits;
  localparam int unsigned FB = relayout_pkg::FlitBits;

  logic [Streams-1:0] run_ready, flit_valid, own, own_valid, link_valid, own_ready, link_ready;
  logic [Streams*FB-1:0] flits;
  always_comb begin
    run_ready_o = 1'b0;
    for (int unsigned s = 0; s < Streams; s++) begin
      if (32'(run_from_i) == s) run_ready_o = run_ready[s];
    end
  end

  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    relayout_reader #(
      .Packets(Packets)
    ) u_reader (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .dimm_i(dimm_i),
      .run_valid_i(run_valid_i && 32'(run_from_i) == s),
      .run_ready_o(run_ready[s]),
      .run_i(run_i),
      .read_valid_o(read_valid_o[s]),
      .read_ready_i(read_ready_i[s]),
      .read_tag_o(read_tag_o[s*TagBits+:TagBits]),
      .read_burst_o(read_burst_o[s*AB+:AB]),
      .rsp_valid_i(rsp_valid_i[s]),
      .rsp_tag_i(rsp_tag_i[s*TagBits+:TagBits]),
      .rsp_data_i(rsp_data_i[s*BB+:BB]),
      .flit_valid_o(flit_valid[s]),
      .flit_ready_i(own[s] ? own_ready[s] : link_ready[s]),
      .flit_own_o(own[s]),
      .flit_o(flits[s*FB+:FB])
    );
  end

  assign own_valid = flit_valid & own;
  assign link_valid = flit_valid & ~own;
  logic own_out_valid, own_out_ready;
  relayout_pkg::flit_t own_out, link_out;
  relayout_packet_arbiter #(
    .Sources(Streams)
  ) u_own (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(own_valid),
    .in_ready_o(own_ready),
    .in_flit_i(flits),
    .out_valid_o(own_out_valid),
    .out_ready_i(own_out_ready),
    .out_flit_o(own_out)
  );
  relayout_packet_arbiter #(
    .Sources(Streams)
  ) u_link (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(link_valid),
    .in_ready_o(link_ready),
    .in_flit_i(flits),
    .out_valid_o(link_out_valid_o),
    .out_ready_i(link_out_ready_i),
    .out_flit_o(link_out)
  );
  assign link_out_header_o = link_out.header;
  assign link_out_data_o = link_out.data;
  assign link_out_last_o = link_out.last;

  relayout_writer #(
    .Streams(Streams),
    .Sources(1 + Ways)
  ) u_writer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i({link_in_valid_i, own_out_valid}),
    .in_ready_o({link_in_ready_o, own_out_ready}),
    .in_header_i({link_in_header_i, own_out.header}),
    .in_data_i({link_in_data_i, own_out.data}),
    .in_last_i({link_in_last_i, own_out.last}),
    .write_valid_o(write_valid_o),
    .write_ready_i(write_ready_i),
    .write_flow_o(write_flow_o),
    .write_burst_o(write_burst_o),
    .write_data_o(write_data_o)
  );

  relayout_flow_ends #(
    .Streams(Streams),
    .Flows(Flows)
  ) u_ends (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .expect_valid_i(expect_valid_i),
    .expect_ready_o(expect_ready_o),
    .expect_flow_i(expect_flow_i),
    .expect_bursts_i(expect_bursts_i),
    .written_valid_i(written_valid_i),
    .written_flow_i(written_flow_i),
    .end_valid_o(end_valid_o),
    .end_ready_i(end_ready_i),
    .end_flow_o(end_flow_o)
  );
  assign events_o = {
    link_in_valid_i & link_in_ready_o,
    end_valid_o && end_ready_i,
    own_out_valid && own_out_ready,
    link_out_valid_o && link_out_ready_i
  };
endmodule
