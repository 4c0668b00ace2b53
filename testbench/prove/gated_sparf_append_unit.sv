// SPDX-License-Identifier: Apache-2.0
// A gated sparf_append_unit: run_o is what its gate looks at.
module gated_sparf_append_unit #(
  parameter int unsigned Width = 16,
  parameter int unsigned RingLines = 64,
  parameter int unsigned MaxPageRows = 16,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned PB = sparf_pkg::PageReqBits,
  localparam int unsigned DB = sparf_pkg::DoneBits
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  input  logic                           done_ready_i,
  input  logic                           read_ready_i,
  input  logic                           line_valid_i,
  input  logic [LB-1:0]                  line_data_i,
  input  logic                           write_ready_i,
  input  logic                           page_ready_i,
  output logic                           run_o,
  output logic                           assumed_o,
  output logic                           case_o,
  output logic [6+2*AB+RB+LB+PB+DB-1:0]  seen_o
);
  logic idle, done_valid, read_valid, line_ready, write_valid, page_valid;
  sparf_pkg::done_t done;
  logic [AB-1:0] read_line, write_line;
  logic [RB-1:0] read_lines;
  logic [LB-1:0] write_data;
  logic [PB-1:0] page;

  sparf_append_unit #(
    .Width(Width),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(idle),
    .desc_i(desc_i),
    .done_valid_o(done_valid),
    .done_ready_i(done_ready_i),
    .done_o(done),
    .read_valid_o(read_valid),
    .read_ready_i(read_ready_i),
    .read_line_o(read_line),
    .read_lines_o(read_lines),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready),
    .line_data_i(line_data_i),
    .write_valid_o(write_valid),
    .write_ready_i(write_ready_i),
    .write_line_o(write_line),
    .write_data_o(write_data),
    .page_valid_o(page_valid),
    .page_ready_i(page_ready_i),
    .page_req_o(page)
  );
  assign run_o = desc_valid_i || !idle;
  assign assumed_o = 1'b1;
  assign case_o = idle;
  assign seen_o = {idle, done_valid, read_valid, line_ready, write_valid, page_valid,
                   done_valid ? done : DB'(0),
                   read_valid ? {read_line, read_lines} : (AB + RB)'(0),
                   write_valid ? {write_line, write_data} : (AB + LB)'(0),
                   page_valid ? page : PB'(0)};
endmodule
