// SPDX-License-Identifier: Apache-2.0
// Contracts in RTL. `ASSERT(Name_A, property) holds at every rising edge of clk_i outside reset;
// `|->`, `|=>` and `$past` are the operators that every tool here reads. NEARDATA_ASSERT is defined
// wherever assertions are compiled in: logic that exists only to be asserted stands under it.
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
// `COVER(Name_C, property)` is a situation that a test has to bring about (`make coverage` counts).
`define COVER(name, prop) \
  name : cover property (@(posedge clk_i) disable iff (!rst_ni) (prop));
`else
`define ASSERT(name, prop)
`define COVER(name, prop)
`endif

`endif
