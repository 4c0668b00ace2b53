// SPDX-License-Identifier: Apache-2.0
// Sends the output words of one token's chunk: word q of the row is written to stream q mod Streams at base + q /
// Streams; values at and beyond valid_rows_i become zero. Timing: start_i in cycle t, the first read is requested in
// t+1. A granted word is at the output two cycles later and stays until the memory accepts it; the next read is
// requested in the cycle after. done_o is in the cycle in which the memory accepts the last word.
`include "assert.svh"
module ndp_store_unit #(
  parameter int unsigned Streams = 8,
  parameter int unsigned BufferAddrBits = 12,
  localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               start_i,
  input  logic [BufferAddrBits-1:0]          addr_i,        // these stay while busy
  input  logic [dimm_ndp_pkg::AddrBits-1:0]  base_i,        // burst of word 0 of the row
  input  logic [dimm_ndp_pkg::RowBits-1:0]   first_word_i,  // of the chunk in the row
  input  logic [dimm_ndp_pkg::CountBits-1:0] words_i,       // not zero
  input  logic [dimm_ndp_pkg::RowBits-1:0]   valid_rows_i,  // in the chunk
  output logic                               done_o,
  output logic                               fetching_o,  // between two bursts
  output logic                               rd_req_o,
  input  logic                               rd_gnt_i,
  output logic [BufferAddrBits-1:0]          rd_addr_o,
  input  logic [dimm_ndp_pkg::BurstBits-1:0] rd_data_i,
  output logic                               out_valid_o,
  input  logic                               out_ready_i,
  output logic [StreamBits-1:0]              out_stream_o,
  output logic [dimm_ndp_pkg::AddrBits-1:0]  out_addr_o,
  output logic [dimm_ndp_pkg::BurstBits-1:0] out_data_o
);
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned RB = dimm_ndp_pkg::RowBits;
  localparam int unsigned AB = BufferAddrBits;
  localparam int unsigned VB = dimm_ndp_pkg::ValuesPerBurst;
  localparam int unsigned StreamShift = $clog2(Streams);

  logic [StreamBits-1:0] out_stream_q;
  logic [dimm_ndp_pkg::AddrBits-1:0] out_addr_q;
  logic [dimm_ndp_pkg::BurstBits-1:0] out_data_q;
  assign out_stream_o = out_stream_q;
  assign out_addr_o = out_addr_q;
  assign out_data_o = out_data_q;

  typedef enum logic [1:0] {
    StIdle,
    StRead,
    StTake,  // the word is at the buffer's output
    StSend
  } state_e;

  state_e state_q, state_d;
  logic [CB-1:0] word_q;
  logic [RB-1:0] row_word_q;  // word in the row
  logic [RB-1:0] rows_q;      // valid rows from this word on
  logic taken, last;

  assign taken = out_valid_o & out_ready_i;
  assign last = word_q == words_i - 1'b1;
  assign done_o = taken & last;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (start_i) state_d = StRead;
      StRead: if (rd_gnt_i) state_d = StTake;
      StTake: state_d = StSend;
      StSend: if (taken) state_d = last ? StIdle : StRead;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
    if (start_i) begin
      word_q <= '0;
      row_word_q <= first_word_i;
      rows_q <= valid_rows_i;
    end else if (taken) begin
      word_q <= word_q + 1'b1;
      row_word_q <= row_word_q + 1'b1;
      rows_q <= rows_q - RB'(VB);
    end
    if (state_q == StTake) begin
      out_stream_q <= StreamBits'(row_word_q & RB'(Streams - 1));
      out_addr_q <= base_i + (row_word_q >> StreamShift);
      for (int unsigned i = 0; i < VB; i++) begin
        out_data_q[16*i+:16] <= RB'(i) < rows_q ? rd_data_i[16*i+:16] : 16'd0;
      end
    end
  end

  assign fetching_o = state_q == StRead || state_q == StTake;
  assign rd_req_o = state_q == StRead;
  assign rd_addr_o = addr_i + AB'(word_q);
  assign out_valid_o = state_q == StSend;

  `IMPLIES(StartIdle_A, start_i, state_q == StIdle)
  `IMPLIES(SomeWords_A, start_i, words_i != '0)
  `STAYS(WordHolds_A, out_valid_o, out_ready_i, {out_stream_o, out_addr_o, out_data_o})
endmodule
