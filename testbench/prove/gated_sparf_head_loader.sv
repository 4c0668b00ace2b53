// SPDX-License-Identifier: Apache-2.0
// A gated sparf_head_loader: run_o is what its gate looks at.
module gated_sparf_head_loader #(
  parameter int unsigned Width = 16,
  parameter int unsigned MaxKeys = 256,
  parameter int unsigned MaxGroup = 4,
  parameter int unsigned RingLines = 64,
  parameter int unsigned MaxPageRows = 16,
  parameter int unsigned Slots = 2,
  parameter int unsigned Tags = 16,
  localparam int unsigned AB = sparf_pkg::AddrBits,
  localparam int unsigned RB = sparf_pkg::RingBits,
  localparam int unsigned SB = sparf_pkg::SlotBits,
  localparam int unsigned FB = sparf_pkg::FieldBits,
  localparam int unsigned HeadBits = 2 + sparf_pkg::GroupBits + 4 * sparf_pkg::CountBits
                                     + 2 * sparf_pkg::FloatBits,
  localparam int unsigned CB = sparf_pkg::ContextBits
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  input  logic [Slots-1:0]               free_i,
  input  logic                           refuse_ready_i,
  input  logic                           head_ready_i,
  input  logic                           read_ready_i,
  input  logic                           line_taken_i,
  output logic                           run_o,
  output logic                           assumed_o,
  output logic                           case_o,
  output logic [6+3*AB+RB+SB+FB+HeadBits+CB-1:0] seen_o
);
  logic desc_ready, busy, table_valid, refuse_valid, head_valid, read_valid;
  logic [SB-1:0] slot;
  sparf_pkg::context_t context_of;
  sparf_pkg::head_t head;
  logic [FB-1:0] field;
  logic [AB-1:0] read_line, sum_line;
  logic [RB-1:0] read_lines;

  sparf_head_loader #(
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows),
    .Slots(Slots),
    .Tags(Tags)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready),
    .busy_o(busy),
    .desc_i(desc_i),
    .free_i(free_i),
    .table_valid_o(table_valid),
    .slot_o(slot),
    .table_o(context_of),
    .refuse_valid_o(refuse_valid),
    .refuse_ready_i(refuse_ready_i),
    .refuse_field_o(field),
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
  // A descriptor is offered to a loader that takes it (sparf_doorbell); lines come while it is at work.
  assign run_o = (desc_valid_i && desc_ready) || busy;
  assign assumed_o = (!desc_valid_i || desc_ready) && (!line_taken_i || busy);
  assign case_o = !busy;
  assign seen_o = {desc_ready, busy, table_valid, refuse_valid, head_valid, read_valid,
                   busy ? {context_of.head, sum_line, slot} : (2 * AB + SB)'(0),
                   table_valid ? context_of : CB'(0),
                   head_valid ? head : HeadBits'(0),
                   refuse_valid ? field : FB'(0),
                   read_valid ? {read_line, read_lines} : (AB + RB)'(0)};
endmodule
