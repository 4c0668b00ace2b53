// SPDX-License-Identifier: Apache-2.0
// The row address of each query's logits in a memory of rows, for two heads in its halves: the rows of a query
// follow those of the previous query. The first row of each query is computed, one query per cycle, after the
// head's fill, before its first logits arrive. row_o follows row_i by two cycles.
`include "assert.svh"
module sparf_logit_rows #(
  parameter int unsigned Rows = 4096,
  parameter int unsigned MaxGroup = 8,
  localparam int unsigned RowBits = $clog2(Rows),
  localparam int unsigned GroupBits = $clog2(MaxGroup)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 fill_valid_i,
  input  logic                 fill_half_i,
  input  logic [RowBits-1:0]   fill_base_i,   // row of the first query's first logit
  input  logic [RowBits-1:0]   fill_rows_i,   // of a query; unused for a single query
  input  logic                 logit_valid_i,
  input  logic                 half_i,
  input  logic [GroupBits-1:0] query_i,
  input  logic [RowBits-1:0]   row_i,         // in the query
  output logic [RowBits-1:0]   row_o,
  output logic                 busy_o         // for clock gates
);
  logic [RowBits-1:0] row_out_q;
  assign row_o = row_out_q;

  logic placing_q, half_q;
  assign busy_o = placing_q;
  logic [GroupBits-1:0] query_q;
  logic [RowBits-1:0] place_q, rows_q, begin_q, row_q;
  logic [RowBits-1:0] places_q[2*MaxGroup];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) placing_q <= 1'b0;
    else if (fill_valid_i) placing_q <= 1'b1;
    else if (query_q == GroupBits'(MaxGroup - 1)) placing_q <= 1'b0;
    if (fill_valid_i) begin
      half_q <= fill_half_i;
      rows_q <= fill_rows_i;
      place_q <= fill_base_i;
      query_q <= '0;
    end else if (placing_q) begin
      place_q <= place_q + rows_q;
      query_q <= query_q + 1'b1;
    end
    if (placing_q) places_q[{half_q, query_q}] <= place_q;
    begin_q <= places_q[{half_i, query_i}];
    row_q <= row_i;
    row_out_q <= begin_q + row_q;
  end

  `IMPLIES(Placed_A, logit_valid_i, !(placing_q && half_q == half_i))
`ifndef NEARDATA_ASSERT
  logic unused;
  assign unused = logit_valid_i;
`endif
endmodule
