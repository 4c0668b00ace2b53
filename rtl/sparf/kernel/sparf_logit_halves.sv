// SPDX-License-Identifier: Apache-2.0
// Two halves of a memory of logits, which heads use alternately: one half is filled while the previous one is
// used. A head that needs more than a half (whole) occupies the whole memory, when both halves are free. Logits
// arrive after the decision on their head's last tile, so arrival and filling have separate pointers. A head's
// logits are used from the second cycle after its last logit on, when that logit is stored.
`include "assert.svh"
module sparf_logit_halves #(
  parameter int unsigned Slots = 8,
  localparam int unsigned SlotBits = $clog2(Slots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                fill_valid_i,    // only while fill_ready_o
  output logic                fill_ready_o,
  output logic                empty_o,         // no head is inside
  input  logic [SlotBits-1:0] fill_slot_i,
  input  logic                fill_whole_i,
  output logic                fill_half_o,
  input  logic                arrive_end_i,    // the head's last logit
  output logic                arrive_half_o,
  output logic                arrive_upper_o,  // its logits are in the upper half
  output logic                use_valid_o,     // the head's logits are all stored
  output logic                use_half_o,
  output logic                use_upper_o,
  output logic [SlotBits-1:0] use_slot_o,
  output logic [SlotBits-1:0] next_slot_o,     // use_slot_o in the next cycle, of a head that waits
  input  logic                release_i
);
  logic fill_half_q, arrive_half_q, use_half_q;
  assign fill_half_o = fill_half_q;
  assign arrive_half_o = arrive_half_q;
  assign use_half_o = use_half_q;

  logic [1:0] taken_q, full_q, whole_q;
  logic end_q, end_half_q;
  logic [SlotBits-1:0] slot_q[2];

  assign empty_o = taken_q == '0;
  assign fill_ready_o = fill_whole_i ? empty_o : !taken_q[fill_half_q] && whole_q == '0;
  assign arrive_upper_o = arrive_half_q && !whole_q[arrive_half_q];
  assign use_valid_o = full_q[use_half_q];
  assign use_upper_o = use_half_q && !whole_q[use_half_q];
  assign use_slot_o = slot_q[use_half_q];
  assign next_slot_o = slot_q[use_half_q ^ release_i];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taken_q <= '0;
      full_q <= '0;
      whole_q <= '0;
      end_q <= 1'b0;
      fill_half_q <= 1'b0;
      arrive_half_q <= 1'b0;
      use_half_q <= 1'b0;
    end else begin
      for (int unsigned h = 0; h < 2; h++) begin
        if (fill_valid_i && fill_half_q == 1'(h)) begin
          taken_q[h] <= 1'b1;
          whole_q[h] <= fill_whole_i;
        end
        if (end_q && end_half_q == 1'(h)) full_q[h] <= 1'b1;
        if (release_i && use_half_q == 1'(h)) begin
          taken_q[h] <= 1'b0;
          full_q[h] <= 1'b0;
          whole_q[h] <= 1'b0;
        end
      end
      end_q <= arrive_end_i;
      if (fill_valid_i) fill_half_q <= !fill_half_q;
      if (arrive_end_i) arrive_half_q <= !arrive_half_q;
      if (release_i) use_half_q <= !use_half_q;
    end
    end_half_q <= arrive_half_q;
    if (fill_valid_i) slot_q[fill_half_q] <= fill_slot_i;
  end

  `IMPLIES(FillWhenReady_A, fill_valid_i, fill_ready_o)
  `IMPLIES(ReleaseWhenUsed_A, release_i, use_valid_o)
endmodule
