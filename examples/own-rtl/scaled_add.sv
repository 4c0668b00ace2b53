// SPDX-License-Identifier: Apache-2.0
// y = a + scale * b for messages of two streams, one result for each pair, a cycle later. Sums wrap at
// their width; a counter numbers the results.
module scaled_add #(
  parameter int unsigned Width = 16
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [3:0]         scale_i,
  input  logic               a_valid_i,
  output logic               a_ready_o,
  input  logic [Width-1:0]   a_i,
  input  logic               b_valid_i,
  output logic               b_ready_o,
  input  logic [Width-1:0]   b_i,
  output logic               y_valid_o,
  input  logic               y_ready_i,
  output logic [Width+4:0]   y_sum_o,
  output logic [7:0]         y_number_o,
  output logic [31:0]        count_o
);
  logic y_valid_q;
  logic [Width+4:0] y_sum_q;
  logic [7:0] y_number_q;
  logic [31:0] count_q;
  assign y_valid_o = y_valid_q;
  assign y_sum_o = y_sum_q;
  assign y_number_o = y_number_q;
  assign count_o = count_q;

  // A pair is taken when both are there and the result's register is free or becomes so.
  logic take;
  assign take = a_valid_i && b_valid_i && (!y_valid_q || y_ready_i);
  assign a_ready_o = take;
  assign b_ready_o = take;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      y_valid_q <= 1'b0;
      count_q <= '0;
    end else begin
      if (take) y_valid_q <= 1'b1;
      else if (y_ready_i) y_valid_q <= 1'b0;
      if (y_valid_q && y_ready_i) count_q <= count_q + 1;
    end
    if (take) begin
      y_sum_q <= (Width + 5)'(a_i) + (Width + 5)'(b_i) * (Width + 5)'(scale_i);
      y_number_q <= y_valid_q ? y_number_q + 1 : count_q[7:0];
    end
  end
endmodule
