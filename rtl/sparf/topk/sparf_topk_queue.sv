// SPDX-License-Identifier: Apache-2.0
// Output queue of selections. Entries are reserved before a beat is requested (promise_i, only while room_o),
// so that no beat stalls in the pipeline; a beat without a selection releases its entry, unless it is the last.
// Beats of a counting pass reserve entries, too, with or without space, and never arrive: all entries are free
// when the next pass begins (begin_i).
`include "assert.svh"
module sparf_topk_queue #(
  parameter int unsigned BeatBits = 12,
  parameter int unsigned Lanes = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                begin_i,      // no beat is in flight
  input  logic                promise_i,
  output logic                room_o,
  input  logic                beat_valid_i,
  input  logic                beat_last_i,
  input  logic [BeatBits-1:0] beat_i,
  input  logic [Lanes-1:0]    mask_i,
  output logic                sel_valid_o,
  input  logic                sel_ready_i,
  output logic [BeatBits-1:0] sel_beat_o,
  output logic [Lanes-1:0]    sel_mask_o,
  output logic                sel_last_o,
  output logic                done_o       // the last was accepted in the previous cycle
);
  localparam int unsigned QueueBits = $clog2(sparf_topk_pkg::QueueBeats);

  logic sel_valid_q;
  logic [BeatBits-1:0] sel_beat_q;
  logic [Lanes-1:0] sel_mask_q;
  logic sel_last_q, done_q;
  assign sel_valid_o = sel_valid_q;
  assign sel_beat_o = sel_beat_q;
  assign sel_mask_o = sel_mask_q;
  assign sel_last_o = sel_last_q;
  assign done_o = done_q;

  logic [BeatBits+Lanes:0] queue_q[sparf_topk_pkg::QueueBeats];
  logic [QueueBits:0] write_q, out_q;
  logic [QueueBits:0] free_q;  // free entries, less one
  logic keep, drop_q, pop, popped_q, stored, open;

  assign keep = beat_valid_i && (mask_i != '0 || beat_last_i);
  assign pop = sel_valid_q && sel_ready_i;
  assign room_o = !free_q[QueueBits];
  // The next selection waits in a register; a beat bypasses an empty queue into it.
  assign stored = write_q != out_q;
  assign open = !sel_valid_q || sel_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      out_q <= '0;
      free_q <= ($bits(free_q))'(sparf_topk_pkg::QueueBeats - 1);
      drop_q <= 1'b0;
      popped_q <= 1'b0;
      done_q <= 1'b0;
      sel_valid_q <= 1'b0;
    end else begin
      drop_q <= beat_valid_i && !keep;
      popped_q <= pop;
      done_q <= pop && sel_last_q;
      if (keep && (stored || !open)) write_q <= write_q + 1'b1;
      if (open && stored) out_q <= out_q + 1'b1;
      if (open) sel_valid_q <= stored || keep;
      if (begin_i) free_q <= ($bits(free_q))'(sparf_topk_pkg::QueueBeats - 1);
      else begin
        free_q <= free_q + ($bits(free_q))'(drop_q) + ($bits(free_q))'(popped_q)
            - ($bits(free_q))'(promise_i);
      end
    end
    if (open) begin
      {sel_last_q, sel_beat_q, sel_mask_q} <= stored ? queue_q[out_q[QueueBits-1:0]]
          : {beat_last_i, beat_i, mask_i};
    end
    if (keep) queue_q[write_q[QueueBits-1:0]] <= {beat_last_i, beat_i, mask_i};
  end

  `STAYS(SelectionHolds_A, sel_valid_o, sel_ready_i, {sel_mask_o, sel_beat_o, sel_last_o})
  `IMPLIES(HasRoom_A, keep, write_q - out_q != ($bits(write_q))'(sparf_topk_pkg::QueueBeats))
endmodule
