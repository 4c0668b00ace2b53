// SPDX-License-Identifier: Apache-2.0
// Reads runs of one stream and makes packets of them. A ring of Packets packets reserves space for every
// requested burst. Bursts return in any order, each with its tag (packet and position in it). Packets leave in
// the order of the runs, one burst per cycle, when all of their bursts have arrived. The reader requests one
// burst per cycle, without a pause between two runs.
`include "assert.svh"
module relayout_reader #(
  parameter int unsigned Packets = 32,
  localparam int unsigned PtrBits = $clog2(Packets),
  localparam int unsigned TagBits = PtrBits + relayout_pkg::PlaceBits
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic [7:0]                         dimm_i,
  input  logic                               run_valid_i,
  output logic                               run_ready_o,
  input  relayout_pkg::run_t                 run_i,
  output logic                               read_valid_o,
  input  logic                               read_ready_i,
  output logic [TagBits-1:0]                 read_tag_o,
  output logic [relayout_pkg::AddrBits-1:0]  read_burst_o,
  input  logic                               rsp_valid_i,
  input  logic [TagBits-1:0]                 rsp_tag_i,
  input  logic [relayout_pkg::BurstBits-1:0] rsp_data_i,
  output logic                               flit_valid_o,
  input  logic                               flit_ready_i,
  output logic                               flit_own_o,  // for this DIMM
  output relayout_pkg::flit_t                flit_o
);
  localparam int unsigned PlaceBits = relayout_pkg::PlaceBits;
  localparam int unsigned SizeBits = PlaceBits + 1;
  localparam int unsigned AddrBits = relayout_pkg::AddrBits;

  logic read_valid_q;
  logic [TagBits-1:0] read_tag_q;
  logic [relayout_pkg::AddrBits-1:0] read_burst_q;
  logic flit_valid_q, flit_own_q;
  relayout_pkg::flit_t flit_q;
  assign read_valid_o = read_valid_q;
  assign read_tag_o = read_tag_q;
  assign read_burst_o = read_burst_q;
  assign flit_valid_o = flit_valid_q;
  assign flit_own_o = flit_own_q;
  assign flit_o = flit_q;

  // The run: its remaining bursts, its next address at both ends.
  logic run_q, last_q, run_taken, asks, packet_ends, room_q;
  logic [relayout_pkg::FlowBits-1:0] flow_q;
  logic [7:0] to_dimm_q, to_stream_q;
  logic [AddrBits-1:0] from_q, to_q, left_q;
  logic [PlaceBits-1:0] place_q;
  logic [PtrBits:0] alloc_q, head_q, alloc_d, head_d;  // with a wrap bit
  assign asks = run_q && room_q && (!read_valid_q || read_ready_i);
  assign packet_ends = place_q == '1 || last_q;
  assign run_ready_o = !run_q || (asks && last_q);
  assign run_taken = run_valid_i && run_ready_o;

  relayout_pkg::header_t header;
  assign header = {
    to_q - AddrBits'(place_q), 16'd0,
    16'd64 * (16'(place_q) + 16'd1), flow_q, to_stream_q, to_dimm_q
  };

  logic frees;
  assign alloc_d = alloc_q + ($bits(alloc_q))'(asks && packet_ends);
  assign head_d = head_q + ($bits(head_q))'(frees);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      read_valid_q <= 1'b0;
      alloc_q <= '0;
      place_q <= '0;
      room_q <= 1'b1;
    end else begin
      if (run_taken) run_q <= 1'b1;
      else if (asks && last_q) run_q <= 1'b0;
      if (asks) read_valid_q <= 1'b1;
      else if (read_ready_i) read_valid_q <= 1'b0;
      alloc_q <= alloc_d;
      if (asks) place_q <= packet_ends ? '0 : place_q + 1'b1;
      room_q <= alloc_d[PtrBits-1:0] != head_d[PtrBits-1:0] || alloc_d[PtrBits] == head_d[PtrBits];
    end
    if (asks) begin
      read_tag_q <= {alloc_q[PtrBits-1:0], place_q};
      read_burst_q <= from_q;
    end
    if (run_taken) begin
      flow_q <= run_i.flow;
      to_dimm_q <= run_i.to_dimm;
      to_stream_q <= run_i.to_stream;
      from_q <= run_i.from_burst;
      to_q <= run_i.to_burst;
      left_q <= run_i.bursts;
      last_q <= run_i.bursts == AddrBits'(1);
    end else if (asks) begin
      from_q <= from_q + 1'b1;
      to_q <= to_q + 1'b1;
      left_q <= left_q - 1'b1;
      last_q <= left_q == AddrBits'(2);
    end
  end

  // Arrived bursts of each packet, and its number of bursts; 0 until all are requested.
  logic [Packets*SizeBits-1:0] came_q, size_q;
  logic [PtrBits-1:0] rsp_packet, alloc_packet, head_packet;
  assign rsp_packet = rsp_tag_i[TagBits-1:PlaceBits];
  assign alloc_packet = alloc_q[PtrBits-1:0];
  assign head_packet = head_q[PtrBits-1:0];
  logic [SizeBits-1:0] head_came, head_size;
  assign head_came = came_q[32'(head_packet)*SizeBits+:SizeBits];
  assign head_size = size_q[32'(head_packet)*SizeBits+:SizeBits];
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Packets; p++) begin
      if (!rst_ni || (frees && 32'(head_packet) == p)) begin
        came_q[p*SizeBits+:SizeBits] <= '0;
        size_q[p*SizeBits+:SizeBits] <= '0;
      end else begin
        if (rsp_valid_i && 32'(rsp_packet) == p) begin
          came_q[p*SizeBits+:SizeBits] <= came_q[p*SizeBits+:SizeBits] + 1'b1;
        end
        if (asks && packet_ends && 32'(alloc_packet) == p) begin
          size_q[p*SizeBits+:SizeBits] <= SizeBits'(place_q) + 1'b1;
        end
      end
    end
  end

  // The oldest packet is sent: its bursts are read in sequence, each with the header.
  logic gives, moves, read_q, read_last_q, give_last;
  logic [PlaceBits-1:0] give_q;
  logic [relayout_pkg::BurstBits-1:0] rd_data;
  relayout_pkg::header_t rd_header;
  assign moves = !flit_valid_q || flit_ready_i;
  assign gives = moves && head_size != '0 && head_came == head_size;
  assign give_last = SizeBits'(give_q) + 1'b1 == head_size;
  assign frees = gives && give_last;

  sram_1r1w #(
    .Words(Packets * relayout_pkg::PacketBursts),
    .DataBits(relayout_pkg::BurstBits)
  ) u_bursts (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(rsp_valid_i),
    .wr_addr_i(rsp_tag_i),
    .wr_data_i(rsp_data_i),
    .rd_valid_i(gives),
    .rd_addr_i({head_packet, give_q}),
    .rd_data_o(rd_data)
  );
  sram_1r1w #(
    .Words(Packets),
    .DataBits(relayout_pkg::HeaderBits)
  ) u_headers (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(asks && packet_ends),
    .wr_addr_i(alloc_packet),
    .wr_data_i(header),
    .rd_valid_i(gives),
    .rd_addr_i(head_packet),
    .rd_data_o(rd_header)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      give_q <= '0;
      read_q <= 1'b0;
      flit_valid_q <= 1'b0;
    end else begin
      head_q <= head_d;
      if (gives) give_q <= give_last ? '0 : give_q + 1'b1;
      if (moves) begin
        read_q <= gives;
        flit_valid_q <= read_q;
      end
    end
    if (moves) begin
      read_last_q <= give_last;
      flit_own_q <= rd_header.target == dimm_i;
      flit_q <= {rd_header, rd_data, read_last_q};
    end
  end

  if (Packets < 2 || (Packets & (Packets - 1)) != 0) begin : gen_bad_packets
    $error("relayout_reader: Packets must be a power of two, 2 at least");
  end

`ifdef NEARDATA_ASSERT
  // Outstanding bursts.
  logic [Packets*relayout_pkg::PacketBursts-1:0] asked_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) asked_q <= '0;
    else begin
      if (read_valid_q && read_ready_i) asked_q[read_tag_q] <= 1'b1;
      if (rsp_valid_i) asked_q[rsp_tag_i] <= 1'b0;
    end
  end
`endif
  `IMPLIES(RunNotEmpty_A, run_valid_i, run_i.bursts != '0)
  `IMPLIES(Asked_A, rsp_valid_i, asked_q[rsp_tag_i])
  `STAYS(ReadHolds_A, read_valid_o, read_ready_i, {read_tag_o, read_burst_o})
  `STAYS(FlitHolds_A, flit_valid_o, flit_ready_i, {flit_own_o, flit_o})
endmodule
