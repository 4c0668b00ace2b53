// SPDX-License-Identifier: Apache-2.0
// A gated sparf_page_issue; run_o is the input of its clock gate.
module gated_sparf_page_issue #(
  parameter int unsigned RingLines = 8,
  parameter int unsigned Pages = 4,
  localparam int unsigned RingLineBits = $clog2(RingLines),
  localparam int unsigned PageBits = $clog2(Pages),
  localparam int unsigned SeenBits = 6 + sparf_pkg::RingBits + sparf_pkg::ItemBits + PageBits
                                     + sparf_pkg::JobBits
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    item_valid_i,
  input  logic [sparf_pkg::ItemBits-1:0] item_i,
  input  logic                    room_i,
  input  logic [RingLineBits-1:0] page_line_i,
  input  logic [PageBits-1:0]     page_number_i,
  input  logic                    taken_i,
  output logic                    run_o,
  output logic                    assumed_o,
  output logic                    case_o,
  output logic [SeenBits-1:0]     seen_o
);
  logic item_ready, reserve, reserve_end, page_valid, line_valid, job_valid;
  logic [sparf_pkg::RingBits-1:0] reserve_lines;
  sparf_pkg::item_t request;
  logic [PageBits-1:0] number;
  sparf_pkg::job_t job;

  sparf_page_issue #(
    .RingLines(RingLines),
    .Pages(Pages)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .item_valid_i(item_valid_i),
    .item_ready_o(item_ready),
    .item_i(item_i),
    .reserve_o(reserve),
    .reserve_lines_o(reserve_lines),
    .reserve_end_o(reserve_end),
    .room_i(room_i),
    .page_line_i(page_line_i),
    .page_number_i(page_number_i),
    .page_valid_o(page_valid),
    .line_valid_o(line_valid),
    .taken_i(taken_i),
    .request_o(request),
    .number_o(number),
    .job_valid_o(job_valid),
    .job_o(job)
  );
  assign run_o = (item_valid_i && item_ready) || reserve || taken_i;
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {item_ready, reserve, reserve_end, page_valid, line_valid, job_valid, reserve_lines,
                   request, number, job};
endmodule
