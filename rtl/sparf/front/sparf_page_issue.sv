// SPDX-License-Identifier: Apache-2.0
// Fetches items for one ring in order: reserves the item's lines, requests the page or the DRAM lines, and
// closes the job that ends with the item, in the next cycle. An item without a wait needs three cycles:
// accepted, reserved, requested.
`include "assert.svh"
module sparf_page_issue #(
  parameter int unsigned RingLines = 2048,
  parameter int unsigned Pages = 256,
  localparam int unsigned RingLineBits = $clog2(RingLines),
  localparam int unsigned PageBits = $clog2(Pages)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           item_valid_i,
  output logic                           item_ready_o,
  input  sparf_pkg::item_t               item_i,
  output logic                           reserve_o,
  output logic [sparf_pkg::RingBits-1:0] reserve_lines_o,
  output logic                           reserve_end_o,
  input  logic                           room_i,
  input  logic [RingLineBits-1:0]        page_line_i,
  input  logic [PageBits-1:0]            page_number_i,
  output logic                           page_valid_o,    // to flash
  output logic                           line_valid_o,    // to DRAM
  input  logic                           taken_i,         // of either kind
  output sparf_pkg::item_t               request_o,       // with the base in its page
  output logic [PageBits-1:0]            number_o,
  output logic                           job_valid_o,
  output sparf_pkg::job_t               job_o
);
  logic [PageBits-1:0] number_q;
  logic job_valid_q;
  assign number_o = number_q;
  assign job_valid_o = job_valid_q;

  typedef enum logic [1:0] {
    StateIdle,
    StateReserve,
    StateRequest
  } state_e;

  state_e state_q;
  sparf_pkg::item_t item_q;
  logic [RingLineBits-1:0] base_q, job_base_q;

  assign item_ready_o = state_q == StateIdle;
  assign reserve_o = state_q == StateReserve && room_i;
  assign reserve_lines_o = item_q.lines;
  assign reserve_end_o = item_q.ends;
  assign page_valid_o = state_q == StateRequest && item_q.flash;
  assign line_valid_o = state_q == StateRequest && !item_q.flash;

  always_comb begin
    request_o = item_q;
    request_o.page.base = sparf_pkg::RingBits'(base_q);
    job_o = item_q.job;
    job_o.base = sparf_pkg::RingBits'(job_base_q);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      job_valid_q <= 1'b0;
    end else begin
      job_valid_q <= state_q == StateRequest && taken_i && item_q.ends;
      unique case (state_q)
        StateIdle: if (item_valid_i) state_q <= StateReserve;
        StateReserve: if (room_i) state_q <= StateRequest;
        StateRequest: if (taken_i) state_q <= StateIdle;
        default: state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (item_valid_i && item_ready_o) item_q <= item_i;
    if (reserve_o) begin
      base_q <= page_line_i;
      number_q <= page_number_i;
      if (item_q.begins) job_base_q <= page_line_i;
    end
  end

  `STAYS(RequestHolds_A, page_valid_o || line_valid_o, taken_i, {request_o, number_o})
  `IMPLIES(TakenAsked_A, taken_i, page_valid_o || line_valid_o)
endmodule
