// SPDX-License-Identifier: Apache-2.0
// One port for the page requests of all rings and of the append unit, round-robin. A request moves into the
// port's register when the register is empty or is being emptied.
// No requester may withdraw a request.
`include "assert.svh"
module sparf_page_requests #(
  parameter int unsigned Requesters = 5
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic [Requesters-1:0]              valid_i,
  output logic [Requesters-1:0]              ready_o,   // accepted
  input  logic [Requesters*sparf_pkg::PageReqBits-1:0] request_i,
  output logic                               req_valid_o,
  input  logic                               req_ready_i,
  output logic [sparf_pkg::PageReqBits-1:0]  req_o
);
  localparam int unsigned ReqBits = sparf_pkg::PageReqBits;

  logic req_valid_q;
  logic [sparf_pkg::PageReqBits-1:0] req_q;
  assign req_valid_o = req_valid_q;
  assign req_o = req_q;

  logic [Requesters-1:0] grant;
  logic open;
  assign open = !req_valid_q || req_ready_i;
  assign ready_o = grant & {Requesters{open}};

  round_robin #(
    .Requesters(Requesters)
  ) u_arbiter (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .valid_i(valid_i),
    .taken_i(ready_o),
    .grant_o(grant)
  );

  function automatic logic [ReqBits-1:0] granted(input logic [Requesters*ReqBits-1:0] requests,
                                                 input logic [Requesters-1:0] whose);
    granted = '0;
    for (int unsigned i = 0; i < Requesters; i++) begin
      granted = granted | (requests[i*ReqBits+:ReqBits] & {ReqBits{whose[i]}});
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) req_valid_q <= 1'b0;
    else if (open) req_valid_q <= valid_i != '0;
    if (open && valid_i != '0) req_q <= granted(request_i, grant);
  end

`ifdef NEARDATA_ASSERT
  logic [Requesters-1:0] waits_q;
  always_ff @(posedge clk_i) waits_q <= rst_ni ? valid_i & ~ready_o : '0;
`endif
  `HOLDS(AsksStay_A, (waits_q & ~valid_i) == '0)
  `STAYS(RequestHolds_A, req_valid_o, req_ready_i, req_o)
endmodule
