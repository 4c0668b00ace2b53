// SPDX-License-Identifier: Apache-2.0
// A compiled memory behind sram_1rw: ports only. Its area is a stated density (src/machine/memories/memory.ts).
module sram_1rw_macro #(
  parameter int unsigned Words = 256,
  parameter int unsigned DataBits = 512,
  parameter int unsigned MaskBits = 1,
  localparam int unsigned AddrBits = $clog2(Words)
) (
  input  logic                clk_i,
  input  logic                req_i,
  input  logic                we_i,
  input  logic [AddrBits-1:0] addr_i,
  input  logic [MaskBits-1:0] wmask_i,
  input  logic [DataBits-1:0] wdata_i,
  output logic [DataBits-1:0] rdata_o
);
endmodule
