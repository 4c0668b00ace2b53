// SPDX-License-Identifier: Apache-2.0
// Attention kernel of the SparF engine: all that is numeric, for up to Slots heads at a time. The
// numbers are those of src/golden/attention-engine.ts, bit for bit, for any Lanes.
//
// A head enters with its queries (one, or a group that shares keys and values; rows padded to whole
// lines) and, when it is sparse and wants the mean, the sums of its value columns (64 bits, units of
// 2^-24). When dims leaves, for every head, dense ones too (all ones), the kernel takes jobs of it:
//   column jobs   a block of tokens in dimension order; row jobs: tokens in token order. Of the
//                 first step (second_i low) the chosen dimensions alone count. Logits are in token
//                 order: the jobs of one step of one head follow each other among jobs of that step.
//   selection     after the last job of step 1, beats of eight tokens, those without one left out
//   value jobs    rows of values in the order of the tokens of step 2, whose logits are all there
//   output        a row of FP16 a query, padded to lines with zeros; the last line frees the slot
// Data of jobs lie in two rings outside (line = base modulo RingLines; read data a cycle later).
// A column job's chosen dimension c (ascending) begins at base + c row_lines; rows of a row job or
// a value job follow each other without gaps. done strobes say that a job's lines are free.
`include "assert.svh"
module sparf_kernel #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,  // queries of a group times tokens, these in eights
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned Slots = 8,
  parameter int unsigned RingLines = 2048,
  localparam int unsigned SlotBits = $clog2(Slots),
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned DimBits = $clog2(Width) + 1,
  localparam int unsigned LineBits = $clog2(RingLines),
  localparam int unsigned BeatBits = $clog2(MaxKeys / sparf_kernel_pkg::KeysPerBeat)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       head_valid_i,
  output logic                       head_ready_o,
  input  logic [SlotBits-1:0]        head_slot_i,
  input  logic                       head_dense_i,
  input  logic [GroupBits-1:0]       head_group_i,      // queries, less one
  input  logic [SizeBits-1:0]        head_tokens_i,     // S, 1 or more
  input  logic [DimBits-1:0]         head_dims_i,       // r, 1 .. Width
  input  logic [SizeBits-1:0]        head_take_i,       // k, 1 or more; above S: S
  input  logic [SizeBits-1:0]        head_window_i,     // l
  input  logic                       head_mean_i,       // sums of value columns follow the queries
  input  logic [31:0]                head_scale_i,      // FP32 log2(e) / sqrt(width)
  input  logic [31:0]                head_reciprocal_i, // FP32 1 / S
  input  logic                       line_valid_i,
  output logic                       line_ready_o,
  input  logic [511:0]               line_data_i,
  output logic                       dims_valid_o,
  input  logic                       dims_ready_i,
  output logic [SlotBits-1:0]        dims_slot_o,
  output logic [Width-1:0]           dims_mask_o,
  input  logic                       kjob_valid_i,
  output logic                       kjob_ready_o,
  input  logic [SlotBits-1:0]        kjob_slot_i,
  input  logic                       kjob_column_i,
  input  logic                       kjob_second_i,
  input  logic [SizeBits-1:0]        kjob_count_i,      // tokens
  input  logic [LineBits-1:0]        kjob_base_i,
  input  logic [LineBits-1:0]        kjob_row_lines_i,  // of a column job
  input  logic                       kjob_last_i,       // of this step of this head
  output logic                       kjob_done_o,
  output logic                       kread_o,
  output logic [LineBits-1:0]        kaddr_o,
  input  logic [511:0]               kdata_i,
  input  logic                       vjob_valid_i,
  output logic                       vjob_ready_o,
  input  logic [SlotBits-1:0]        vjob_slot_i,
  input  logic [SizeBits-1:0]        vjob_count_i,
  input  logic [LineBits-1:0]        vjob_base_i,
  input  logic                       vjob_last_i,       // of this head
  output logic                       vjob_done_o,
  output logic                       vread_o,
  output logic [LineBits-1:0]        vaddr_o,
  input  logic [511:0]               vdata_i,
  output logic                       sel_valid_o,
  input  logic                       sel_ready_i,
  output logic [SlotBits-1:0]        sel_slot_o,
  output logic [BeatBits-1:0]        sel_beat_o,
  output logic [7:0]                 sel_mask_o,
  output logic                       sel_last_o,
  output logic                       out_valid_o,
  input  logic                       out_ready_i,
  output logic [SlotBits-1:0]        out_slot_o,
  output logic [GroupBits-1:0]       out_query_o,
  output logic [DimBits-1:0]         out_line_o,        // of the query's row
  output logic [511:0]               out_data_o,
  output logic                       out_last_o,        // of the head
  output logic [sparf_kernel_pkg::Events-1:0] events_o
);
endmodule
