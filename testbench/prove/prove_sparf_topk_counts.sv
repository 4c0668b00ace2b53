// SPDX-License-Identifier: Apache-2.0
// sparf_topk_counts against counting: passes of any keys, each after the one before has passed through.
`include "prove.svh"
module prove_sparf_topk_counts #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned MaxKeys = 4,
  localparam int unsigned SumBits = $clog2(MaxKeys) + 1
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               load_i,
  input logic [SumBits-1:0] short_i,
  input logic [Lanes-1:0]   valid_i,
  input logic [2*Lanes-1:0] digit_i,
  input logic               scan_i
);
  `FROM_ANY_STATE
  logic scan_done, counting_q;
  logic [1:0] digit;
  logic [SumBits-1:0] left, short_q, short_now;
  logic [2:0] rest_q;  // cycles since the last key or scan
  assign short_now = load_i ? short_i : short_q;
  sparf_topk_counts #(
    .Lanes(Lanes),
    .MaxKeys(MaxKeys),
    .DigitBits(2)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .load_i(load_i),
    .short_i(short_now),
    .count_valid_i(valid_i),
    .count_digit_i(digit_i),
    .scan_i(scan_i),
    .scan_done_o(scan_done),
    .digit_o(digit),
    .left_o(left)
  );

  // Keys of each digit and above; how many keys are asked for.
  logic [SumBits:0] at_least_q[4], need;
  logic [SumBits:0] keys_q;
  assign need = -{short_q[SumBits-1], short_q};
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      counting_q <= 1'b0;
      rest_q <= 3'd0;
    end else begin
      if (load_i) counting_q <= 1'b1;
      else if (scan_i) counting_q <= 1'b0;
      if (valid_i != '0 || scan_i) rest_q <= '0;
      else if (rest_q != '1) rest_q <= rest_q + 1'b1;
    end
    if (load_i) short_q <= short_i;
    for (int unsigned d = 0; d < 4; d++) begin
      at_least_q[d] <= (load_i ? '0 : at_least_q[d]) +
          (SumBits + 1)'(valid_i[0] && digit_i[1:0] >= 2'(d)) +
          (SumBits + 1)'(valid_i[1] && digit_i[3:2] >= 2'(d));
    end
    keys_q <= (load_i ? '0 : keys_q) + (SumBits + 1)'(valid_i[0]) + (SumBits + 1)'(valid_i[1]);
  end
  `ASSUME(!load_i || (!counting_q && rest_q >= 3'd4 && short_i[SumBits-1]))
  `ASSUME(valid_i == '0 || counting_q || load_i)
  `ASSUME(!scan_i || (counting_q && !load_i))
  `ASSUME((load_i ? '0 : keys_q) + (SumBits + 1)'(valid_i[0]) + (SumBits + 1)'(valid_i[1])
          <= (SumBits + 1)'(MaxKeys))

  logic [1:0] largest;
  logic [SumBits:0] above;
  logic [3:0] scanned_q;
  always @* begin
    largest = '0;
    for (int unsigned d = 1; d < 4; d++) if (at_least_q[d] >= need) largest = 2'(d);
    above = largest == 2'd3 ? '0 : at_least_q[largest + 2'd1];
  end
  always @(posedge clk_i) scanned_q <= rst_ni ? {scanned_q[2:0], scan_i} : '0;
  `PROVE(DoneInTime, scan_done == scanned_q[3])
  `PROVE(Left, !scan_done || {left[SumBits-1], left} == above - need)
  // The digit stands in the cycle in which scan_done_o is high.
  `PROVE(Digit, !scan_done || digit == largest)
endmodule
