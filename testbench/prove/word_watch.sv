// SPDX-License-Identifier: Apache-2.0
// Follows one word through any queue: the free input pick_i selects one of the pushed words.
// wrong_o is high when another word leaves in the position of this one. If it is never high, no
// word is lost, duplicated, changed or reordered. inside_o counts the words in the queue.
module word_watch #(
  parameter int unsigned DataBits = 4,
  parameter int unsigned CountBits = 4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 pick_i,
  input  logic                 push_i,
  input  logic [DataBits-1:0]  push_data_i,
  input  logic                 pop_i,
  input  logic [DataBits-1:0]  pop_data_i,
  output logic [CountBits-1:0] inside_o,
  output logic                 wrong_o
);
  logic watching_q;
  logic [DataBits-1:0] word_q;
  logic [CountBits-1:0] ahead_q;  // words that leave before the watched word
  assign wrong_o = watching_q && pop_i && ahead_q == '0 && pop_data_i != word_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_o <= '0;
      watching_q <= 1'b0;
    end else begin
      inside_o <= inside_o + CountBits'(push_i) - CountBits'(pop_i);
      if (watching_q) begin
        if (pop_i && ahead_q == '0) watching_q <= 1'b0;
        if (pop_i) ahead_q <= ahead_q - 1'b1;
      end else if (push_i && pick_i) begin
        watching_q <= 1'b1;
        word_q <= push_data_i;
        ahead_q <= inside_o - CountBits'(pop_i);
      end
    end
  end
endmodule
