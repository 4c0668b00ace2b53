// SPDX-License-Identifier: Apache-2.0
// A gated sparf_ring_allocator; run_o is the input of its clock gate.
module gated_sparf_ring_allocator #(
  parameter int unsigned RingLines = 8,
  parameter int unsigned Pages = 4,
  parameter int unsigned Ports = 1,
  localparam int unsigned JobBits = 2,
  localparam int unsigned LineBits = $clog2(RingLines),
  localparam int unsigned PageBits = $clog2(Pages)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           reserve_i,
  input  logic [sparf_pkg::RingBits-1:0] reserve_lines_i,
  input  logic                           reserve_end_i,
  input  logic                           job_valid_i,
  input  logic [JobBits-1:0]             job_i,
  input  logic [Ports-1:0]               arrive_i,
  input  logic [Ports*PageBits-1:0]      arrive_number_i,
  input  logic                           job_ready_i,
  input  logic                           done_i,
  output logic                           run_o,
  output logic                           assumed_o,
  output logic                           case_o,
  output logic [2+LineBits+PageBits+JobBits:0] seen_o
);
  logic room, job_valid, busy;
  logic [LineBits-1:0] page_line;
  logic [PageBits-1:0] page_number;
  logic [JobBits-1:0] job;

  sparf_ring_allocator #(
    .RingLines(RingLines),
    .Pages(Pages),
    .JobBits(JobBits),
    .Ports(Ports)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .reserve_i(reserve_i),
    .reserve_lines_i(reserve_lines_i),
    .reserve_end_i(reserve_end_i),
    .room_o(room),
    .page_line_o(page_line),
    .page_number_o(page_number),
    .job_valid_i(job_valid_i),
    .job_i(job_i),
    .arrive_i(arrive_i),
    .arrive_number_i(arrive_number_i),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready_i),
    .job_o(job),
    .done_i(done_i),
    .busy_o(busy)
  );
  assign run_o = reserve_i || job_valid_i || arrive_i != '0 || done_i || busy
                 || (job_valid && job_ready_i);
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {room, job_valid, busy, page_line, page_number, job_valid ? job : JobBits'(0)};
endmodule
