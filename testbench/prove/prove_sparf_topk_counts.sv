// SPDX-License-Identifier: Apache-2.0
// sparf_topk_counts against counting, by induction over cycles: registers have any contents in the first cycle.
// The invariant of counters and pipeline (holds) is true after a reset, from any contents, and every cycle
// preserves it; the answer to a scan then equals the count. Passes have any keys, at most MaxKeys, and each
// begins after the previous pass has left the pipeline.
`include "prove.svh"
module prove_sparf_topk_counts #(
  parameter int unsigned MaxKeys = 4,
  localparam int unsigned Lanes = 2,
  localparam int unsigned SumBits = $clog2(MaxKeys) + 1
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               load_i,
  input logic [SumBits-1:0] remaining_i,
  input logic [Lanes-1:0]   valid_i,
  input logic [2*Lanes-1:0] digit_i,
  input logic               scan_i
);
  localparam int unsigned Last = 1;
  `WINDOW(Last)
  logic scan_done;
  logic [1:0] digit;
  logic [SumBits-1:0] left, remaining_q, remaining_now;
  assign remaining_now = load_i ? remaining_i : remaining_q;
  sparf_topk_counts #(
    .Lanes(Lanes),
    .MaxKeys(MaxKeys),
    .DigitBits(2)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .load_i(load_i),
    .remaining_i(remaining_now),
    .count_valid_i(valid_i),
    .count_digit_i(digit_i),
    .scan_i(scan_i),
    .scan_done_o(scan_done),
    .digit_o(digit),
    .left_o(left),
    .whole_o()
  );
  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic [127:32] \u_dut.sums_q ;
  (* hierconn *) logic [1:0] \u_dut.works_q ;
  (* hierconn *) logic [1:0] \u_dut.beat_q[1] , \u_dut.beat_q[2] , \u_dut.beat_q[3] ;
  (* hierconn *) logic [Lanes-1:0] \u_dut.upper_q[1] , \u_dut.lower_q[1] ;
  (* hierconn *) logic [3:0] \u_dut.scan_q ;
  logic [5:0] beats;
  logic [1:0] works;
  logic [Lanes-1:0] upper, lower;
  logic [3:0] scan;
  assign beats = {\u_dut.beat_q[3] , \u_dut.beat_q[2] , \u_dut.beat_q[1] };
  assign works = \u_dut.works_q ;
  assign upper = \u_dut.upper_q[1] ;
  assign lower = \u_dut.lower_q[1] ;
  assign scan = \u_dut.scan_q ;

  // A pass: from its load on; keys may arrive until its scan. Keys of each digit and above, in total, in the last cycle
  // and in the one before it.
  logic pass_q, counting_q;
  logic [2:0] rest_q;  // cycles since the last key or scan
  logic [SumBits:0] at_least_q[4], keys_q, need;
  logic [1:0] now[4], last_q[4], before_q[4];
  assign need = -{remaining_q[SumBits-1], remaining_q};
  always_comb begin
    for (int unsigned d = 0; d < 4; d++) begin
      now[d] = 2'(valid_i[0] && digit_i[1:0] >= 2'(d)) + 2'(valid_i[1] && digit_i[3:2] >= 2'(d));
    end
  end
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      pass_q <= 1'b0;
      counting_q <= 1'b0;
      rest_q <= '0;
      keys_q <= '0;
    end else begin
      if (load_i) pass_q <= 1'b1;
      if (load_i) counting_q <= 1'b1;
      else if (scan_i) counting_q <= 1'b0;
      if (valid_i != '0 || scan_i) rest_q <= '0;
      else if (rest_q != '1) rest_q <= rest_q + 1'b1;
      keys_q <= (load_i ? '0 : keys_q) + (SumBits + 1)'(now[0]);
    end
    if (load_i) remaining_q <= remaining_i;
    for (int unsigned d = 0; d < 4; d++) begin
      at_least_q[d] <= (load_i ? '0 : at_least_q[d]) + (SumBits + 1)'(now[d]);
      last_q[d] <= rst_ni ? now[d] : '0;
      before_q[d] <= rst_ni ? last_q[d] : '0;
    end
  end
  always @* begin
    if (rst_ni) begin
      assume (!load_i || (!counting_q && rest_q >= 3'd4 && remaining_i[SumBits-1]));
      assume (valid_i == '0 || counting_q || load_i);
      assume (!scan_i || (counting_q && !load_i));
    end
    assume ((load_i ? '0 : keys_q) + (SumBits + 1)'(now[0]) <= (SumBits + 1)'(MaxKeys));
  end

  // The invariant of counters and pipeline.
  logic holds;
  logic [3:0] scanned_q;
  always @(posedge clk_i) scanned_q <= rst_ni ? {scanned_q[2:0], scan_i} : '0;
  always_comb begin
    holds = scan == scanned_q && works == {before_q[0] != '0, last_q[0] != '0} &&
        (!pass_q || (at_least_q[0] == keys_q && keys_q <= (SumBits + 1)'(MaxKeys) &&
                     remaining_q[SumBits-1])) &&
        (!counting_q || (pass_q && scan == '0)) && (pass_q || scan == '0) &&
        (last_q[0] == '0 || rest_q == 3'd0) && (before_q[0] == '0 || rest_q <= 3'd1) &&
        (!scan[0] || rest_q == 3'd0) && (!scan[1] || rest_q == 3'd1) &&
        (!scan[2] || rest_q == 3'd2) && (!scan[3] || rest_q == 3'd3) &&
        ((scan & (scan - 1'b1)) == '0);
    for (int unsigned d = 1; d < 4; d++) begin
      logic [SumBits-1:0] sum;
      logic [1:0] split;
      split = '0;
      for (int unsigned l = 0; l < Lanes; l++) begin
        split = split + 2'(d == 1 ? upper[l] || lower[l] : d == 2 ? upper[l] : upper[l] && lower[l]);
      end
      sum = \u_dut.sums_q [d*32 +: SumBits];
      if ((works != '0 && split != last_q[d]) || beats[2*(d-1) +: 2] != before_q[d]) holds = 1'b0;
      if (pass_q && {sum[SumBits-1], sum} != at_least_q[d] - need - (SumBits + 1)'(last_q[d]) -
          (SumBits + 1)'(before_q[d])) holds = 1'b0;
      if (pass_q && at_least_q[d] > at_least_q[d-1]) holds = 1'b0;
      if (last_q[d] > last_q[d-1] || before_q[d] > before_q[d-1]) holds = 1'b0;
    end
  end
  logic held_q, reset_q;
  always @(posedge clk_i) {held_q, reset_q} <= {holds && rst_ni, !rst_ni};

  logic [1:0] largest;
  logic [SumBits:0] above;
  always @* begin
    largest = '0;
    for (int unsigned d = 1; d < 4; d++) if (at_least_q[d] >= need) largest = 2'(d);
    above = largest == 2'd3 ? '0 : at_least_q[largest + 2'd1];
  end
  `AT_THE_END(Reset, !reset_q || holds)
  `AT_THE_END(Step, !held_q || holds)
  `AT_THE_END(DoneInTime, !held_q || scan_done == scanned_q[3])
  `AT_THE_END(Left, !held_q || !rst_ni || !scan_done || {left[SumBits-1], left} == above - need)
  `AT_THE_END(Digit, !held_q || !scan_done || digit == largest)
endmodule
