// SPDX-License-Identifier: Apache-2.0
// A gated sparf_dram_reader with four readers; run_o is the input of its clock gate.
module gated_sparf_dram_reader #(
  parameter int unsigned Lines = 4,
  parameter int unsigned Runs = 2,
  localparam int unsigned Readers = 4,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned LB = sparf_pkg::LineBits
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Readers-1:0]    run_valid_i,
  input  logic [Readers*AB-1:0] run_line_i,
  input  logic [Readers*RB-1:0] run_lines_i,
  input  logic [Readers-1:0]    run_note_i,
  input  logic                  req_ready_i,
  input  logic                  rsp_valid_i,
  input  logic [LB-1:0]         rsp_data_i,
  input  logic [Readers-1:0]    out_ready_i,
  output logic                  run_o,
  output logic                  assumed_o,
  output logic                  case_o,
  output logic [2*Readers+AB+RB+LB+2:0] seen_o
);
  logic [Readers-1:0] run_ready, out_valid;
  logic req_valid, out_note, out_last;
  logic [AB-1:0] req_line;
  logic [RB-1:0] out_place;
  logic [LB-1:0] out_data;

  sparf_dram_reader #(
    .Readers(Readers),
    .Lines(Lines),
    .Runs(Runs),
    .NoteBits(1)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .run_valid_i(run_valid_i),
    .run_ready_o(run_ready),
    .run_line_i(run_line_i),
    .run_lines_i(run_lines_i),
    .run_note_i(run_note_i),
    .req_valid_o(req_valid),
    .req_ready_i(req_ready_i),
    .req_line_o(req_line),
    .rsp_valid_i(rsp_valid_i),
    .rsp_data_i(rsp_data_i),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready_i),
    .out_note_o(out_note),
    .out_place_o(out_place),
    .out_last_o(out_last),
    .out_data_o(out_data)
  );
  assign run_o = run_valid_i != '0 || req_valid || rsp_valid_i || out_valid != '0;
  assign assumed_o = 1'b1;
  assign case_o = 1'b1;
  assign seen_o = {run_ready, req_valid, req_line, out_valid, out_note, out_place, out_last, out_data};
endmodule
