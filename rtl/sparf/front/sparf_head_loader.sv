// SPDX-License-Identifier: Apache-2.0
// Loads heads into a kernel, one at a time: allocates the lowest free slot, writes the head's context
// (table_o), sends the head to the kernel, requests its queries and then its sums of V from controller DRAM,
// which answers straight to the kernel. A head whose descriptor breaks a rule (sparf_descriptor_check) is
// refused instead, with the field.
`include "assert.svh"
module sparf_head_loader #(
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned Slots = 8,
  parameter int unsigned Tags = 256,  // outstanding pages of each ring
  parameter int unsigned QuerySets = 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  output logic                           desc_ready_o,
  output logic                           busy_o,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  input  logic [Slots-1:0]               free_i,
  input  logic                           some_free_i,    // one cycle late
  output logic                           table_valid_o,  // the slot is allocated
  output logic [sparf_pkg::SlotBits-1:0] slot_o,
  output sparf_pkg::context_t            table_o,
  output logic                           refuse_valid_o,  // instead of a head
  input  logic                           refuse_ready_i,
  output logic [sparf_pkg::FieldBits-1:0] refuse_field_o,  // that breaks a rule
  output logic                           head_valid_o,
  input  logic                           head_ready_i,
  output sparf_pkg::head_t               head_o,         // slot_o with it
  output logic                           read_valid_o,   // lines of DRAM
  input  logic                           read_ready_i,
  output logic [sparf_pkg::AddrBits-1:0] read_line_o,
  output logic [sparf_pkg::RingBits-1:0] read_lines_o,
  input  logic                           line_taken_i,   // by the kernel
  output logic [sparf_pkg::AddrBits-1:0] sum_line_o      // of the loading head
);
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned SumLines = Width * sparf_pkg::SumBits / sparf_pkg::LineBits;

  logic busy_q;
  assign busy_o = busy_q;

  typedef enum logic [3:0] {
    StateIdle,
    StateDerive,
    StateCheck,
    StateFit,
    StateHead,
    StateRefuse,
    StateQueries,
    StateSums,
    StateLines
  } state_e;

  state_e state_q;
  logic [AB-1:0] q_line;
  logic [CB-1:0] query_lines, lines_left_q;
  logic all_taken_q;  // no line remains
  logic [sparf_pkg::FieldBits-1:0] field, field_q;
  logic fits, mean_wanted;
  logic [$clog2(Slots)-1:0] free_slot;
  logic [$bits(slot_o)-1:0] slot_q;

  priority_encoder #(
    .Inputs(Slots)
  ) u_free_slot (
    .asserted_i(free_i),
    .number_o(free_slot)
  );

  sparf_descriptor_check #(
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows),
    .Tags(Tags),
    .QuerySets(QuerySets)
  ) u_check (
    .clk_i(clk_i),
    .load_i(state_q == StateIdle),
    .desc_i(desc_i),
    .ok_o(fits),  // in StateHead
    .field_o(field)
  );

  sparf_head_fields #(
    .Width(Width)
  ) u_fields (
    .clk_i(clk_i),
    .load_i(state_q == StateIdle),
    .derive_i(state_q == StateDerive),
    .clamp_i(state_q == StateCheck),
    .desc_i(desc_i),
    .context_o(table_o),
    .head_o(head_o),
    .mean_wanted_o(mean_wanted),
    .q_line_o(q_line),
    .query_lines_o(query_lines),
    .sum_line_o(sum_line_o)
  );

  assign desc_ready_o = !busy_q && some_free_i;
  assign head_valid_o = state_q == StateHead && fits;
  assign slot_o = slot_q;
  assign refuse_valid_o = state_q == StateRefuse;
  assign refuse_field_o = field_q;
  assign read_valid_o = state_q == StateQueries || state_q == StateSums;
  assign read_line_o = state_q == StateQueries ? q_line : sum_line_o;
  assign read_lines_o = state_q == StateQueries ? query_lines : CB'(SumLines);
  assign table_valid_o = state_q == StateFit;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      busy_q <= 1'b0;
    end else begin
      // Follows the state, in a register: the path to other units is long.
      if (desc_valid_i && desc_ready_o) busy_q <= 1'b1;
      else if ((state_q == StateRefuse && refuse_ready_i) ||
               (state_q == StateLines && all_taken_q)) busy_q <= 1'b0;
      unique case (state_q)
        StateIdle: if (desc_valid_i && desc_ready_o) state_q <= StateDerive;
        StateDerive: state_q <= StateCheck;
        StateCheck: state_q <= StateFit;
        StateFit: state_q <= StateHead;
        StateRefuse: if (refuse_ready_i) state_q <= StateIdle;
        StateHead: begin
          if (!fits) state_q <= StateRefuse;
          else if (head_ready_i) state_q <= StateQueries;
        end
        StateQueries: if (read_ready_i) state_q <= mean_wanted ? StateSums : StateLines;
        StateSums: if (read_ready_i) state_q <= StateLines;
        StateLines: if (all_taken_q) state_q <= StateIdle;
        default: state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) slot_q <= ($bits(slot_q))'(free_slot);
    if (state_q == StateHead) field_q <= field;
    if (state_q == StateCheck) begin
      lines_left_q <= query_lines + (mean_wanted ? CB'(SumLines) : '0);
      all_taken_q <= 1'b0;  // a head has a query
    end else if (line_taken_i) begin
      lines_left_q <= lines_left_q - 1'b1;
      all_taken_q <= lines_left_q == CB'(1);
    end
  end

  `IMPLIES(SlotFree_A, table_valid_o, 1'(free_i >> slot_q))
  `STAYS(HeadHolds_A, head_valid_o, head_ready_i, {slot_o, head_o})
  `STAYS(ReadHolds_A, read_valid_o, read_ready_i, {read_line_o, read_lines_o})
  `IMPLIES(LineExpected_A, line_taken_i, lines_left_q != '0)
endmodule
