// SPDX-License-Identifier: Apache-2.0
// One port for the page requests of all rings and of the append unit, which take turns. A request
// is taken into the port's register when that is empty or being taken. In the cycle after, the
// page's record is in the table that the channels look into.
// No requester may drop a request before it is taken.
module page_requests #(
  parameter int unsigned Requesters = 5
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic [Requesters-1:0]              valid_i,
  output logic [Requesters-1:0]              ready_o,   // taken
  input  logic [Requesters*sparf_pkg::PageReqBits-1:0] request_i,
  output logic                               taken_o,
  output logic [$clog2(Requesters)-1:0]      who_o,
  output logic                               req_valid_o,
  input  logic                               req_ready_i,
  output logic [sparf_pkg::PageReqBits-1:0]  req_o
);
  localparam int unsigned WhoBits = $clog2(Requesters);

  logic [WhoBits-1:0] last_q;
  logic open;
  assign open = !req_valid_o || req_ready_i;
  assign taken_o = open && valid_i != '0;

  // The first one behind the last one taken.
  always_comb begin
    who_o = '0;
    for (int unsigned i = Requesters; i > 0; i--) begin
      if (valid_i[i-1] && WhoBits'(i - 1) <= last_q) who_o = WhoBits'(i - 1);
    end
    for (int unsigned i = Requesters; i > 0; i--) begin
      if (valid_i[i-1] && WhoBits'(i - 1) > last_q) who_o = WhoBits'(i - 1);
    end
    ready_o = '0;
    ready_o[who_o] = taken_o;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      req_valid_o <= 1'b0;
      last_q <= '0;
    end else begin
      if (open) req_valid_o <= valid_i != '0;
      if (taken_o) last_q <= who_o;
    end
    if (taken_o) req_o <= request_i[who_o*sparf_pkg::PageReqBits+:sparf_pkg::PageReqBits];
  end
endmodule
