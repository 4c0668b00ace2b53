// SPDX-License-Identifier: Apache-2.0
// A gated sparf_append_unit; run_o is the input of its clock gate.
module gated_sparf_append_unit #(
  parameter int unsigned Width = 16,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned LB = sparf_pkg::LineBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned DoneBits = sparf_pkg::DoneBits,
  localparam int unsigned SeenBits = 6 + DoneBits + AB + RB + AB + LB + sparf_pkg::PageReqBits
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
  output logic                           invariant_o,
  output logic                           case_o,
  output logic [SeenBits-1:0]            seen_o
);
  logic idle, done_valid, read_valid, line_ready, write_valid, page_valid;
  sparf_pkg::done_t done;
  logic [AB-1:0] read_line, write_line;
  logic [RB-1:0] read_lines;
  logic [LB-1:0] write_data;
  logic [sparf_pkg::PageReqBits-1:0] page_req;
  sparf_append_unit #(
    .Width(Width)
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
    .page_req_o(page_req)
  );
  // Yosys joins these to the registers of the same names. A page is requested only in the states of pages, and is not
  // requested in the cycle after its acceptance.
  (* hierconn *) logic [3:0] \u_dut.state_q ;
  (* hierconn *) logic \u_dut.page_taken_q ;
  localparam logic [3:0] Keys = 4'd10, Values = 4'd11, Dims = 4'd12;
  logic [3:0] state;
  assign state = \u_dut.state_q ;
  assign invariant_o = !(page_valid && \u_dut.page_taken_q ) &&
      ((state >= Keys && state <= Dims) || !(page_valid || \u_dut.page_taken_q ));
  assign run_o = desc_valid_i || !idle;
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {idle, done_valid, read_valid, line_ready, write_valid, page_valid,
                   done_valid ? done : DoneBits'(0), read_valid ? {read_line, read_lines} : (AB + RB)'(0),
                   write_valid ? {write_line, write_data} : (AB + LB)'(0),
                   page_valid ? page_req : (sparf_pkg::PageReqBits)'(0)};
endmodule
