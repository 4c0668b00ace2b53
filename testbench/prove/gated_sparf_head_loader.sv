// SPDX-License-Identifier: Apache-2.0
// A gated sparf_head_loader; run_o is the input of its clock gate. A line arrives only while the loader is busy:
// the property Busy of prove_sparf_head_loader and its assumption about lines imply this.
module gated_sparf_head_loader #(
  parameter int unsigned Width = 64,
  parameter int unsigned MaxKeys = 64,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 2,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned SB = sparf_pkg::SlotBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned FB = sparf_pkg::FieldBits,
  localparam int unsigned ContextBits = sparf_pkg::ContextBits,
  localparam int unsigned HeadBits = 2 + sparf_pkg::GroupBits + 4 * sparf_pkg::CountBits + 2 * sparf_pkg::FloatBits,
  localparam int unsigned SeenBits = 6 + SB + ContextBits + FB + HeadBits + AB + RB + 2 * AB
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  input  logic [Slots-1:0]               free_i,
  input  logic                           some_free_i,
  input  logic                           refuse_ready_i,
  input  logic                           head_ready_i,
  input  logic                           read_ready_i,
  input  logic                           line_taken_i,
  output logic                           run_o,
  output logic                           assumed_o,
  output logic                           invariant_o,
  output logic                           case_o,
  output logic [SeenBits-1:0]            seen_o
);
  logic desc_ready, busy, table_valid, refuse_valid, head_valid, read_valid;
  logic [SB-1:0] slot;
  logic [FB-1:0] refuse_field;
  logic [AB-1:0] read_line, sum_line;
  logic [RB-1:0] read_lines;
  sparf_pkg::context_t context;
  sparf_pkg::head_t head;
  sparf_head_loader #(
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .RingLines(64),
    .MaxPageRows(4),
    .Slots(Slots),
    .Tags(64)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready),
    .busy_o(busy),
    .desc_i(desc_i),
    .free_i(free_i),
    .some_free_i(some_free_i),
    .table_valid_o(table_valid),
    .slot_o(slot),
    .table_o(context),
    .refuse_valid_o(refuse_valid),
    .refuse_ready_i(refuse_ready_i),
    .refuse_field_o(refuse_field),
    .head_valid_o(head_valid),
    .head_ready_i(head_ready_i),
    .head_o(head),
    .read_valid_o(read_valid),
    .read_ready_i(read_ready_i),
    .read_line_o(read_line),
    .read_lines_o(read_lines),
    .line_taken_i(line_taken_i),
    .sum_line_o(sum_line)
  );
  // Yosys joins this to the register of the same name. busy_o follows the state.
  (* hierconn *) logic [3:0] \u_dut.state_q ;
  localparam logic [3:0] Idle = 4'd0, Lines = 4'd8;
  logic [3:0] state;
  assign state = \u_dut.state_q ;
  assign invariant_o = state <= Lines && busy == (state != Idle);
  assign run_o = (desc_valid_i && desc_ready) || busy;
  assign assumed_o = !line_taken_i || busy;
  assign case_o = 1'b1;
  assign seen_o = {desc_ready, busy, table_valid, refuse_valid, head_valid, read_valid,
                   table_valid || head_valid || refuse_valid ? slot : SB'(0),
                   table_valid || refuse_valid ? context : ContextBits'(0),
                   refuse_valid ? refuse_field : FB'(0), head_valid ? head : HeadBits'(0),
                   read_valid ? {read_line, read_lines} : (AB + RB)'(0),
                   busy ? {context.head, sum_line} : (2 * AB)'(0)};
endmodule
