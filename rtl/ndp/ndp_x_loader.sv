// SPDX-License-Identifier: Apache-2.0
// Moves the activations of a pass from the queues into the buffer: word q of a token's row is read from stream q mod
// Streams, and words are written to consecutive addresses from 0, token after token. One word at a time waits in a
// queue's read register until the buffer accepts it; the next word is popped in the cycle of acceptance, so the rate is
// one word per cycle.
`include "assert.svh"
module ndp_x_loader #(
  parameter int unsigned Streams = 8,
  parameter int unsigned BufferAddrBits = 12,
  localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               start_i,        // strobe: a pass begins
  input  logic [dimm_ndp_pkg::CountBits-1:0] row_words_i,
  input  logic [dimm_ndp_pkg::CountBits-1:0] pass_tokens_i,  // tokens of this pass, not zero
  input  logic                               hold_i,         // the queues' read ports are in use
  input  logic [Streams-1:0]                 head_valid_i,
  output logic [Streams-1:0]                 pop_o,          // read the oldest slot and free it
  output logic [StreamBits-1:0]              stream_o,       // whose read data are stored
  output logic                               req_o,
  input  logic                               gnt_i,
  output logic [BufferAddrBits-1:0]          addr_o,
  output logic                               done_o          // the buffer accepts the last word
);
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;

  logic [StreamBits-1:0] stream_out_q;
  logic req_q;
  logic [BufferAddrBits-1:0] addr_q;
  assign stream_o = stream_out_q;
  assign req_o = req_q;
  assign addr_o = addr_q;

  logic active_q;
  logic [CB-1:0] word_q, token_q;
  logic [StreamBits-1:0] stream_q;
  logic [BufferAddrBits-1:0] next_addr_q;
  logic pop, row_end, last;

  assign pop = active_q & ~hold_i & (~req_q | gnt_i) & head_valid_i[stream_q];
  assign row_end = word_q == row_words_i - 1'b1;
  assign last = row_end & (token_q == pass_tokens_i - 1'b1);
  assign done_o = gnt_i & ~active_q;

  always_comb begin
    for (int unsigned s = 0; s < Streams; s++) pop_o[s] = pop && 32'(stream_q) == s;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      req_q <= 1'b0;
    end else begin
      if (start_i) active_q <= 1'b1;
      else if (pop && last) active_q <= 1'b0;
      if (pop) req_q <= 1'b1;
      else if (gnt_i) req_q <= 1'b0;
    end
    if (start_i) begin
      word_q <= '0;
      token_q <= '0;
      stream_q <= '0;
      next_addr_q <= '0;
    end else if (pop) begin
      word_q <= row_end ? '0 : word_q + 1'b1;
      if (row_end) token_q <= token_q + 1'b1;
      stream_q <= row_end || stream_q == StreamBits'(Streams - 1) ? '0 : stream_q + 1'b1;
      next_addr_q <= next_addr_q + 1'b1;
      stream_out_q <= stream_q;
      addr_q <= next_addr_q;
    end
  end

  `IMPLIES(StartIdle_A, start_i, !active_q)
  `STAYS(WordHolds_A, req_o, gnt_i, {stream_o, addr_o})
endmodule
