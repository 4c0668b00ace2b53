// SPDX-License-Identifier: Apache-2.0
// Contracts in RTL, in forms that a simulator and a prover read. Every contract applies at every rising edge of
// clk_i outside reset:
//   `HOLDS(Name_A, condition)
//   `IMPLIES(Name_A, premise, condition)
//   `NEXT(Name_A, premise, condition)      the condition in the cycle after the premise
//   `STAYS(Name_A, valid, ready, data)     an offer and its data are stable until accepted
// For Verilator they are assertions in a process, without sampling: a simulation runs for millions of cycles.
// For a prover (Yosys with -formal, which parses neither `|->` nor `$past`) they are immediate assertions of
// every state; a harness of testbench/prove proves the assertions in its list. Synthesis ignores both.
// NEARDATA_ASSERT is defined wherever assertions are read: it encloses logic that exists only for assertions.
// Contracts are outside of generate blocks, because Yosys 0.23 gives all contracts of a loop the same name.
// `ASSERT(Name_A, property)` and `COVER(Name_C, property)` (a situation that a test must reach, which
// `make coverage` counts) are for testbenches: their properties need operators of sequences, which only
// a simulator reads.
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

// A module whose contracts alone need a reset has the reset port only where contracts are read. This macro
// connects it, in place of `.rst_ni(rst_ni),`. So a circuit has no unused port.
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
