// SPDX-License-Identifier: Apache-2.0
// sparf_doorbell under any enqueued descriptors and any kernels, each of which loads its head for any number of cycles,
// from the next cycle on. Of a descriptor the operation, two further bits of its first word, one bit of its head and
// one of its sums matter.
`include "prove.svh"
module prove_sparf_doorbell #(
  parameter int unsigned Kernels = 2,
  parameter int unsigned Descs = 4
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               pick_i,
  input logic               desc_valid_i,
  input logic [7:0]         desc_i,  // the head, its sums, two further bits, the operation
  input logic [Kernels-1:0] loading_i,
  input logic [Kernels-1:0] loading_head_i,
  input logic [Kernels-1:0] loading_sums_i,
  input logic [Kernels-1:0] head_ready_i,
  input logic               append_ready_i
);
  `FROM_ANY_STATE
  logic desc_ready, append_valid, busy, wrong, leaves, offered;
  logic [Kernels-1:0] head_valid;
  logic [sparf_pkg::DescBits-1:0] desc;
  logic [3:0] words;
  logic [7:0] desc_out;
  logic [sparf_pkg::DescBits-1:0] desc_in;
  localparam int unsigned HeadBit = 32 * sparf_pkg::DescHead;
  localparam int unsigned SumsBit = 32 * sparf_pkg::DescSumLine;
  localparam int unsigned AB = sparf_pkg::AddrBits;
  assign desc_in = sparf_pkg::DescBits'(desc_i[5:0])
      | (sparf_pkg::DescBits'(desc_i[7]) << HeadBit) | (sparf_pkg::DescBits'(desc_i[6]) << SumsBit);
  assign desc_out = {desc[HeadBit], desc[SumsBit], desc[5:0]};
  logic [Kernels*AB-1:0] loading_heads, loading_lines;
  logic loads;  // a head of the descriptor's cache is loaded
  always @* begin
    loads = 1'b0;
    for (int unsigned k = 0; k < Kernels; k++) begin
      loading_heads[k*AB+:AB] = AB'(loading_head_i[k]);
      loading_lines[k*AB+:AB] = AB'(loading_sums_i[k]);
      if (loading_i[k] && (loading_head_i[k] == desc_out[7] || loading_sums_i[k] == desc_out[6])) begin
        loads = 1'b1;
      end
    end
  end
  sparf_doorbell #(
    .Kernels(Kernels),
    .Descs(Descs)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .desc_valid_i(desc_valid_i),
    .desc_ready_o(desc_ready),
    .desc_i(desc_in),
    .head_valid_o(head_valid),
    .head_ready_i(head_ready_i),
    .append_valid_o(append_valid),
    .append_ready_i(append_ready_i),
    .loading_i(loading_i),
    .loading_head_i(loading_heads),
    .loading_sum_line_i(loading_lines),
    .desc_o(desc),
    .busy_o(busy)
  );
  assign offered = append_valid || head_valid != '0;
  assign leaves = (append_valid && append_ready_i) || (head_valid & head_ready_i) != '0;
  word_watch #(
    .DataBits(8),
    .CountBits(4)
  ) u_watch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .pick_i(pick_i),
    .push_i(desc_valid_i && desc_ready),
    .push_data_i(desc_i),
    .pop_i(leaves),
    .pop_data_i(desc_out),
    .inside_o(words),
    .wrong_o(wrong)
  );

  // The next kernel in round-robin order: behind the kernel of the last head. The head of the last
  // append. Cycles in which something could be offered and is not, the append unit idle or at work.
  logic [Kernels-1:0] next_kernel_q;
  logic [1:0] idle_q, passed_q, appended_q;
  logic appends, same, waiting;
  assign appends = desc[3:0] == sparf_pkg::OpAppend;
  assign same = desc_out[7] == appended_q[1] || desc_out[6] == appended_q[0];
  assign waiting = words != '0 && !offered && head_ready_i != '0 && !(appends && loads);
  for (genvar k = 0; k < Kernels; k++) begin : gen_loading
    logic loaded_q, took_q;
    logic [1:0] cache_q;
    always @(posedge clk_i) begin
      loaded_q <= rst_ni && loading_i[k];
      took_q <= rst_ni && head_valid[k] && head_ready_i[k];
      if (head_valid[k] && head_ready_i[k]) cache_q <= desc_out[7:6];
    end
    `ASSUME(!loading_i[k] || ((loaded_q || took_q) && {loading_head_i[k], loading_sums_i[k]} == cache_q))
  end
  // The append unit is busy only after it has accepted an append.
  logic given_q;
  `ASSUME(append_ready_i || given_q)
  always @(posedge clk_i) begin
    given_q <= rst_ni && (given_q || (append_valid && append_ready_i));
    if (!rst_ni) next_kernel_q <= Kernels'(1);
    else if (head_valid != '0) next_kernel_q <= {head_valid[Kernels-2:0], head_valid[Kernels-1]};
    if (append_valid && append_ready_i) appended_q <= desc_out[7:6];
    if (!rst_ni || !waiting || !append_ready_i) idle_q <= '0;
    else if (idle_q != '1) idle_q <= idle_q + 1'b1;
    if (!rst_ni || !waiting || append_ready_i || appends || same) passed_q <= '0;
    else if (passed_q != '1) passed_q <= passed_q + 1'b1;
  end

  `PROVE(InOrder, !wrong)
  `PROVE(NoneInvented, !offered || words != '0)
  `PROVE(Room, desc_ready || words >= 4'(Descs))
  `PROVE(OneTaker, (head_valid & (head_valid - 1'b1)) == '0 && !(append_valid && head_valid != '0))
  `PROVE(RightTaker, (!append_valid || desc[3:0] == sparf_pkg::OpAppend) &&
         (head_valid == '0 || desc[3:0] != sparf_pkg::OpAppend))
  `PROVE(SameCacheWaits, head_valid == '0 || append_ready_i || !same)
  `PROVE(HeadsFirst, !append_valid || !loads)
  `PROVE(OtherCachesPass, passed_q < 2'd2)
  `PROVE(RoundRobin, head_valid == '0 || (next_kernel_q & head_ready_i) == '0 || head_valid == next_kernel_q)
  `PROVE(Progress, idle_q < 2'd2)
  `PROVE(Busy, busy == (words != '0))
endmodule
