// SPDX-License-Identifier: Apache-2.0
// The logits of step 1, of two heads in the halves of a memory or of one head in all of it, eight tokens per
// row, with the rows of successive queries consecutive; and the largest logit of each query. A row appears two
// cycles after its read. While no head is in it, the memory can be lent (Lends): a logit is written to an
// address of eight times rows, and a read appears in the next cycle.
`include "assert.svh"
module sparf_rank_logits #(
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter bit Lends = 1'b0,
  localparam int unsigned GroupBits = $clog2(MaxGroup),
  localparam int unsigned SizeBits = $clog2(MaxKeys) + 1,
  localparam int unsigned KeysPerBeat = sparf_kernel_pkg::KeysPerBeat,
  localparam int unsigned LaneBits = $clog2(KeysPerBeat),
  localparam int unsigned Rows = MaxKeys / KeysPerBeat,
  localparam int unsigned RowBits = $clog2(Rows),
  localparam int unsigned AddressBits = RowBits + LaneBits
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
  output logic [KeysPerBeat*32-1:0] row_o,
  input  logic                      lent_write_i,  // of logit_i
  input  logic [AddressBits-1:0]    lent_write_address_i,
  input  logic                      lent_read_i,
  input  logic [AddressBits-1:0]    lent_read_address_i,
  output logic [31:0]               lent_o,
  output logic                      busy_o         // for clock gates
);
  logic [KeysPerBeat*32-1:0] row_q;
  assign row_o = row_q;

  logic [1:0] write_q;
  logic [RowBits-1:0] write_row;
  logic [LaneBits-1:0] arrived_lane_q, write_lane_q;
  logic [31:0] arrived_logit_q, write_logit_q;
  logic [KeysPerBeat*32-1:0] row;
  logic writes, reads;
  logic [RowBits-1:0] written_row, read_row;
  logic [LaneBits-1:0] written_lane;
  logic [31:0] written;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= '0;
    else write_q <= {write_q[0], logit_valid_i};
    arrived_logit_q <= logit_i;
    arrived_lane_q <= token_i[LaneBits-1:0];
    write_logit_q <= arrived_logit_q;
    write_lane_q <= arrived_lane_q;
    row_q <= row;
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
    .row_o(write_row),
    .busy_o(busy_o)
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
    .wr_valid_i(KeysPerBeat'(writes) << written_lane),
    .wr_addr_i({KeysPerBeat{written_row}}),
    .wr_data_i({KeysPerBeat{written}}),
    .rd_valid_i({KeysPerBeat{reads}}),
    .rd_addr_i({KeysPerBeat{read_row}}),
    .rd_data_o(row)
  );

  if (Lends) begin : gen_lent
    logic [LaneBits-1:0] lent_lane_q;
    assign writes = write_q[1] || lent_write_i;
    assign written_row = lent_write_i ? lent_write_address_i[AddressBits-1:LaneBits] : write_row;
    assign written_lane = lent_write_i ? lent_write_address_i[LaneBits-1:0] : write_lane_q;
    assign written = lent_write_i ? logit_i : write_logit_q;
    assign reads = read_i || lent_read_i;
    assign read_row = lent_read_i ? lent_read_address_i[AddressBits-1:LaneBits] : read_row_i;
    assign lent_o = row[32'(lent_lane_q)*32 +: 32];
    always_ff @(posedge clk_i) lent_lane_q <= lent_read_address_i[LaneBits-1:0];
    `IMPLIES(WritesInTurn_A, lent_write_i, write_q == '0 && !logit_valid_i)
    `IMPLIES(ReadsInTurn_A, lent_read_i, !read_i)
  end else begin : gen_kept
    assign writes = write_q[1];
    assign written_row = write_row;
    assign written_lane = write_lane_q;
    assign written = write_logit_q;
    assign reads = read_i;
    assign read_row = read_row_i;
    assign lent_o = '0;
    logic unused;
    assign unused = lent_write_i ^ lent_read_i ^ (^lent_write_address_i) ^ (^lent_read_address_i);
  end
endmodule
