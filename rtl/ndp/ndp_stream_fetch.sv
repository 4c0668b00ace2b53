// SPDX-License-Identifier: Apache-2.0
// The request generators of all streams. Each stream walks, pass by pass: the x bursts of its share, then the
// weights in the order in which the array uses them (gate and up by row group, then down). The tag of a request
// is the next queue slot, so slots are a ring; between x and weights the ring is rounded up to a whole block.
// With low-bit weights a burst of scales precedes each eight blocks of a row; it occupies as many slots as a
// block. Timing:
// - the request register is filled in any cycle in which it is empty or is being accepted, work remains and
//   fewer than QueueBursts slots are between the queue's oldest slot (head_i) and the next;
// - so the rate is one burst per cycle and stream, and head_i affects the request two cycles later.
// Streams advance independently. Written as a bank (one process, blocking state).
`include "assert.svh"
module ndp_stream_fetch #(
  parameter int unsigned Streams = 8,
  parameter int unsigned QueueBursts = 128,
  parameter int unsigned BurstsPerBlock = 8,
  parameter bit LowBit = 1'b0,
  localparam int unsigned TagBits = $clog2(QueueBursts),
  localparam int unsigned PtrBits = TagBits + 1
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  input  logic                                      start_i,  // plan_i is valid from this cycle on
  input  dimm_ndp_pkg::plan_t                       plan_i,
  input  logic [Streams*PtrBits-1:0]                head_i,
  output logic [Streams-1:0]                        req_valid_o,
  input  logic [Streams-1:0]                        req_ready_i,
  output logic [Streams*dimm_ndp_pkg::AddrBits-1:0] req_addr_o,
  output logic [Streams*TagBits-1:0]                req_tag_o,
  output logic                                      idle_o,  // every request is made and accepted
  output logic                                      moved_o  // a request was made or accepted
);
  localparam int unsigned AB = dimm_ndp_pkg::AddrBits;
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned RB = dimm_ndp_pkg::RowBits;
  localparam int unsigned StreamBits = $clog2(Streams);
  localparam int unsigned PlaceBits = $clog2(BurstsPerBlock * dimm_ndp_pkg::ScaledBlocks / 2 + 1);

  logic [Streams-1:0] req_valid_q;
  logic [Streams*dimm_ndp_pkg::AddrBits-1:0] req_addr_q;
  logic [Streams*TagBits-1:0] req_tag_q;
  logic idle_q, moved_q;
  assign req_valid_o = req_valid_q;
  assign req_addr_o = req_addr_q;
  assign req_tag_o = req_tag_q;
  assign idle_o = idle_q;
  assign moved_o = moved_q;

  localparam logic [PtrBits-1:0] BlockMask = PtrBits'(BurstsPerBlock - 1);

  localparam logic [1:0] RunX = 2'd0;
  localparam logic [1:0] RunGate = 2'd1;
  localparam logic [1:0] RunUp = 2'd2;
  localparam logic [1:0] RunDown = 2'd3;

  logic active_q[Streams];
  logic valid_q[Streams];
  // Stays as encoded: without a reset, one bit a value may be of no value until the first write.
  (* fsm_encoding = "none" *) logic [1:0] run_q[Streams];
  logic [AB-1:0] addr_q[Streams];        // next burst
  logic [CB-1:0] left_q[Streams];        // bursts left in the run (a row's share)
  logic [AB-1:0] row_offset_q[Streams];  // row group times stride
  logic [RB-1:0] rows_left_q[Streams];
  logic [AB-1:0] x_row_q[Streams];       // x share of the token being fetched
  logic [CB-1:0] pass_left_q[Streams];   // tokens of this pass still to fetch x of
  logic [CB-1:0] tokens_left_q[Streams];  // tokens of this pass and later ones
  logic [PtrBits-1:0] next_slot_q[Streams];
  logic [PlaceBits-1:0] place_q[Streams];  // of the next burst among a burst of scales and its blocks'
  logic moved_d, idle_d;

  // Bursts of a token's x row in stream s.
  function automatic logic [CB-1:0] x_share(input logic [CB-1:0] words, input int unsigned s);
    x_share = (words + CB'(Streams - 1 - s)) >> StreamBits;
  endfunction

  function automatic logic [CB-1:0] min_count(input logic [CB-1:0] a, input logic [CB-1:0] b);
    min_count = a < b ? a : b;
  endfunction

  task automatic begin_down(input int unsigned s);
    run_q[s] = RunDown;
    addr_q[s] = plan_i.down_base;
    left_q[s] = plan_i.down_bursts;
    row_offset_q[s] = '0;
    rows_left_q[s] = plan_i.out_groups;
  endtask

  task automatic begin_weights(input int unsigned s);
    next_slot_q[s] = (next_slot_q[s] + BlockMask) & ~BlockMask;
    if (plan_i.op == dimm_ndp_pkg::OpLinear) begin
      begin_down(s);
    end else begin
      run_q[s] = plan_i.op == dimm_ndp_pkg::OpGated ? RunGate : RunUp;
      addr_q[s] = plan_i.op == dimm_ndp_pkg::OpGated ? plan_i.gate_base : plan_i.up_base;
      left_q[s] = plan_i.gu_bursts;
      row_offset_q[s] = '0;
      rows_left_q[s] = plan_i.mid_groups;
    end
  endtask

  task automatic begin_pass(input int unsigned s);
    pass_left_q[s] = min_count(plan_i.pass_tokens, tokens_left_q[s]);
    run_q[s] = RunX;
    addr_q[s] = x_row_q[s];
    left_q[s] = x_share(plan_i.in_words, s);
    if (left_q[s] == 0) begin_weights(s);
  endtask

  task automatic begin_row(input int unsigned s);
    rows_left_q[s] = rows_left_q[s] - 1'b1;
    unique case (run_q[s])
      RunDown: begin
        row_offset_q[s] = row_offset_q[s] + plan_i.down_stride;
        addr_q[s] = plan_i.down_base + row_offset_q[s];
        left_q[s] = plan_i.down_bursts;
      end
      default: begin
        row_offset_q[s] = row_offset_q[s] + plan_i.gu_stride;
        run_q[s] = plan_i.op == dimm_ndp_pkg::OpGated ? RunGate : RunUp;
        addr_q[s] = (plan_i.op == dimm_ndp_pkg::OpGated ? plan_i.gate_base : plan_i.up_base)
                  + row_offset_q[s];
        left_q[s] = plan_i.gu_bursts;
      end
    endcase
  endtask

  // The run that follows a finished one.
  task automatic begin_run(input int unsigned s);
    unique case (run_q[s])
      RunX: begin
        x_row_q[s] = x_row_q[s] + plan_i.x_stride;
        pass_left_q[s] = pass_left_q[s] - 1'b1;
        addr_q[s] = x_row_q[s];
        left_q[s] = x_share(plan_i.in_words, s);
        if (pass_left_q[s] == 0) begin_weights(s);
      end
      RunGate: begin
        run_q[s] = RunUp;
        addr_q[s] = plan_i.up_base + row_offset_q[s];
        left_q[s] = plan_i.gu_bursts;
      end
      RunUp: begin
        if (rows_left_q[s] == 1) begin_down(s);
        else begin_row(s);
      end
      default: begin
        if (rows_left_q[s] != 1) begin
          begin_row(s);
        end else begin
          tokens_left_q[s] = tokens_left_q[s] - min_count(plan_i.pass_tokens, tokens_left_q[s]);
          if (tokens_left_q[s] == 0) active_q[s] = 1'b0;
          else begin_pass(s);
        end
      end
    endcase
  endtask

  // State for low-bit weights.
  logic [PtrBits-1:0] block_slots;
  logic [PlaceBits-1:0] last_place;  // of the last burst before the next scales
  assign block_slots = PtrBits'(BurstsPerBlock) >> ndp_pkg::burst_lanes_shift(plan_i.weights);
  assign last_place = PlaceBits'(block_slots) << ndp_pkg::scaled_blocks_shift(plan_i.weights);

  // Slots of the ring that the next burst occupies.
  function automatic logic [PtrBits-1:0] slots(input int unsigned s);
    slots = PtrBits'(1);
    if (run_q[s] != RunX && plan_i.weights != ndp_pkg::WeightsWide && place_q[s] == '0)
      slots = block_slots;
  endfunction

  task automatic step(input int unsigned s);
    logic [PtrBits-1:0] used;
    if (valid_q[s] && req_ready_i[s]) begin
      valid_q[s] = 1'b0;
      moved_d = 1'b1;
    end
    used = next_slot_q[s] - head_i[s*PtrBits+:PtrBits];
    if (!valid_q[s] && active_q[s] && used < PtrBits'(QueueBursts)) begin
      valid_q[s] = 1'b1;
      moved_d = 1'b1;
      req_addr_q[s*AB+:AB] <= addr_q[s];
      req_tag_q[s*TagBits+:TagBits] <= next_slot_q[s][TagBits-1:0];
      next_slot_q[s] = next_slot_q[s] + (LowBit ? slots(s) : PtrBits'(1));
      addr_q[s] = addr_q[s] + 1'b1;
      left_q[s] = left_q[s] - 1'b1;
      if (LowBit) begin
        if (run_q[s] == RunX || left_q[s] == 0 || place_q[s] == last_place) place_q[s] = '0;
        else place_q[s] = place_q[s] + 1'b1;
      end
      if (left_q[s] == 0) begin_run(s);
    end
    req_valid_q[s] <= valid_q[s];
  endtask

  task automatic begin_descriptor(input int unsigned s);
    active_q[s] = 1'b1;
    x_row_q[s] = plan_i.x_base;
    tokens_left_q[s] = plan_i.tokens;
    place_q[s] = '0;
    begin_pass(s);
  endtask

  always_ff @(posedge clk_i) begin
    moved_d = start_i;
    idle_d = 1'b1;
    for (int unsigned s = 0; s < Streams; s++) begin
      if (!rst_ni) begin
        active_q[s] = 1'b0;
        valid_q[s] = 1'b0;
        next_slot_q[s] = '0;
        req_valid_q[s] <= 1'b0;
      end else if (start_i) begin
        begin_descriptor(s);
      end else begin
        step(s);
      end
      if (rst_ni && (active_q[s] || valid_q[s])) idle_d = 1'b0;
    end
    idle_q <= idle_d;
    moved_q <= moved_d & rst_ni;
  end

`ifdef NEARDATA_ASSERT
  logic [Streams-1:0] waits_q;
  always_ff @(posedge clk_i) waits_q <= rst_ni && !start_i ? req_valid_q & ~req_ready_i : '0;
`endif
  `IMPLIES(StartIdle_A, start_i, req_valid_o == '0)
  `HOLDS(RequestsStay_A, (waits_q & ~req_valid_o) == '0)
endmodule
