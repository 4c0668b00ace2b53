// SPDX-License-Identifier: Apache-2.0
// sram_1r1w: a read returns the last write and is stable, for a word that is not written in the
// cycle of the read.
`include "prove.svh"
`include "assert.svh"
module prove_sram_1r1w #(
  parameter int unsigned Words = 4,
  parameter int unsigned DataBits = 2,
  localparam int unsigned AddrBits = $clog2(Words)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [AddrBits-1:0] watch_i,
  input logic                wr_valid_i,
  input logic [AddrBits-1:0] wr_addr_i,
  input logic [DataBits-1:0] wr_data_i,
  input logic                rd_valid_i,
  input logic [AddrBits-1:0] rd_addr_i
);
  `FROM_ANY_STATE
  logic [DataBits-1:0] rd_data, held_q, word_q;
  logic [AddrBits-1:0] watch_q;
  logic written_q, read_q, rest_q;
  sram_1r1w #(
    .Words(Words),
    .DataBits(DataBits)
  ) u_dut (
    .clk_i(clk_i),
    `RESET_OF_CONTRACTS
    .wr_valid_i(wr_valid_i),
    .wr_addr_i(wr_addr_i),
    .wr_data_i(wr_data_i),
    .rd_valid_i(rd_valid_i),
    .rd_addr_i(rd_addr_i),
    .rd_data_o(rd_data)
  );
  `ASSUME(!(wr_valid_i && rd_valid_i && wr_addr_i == rd_addr_i))

  logic [DataBits-1:0] expected_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      watch_q <= watch_i;
      written_q <= 1'b0;
      read_q <= 1'b0;
      rest_q <= 1'b0;
    end else begin
      if (wr_valid_i && wr_addr_i == watch_q) begin
        written_q <= 1'b1;
        word_q <= wr_data_i;
      end
      read_q <= rd_valid_i && rd_addr_i == watch_q && written_q;
      expected_q <= word_q;
      rest_q <= !rd_valid_i;
      held_q <= rd_data;
    end
  end
  `PROVE(LastWritten, !read_q || rd_data == expected_q)
  `PROVE(Stays, !rest_q || rd_data == held_q)
endmodule
