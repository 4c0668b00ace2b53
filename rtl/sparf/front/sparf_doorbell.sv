// SPDX-License-Identifier: Apache-2.0
// The queue of descriptors and their dispatch, in order: appends to the append unit, heads to a kernel that is
// ready, round-robin. Two descriptors use the same cache if their handles or their sums are equal. While the
// append unit works, the doorbell dispatches no other append and no head of that cache: a head sees every
// append that was enqueued before it. While a kernel loads a head (loading_i), the doorbell dispatches no
// append to the head's cache, because the append would change the sums of V that the kernel reads: a head sees
// no append that was enqueued after it. A head is offered only to a kernel that is ready, so any kernel can
// accept it.
`include "assert.svh"
module sparf_doorbell #(
  parameter int unsigned Kernels = 2,
  parameter int unsigned Descs = 16
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           desc_valid_i,
  output logic                           desc_ready_o,
  input  logic [sparf_pkg::DescBits-1:0] desc_i,
  output logic [Kernels-1:0]             head_valid_o,
  input  logic [Kernels-1:0]             head_ready_i,
  output logic                           append_valid_o,
  input  logic                           append_ready_i,  // idle
  input  logic [Kernels-1:0]             loading_i,       // a head, until all its sums are read
  input  logic [Kernels*sparf_pkg::AddrBits-1:0] loading_head_i,
  input  logic [Kernels*sparf_pkg::AddrBits-1:0] loading_sum_line_i,
  output logic [sparf_pkg::DescBits-1:0] desc_o,
  output logic                           busy_o
);
  localparam int unsigned AB = sparf_pkg::AddrBits;
  localparam int unsigned CacheBytes = 2 * AB / 8;
  localparam int unsigned PtrBits = $clog2(Descs) + 1;
  localparam int unsigned KernelBits = Kernels > 1 ? $clog2(Kernels) : 1;

  logic [sparf_pkg::DescBits-1:0] desc_q;
  assign desc_o = desc_q;

  logic [sparf_pkg::DescBits-1:0] queue_q[Descs];
  logic [PtrBits-2:0] wr_q, rd_q;
  logic [PtrBits-1:0] filled_q;
  logic push, load, leave, valid_q, append_q;
  logic [KernelBits-1:0] next_kernel_q, taker;
  logic [AB-1:0] appended_q, appended_line_q;  // the cache of the last append that left
  // The descriptor's cache, byte by byte, is that of this append, of a head that is loaded.
  logic [CacheBytes-1:0] same_q, loads_q[Kernels];
  logic [Kernels-1:0] loads;

  assign desc_ready_o = !filled_q[PtrBits-1];
  assign push = desc_valid_i && desc_ready_o;
  assign append_valid_o = valid_q && append_q && loads == '0;
  assign leave = (append_valid_o && append_ready_i) || head_valid_o != '0;
  assign load = filled_q != '0 && !valid_q;
  assign busy_o = filled_q != '0 || valid_q;

  // Bytes of handle and line of sums that are alike.
  function automatic logic [CacheBytes-1:0] alike(input logic [2*AB-1:0] one, other);
    for (int unsigned b = 0; b < CacheBytes; b++) alike[b] = one[8*b+:8] == other[8*b+:8];
  endfunction

  function automatic logic same_cache(input logic [CacheBytes-1:0] bytes);
    same_cache = &bytes[CacheBytes/2-1:0] || &bytes[CacheBytes-1:CacheBytes/2];
  endfunction

  // Caches of the offered descriptor, and of the next one.
  logic [2*AB-1:0] cache, next_cache;
  assign cache = {desc_q[32*sparf_pkg::DescHead+:AB], desc_q[32*sparf_pkg::DescSumLine+:AB]};
  assign next_cache = {queue_q[rd_q][32*sparf_pkg::DescHead+:AB],
                       queue_q[rd_q][32*sparf_pkg::DescSumLine+:AB]};

  // While a descriptor waits here, no cache becomes that of an append or of a loaded head: a kernel
  // loads the accepted head, from the next cycle on.
  for (genvar k = 0; k < Kernels; k++) begin : gen_loads
    assign loads[k] = loading_i[k] && same_cache(loads_q[k]);
    always_ff @(posedge clk_i) begin
      if (load) loads_q[k] <= alike(next_cache,
                                    {loading_head_i[k*AB+:AB], loading_sum_line_i[k*AB+:AB]});
    end
  end
  // Round-robin: the first ready kernel from next_kernel_q on, next_kernel_q itself if no kernel is ready.
  always_comb begin
    taker = next_kernel_q;
    for (int unsigned i = Kernels; i > 0; i--) begin
      logic [KernelBits:0] kernel;
      kernel = {1'b0, next_kernel_q} + (KernelBits + 1)'(i - 1);
      if (kernel >= (KernelBits + 1)'(Kernels)) kernel = kernel - (KernelBits + 1)'(Kernels);
      if (head_ready_i[kernel[KernelBits-1:0]]) taker = kernel[KernelBits-1:0];
    end
    for (int unsigned k = 0; k < Kernels; k++) begin
      head_valid_o[k] = valid_q && !append_q && (append_ready_i || !same_cache(same_q)) &&
          head_ready_i[k] && taker == KernelBits'(k);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wr_q <= '0;
      rd_q <= '0;
      filled_q <= '0;
      valid_q <= 1'b0;
      next_kernel_q <= '0;
    end else begin
      if (push) wr_q <= wr_q + 1'b1;
      if (load) rd_q <= rd_q + 1'b1;
      if (push && !load) filled_q <= filled_q + 1'b1;
      else if (load && !push) filled_q <= filled_q - 1'b1;
      if (load) valid_q <= 1'b1;
      else if (leave) valid_q <= 1'b0;
      if (leave && !append_q) next_kernel_q <= taker == KernelBits'(Kernels - 1) ? '0 : taker + 1'b1;
    end
    if (push) queue_q[wr_q] <= desc_i;
    if (load) begin
      desc_q <= queue_q[rd_q];
      append_q <= queue_q[rd_q][3:0] == sparf_pkg::OpAppend;
      same_q <= alike(next_cache, {appended_q, appended_line_q});
    end
    if (leave && append_q) {appended_q, appended_line_q} <= cache;
  end

`ifdef NEARDATA_ASSERT
  logic [Kernels-1:0] loaded_q, took_q;
  always_ff @(posedge clk_i) begin
    loaded_q <= rst_ni ? loading_i : '0;
    took_q <= rst_ni ? head_valid_o & head_ready_i : '0;
  end
`endif
  `HOLDS(LoadsWhatItTook_A, (loading_i & ~loaded_q & ~took_q) == '0)
  `STAYS(AppendHolds_A, append_valid_o, append_ready_i, desc_o)
  `HOLDS(OneTaker_A, (head_valid_o & (head_valid_o - 1'b1)) == '0
         && (head_valid_o == '0 || !append_valid_o))
  `HOLDS(QueueFits_A, 32'(filled_q) <= Descs)
endmodule
