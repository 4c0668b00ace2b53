// SPDX-License-Identifier: Apache-2.0
// A compiled memory behind sram_1r1w: ports only. Its area is a stated density
// (src/machine/memories/memory.ts).
module sram_1r1w_macro #(
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
endmodule
