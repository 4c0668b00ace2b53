// SPDX-License-Identifier: Apache-2.0
// A walk over the logits of a head: rows, the queries of each row, the tokens of each query, one token per
// cycle, or every second cycle with rest_i. A row of logits is read (read_o) at its first token; the position
// of the logit leaves two cycles later, with the registered row.
module sparf_rank_walk #(
  parameter int unsigned RowBits = 12,
  parameter int unsigned LaneBits = 3,
  parameter int unsigned GroupBits = 3
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      begin_i,     // in the next cycle; none is in progress
  input  logic                      rest_i,
  input  logic [RowBits-1:0]        base_i,      // row of the first query's first logit
  input  logic [GroupBits-1:0]      group_i,     // queries, less one
  input  logic [RowBits-1:0]        rows_i,      // of a query
  input  logic [RowBits-1:0]        last_row_i,
  input  logic [RowBits+LaneBits:0] tokens_i,
  output logic                      walking_o,
  output logic                      read_o,
  output logic [RowBits-1:0]        address_o,
  output logic [RowBits-1:0]        row_o,       // of the query
  output logic                      valid_o,     // a logit:
  output logic [GroupBits-1:0]      query_o,
  output logic [LaneBits-1:0]       lane_o,
  output logic                      token_o,     // the token exists
  output logic                      last_o       // of the walk
);
  logic walking_q;
  logic [RowBits-1:0] address_q, row_q;
  logic valid_q;
  logic [GroupBits-1:0] query_out_q;
  logic [LaneBits-1:0] lane_out_q;
  logic token_q, last_q;
  assign walking_o = walking_q;
  assign address_o = address_q;
  assign row_o = row_q;
  assign valid_o = valid_q;
  assign query_o = query_out_q;
  assign lane_o = lane_out_q;
  assign token_o = token_q;
  assign last_o = last_q;

  logic rest_q, step, lane_last, query_last, end_of_walk;
  logic [RowBits-1:0] base_q;
  logic [GroupBits-1:0] query_q, fetched_query_q;
  logic [LaneBits-1:0] lane_q, fetched_lane_q;
  logic fetched_q, fetched_last_q, fetched_token_q;
  assign step = walking_q && !rest_q;
  assign lane_last = lane_q == '1;
  assign query_last = query_q == group_i;
  assign end_of_walk = step && lane_last && query_last && row_q == last_row_i;
  assign read_o = step && lane_q == '0;

  always_ff @(posedge clk_i) begin
    rest_q <= rst_ni && step && rest_i;
    if (!rst_ni) walking_q <= 1'b0;
    else if (begin_i) walking_q <= 1'b1;
    else if (end_of_walk) walking_q <= 1'b0;
    if (begin_i) begin
      row_q <= '0;
      query_q <= '0;
      lane_q <= '0;
      base_q <= base_i;
      address_q <= base_i;
    end else if (step) begin
      lane_q <= lane_q + 1'b1;
      if (lane_last) begin
        query_q <= query_last ? '0 : query_q + 1'b1;
        address_q <= query_last ? base_q + 1'b1 : address_q + rows_i;
        if (query_last) begin
          row_q <= row_q + 1'b1;
          base_q <= base_q + 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      fetched_q <= step;
      valid_q <= fetched_q;
    end
    if (step) begin
      fetched_last_q <= end_of_walk;
      fetched_query_q <= query_q;
      fetched_lane_q <= lane_q;
      fetched_token_q <= {row_q, lane_q} < tokens_i[RowBits+LaneBits-1:0] ||
          tokens_i[RowBits+LaneBits];
    end
    last_q <= fetched_last_q;
    query_out_q <= fetched_query_q;
    lane_out_q <= fetched_lane_q;
    token_q <= fetched_token_q;
  end
endmodule
