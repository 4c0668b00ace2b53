// SPDX-License-Identifier: Apache-2.0
// SRAMs side by side, each with one read port and one write port; both ports can be used in every cycle, on
// different words. Read data appear in the cycle after the read and stay until the next read of that bank. A
// reader never reads the word that is being written, except during reset (the contract uses
// `RESET_OF_CONTRACTS for that). The read data of all banks are one register, so that a wide array reads all
// banks as one vector.
// With NEARDATA_SRAM_MACROS a bank is the black box sram_1r1w_macro, which a physical flow replaces with a
// compiled macro.
`include "assert.svh"
module sram_1r1w #(
  parameter int unsigned Banks = 1,
  parameter int unsigned Words = 64,
  parameter int unsigned DataBits = 512,
  localparam int unsigned AddrBits = $clog2(Words)
) (
  input  logic                      clk_i,
`ifdef NEARDATA_ASSERT
  input  logic                      rst_ni,
`endif
  input  logic [Banks-1:0]          wr_valid_i,
  input  logic [Banks*AddrBits-1:0] wr_addr_i,
  input  logic [Banks*DataBits-1:0] wr_data_i,
  input  logic [Banks-1:0]          rd_valid_i,
  input  logic [Banks*AddrBits-1:0] rd_addr_i,
  output logic [Banks*DataBits-1:0] rd_data_o
);
`ifdef NEARDATA_SRAM_MACROS
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    sram_1r1w_macro #(
      .Words(Words),
      .DataBits(DataBits)
    ) u_macro (
      .clk_i(clk_i),
      .wr_valid_i(wr_valid_i[b]),
      .wr_addr_i(wr_addr_i[b*AddrBits+:AddrBits]),
      .wr_data_i(wr_data_i[b*DataBits+:DataBits]),
      .rd_valid_i(rd_valid_i[b]),
      .rd_addr_i(rd_addr_i[b*AddrBits+:AddrBits]),
      .rd_data_o(rd_data_o[b*DataBits+:DataBits])
    );
  end
`else
  logic [Banks*DataBits-1:0] rd_data_q;
  assign rd_data_o = rd_data_q;
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [DataBits-1:0] mem_q[Words];

    always_ff @(posedge clk_i) begin
      if (wr_valid_i[b]) mem_q[wr_addr_i[b*AddrBits+:AddrBits]] <= wr_data_i[b*DataBits+:DataBits];
      if (rd_valid_i[b])
        rd_data_q[b*DataBits+:DataBits] <= mem_q[rd_addr_i[b*AddrBits+:AddrBits]];
    end
  end
`endif

`ifdef NEARDATA_ASSERT
  logic [Banks-1:0] collides;
  always_comb begin
    for (int unsigned b = 0; b < Banks; b++) begin
      collides[b] = wr_valid_i[b] && rd_valid_i[b]
          && wr_addr_i[b*AddrBits+:AddrBits] == rd_addr_i[b*AddrBits+:AddrBits];
    end
  end
`endif
  `HOLDS(NoCollision_A, collides == '0)

  if (Words < 2) begin : gen_bad_words
    $error("sram_1r1w: Words must be at least 2");
  end
endmodule
