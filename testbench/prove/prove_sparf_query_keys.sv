// SPDX-License-Identifier: Apache-2.0
// sparf_query_keys: magnitudes of dimensions in any order, with any pauses, two of one dimension at least three cycles
// apart, and reads of any rows. A free input picks the watched dimension.
`include "prove.svh"
module prove_sparf_query_keys #(
  parameter int unsigned Width = 4,
  parameter int unsigned FixedBits = 3,
  parameter int unsigned MaxGroup = 2,
  parameter int unsigned KeyBits = 5,
  localparam int unsigned KeysPerRow = 2,
  localparam int unsigned IndexBits = $clog2(Width),
  localparam int unsigned RowBits = IndexBits - 1,
  localparam int unsigned SumBits = FixedBits + $clog2(MaxGroup)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [IndexBits-1:0] next_i,
  input logic                 first_i,
  input logic                 valid_i,
  input logic [FixedBits-1:0] fixed_i,
  input logic                 select_i,
  input logic [RowBits-1:0]   row_i,
  input logic [IndexBits-1:0] followed_i
);
  logic [KeysPerRow*KeyBits-1:0] keys;
  logic [IndexBits-1:0] index_q, followed_q;
  logic first_q;
  sparf_query_keys #(
    .Width(Width),
    .KeysPerRow(KeysPerRow),
    .FixedBits(FixedBits),
    .MaxGroup(MaxGroup),
    .KeyBits(KeyBits)
  ) u_dut (
    .clk_i(clk_i),
    .next_i(next_i),
    .first_i(first_i),
    .valid_i(valid_i),
    .index_i(index_q),
    .fixed_i(fixed_i),
    .select_i(select_i),
    .row_i(row_i),
    .keys_o(keys)
  );
  `FROM_ANY_STATE

  logic [SumBits-1:0] sum_q;
  logic [RowBits-1:0] fetch_q, row_q;
  logic followed, known_q;
  logic [1:0] age_q;     // cycles since the dimension's last magnitude, three at most
  logic [2:0] select_q;  // select_i of the cycles before
  assign followed = valid_i && index_q == followed_q;
  // A dimension's sum begins with its magnitude of the first query.
  `ASSUME(!followed || ((known_q || first_q) && (!known_q || age_q == 2'd3)))
  // No magnitudes arrive or are in flight while rows are read.
  `ASSUME(!select_i || !valid_i)
  `ASSUME(!valid_i || !select_q[0])
  always @(posedge clk_i) begin
    index_q <= next_i;
    first_q <= first_i;
    fetch_q <= row_i;
    row_q <= fetch_q;
    select_q <= {select_q[1:0], select_i};
    if (!rst_ni) begin
      followed_q <= followed_i;
      known_q <= 1'b0;
    end else if (followed) begin
      known_q <= 1'b1;
      sum_q <= first_q ? SumBits'(fixed_i) : sum_q + SumBits'(fixed_i);
      age_q <= 2'd1;
    end else if (age_q != 2'd3) begin
      age_q <= age_q + 1'b1;
    end
  end

  `PROVE(Sum, !known_q || age_q != 2'd3 || !select_i || row_q != followed_q[IndexBits-1:1] ||
         keys[KeyBits*32'(followed_q[0])+:KeyBits] == KeyBits'(sum_q))
endmodule
