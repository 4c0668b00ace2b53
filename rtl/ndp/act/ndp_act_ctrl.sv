// SPDX-License-Identifier: Apache-2.0
// One activation batch: ActLanes rows of one token. Reads the gate words and, for a gated expert, the up words of the
// chunk into the activation unit, starts the unit, and writes the hidden words; rows at and beyond valid_rows_i become
// zero. Timing: start_i in cycle t, first read requested in t+1, one word per grant. The unit starts two cycles after
// the last grant. Its result is written from the cycle after done on, one word per grant; done_o is high in the cycle
// of the last grant.
`include "assert.svh"
module ndp_act_ctrl #(
  parameter int unsigned ActLanes = 256,
  parameter int unsigned BufferAddrBits = 12,
  localparam int unsigned ActWords = ActLanes / dimm_ndp_pkg::ValuesPerBurst,
  localparam int unsigned IndexBits = ActWords > 1 ? $clog2(ActWords) : 1
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  logic                               start_i,
  input  logic                               gated_i,
  input  logic [BufferAddrBits-1:0]          gate_addr_i,   // these stay while busy
  input  logic [BufferAddrBits-1:0]          up_addr_i,
  input  logic [BufferAddrBits-1:0]          hidden_addr_i,
  input  logic [dimm_ndp_pkg::CountBits-1:0] words_i,       // hidden words to write, not zero
  input  logic [dimm_ndp_pkg::RowBits-1:0]   valid_rows_i,
  output logic                               done_o,
  output logic                               running_o,     // the activation unit computes
  // buffer port
  output logic                               rd_req_o,
  input  logic                               rd_gnt_i,
  output logic [BufferAddrBits-1:0]          rd_addr_o,
  output logic                               wr_req_o,
  input  logic                               wr_gnt_i,
  output logic [BufferAddrBits-1:0]          wr_addr_o,
  output logic [dimm_ndp_pkg::BurstBits-1:0] wr_data_o,
  // activation unit; its operand data arrive straight from the buffer
  output logic                               ld_valid_o,
  output logic                               ld_up_o,
  output logic [IndexBits-1:0]               ld_index_o,
  output logic                               unit_start_o,
  input  logic                               unit_done_i,
  output logic [IndexBits-1:0]               unit_index_o,
  input  logic [dimm_ndp_pkg::BurstBits-1:0] unit_data_i
);
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned RB = dimm_ndp_pkg::RowBits;
  localparam int unsigned AB = BufferAddrBits;
  localparam int unsigned VB = dimm_ndp_pkg::ValuesPerBurst;

  logic ld_valid_q, ld_up_q;
  logic [IndexBits-1:0] ld_index_q;
  logic unit_start_q;
  assign ld_valid_o = ld_valid_q;
  assign ld_up_o = ld_up_q;
  assign ld_index_o = ld_index_q;
  assign unit_start_o = unit_start_q;

  typedef enum logic [2:0] {
    StIdle,
    StGate,
    StUp,
    StGo,
    StRun,
    StWrite
  } state_e;

  state_e state_q, state_d;
  logic [CB-1:0] word_q;
  logic [RB-1:0] rows_q;  // valid rows from the word being written on
  logic last_read, last_write;

  assign last_read = rd_gnt_i && word_q == CB'(ActWords - 1);
  assign last_write = wr_gnt_i && word_q == words_i - 1'b1;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (start_i) state_d = StGate;
      StGate: if (last_read) state_d = gated_i ? StUp : StGo;
      StUp: if (last_read) state_d = StGo;
      StGo: state_d = StRun;
      StRun: if (unit_done_i) state_d = StWrite;
      StWrite: if (last_write) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      ld_valid_q <= 1'b0;
      unit_start_q <= 1'b0;
    end else begin
      state_q <= state_d;
      ld_valid_q <= rd_gnt_i;
      unit_start_q <= state_q == StGo;
    end
    if (state_q == StIdle || state_q == StRun || last_read) word_q <= '0;
    else if (rd_gnt_i || wr_gnt_i) word_q <= word_q + 1'b1;
    if (state_q == StRun) rows_q <= valid_rows_i;
    else if (wr_gnt_i) rows_q <= rows_q > RB'(VB) ? rows_q - RB'(VB) : '0;
    if (rd_gnt_i) begin
      ld_up_q <= state_q == StUp;
      ld_index_q <= IndexBits'(word_q);
    end
  end

  assign rd_req_o = state_q == StGate || state_q == StUp;
  assign rd_addr_o = (state_q == StUp ? up_addr_i : gate_addr_i) + AB'(word_q);
  assign wr_req_o = state_q == StWrite;
  assign wr_addr_o = hidden_addr_i + AB'(word_q);
  assign done_o = last_write && state_q == StWrite;
  assign running_o = state_q == StRun;
  assign unit_index_o = IndexBits'(word_q);

  always_comb begin
    wr_data_o = '0;
    if (wr_req_o) begin
      for (int unsigned i = 0; i < VB; i++) begin
        if (RB'(i) < rows_q) wr_data_o[16*i+:16] = unit_data_i[16*i+:16];
      end
    end
  end

  `IMPLIES(StartIdle_A, start_i, state_q == StIdle)
  `IMPLIES(SomeWords_A, start_i, words_i != '0)
endmodule
