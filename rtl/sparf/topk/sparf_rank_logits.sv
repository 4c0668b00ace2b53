// SPDX-License-Identifier: Apache-2.0
// The logits of step 1, of two heads in the halves of a memory or of one in all of it, eight tokens
// to a row, the rows of a query behind those of the one before; and the largest of each query. A
// row that is read is there two cycles later.
`include "assert.svh"
module sparf_rank_logits #(
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned KeysPerBeat = sparf_kernel_pkg::KeysPerBeat,
  localparam int unsigned LaneBits = $clog2(KeysPerBeat),
  localparam int unsigned Rows = MaxKeys / KeysPerBeat,
  localparam int unsigned RowBits = $clog2(Rows)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      fill_valid_i,
  input  logic                      fill_half_i,
  input  logic [RowBits-1:0]        fill_base_i,
  input  logic [RowBits-1:0]        fill_rows_i,   // of a query
  input  logic                      logit_valid_i,
  input  logic                      half_i,
  input  logic [31:0]               logit_i,
  input  logic [GroupBits-1:0]      query_i,
  input  logic [SizeBits-1:0]       token_i,
  output logic [2*MaxGroup*32-1:0]  largest_o,     // of half 0, then of half 1
  input  logic                      read_i,
  input  logic [RowBits-1:0]        read_row_i,
  output logic [KeysPerBeat*32-1:0] row_o
);
  logic [1:0] write_q;
  logic [RowBits-1:0] write_row;
  logic [LaneBits-1:0] arrived_lane_q, write_lane_q;
  logic [31:0] arrived_logit_q, write_logit_q;
  logic [KeysPerBeat*32-1:0] row;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= '0;
    else write_q <= {write_q[0], logit_valid_i};
    arrived_logit_q <= logit_i;
    arrived_lane_q <= token_i[LaneBits-1:0];
    write_logit_q <= arrived_logit_q;
    write_lane_q <= arrived_lane_q;
    row_o <= row;
  end
  sparf_logit_rows #(
    .Rows(Rows),
    .MaxGroup(MaxGroup)
  ) u_rows (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .fill_valid_i(fill_valid_i),
    .fill_half_i(fill_half_i),
    .fill_base_i(fill_base_i),
    .fill_rows_i(fill_rows_i),
    .logit_valid_i(logit_valid_i),
    .half_i(half_i),
    .query_i(query_i),
    .row_i(RowBits'(token_i >> LaneBits)),
    .row_o(write_row)
  );
  sparf_largest_logits #(
    .MaxGroup(MaxGroup)
  ) u_largest (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(fill_valid_i),
    .clear_half_i(fill_half_i),
    .valid_i(logit_valid_i),
    .half_i(half_i),
    .query_i(query_i),
    .logit_i(logit_i),
    .largest_o(largest_o)
  );
  sram_1r1w #(
    .Banks(KeysPerBeat),
    .Words(Rows),
    .DataBits(32)
  ) u_logits (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(KeysPerBeat'(write_q[1]) << write_lane_q),
    .wr_addr_i({KeysPerBeat{write_row}}),
    .wr_data_i({KeysPerBeat{write_logit_q}}),
    .rd_valid_i({KeysPerBeat{read_i}}),
    .rd_addr_i({KeysPerBeat{read_row_i}}),
    .rd_data_o(row)
  );
endmodule
