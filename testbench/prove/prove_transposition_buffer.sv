// SPDX-License-Identifier: Apache-2.0
// transposition_buffer: any value of any set, in any page, under any pauses. Each of two slots has
// half of the words. Values are bits; the free inputs watch_*_i select the followed value.
`include "prove.svh"
module prove_transposition_buffer #(
  parameter int unsigned Values = 4,
  parameter int unsigned Words = 4,
  localparam int unsigned DimBits = $clog2(Values),
  localparam int unsigned LogBits = $clog2(DimBits + 1),
  localparam int unsigned WordBits = $clog2(Words),
  localparam int unsigned Half = Words / 2,                 // words of a slot
  localparam int unsigned TokenBits = $clog2(Values * Half),
  localparam int unsigned LineBits = WordBits + 3           // lines that are promised
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 set_valid_i,
  input logic                 set_slot_i,
  input logic [DimBits-1:0]   set_first_i,
  input logic [LogBits-1:0]   set_log_dims_i,
  input logic [WordBits:0]    set_tiles_i,
  input logic                 line_valid_i,
  input logic [Values-1:0]    line_data_i,
  input logic                 page_valid_i,
  input logic                 page_slot_i,
  input logic [DimBits-1:0]   page_first_i,
  input logic [DimBits:0]     page_dims_i,
  input logic                 page_tag_i,
  input logic                 out_ready_i,
  input logic                 watch_slot_i,
  input logic [DimBits-1:0]   watch_dim_i,
  input logic [TokenBits-1:0] watch_token_i,
  input logic                 pick_i
);
  `FROM_ANY_STATE
  logic set_ready, line_ready, filled_valid, filled_slot, page_ready;
  logic out_valid, out_tag, out_last;
  logic [Values-1:0] out_data;
  logic [1:0] events;
  transposition_buffer #(
    .Values(Values),
    .ValueBits(1),
    .Words(Words),
    .Slots(2),
    .TagBits(1)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .set_valid_i(set_valid_i),
    .set_ready_o(set_ready),
    .set_slot_i(set_slot_i),
    .set_base_i(set_slot_i ? WordBits'(Half) : '0),
    .set_first_i(set_first_i),
    .set_log_dims_i(set_log_dims_i),
    .set_tiles_i(set_tiles_i),
    .line_valid_i(line_valid_i),
    .line_ready_o(line_ready),
    .line_data_i(line_data_i),
    .filled_valid_o(filled_valid),
    .filled_slot_o(filled_slot),
    .page_valid_i(page_valid_i),
    .page_ready_o(page_ready),
    .page_slot_i(page_slot_i),
    .page_first_i(page_first_i),
    .page_dims_i(page_dims_i),
    .page_tag_i(page_tag_i),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data),
    .out_tag_o(out_tag),
    .out_last_o(out_last),
    .events_o(events)
  );

  logic begins, takes, page_taken, leaves;
  assign begins = set_valid_i && set_ready;
  assign takes = line_valid_i && line_ready;
  assign page_taken = page_valid_i && page_ready;
  assign leaves = out_valid && out_ready_i;

  // The contract: sets within their half and aligned, pages of sets that began and within them.
  logic [DimBits:0] set_dims;
  assign set_dims = (DimBits + 1)'(1) << set_log_dims_i;
  `ASSUME(32'(set_log_dims_i) <= DimBits && 32'(set_dims) <= Half && set_tiles_i != '0)
  `ASSUME(32'(set_dims) * 32'(set_tiles_i) <= Half)
  `ASSUME((32'(set_first_i) & (32'(set_dims) - 1)) == '0)
  logic [1:0] begun_q;
  logic [DimBits:0] dims_q[2];
  logic [WordBits:0] tiles_q[2];
  `ASSUME(!page_valid_i || begun_q[page_slot_i])
  `ASSUME(page_dims_i != '0 && 32'(page_first_i) + 32'(page_dims_i) <= 32'(dims_q[page_slot_i]))

  // The set that is being filled, and the value that is followed.
  logic filling_q, fill_slot_q, ends, ended_q, ended_slot_q, watch_slot_q, value_q;
  logic [DimBits-1:0] first_q, watch_dim_q;
  logic [TokenBits:0] tokens_q, fill_tokens_q;  // arrived; expected in total
  logic [TokenBits-1:0] watch_token_q;
  assign ends = takes && tokens_q + 1'b1 == fill_tokens_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q <= '0;
      filling_q <= 1'b0;
      ended_q <= 1'b0;
      watch_slot_q <= watch_slot_i;
      watch_dim_q <= watch_dim_i;
      watch_token_q <= watch_token_i;
    end else begin
      ended_q <= ends;
      ended_slot_q <= fill_slot_q;
      if (ends) filling_q <= 1'b0;
      if (takes) begin
        tokens_q <= tokens_q + 1'b1;
        if (fill_slot_q == watch_slot_q && tokens_q == (TokenBits + 1)'(watch_token_q)) begin
          value_q <= line_data_i[first_q+watch_dim_q];
        end
      end
      if (begins) begin
        begun_q[set_slot_i] <= 1'b1;
        dims_q[set_slot_i] <= set_dims;
        tiles_q[set_slot_i] <= set_tiles_i;
        filling_q <= 1'b1;
        fill_slot_q <= set_slot_i;
        first_q <= set_first_i;
        tokens_q <= '0;
        fill_tokens_q <= (TokenBits + 1)'(set_tiles_i * Values);
      end
    end
  end

  // Lines of accepted pages that have not left; of one arbitrary page, the lines that leave before the line with the
  // value, and before its last line.
  logic [LineBits-1:0] owed_q, owed, lines, place, before_q, behind_q;
  logic has_it, watching_q, has_q, expected_q, tag_q, here, end_here;
  assign owed = owed_q - LineBits'(leaves);
  assign lines = LineBits'(32'(page_dims_i) * 32'(tiles_q[page_slot_i]));
  assign has_it = page_slot_i == watch_slot_q && watch_dim_q >= page_first_i
      && 32'(watch_dim_q) < 32'(page_first_i) + 32'(page_dims_i)
      && 32'(watch_token_q) < 32'(tiles_q[page_slot_i]) * Values;
  assign place = LineBits'(32'(watch_dim_q - page_first_i) * 32'(tiles_q[page_slot_i])
      + 32'(watch_token_q) / Values);
  assign here = watching_q && has_q && leaves && before_q == '0;
  assign end_here = watching_q && leaves && behind_q == '0;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      owed_q <= '0;
      watching_q <= 1'b0;
    end else begin
      owed_q <= owed + (page_taken ? lines : '0);
      if (watching_q) begin
        if (leaves) before_q <= before_q - 1'b1;
        if (leaves) behind_q <= behind_q - 1'b1;
        if (here) has_q <= 1'b0;
        if (end_here) watching_q <= 1'b0;
      end else if (page_taken && pick_i) begin
        watching_q <= 1'b1;
        has_q <= has_it;
        expected_q <= value_q;
        tag_q <= page_tag_i;
        before_q <= owed + place;
        behind_q <= owed + lines - 1'b1;
      end
    end
  end

  `PROVE(Transposed, !here || out_data[watch_token_q%Values] == expected_q)
  `PROVE(PageEnds, !end_here || (out_last && out_tag == tag_q))
  `PROVE(LastOnlyAtEnd, !here || end_here || !out_last)
  `PROVE(NoneInvented, !out_valid || owed_q != '0)
  `PROVE(LinePerCycle, line_ready == filling_q)
  `PROVE(FullNextCycle, filled_valid == ended_q && (!ended_q || filled_slot == ended_slot_q))
  `PROVE(Events, events == {leaves, takes})
endmodule
