// SPDX-License-Identifier: Apache-2.0
// sparf_topk_queue under its contract: a beat arrives only for a slot that was promised in its pass, a slot is promised
// only while there is free space, and every promised beat arrives. In a counting pass, slots are promised independently
// of the free space, and no beat arrives. A pass begins with an empty queue.
`include "prove.svh"
module prove_sparf_topk_queue (
  input logic clk_i,
  input logic rst_ni,
  input logic pick_i,
  input logic begin_i,
  input logic promise_i,
  input logic beat_valid_i,
  input logic beat_last_i,
  input logic beat_i,
  input logic mask_i,
  input logic sel_ready_i
);
  `FROM_ANY_STATE
  logic room, sel_valid, sel_beat, sel_mask, sel_last, done, wrong, done_q;
  logic [5:0] owed_q, words;
  sparf_topk_queue #(
    .BeatBits(1),
    .Lanes(1)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .begin_i(begin_i),
    .promise_i(promise_i),
    .room_o(room),
    .beat_valid_i(beat_valid_i),
    .beat_last_i(beat_last_i),
    .beat_i(beat_i),
    .mask_i(mask_i),
    .sel_valid_o(sel_valid),
    .sel_ready_i(sel_ready_i),
    .sel_beat_o(sel_beat),
    .sel_mask_o(sel_mask),
    .sel_last_o(sel_last),
    .done_o(done)
  );
  // A pass with more promises than space only counts; a pass in which a beat arrives selects.
  logic counts_q, selects_q, moved_q;
  `ASSUME(!promise_i || room || (!selects_q && !beat_valid_i))
  `ASSUME(!beat_valid_i || (owed_q != '0 && !counts_q))
  `ASSUME(!begin_i || (words == '0 && !moved_q && !beat_valid_i && !promise_i))
  always @(posedge clk_i) begin
    owed_q <= !rst_ni || begin_i ? '0 : owed_q + 6'(promise_i && !counts_q) - 6'(beat_valid_i);
    counts_q <= rst_ni && !begin_i && (counts_q || (promise_i && !room));
    selects_q <= rst_ni && !begin_i && (selects_q || beat_valid_i);
    moved_q <= rst_ni && (beat_valid_i || (sel_valid && sel_ready_i));
    done_q <= rst_ni && sel_valid && sel_ready_i && sel_last;
  end
  word_watch #(
    .DataBits(3),
    .CountBits(6)
  ) u_watch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(beat_valid_i && (mask_i || beat_last_i)),
    .push_data_i({beat_last_i, beat_i, mask_i}),
    .pop_i(sel_valid && sel_ready_i),
    .pop_data_i({sel_last, sel_beat, sel_mask}),
    .inside_o(words),
    .wrong_o(wrong)
  );
  `PROVE(InOrder, !wrong)
  `PROVE(NoneInvented, sel_valid == (words != '0))
  `PROVE(NeverFull, counts_q || words + owed_q <= 6'(sparf_topk_pkg::QueueBeats))
  `PROVE(Done, done == done_q)
endmodule
