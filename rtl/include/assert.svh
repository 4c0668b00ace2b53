// SPDX-License-Identifier: Apache-2.0
// Contracts in RTL, in forms that a simulator and a prover read. All hold at every rising edge of clk_i
// outside reset:
//   `HOLDS(Name_A, condition)
//   `IMPLIES(Name_A, premise, condition)
//   `NEXT(Name_A, premise, condition)      the condition in the cycle after the premise
//   `STAYS(Name_A, valid, ready, data)     an offer and its data, until it is taken
// For Verilator they are assertions that a process looks at, which sample nothing: a unit is simulated
// for millions of cycles. For a prover (Yosys with -formal, which parses neither `|->` nor `$past`) they
// are immediate ones of every state; a harness of testbench/prove proves those that its list names.
// Synthesis sees nothing of either. NEARDATA_ASSERT is defined wherever assertions are read: logic that
// exists only to be asserted stands under it.
// They stand outside of generate blocks, as Yosys 0.23 gives each of a loop the same name.
// `ASSERT(Name_A, property)` and `COVER(Name_C, property)` (a situation that a test has to bring about,
// which `make coverage` counts) are for benches, whose properties need operators of sequences, which
// only a simulator reads.
`ifndef NEARDATA_ASSERT_SVH
`define NEARDATA_ASSERT_SVH

`ifdef FORMAL
`define NEARDATA_ASSERT
`define IMPLIES(name, premise, condition) \
  always @* if (rst_ni && (premise)) name : assert (condition);
`else
`ifndef SYNTHESIS
`ifndef YOSYS
`define NEARDATA_ASSERT
`define NEARDATA_SEQUENCES
`define IMPLIES(name, premise, condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni && (premise)) name : assert (condition) else $error("contract broken"); \
  end
`endif
`endif
`endif

// A module that has a reset for its contracts alone has that port where they are read; it is joined by
// this, in place of `.rst_ni(rst_ni),`. A circuit gets no port that nothing reads.
`ifdef NEARDATA_ASSERT
`define RESET_OF_CONTRACTS .rst_ni(rst_ni),
`else
`define RESET_OF_CONTRACTS
`endif

`ifdef NEARDATA_ASSERT
`define HOLDS(name, condition) `IMPLIES(name, 1'b1, condition)
`define NEXT(name, premise, condition) \
  logic name``_q; \
  always_ff @(posedge clk_i) name``_q <= rst_ni && (premise); \
  `IMPLIES(name, name``_q, condition)
`define STAYS(name, valid, ready, data) \
  logic name``_q; \
  logic [$bits(data)-1:0] name``_data_q; \
  always_ff @(posedge clk_i) begin \
    name``_q <= rst_ni && (valid) && !(ready); \
    if ((valid) && !(ready)) name``_data_q <= data; \
  end \
  `IMPLIES(name, name``_q, (valid) && data == name``_data_q)
`else
`define HOLDS(name, condition)
`define IMPLIES(name, premise, condition)
`define NEXT(name, premise, condition)
`define STAYS(name, valid, ready, data)
`endif

`ifdef NEARDATA_SEQUENCES
`define ASSERT(name, prop) \
  name : assert property (@(posedge clk_i) disable iff (!rst_ni) (prop)) \
  else $error("contract broken");
`define COVER(name, prop) \
  name : cover property (@(posedge clk_i) disable iff (!rst_ni) (prop));
`else
`define ASSERT(name, prop)
`define COVER(name, prop)
`endif

`endif
