// SPDX-License-Identifier: Apache-2.0
// SRAM with one read port and one write port, both usable in every cycle on different words. Read
// data appear in the cycle after the read and stay until the next read. Reading the word that is
// being written is not allowed. With NEARDATA_SRAM_MACROS the memory is the black box
// sram_1r1w_macro, which a physical flow replaces by a compiled macro.
module sram_1r1w #(
  parameter int unsigned Words = 64,
  parameter int unsigned DataBits = 512,
  localparam int unsigned AddrBits = $clog2(Words)
) (
  input  logic                clk_i,
  input  logic                wr_valid_i,
  input  logic [AddrBits-1:0] wr_addr_i,
  input  logic [DataBits-1:0] wr_data_i,
  input  logic                rd_valid_i,
  input  logic [AddrBits-1:0] rd_addr_i,
  output logic [DataBits-1:0] rd_data_o
);
`ifdef NEARDATA_SRAM_MACROS
  sram_1r1w_macro #(
    .Words(Words),
    .DataBits(DataBits)
  ) u_macro (
    .clk_i(clk_i),
    .wr_valid_i(wr_valid_i),
    .wr_addr_i(wr_addr_i),
    .wr_data_i(wr_data_i),
    .rd_valid_i(rd_valid_i),
    .rd_addr_i(rd_addr_i),
    .rd_data_o(rd_data_o)
  );
`else
  logic [DataBits-1:0] mem[Words];

  always_ff @(posedge clk_i) begin
    if (wr_valid_i) mem[wr_addr_i] <= wr_data_i;
    if (rd_valid_i) rd_data_o <= mem[rd_addr_i];
  end
`endif

  if (Words < 2) begin : gen_bad_words
    $error("sram_1r1w: Words must be at least 2");
  end
endmodule
