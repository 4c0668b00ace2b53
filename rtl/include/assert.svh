// SPDX-License-Identifier: Apache-2.0
// Contracts in RTL. `ASSERT(Name_A, property) holds at every rising edge of clk_i outside reset;
// `|->`, `|=>` and `$past` are the operators that every tool here reads. What a unit that is simulated
// for millions of cycles promises is better said with those that a process looks at, which sample
// nothing: `HOLDS, `IMPLIES, `NEXT (in the cycle after) and `STAYS (an offer, until it is taken).
// NEARDATA_ASSERT is defined wherever assertions are compiled in: logic that exists only to be
// asserted stands under it.
// Synthesis (SYNTHESIS, or Yosys) sees nothing of either.
`ifndef NEARDATA_ASSERT_SVH
`define NEARDATA_ASSERT_SVH

`ifndef SYNTHESIS
`ifndef YOSYS
`define NEARDATA_ASSERT
`endif
`endif

`ifdef NEARDATA_ASSERT
`define ASSERT(name, prop) \
  name : assert property (@(posedge clk_i) disable iff (!rst_ni) (prop)) \
  else $error("contract broken");
`define IMPLIES(name, premise, condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni && (premise)) name : assert (condition) else $error("contract broken"); \
  end
`define HOLDS(name, condition) `IMPLIES(name, 1'b1, condition)
`define NEXT(name, premise, condition) \
  logic name``_q; \
  always_ff @(posedge clk_i) name``_q <= rst_ni && (premise); \
  `IMPLIES(name, name``_q, condition)
`define STAYS(name, valid, ready, data) \
  logic name``_q; \
  logic [$bits(data)-1:0] name``_data_q; \
  always_ff @(posedge clk_i) begin \
    name``_q <= rst_ni && valid && !ready; \
    if (valid && !ready) name``_data_q <= data; \
  end \
  `IMPLIES(name, name``_q, valid && data == name``_data_q)
// `COVER(Name_C, property)` is a situation that a test has to bring about (`make coverage` counts).
`define COVER(name, prop) \
  name : cover property (@(posedge clk_i) disable iff (!rst_ni) (prop));
`else
`define ASSERT(name, prop)
`define HOLDS(name, condition)
`define IMPLIES(name, premise, condition)
`define NEXT(name, premise, condition)
`define STAYS(name, valid, ready, data)
`define COVER(name, prop)
`endif

`endif
