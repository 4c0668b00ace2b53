// SPDX-License-Identifier: Apache-2.0
// ndp_stream_queues between a memory that answers in any order, with the address as its data, and a reader of the
// plan's bursts: it reads inputs one by one, and weights by blocks, whose bursts it reads in any order and then frees.
// Each read returns the next burst of the plan, for any small plan.
`include "prove.svh"
module prove_ndp_stream_queues #(
  parameter int unsigned Streams = 1,
  parameter int unsigned QueueBursts = 4,
  parameter int unsigned BurstsPerBlock = 2,
  localparam int unsigned TagBits = $clog2(QueueBursts),
  localparam int unsigned OffsetBits = $clog2(BurstsPerBlock),
  localparam int unsigned AB = dimm_ndp_pkg::AddrBits
) (
  input logic                        clk_i,
  input logic                        rst_ni,
  input logic                        start_i,
  input dimm_ndp_pkg::plan_t         plan_i,
  input logic [Streams-1:0]          req_ready_i,
  input logic [Streams-1:0]          rsp_valid_i,
  input logic [Streams*TagBits-1:0]  rsp_tag_i,
  input logic [Streams-1:0]          pop_i,
  input logic                        align_i,
  input logic                        read_i,
  input logic [OffsetBits-1:0]       read_offset_i,
  input logic                        free_i
);
  `FROM_ANY_STATE

  // The plan stays while it is carried out. Rows of weights are whole blocks.
  dimm_ndp_pkg::plan_t plan, plan_q;
  assign plan = start_i ? plan_i : plan_q;
  always @(posedge clk_i) plan_q <= plan;
  logic idle;
  `ASSUME(!start_i || idle)
  `ASSUME(!start_i || (plan_i.op != 2'd3 && plan_i.weights == ndp_pkg::WeightsWide &&
          plan_i.tokens != '0 && plan_i.pass_tokens != '0 && plan_i.in_words != '0 &&
          plan_i.mid_groups != '0 && plan_i.out_groups != '0))
  `ASSUME(!start_i || (plan_i.gu_bursts != '0 && plan_i.gu_bursts[OffsetBits-1:0] == '0 &&
          plan_i.down_bursts != '0 && plan_i.down_bursts[OffsetBits-1:0] == '0))

  logic [Streams-1:0] req_valid, head_valid;
  logic [Streams*AB-1:0] req_addr, rsp_data, data;
  logic [Streams*TagBits-1:0] req_tag;
  logic block_valid;
  ndp_stream_queues #(
    .Streams(Streams),
    .QueueBursts(QueueBursts),
    .BurstsPerBlock(BurstsPerBlock)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .plan_i(plan),
    .format_i(plan.weights),
    .req_valid_o(req_valid),
    .req_ready_i(req_ready_i),
    .req_addr_o(req_addr),
    .req_tag_o(req_tag),
    .rsp_valid_i(rsp_valid_i),
    .rsp_ready_o(),
    .rsp_tag_i(rsp_tag_i),
    .rsp_data_i(rsp_data),
    .read_i(read_i),
    .read_offset_i(read_offset_i),
    .free_i(free_i),
    .scales_i(1'b0),
    .block_valid_o(block_valid),
    .scales_valid_o(),
    .pop_i(pop_i),
    .align_i(align_i),
    .head_valid_o(head_valid),
    .data_o(data),
    .moved_o()
  );

  // Per stream: the requests that it must make, and the data that its reader must receive.
  logic [Streams-1:0] asks_more, reads_more, reads_weights, wrong_address, wrong_data, owned_twice;
  logic [Streams-1:0] asks_nothing, not_asked, late, full;
  logic aligned_q;
  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    logic taken, answered;
    logic [TagBits-1:0] tag;
    logic [AB-1:0] asked, read;
    assign taken = req_valid[s] && req_ready_i[s];
    assign tag = req_tag[s*TagBits +: TagBits];
    stream_walk #(
      .Streams(Streams),
      .Stream(s)
    ) u_asked (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .start_i(start_i),
      .plan_i(plan),
      .step_i(taken),
      .more_o(asks_more[s]),
      .weights_o(),
      .addr_o(asked)
    );
    stream_walk #(
      .Streams(Streams),
      .Stream(s),
      .WeightStep(BurstsPerBlock)
    ) u_read (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .start_i(start_i),
      .plan_i(plan),
      .step_i(pop_i[s] || free_i),
      .more_o(reads_more[s]),
      .weights_o(reads_weights[s]),
      .addr_o(read)
    );
    assign wrong_address[s] = req_valid[s] && req_addr[s*AB +: AB] != asked;
    assign asks_nothing[s] = req_valid[s] && !asks_more[s];

    // The memory: addresses of tags that it has not answered.
    logic [QueueBursts-1:0] open_q;
    logic [AB-1:0] address_q[QueueBursts];
    assign rsp_data[s*AB +: AB] = address_q[rsp_tag_i[s*TagBits +: TagBits]];
    assign answered = rsp_valid_i[s];
    always @(posedge clk_i) begin
      if (taken) address_q[tag] <= req_addr[s*AB +: AB];
      if (!rst_ni) open_q <= '0;
      else open_q <= (open_q | (QueueBursts'(taken) << tag)) &
          ~(QueueBursts'(answered) << rsp_tag_i[s*TagBits +: TagBits]);
    end
    `ASSUME(!answered || open_q[rsp_tag_i[s*TagBits +: TagBits]])

    // Bursts that are requested and not read: each has one slot of the ring, in order.
    logic [TagBits:0] inside_q;
    assign full[s] = inside_q >= (TagBits + 1)'(QueueBursts);
    always @(posedge clk_i) begin
      if (!rst_ni) inside_q <= '0;
      else inside_q <= inside_q + (TagBits + 1)'(taken) - (TagBits + 1)'(pop_i[s]) -
          (free_i ? (TagBits + 1)'(BurstsPerBlock) : '0);
    end
    assign owned_twice[s] = req_valid[s] && (open_q[tag] || full[s]);

    // Read data appear in the next cycle.
    logic reads_q;
    logic [AB-1:0] read_q;
    always @(posedge clk_i) begin
      reads_q <= rst_ni && (pop_i[s] || read_i);
      read_q <= read + (read_i ? AB'(read_offset_i) : '0);
    end
    assign wrong_data[s] = reads_q && data[s*AB +: AB] != read_q;

    // Cycles with space and work but without an offer; the queue sees new space after a few cycles.
    logic [2:0] waits_q;
    logic room;
    assign room = inside_q <= (TagBits + 1)'(QueueBursts - BurstsPerBlock);
    always @(posedge clk_i) begin
      if (!rst_ni || req_valid[s] || !asks_more[s] || !room || start_i) waits_q <= '0;
      else if (waits_q != '1) waits_q <= waits_q + 1'b1;
    end
    assign late[s] = waits_q > 3'd2;
  end

  // The reader: inputs until the last, alignment, blocks of all streams until the last of the pass.
  logic inputs_done;
  assign inputs_done = reads_more != '0 && reads_weights == '1;
  assign idle = asks_more == '0 && reads_more == '0;
  always @(posedge clk_i) begin
    if (!rst_ni || start_i || reads_weights != '1) aligned_q <= 1'b0;
    else if (align_i) aligned_q <= 1'b1;
  end
  `ASSUME((pop_i & ~(head_valid & reads_more & ~reads_weights)) == '0)
  `ASSUME(!align_i || (inputs_done && !aligned_q))
  `ASSUME(!(read_i || free_i) || (aligned_q && inputs_done && block_valid))
  `ASSUME(!(read_i || free_i) || pop_i == '0)
  `ASSUME(!start_i || !(read_i || free_i || align_i || pop_i != '0))

  `PROVE(Order, wrong_address == '0)
  `PROVE(NoMore, asks_nothing == '0)
  `PROVE(OwnedOnce, owned_twice == '0)
  `PROVE(InOrder, wrong_data == '0)
  `PROVE(Progress, late == '0)
endmodule
