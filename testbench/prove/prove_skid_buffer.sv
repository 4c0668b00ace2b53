// SPDX-License-Identifier: Apache-2.0
// skid_buffer under any source and any sink: a stream of two places.
`include "prove.svh"
module prove_skid_buffer #(
  parameter int unsigned DataBits = 4
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                pick_i,
  input logic                in_valid_i,
  input logic [DataBits-1:0] in_data_i,
  input logic                in_mark_i,
  input logic                out_ready_i
);
  `FROM_ANY_STATE
  logic in_ready, out_valid, out_mark, wrong;
  logic [DataBits-1:0] out_data;
  logic [1:0] words;

  skid_buffer #(
    .DataBits(DataBits),
    .MarkBits(1)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready),
    .in_data_i(in_data_i),
    .in_marks_i(in_mark_i),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data),
    .out_marks_o(out_mark)
  );
  word_watch #(
    .DataBits(DataBits + 1),
    .CountBits(2)
  ) u_watch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(in_valid_i && in_ready),
    .push_data_i({in_mark_i, in_data_i}),
    .pop_i(out_valid && out_ready_i),
    .pop_data_i({out_mark, out_data}),
    .inside_o(words),
    .wrong_o(wrong)
  );

  `PROVE(InOrder, !wrong)
  `PROVE(NoneInvented, out_valid == (words != '0))
  `PROVE(TwoPlaces, in_ready == (words < 2'd2))

  // An offer is stable until it is accepted.
  logic offered_q;
  logic [DataBits:0] offer_q;
  always @(posedge clk_i) begin
    offered_q <= rst_ni && out_valid && !out_ready_i;
    offer_q <= {out_mark, out_data};
  end
  `PROVE(OfferHolds, !offered_q || (out_valid && {out_mark, out_data} == offer_q))
endmodule
