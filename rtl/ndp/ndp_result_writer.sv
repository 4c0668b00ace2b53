// SPDX-License-Identifier: Apache-2.0
// Stores one row result of the array (one value of every stream) until the buffer accepts it. Results are at least
// SlotCycles apart and lose the port only to operand reads. Operand reads leave every bank of the buffer free for a
// part of every slot, so one register is enough. chunk_full_o strobes in the cycle in which the buffer accepts the last
// result of a chunk.
`include "assert.svh"
module ndp_result_writer #(
  parameter int unsigned BufferAddrBits = 12,
  parameter int unsigned PartBits = 128,
  localparam int unsigned PartIndexBits = $clog2(dimm_ndp_pkg::BurstBits / PartBits),
  localparam int unsigned MetaBits = BufferAddrBits + PartIndexBits + 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      res_valid_i,
  input  logic [PartBits-1:0]       res_data_i,
  input  logic [MetaBits-1:0]       res_meta_i,  // {chunk complete, part, word}
  output logic                      req_o,
  input  logic                      gnt_i,
  output logic [BufferAddrBits-1:0] addr_o,
  output logic [PartIndexBits-1:0]  part_o,
  output logic [PartBits-1:0]       data_o,
  output logic                      chunk_full_o
);
  logic req_q;
  logic [BufferAddrBits-1:0] addr_q;
  logic [PartIndexBits-1:0] part_q;
  logic [PartBits-1:0] data_q;
  assign req_o = req_q;
  assign addr_o = addr_q;
  assign part_o = part_q;
  assign data_o = data_q;

  logic last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) req_q <= 1'b0;
    else if (res_valid_i) req_q <= 1'b1;
    else if (gnt_i) req_q <= 1'b0;
    if (res_valid_i) begin
      {last_q, part_q, addr_q} <= res_meta_i;
      data_q <= res_data_i;
    end
  end

  assign chunk_full_o = gnt_i & last_q;

  `IMPLIES(NoOverrun_A, res_valid_i, !req_o || gnt_i)
endmodule
