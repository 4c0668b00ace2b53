// SPDX-License-Identifier: Apache-2.0
// sparf_nfc_filter against its definition: the beats of a page that are in a row of the mask and among the first
// used_beats beats of the row leave in order, with their marks.
`include "prove.svh"
module prove_sparf_nfc_filter #(
  parameter int unsigned MaxRows = 4,
  parameter int unsigned MaxRowBeats = 4,
  localparam int unsigned RowBits = $clog2(MaxRows),
  localparam int unsigned CountBits = $clog2(MaxRowBeats) + 1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 pick_i,
  input logic                 page_valid_i,
  input logic [MaxRows-1:0]   mask_i,
  input logic [RowBits:0]     rows_i,
  input logic [CountBits-1:0] row_beats_i,
  input logic [CountBits-1:0] used_beats_i,
  input logic                 in_valid_i,
  input logic                 data_i,
  input logic                 out_ready_i
);
  `FROM_ANY_STATE
  logic page_ready, in_ready, out_valid, out_data, row_last, last, wrong, takes, keeps, in_page_q;
  logic [1:0] events, words;
  sparf_nfc_filter #(
    .MaxRows(MaxRows),
    .MaxRowBeats(MaxRowBeats),
    .BeatBits(1)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .page_valid_i(page_valid_i),
    .page_ready_o(page_ready),
    .page_mask_i(mask_i),
    .page_rows_i(rows_i),
    .page_row_beats_i(row_beats_i),
    .page_used_beats_i(used_beats_i),
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready),
    .in_data_i(data_i),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data),
    .out_row_last_o(row_last),
    .out_last_o(last),
    .events_o(events)
  );
  `ASSUME(!page_valid_i || (rows_i != '0 && rows_i <= (RowBits + 1)'(MaxRows) &&
          (mask_i >> rows_i) == '0 && used_beats_i != '0 && used_beats_i <= row_beats_i &&
          row_beats_i <= CountBits'(MaxRowBeats)))

  // The parameters of the page, and the position of the next beat in it.
  logic [MaxRows-1:0] mask_q;
  logic [RowBits:0] rows_q, row_q;
  logic [CountBits-1:0] row_beats_q, used_beats_q, beat_q;
  assign takes = in_valid_i && in_ready;
  assign keeps = takes && mask_q[row_q[RowBits-1:0]] && beat_q < used_beats_q;
  always @(posedge clk_i) begin
    if (!rst_ni) in_page_q <= 1'b0;
    else if (page_valid_i && page_ready) begin
      in_page_q <= 1'b1;
      mask_q <= mask_i;
      rows_q <= rows_i;
      row_beats_q <= row_beats_i;
      used_beats_q <= used_beats_i;
      row_q <= '0;
      beat_q <= '0;
    end else if (takes) begin
      beat_q <= beat_q + 1'b1;
      if (beat_q + 1'b1 == row_beats_q) begin
        beat_q <= '0;
        row_q <= row_q + 1'b1;
        if (row_q + 1'b1 == rows_q) in_page_q <= 1'b0;
      end
    end
  end
  logic beat_last, page_last;
  assign beat_last = beat_q + 1'b1 == used_beats_q;
  assign page_last = beat_last && (mask_q >> (row_q + 1'b1)) == '0;
  word_watch #(
    .DataBits(3),
    .CountBits(2)
  ) u_watch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(keeps),
    .push_data_i({data_i, beat_last, page_last}),
    .pop_i(out_valid && out_ready_i),
    .pop_data_i({out_data, row_last, last}),
    .inside_o(words),
    .wrong_o(wrong)
  );
  `PROVE(InOrder, !wrong)
  `PROVE(OnlySelectedBeats, out_valid == (words != '0))
  `PROVE(NextPage, page_ready == !in_page_q)
  `PROVE(Takes, in_ready == (in_page_q && (!out_valid || out_ready_i)))
  `PROVE(Events, events == {keeps, takes})
endmodule
