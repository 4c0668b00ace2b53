// SPDX-License-Identifier: Apache-2.0
// A walk over the logits of a head, one row of eight tokens per cycle: blocks of rows, the queries of each
// block, the rows of each query. The walk treats the last block as whole, but reads no row behind the last one.
// Logits of query q are in memory q mod 2^LogSets, where the rows of successive queries are consecutive. A row
// of logits is read in the cycle of read_o; its query and row number leave two cycles later, with the
// registered row.
module sparf_rank_blocks #(
  parameter int unsigned RowBits = 12,
  parameter int unsigned GroupBits = 3,
  parameter int unsigned LogSets = 3,
  localparam int unsigned Lanes = sparf_kernel_pkg::KeysPerBeat,
  localparam int unsigned LaneBits = $clog2(Lanes),
  localparam int unsigned BlockBits = sparf_kernel_pkg::LogBlockRows
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      begin_i,     // in the next cycle; none is in progress
  input  logic [RowBits-1:0]        base_i,      // row of the first query's first logit
  input  logic [GroupBits-1:0]      group_i,     // queries, less one
  input  logic [RowBits-1:0]        rows_i,      // of a query
  input  logic [RowBits-1:0]        last_row_i,
  input  logic [RowBits+LaneBits:0] tokens_i,
  output logic                      walking_o,
  output logic                      read_o,
  output logic [RowBits-1:0]        address_o,
  output logic [RowBits-1:0]        row_o,       // of the query
  output logic                      valid_o,     // a row:
  output logic [GroupBits-1:0]      query_o,
  output logic [BlockBits-1:0]      place_o,     // in its block
  output logic [Lanes-1:0]          tokens_o,    // there are such tokens
  output logic                      last_o       // of the walk
);
  // Rows, including rows behind the last one.
  localparam int unsigned WalkBits = (RowBits > BlockBits ? RowBits : BlockBits) + 1;

  logic walking_q;
  logic [RowBits-1:0] address_q;
  logic valid_q;
  logic [GroupBits-1:0] query_out_q;
  logic [BlockBits-1:0] place_out_q;
  logic [Lanes-1:0] tokens_q;
  logic last_q;
  assign walking_o = walking_q;
  assign address_o = address_q;
  assign valid_o = valid_q;
  assign query_o = query_out_q;
  assign place_o = place_out_q;
  assign tokens_o = tokens_q;
  assign last_o = last_q;

  logic [WalkBits-1:0] block_q, row;  // the block's first; the row
  logic [BlockBits-1:0] place_q, fetched_place_q;
  logic [RowBits-1:0] block_base_q, round_base_q;
  logic [GroupBits-1:0] query_q, fetched_query_q;
  logic place_last, query_last, block_last, fetched_q, fetched_last_q, set_last;
  logic [WalkBits-1:0] fetched_row_q;
  logic [WalkBits-1:0] whole_rows;
  logic [RowBits-1:0] next_block, next_round;
  assign place_last = place_q == '1;
  assign query_last = query_q == group_i;
  assign block_last = block_q[WalkBits-1:BlockBits] ==
      (WalkBits - BlockBits)'(WalkBits'(last_row_i) >> BlockBits);
  assign row = {block_q[WalkBits-1:BlockBits], place_q};
  assign row_o = RowBits'(row);
  assign read_o = walking_q && (!block_last || place_q <= BlockBits'(last_row_i));
  assign next_block = block_base_q + RowBits'(1 << BlockBits);
  assign next_round = round_base_q + rows_i;
  assign whole_rows = WalkBits'(tokens_i >> LaneBits);
  if (LogSets > 0) begin : gen_sets
    assign set_last = query_q[LogSets-1:0] == '1;
  end else begin : gen_set
    assign set_last = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) walking_q <= 1'b0;
    else if (begin_i) walking_q <= 1'b1;
    else if (place_last && query_last && block_last) walking_q <= 1'b0;
    if (begin_i) begin
      block_q <= '0;
      place_q <= '0;
      query_q <= '0;
      block_base_q <= base_i;
      round_base_q <= base_i;
      address_q <= base_i;
    end else if (walking_q) begin
      place_q <= place_q + 1'b1;
      address_q <= address_q + 1'b1;
      if (place_last) begin
        query_q <= query_last ? '0 : query_q + 1'b1;
        if (query_last) begin
          block_q <= block_q + WalkBits'(1 << BlockBits);
          block_base_q <= next_block;
          round_base_q <= next_block;
          address_q <= next_block;
        end else begin
          if (set_last) round_base_q <= next_round;
          address_q <= set_last ? next_round : round_base_q;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      fetched_q <= walking_q;
      valid_q <= fetched_q;
    end
    fetched_last_q <= place_last && query_last && block_last;
    fetched_query_q <= query_q;
    fetched_place_q <= place_q;
    fetched_row_q <= row;
    last_q <= fetched_last_q;
    query_out_q <= fetched_query_q;
    place_out_q <= fetched_place_q;
    for (int unsigned l = 0; l < Lanes; l++) begin
      tokens_q[l] <= fetched_row_q < whole_rows ||
          (fetched_row_q == whole_rows && LaneBits'(l) < tokens_i[LaneBits-1:0]);
    end
  end
endmodule
