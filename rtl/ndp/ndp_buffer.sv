// SPDX-License-Identifier: Apache-2.0
// The activation and result buffer: one single-port SRAM of 64-byte words and the arbitration of
// its port. Fixed priority, one winner a cycle: operand reads of the array (never refused), row
// results (one part of a word: a value of every stream), x words, hidden words, reads of the
// drain. A grant comes in the cycle of its request; data of a read follow in the next cycle and
// stay until the next read. Operand reads take at most Lanes of SlotCycles >= 2 Lanes cycles, so
// everybody else always has half of the cycles.
module ndp_buffer #(
  parameter int unsigned Words = 4096,
  parameter int unsigned PartBits = 128,  // a row result: Streams values
  localparam int unsigned AddrBits = $clog2(Words),
  localparam int unsigned Parts = dimm_ndp_pkg::BurstBits / PartBits,
  localparam int unsigned PartIndexBits = $clog2(Parts)
) (
  input  logic                               clk_i,
  input  logic                               operand_req_i,
  input  logic [AddrBits-1:0]                operand_addr_i,
  input  logic                               result_req_i,
  output logic                               result_gnt_o,
  input  logic [AddrBits-1:0]                result_addr_i,
  input  logic [PartIndexBits-1:0]           result_part_i,
  input  logic [PartBits-1:0]                result_data_i,
  input  logic                               x_req_i,
  output logic                               x_gnt_o,
  input  logic [AddrBits-1:0]                x_addr_i,
  input  logic [dimm_ndp_pkg::BurstBits-1:0] x_data_i,
  input  logic                               hidden_req_i,
  output logic                               hidden_gnt_o,
  input  logic [AddrBits-1:0]                hidden_addr_i,
  input  logic [dimm_ndp_pkg::BurstBits-1:0] hidden_data_i,
  input  logic                               drain_req_i,
  output logic                               drain_gnt_o,
  input  logic [AddrBits-1:0]                drain_addr_i,
  output logic [dimm_ndp_pkg::BurstBits-1:0] rdata_o
);
  logic [AddrBits-1:0] addr;
  logic [Parts-1:0] wmask;
  logic [dimm_ndp_pkg::BurstBits-1:0] wdata;
  logic write;

  assign result_gnt_o = result_req_i & ~operand_req_i;
  assign x_gnt_o = x_req_i & ~operand_req_i & ~result_req_i;
  assign hidden_gnt_o = hidden_req_i & ~operand_req_i & ~result_req_i & ~x_req_i;
  assign drain_gnt_o = drain_req_i & ~operand_req_i & ~result_req_i & ~x_req_i & ~hidden_req_i;
  assign write = result_gnt_o | x_gnt_o | hidden_gnt_o;

  always_comb begin
    addr = drain_addr_i;
    wmask = '1;
    if (operand_req_i) begin
      addr = operand_addr_i;
    end else if (result_req_i) begin
      addr = result_addr_i;
      wmask = Parts'(1) << result_part_i;
    end else if (x_req_i) begin
      addr = x_addr_i;
    end else if (hidden_req_i) begin
      addr = hidden_addr_i;
    end
  end

  always_comb begin
    wdata = hidden_data_i;
    if (result_req_i) wdata = {Parts{result_data_i}};
    else if (x_req_i) wdata = x_data_i;
  end

  sram_1rw #(
    .Words(Words),
    .DataBits(dimm_ndp_pkg::BurstBits),
    .MaskBits(Parts)
  ) u_memory (
    .clk_i(clk_i),
    .req_i(operand_req_i | write | drain_gnt_o),
    .we_i(write),
    .addr_i(addr),
    .wmask_i(wmask),
    .wdata_i(wdata),
    .rdata_o(rdata_o)
  );
endmodule
