// SPDX-License-Identifier: Apache-2.0
// A filter of a flash channel, in place of rtl/sparf/flash/sparf_nfc_filter.sv, that removes NaN and infinity:
// an FP16 value with an exponent of ones leaves as a zero of its sign. The engine's units require finite
// numbers, and one key or value that overflowed before it was cached would corrupt a whole head. The ports and
// the timing equal those of SparF's filter.
module sparf_nfc_filter #(
  parameter int unsigned MaxRows = 16,
  parameter int unsigned MaxRowBeats = 512,
  parameter int unsigned BeatBits = 64,
  localparam int unsigned RowBits = $clog2(MaxRows),
  localparam int unsigned CountBits = $clog2(MaxRowBeats) + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 page_valid_i,
  output logic                 page_ready_o,
  input  logic [MaxRows-1:0]   page_mask_i,
  input  logic [RowBits:0]     page_rows_i,
  input  logic [CountBits-1:0] page_row_beats_i,
  input  logic [CountBits-1:0] page_used_beats_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [BeatBits-1:0]  in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [BeatBits-1:0]  out_data_o,
  output logic                 out_row_last_o,
  output logic                 out_last_o,
  output logic [1:0]           events_o
);
  logic out_valid_q;
  logic [BeatBits-1:0] out_data_q;
  logic out_row_last_q, out_last_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_row_last_o = out_row_last_q;
  assign out_last_o = out_last_q;

  // The page, and the row and the beat of it that come next.
  logic busy_q;
  logic [MaxRows-1:0] mask_q;  // of rows from this one on
  logic [RowBits:0] rows_q, row_q;
  logic [CountBits-1:0] row_beats_q, used_beats_q, beat_q;

  logic start, taken, kept, row_ends, used_ends, page_ends;
  assign page_ready_o = !busy_q;
  assign in_ready_o = busy_q && (!out_valid_q || out_ready_i);
  assign start = page_valid_i && page_ready_o;
  assign taken = in_valid_i && in_ready_o;
  assign kept = taken && mask_q[0] && beat_q < used_beats_q;
  assign row_ends = beat_q == row_beats_q - 1'b1;
  assign used_ends = beat_q == used_beats_q - 1'b1;
  assign page_ends = row_ends && row_q == rows_q - 1'b1;
  assign events_o = {kept, taken};

  function automatic logic [BeatBits-1:0] finite(input logic [BeatBits-1:0] beat);
    finite = beat;
    for (int unsigned i = 0; i < BeatBits / 16; i++) begin
      if (beat[i*16+10+:5] == '1) finite[i*16+:15] = '0;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (start) busy_q <= 1'b1;
      else if (taken && page_ends) busy_q <= 1'b0;
      if (kept) out_valid_q <= 1'b1;
      else if (out_ready_i) out_valid_q <= 1'b0;
    end
    if (start) begin
      mask_q <= page_mask_i;
      rows_q <= page_rows_i;
      row_beats_q <= page_row_beats_i;
      used_beats_q <= page_used_beats_i;
      row_q <= '0;
      beat_q <= '0;
    end else if (taken) begin
      beat_q <= row_ends ? '0 : beat_q + 1'b1;
      if (row_ends) begin
        row_q <= row_q + 1'b1;
        mask_q <= mask_q >> 1;
      end
    end
    if (kept) begin
      out_data_q <= finite(in_data_i);
      out_row_last_q <= used_ends;
      out_last_q <= used_ends && mask_q[MaxRows-1:1] == '0;
    end
  end
endmodule
