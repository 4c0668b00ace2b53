// SPDX-License-Identifier: Apache-2.0
// Tracks completed flows: the director announces the number of bursts of a flow before the first burst is
// written. The tracker reports the flow when the memory has written all bursts. The lowest bits of a flow
// select its entry, so an announced flow waits while another flow occupies the entry.
`include "assert.svh"
module relayout_flow_ends #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Flows = 16
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  input  logic                                      expect_valid_i,
  output logic                                      expect_ready_o,
  input  logic [relayout_pkg::FlowBits-1:0]         expect_flow_i,
  input  logic [relayout_pkg::AddrBits-1:0]         expect_bursts_i,
  input  logic [Streams-1:0]                        written_valid_i,
  input  logic [Streams*relayout_pkg::FlowBits-1:0] written_flow_i,
  output logic                                      end_valid_o,
  input  logic                                      end_ready_i,
  output logic [relayout_pkg::FlowBits-1:0]         end_flow_o
);
  localparam int unsigned FlowBits = relayout_pkg::FlowBits;
  localparam int unsigned AddrBits = relayout_pkg::AddrBits;
  localparam int unsigned EntryBits = $clog2(Flows);
  localparam int unsigned CountBits = $clog2(Streams + 1);

  logic end_valid_q;
  logic [relayout_pkg::FlowBits-1:0] end_flow_q;
  assign end_valid_o = end_valid_q;
  assign end_flow_o = end_flow_q;

  logic [Flows-1:0] used_q, over, grant, ended;
  logic [FlowBits-1:0] flow_q[Flows];
  logic [EntryBits-1:0] entry;
  assign entry = expect_flow_i[EntryBits-1:0];
  assign expect_ready_o = !used_q[entry];

  for (genvar f = 0; f < Flows; f++) begin : gen_flow
    logic [AddrBits-1:0] left_q;
    logic [CountBits-1:0] written_q, written;
    logic begins;
    assign begins = expect_valid_i && expect_ready_o && 32'(entry) == f;
    // Counted in one cycle, subtracted in the next.
    always_comb begin
      written = '0;
      for (int unsigned s = 0; s < Streams; s++) begin
        written = written + CountBits'(written_valid_i[s]
            && 32'(written_flow_i[s*FlowBits+:EntryBits]) == f);
      end
    end
    assign over[f] = used_q[f] && left_q == '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        used_q[f] <= 1'b0;
        written_q <= '0;
      end else begin
        if (begins) used_q[f] <= 1'b1;
        else if (ended[f]) used_q[f] <= 1'b0;
        written_q <= written;
      end
      if (begins) begin
        flow_q[f] <= expect_flow_i;
        left_q <= expect_bursts_i;
      end else begin
        left_q <= left_q - AddrBits'(written_q);
      end
    end
    `IMPLIES(Expected_A, written != '0, used_q[f])
    `IMPLIES(NotMore_A, used_q[f], AddrBits'(written_q) <= left_q)
  end

  round_robin #(
    .Requesters(Flows)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(over),
    .taken_i(ended),
    .grant_o(grant)
  );
  logic room;
  assign room = !end_valid_q || end_ready_i;
  assign ended = grant & {Flows{room}};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) end_valid_q <= 1'b0;
    else if (room) end_valid_q <= grant != '0;
    if (room) begin
      for (int unsigned f = 0; f < Flows; f++) begin
        if (grant[f]) end_flow_q <= flow_q[f];
      end
    end
  end

  if (Flows < 2 || (Flows & (Flows - 1)) != 0) begin : gen_bad_flows
    $error("relayout_flow_ends: Flows must be a power of two, 2 at least");
  end

  `IMPLIES(NotNone_A, expect_valid_i, expect_bursts_i != '0)
  `STAYS(EndHolds_A, end_valid_o, end_ready_i, end_flow_o)
endmodule
