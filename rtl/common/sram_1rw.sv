// SPDX-License-Identifier: Apache-2.0
// SRAM with one port: one read or one write per cycle. Read data appear in the cycle after the read and stay
// until the next read. A write changes the grains that its mask selects. Contents after power-up are unknown.
// With NEARDATA_SRAM_MACROS the memory is the black box sram_1rw_macro, which a physical flow replaces with
// compiled macros.
module sram_1rw #(
  parameter int unsigned Words = 256,
  parameter int unsigned DataBits = 512,
  parameter int unsigned MaskBits = 1,  // write enables a word, equal grains
  localparam int unsigned AddrBits = $clog2(Words),
  localparam int unsigned GrainBits = DataBits / MaskBits
) (
  input  logic                clk_i,
  input  logic                req_i,
  input  logic                we_i,
  input  logic [AddrBits-1:0] addr_i,
  input  logic [MaskBits-1:0] wmask_i,
  input  logic [DataBits-1:0] wdata_i,
  output logic [DataBits-1:0] rdata_o
);
`ifdef NEARDATA_SRAM_MACROS
  sram_1rw_macro #(
    .Words(Words),
    .DataBits(DataBits),
    .MaskBits(MaskBits)
  ) u_macro (
    .clk_i(clk_i),
    .req_i(req_i),
    .we_i(we_i),
    .addr_i(addr_i),
    .wmask_i(wmask_i),
    .wdata_i(wdata_i),
    .rdata_o(rdata_o)
  );
`else
  logic [DataBits-1:0] rdata_q;
  assign rdata_o = rdata_q;
  logic [DataBits-1:0] mem_q[Words];

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) begin
        for (int unsigned m = 0; m < MaskBits; m++) begin
          if (wmask_i[m]) mem_q[addr_i][m*GrainBits+:GrainBits] <= wdata_i[m*GrainBits+:GrainBits];
        end
      end else begin
        rdata_q <= mem_q[addr_i];
      end
    end
  end
`endif

  if (Words < 2) begin : gen_bad_words
    $error("sram_1rw: Words must be at least 2");
  end
  if (GrainBits * MaskBits != DataBits) begin : gen_bad_mask
    $error("sram_1rw: DataBits must be a multiple of MaskBits");
  end
endmodule
