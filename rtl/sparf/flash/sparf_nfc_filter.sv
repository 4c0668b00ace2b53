// SPDX-License-Identifier: Apache-2.0
// Filter of one flash channel. A page is `rows` rows of `row_beats` beats. Of each row in the mask the
// first `used_beats` beats pass; all other beats are dropped. In step 1 a row is one dimension of as many
// tokens as fit into a page, and used_beats ends the row where the sequence ends; in step 2 a row is one
// token. Beats that pass leave in order, one cycle later; the last beat of a row that passes and the last
// beat of all are marked. A page without a passing beat produces no
// output. The channel can be stopped: in_ready_o is its credit. The next page may start after the last
// beat.
`include "assert.svh"
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
  input  logic [RowBits:0]     page_rows_i,        // 1 .. MaxRows
  input  logic [CountBits-1:0] page_row_beats_i,   // 1 .. MaxRowBeats
  input  logic [CountBits-1:0] page_used_beats_i,  // 1 .. page_row_beats_i
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [BeatBits-1:0]  in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [BeatBits-1:0]  out_data_o,
  output logic                 out_row_last_o,
  output logic                 out_last_o,
  output logic [1:0]           events_o            // a beat arrived, a beat passed
);
  logic out_valid_q;
  logic [BeatBits-1:0] out_data_q;
  logic out_row_last_q, out_last_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_row_last_o = out_row_last_q;
  assign out_last_o = out_last_q;

  // Remaining beats of the row, and remaining beats that pass; each counter with a bit for the value
  // one; likewise the rows. A row passes if the mask's lowest bit is set.
  logic busy_q;
  logic [MaxRows-1:0] mask_q;  // of rows from the current one on
  logic [RowBits:0] rows_left_q;
  logic [CountBits-1:0] row_beats_q, used_beats_q, row_left_q, used_left_q;
  logic row_ends_q, used_ends_q, used_q, page_ends_q;

  logic start, taken, kept, last_taken;
  assign start = page_valid_i && page_ready_o;
  assign in_ready_o = busy_q && (!out_valid_q || out_ready_i);
  assign taken = in_valid_i && in_ready_o;
  assign kept = taken && mask_q[0] && used_q;
  assign last_taken = taken && row_ends_q && page_ends_q;
  assign page_ready_o = !busy_q;
  assign events_o = {kept, taken};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (start) busy_q <= 1'b1;
      else if (last_taken) busy_q <= 1'b0;
      if (kept) out_valid_q <= 1'b1;
      else if (out_ready_i) out_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      mask_q <= page_mask_i;
      rows_left_q <= page_rows_i;
      page_ends_q <= page_rows_i == (RowBits + 1)'(1);
      row_beats_q <= page_row_beats_i;
      used_beats_q <= page_used_beats_i;
    end else if (taken && row_ends_q) begin
      mask_q <= mask_q >> 1;
      rows_left_q <= rows_left_q - 1'b1;
      page_ends_q <= rows_left_q == (RowBits + 1)'(2);
    end
    if (start) begin
      row_left_q <= page_row_beats_i;
      row_ends_q <= page_row_beats_i == CountBits'(1);
      used_left_q <= page_used_beats_i;
      used_ends_q <= page_used_beats_i == CountBits'(1);
      used_q <= 1'b1;
    end else if (taken && row_ends_q) begin
      row_left_q <= row_beats_q;
      row_ends_q <= row_beats_q == CountBits'(1);
      used_left_q <= used_beats_q;
      used_ends_q <= used_beats_q == CountBits'(1);
      used_q <= 1'b1;
    end else if (taken) begin
      row_left_q <= row_left_q - 1'b1;
      row_ends_q <= row_left_q == CountBits'(2);
      used_left_q <= used_left_q - 1'b1;
      used_ends_q <= used_left_q == CountBits'(2);
      if (used_ends_q) used_q <= 1'b0;
    end
    if (kept) begin
      out_data_q <= in_data_i;
      out_row_last_q <= used_ends_q;
      out_last_q <= used_ends_q && mask_q[MaxRows-1:1] == '0;
    end
  end

  `IMPLIES(RowsInRange_A, page_valid_i,
           page_rows_i != '0 &&
          page_rows_i <= (RowBits + 1)'(MaxRows) && (page_mask_i >> page_rows_i) == '0)
  `IMPLIES(BeatsInRange_A, page_valid_i,
           page_used_beats_i != '0 &&
          page_used_beats_i <= page_row_beats_i && page_row_beats_i <= CountBits'(MaxRowBeats))
  `STAYS(DataHold_A, out_valid_o, out_ready_i, out_data_o)
  `STAYS(MarksHold_A, out_valid_o, out_ready_i, {out_row_last_o, out_last_o})
endmodule
