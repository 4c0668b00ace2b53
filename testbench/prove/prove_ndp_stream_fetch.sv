// SPDX-License-Identifier: Apache-2.0
// The request generator of one of two streams against stream_walk, which names the plan's bursts by the indices of
// nested loops, by induction over cycles: registers of both have any contents in the first cycle. They are in step when
// the counters of the generator are the remaining counts of the walk's loops and its addresses those of the walk's
// indices. A reset leaves both without work, a start puts them in step, every cycle keeps them in step, and then the
// next request is for the walk's burst. So requests are those of the plan, in order, and no others, at all times. The
// queue behind the generator is arbitrary: head_i is free.
`include "prove.svh"
module prove_ndp_stream_fetch #(
  parameter int unsigned Stream = 0,
  parameter int unsigned QueueBursts = 4,
  parameter int unsigned BurstsPerBlock = 2,
  localparam int unsigned Streams = 2,
  localparam int unsigned TagBits = $clog2(QueueBursts),
  localparam int unsigned PtrBits = TagBits + 1,
  localparam int unsigned AB = dimm_ndp_pkg::AddrBits,
  localparam int unsigned CB = dimm_ndp_pkg::CountBits,
  localparam int unsigned RB = dimm_ndp_pkg::RowBits
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic                       start_i,
  input dimm_ndp_pkg::plan_t        plan_i,
  input logic [Streams*PtrBits-1:0] head_i,
  input logic [Streams-1:0]         req_ready_i
);
  `WINDOW(1)
  dimm_ndp_pkg::plan_t plan, plan_q;
  assign plan = enters ? plan_i : plan_q;
  always @(posedge clk_i) plan_q <= plan;
  always @* assume (plan.op != 2'd3 && plan.weights == ndp_pkg::WeightsWide && plan.tokens != '0 &&
      plan.pass_tokens != '0 && plan.in_words != '0 && plan.mid_groups != '0 &&
      plan.out_groups != '0 && plan.gu_bursts != '0 && plan.down_bursts != '0);
  // Rows of weights are whole blocks.
  always @* assume (plan.gu_bursts % CB'(BurstsPerBlock) == '0 &&
      plan.down_bursts % CB'(BurstsPerBlock) == '0);
  // The share of a stream is rounded up in the bits of a count.
  always @* assume ({1'b0, plan.in_words} + (CB + 1)'(Streams - 1) < (CB + 1)'(1 << CB));

  logic [Streams-1:0] req_valids;
  logic [Streams*AB-1:0] req_addrs;
  logic [Streams*TagBits-1:0] req_tags;
  ndp_stream_fetch #(
    .Streams(Streams),
    .QueueBursts(QueueBursts),
    .BurstsPerBlock(BurstsPerBlock)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .plan_i(plan),
    .head_i(head_i),
    .req_valid_o(req_valids),
    .req_ready_i(req_ready_i),
    .req_addr_o(req_addrs),
    .req_tag_o(req_tags),
    .moved_o()
  );
  logic req_valid;
  logic [AB-1:0] req_addr;
  logic [TagBits-1:0] req_tag;
  assign req_valid = req_valids[Stream];
  assign req_addr = req_addrs[Stream*AB +: AB];
  assign req_tag = req_tags[Stream*TagBits +: TagBits];

  // Yosys joins these to the registers of the same names.
  (* hierconn *) logic \u_dut.active_q[0] , \u_dut.active_q[1] , \u_dut.valid_q[0] , \u_dut.valid_q[1] ;
  (* hierconn *) logic [1:0] \u_dut.run_q[0] , \u_dut.run_q[1] ;
  (* hierconn *) logic [AB-1:0] \u_dut.addr_q[0] , \u_dut.addr_q[1] ;
  (* hierconn *) logic [CB-1:0] \u_dut.left_q[0] , \u_dut.left_q[1] ;
  (* hierconn *) logic [AB-1:0] \u_dut.row_offset_q[0] , \u_dut.row_offset_q[1] ;
  (* hierconn *) logic [RB-1:0] \u_dut.rows_left_q[0] , \u_dut.rows_left_q[1] ;
  (* hierconn *) logic [AB-1:0] \u_dut.x_row_q[0] , \u_dut.x_row_q[1] ;
  (* hierconn *) logic [CB-1:0] \u_dut.pass_left_q[0] , \u_dut.pass_left_q[1] ;
  (* hierconn *) logic [CB-1:0] \u_dut.tokens_left_q[0] , \u_dut.tokens_left_q[1] ;
  (* hierconn *) logic [PtrBits-1:0] \u_dut.next_slot_q[0] , \u_dut.next_slot_q[1] ;
  logic active, valid;
  logic [1:0] run;
  logic [AB-1:0] addr, row_offset, x_row;
  logic [CB-1:0] left, pass_left, tokens_left;
  logic [RB-1:0] rows_left;
  logic [PtrBits-1:0] next_slot;
  assign active = Stream == 0 ? \u_dut.active_q[0] : \u_dut.active_q[1] ;
  assign valid = Stream == 0 ? \u_dut.valid_q[0] : \u_dut.valid_q[1] ;
  assign run = Stream == 0 ? \u_dut.run_q[0] : \u_dut.run_q[1] ;
  assign addr = Stream == 0 ? \u_dut.addr_q[0] : \u_dut.addr_q[1] ;
  assign left = Stream == 0 ? \u_dut.left_q[0] : \u_dut.left_q[1] ;
  assign row_offset = Stream == 0 ? \u_dut.row_offset_q[0] : \u_dut.row_offset_q[1] ;
  assign rows_left = Stream == 0 ? \u_dut.rows_left_q[0] : \u_dut.rows_left_q[1] ;
  assign x_row = Stream == 0 ? \u_dut.x_row_q[0] : \u_dut.x_row_q[1] ;
  assign pass_left = Stream == 0 ? \u_dut.pass_left_q[0] : \u_dut.pass_left_q[1] ;
  assign tokens_left = Stream == 0 ? \u_dut.tokens_left_q[0] : \u_dut.tokens_left_q[1] ;
  assign next_slot = Stream == 0 ? \u_dut.next_slot_q[0] : \u_dut.next_slot_q[1] ;

  // A request is made when there is work, space in the ring, and a free output register.
  logic takes, more, weights;
  logic [PtrBits-1:0] used;
  logic [AB-1:0] walk_addr;
  assign used = next_slot - head_i[Stream*PtrBits +: PtrBits];
  assign takes = more && used < PtrBits'(QueueBursts) && (!req_valid || req_ready_i[Stream]);
  stream_walk #(
    .Streams(Streams),
    .Stream(Stream)
  ) u_walk (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start_i),
    .plan_i(plan),
    .step_i(takes),
    .more_o(more),
    .weights_o(weights),
    .addr_o(walk_addr)
  );
  (* hierconn *) logic [1:0] \u_walk.what_q ;
  (* hierconn *) logic [CB-1:0] \u_walk.pass_q , \u_walk.token_q , \u_walk.burst_q ;
  (* hierconn *) logic [RB-1:0] \u_walk.row_q ;
  logic [1:0] what;
  logic [CB-1:0] pass, token, burst;
  logic [RB-1:0] row;
  assign what = \u_walk.what_q ;
  assign pass = \u_walk.pass_q ;
  assign token = \u_walk.token_q ;
  assign burst = \u_walk.burst_q ;
  assign row = \u_walk.row_q ;

  // In step.
  logic [CB-1:0] share, rest, tokens, length;
  logic [RB-1:0] groups;
  logic [AB-1:0] stride;
  logic inputs_in_step, weights_in_step, in_step;
  always_comb begin
    share = '0;
    for (int unsigned w = 0; w < (1 << CB); w++) begin
      if (CB'(w) < plan.in_words && w % Streams == Stream) share = share + 1'b1;
    end
    rest = plan.tokens - pass;
    tokens = rest < plan.pass_tokens ? rest : plan.pass_tokens;
    length = what == 2'd3 ? plan.down_bursts : plan.gu_bursts;
    groups = what == 2'd3 ? plan.out_groups : plan.mid_groups;
    stride = what == 2'd3 ? plan.down_stride : plan.gu_stride;
    inputs_in_step = token < tokens && burst < share && row == '0 && left == share - burst &&
        pass_left == tokens - token && x_row == plan.x_base + AB'(pass + token) * plan.x_stride;
    weights_in_step = burst < length && row < groups && left == length - burst &&
        row_offset == AB'(row) * stride && rows_left == groups - row &&
        (what == 2'd3 || (what == 2'd2 ? plan.op != dimm_ndp_pkg::OpLinear
                                       : plan.op == dimm_ndp_pkg::OpGated)) &&
        next_slot % PtrBits'(BurstsPerBlock) == PtrBits'(burst % CB'(BurstsPerBlock)) &&
        (share == '0 ? token == '0
                     : x_row == plan.x_base + AB'(pass + tokens) * plan.x_stride);
    in_step = active == more && valid == req_valid && (!more || (run == what &&
        pass < plan.tokens && tokens_left == rest && addr == walk_addr &&
        (weights ? weights_in_step : inputs_in_step)));
  end

  // Inputs and state of the first cycle.
  logic started_q, reset_q, in_step_q, idle_q, takes_q, waits_q, weights_q;
  logic [AB-1:0] walk_addr_q, req_addr_q;
  logic [TagBits-1:0] req_tag_q;
  logic [PtrBits-1:0] next_slot_q, after, block;
  always @(posedge clk_i) begin
    if (enters) begin
      reset_q <= !rst_ni;
      started_q <= start_i;
      in_step_q <= in_step;
      idle_q <= !req_valid && !valid;
      takes_q <= takes;
      waits_q <= req_valid && !req_ready_i[Stream];
      weights_q <= weights;
      walk_addr_q <= walk_addr;
      req_addr_q <= req_addr;
      req_tag_q <= req_tag;
      next_slot_q <= next_slot;
    end
  end
  // A slot a request; weights begin at a block.
  assign after = next_slot_q + PtrBits'(takes_q && !started_q);
  assign block = (after + PtrBits'(BurstsPerBlock - 1)) / PtrBits'(BurstsPerBlock) *
      PtrBits'(BurstsPerBlock);

  `AT_THE_END(Reset, !reset_q || (!req_valid && !active && !more && !valid && next_slot == '0))
  `AT_THE_END(Start, reset_q || !started_q || !idle_q || (in_step && more && !req_valid))
  `AT_THE_END(Step, reset_q || started_q || !in_step_q || in_step)
  `AT_THE_END(Order, reset_q || started_q || !in_step_q || !takes_q ||
              (req_valid && req_addr == walk_addr_q && req_tag == next_slot_q[TagBits-1:0]))
  `AT_THE_END(NoMore, reset_q || started_q || !in_step_q || takes_q ||
              (req_valid == waits_q &&
               (!waits_q || (req_addr == req_addr_q && req_tag == req_tag_q))))
  `AT_THE_END(Slots, reset_q || !(started_q ? idle_q : in_step_q) ||
              next_slot == (weights && (started_q || (takes_q && !weights_q)) ? block : after))
endmodule
