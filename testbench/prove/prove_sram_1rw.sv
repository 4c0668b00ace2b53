// SPDX-License-Identifier: Apache-2.0
// sram_1rw: a read returns, grain by grain, the last write, and is stable.
`include "prove.svh"
module prove_sram_1rw #(
  parameter int unsigned Words = 4,
  localparam int unsigned AddrBits = $clog2(Words)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [AddrBits-1:0] watch_i,
  input logic                req_i,
  input logic                we_i,
  input logic [AddrBits-1:0] addr_i,
  input logic [1:0]          wmask_i,
  input logic [3:0]          wdata_i
);
  `FROM_ANY_STATE
  logic [3:0] rdata, held_q, word_q, expected_q;
  logic [AddrBits-1:0] watch_q;
  logic [1:0] written_q, read_q;
  logic rest_q;
  sram_1rw #(
    .Words(Words),
    .DataBits(4),
    .MaskBits(2)
  ) u_dut (
    .clk_i(clk_i),
    .req_i(req_i),
    .we_i(we_i),
    .addr_i(addr_i),
    .wmask_i(wmask_i),
    .wdata_i(wdata_i),
    .rdata_o(rdata)
  );
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      watch_q <= watch_i;
      written_q <= '0;
      read_q <= '0;
      rest_q <= 1'b0;
    end else begin
      if (req_i && we_i && addr_i == watch_q) begin
        written_q <= written_q | wmask_i;
        if (wmask_i[0]) word_q[1:0] <= wdata_i[1:0];
        if (wmask_i[1]) word_q[3:2] <= wdata_i[3:2];
      end
      read_q <= written_q & {2{req_i && !we_i && addr_i == watch_q}};
      expected_q <= word_q;
      rest_q <= !(req_i && !we_i);
      held_q <= rdata;
    end
  end
  `PROVE(LowGrain, !read_q[0] || rdata[1:0] == expected_q[1:0])
  `PROVE(HighGrain, !read_q[1] || rdata[3:2] == expected_q[3:2])
  `PROVE(Stays, !rest_q || rdata == held_q)
endmodule
