// SPDX-License-Identifier: Apache-2.0
// How every harness with a reset begins: registers hold anything, the first cycle is a reset, and
// another one may come at any time. A harness asserts outside of the reset.
`ifndef NEARDATA_PROVE_SVH
`define NEARDATA_PROVE_SVH

`define FROM_ANY_STATE \
  logic running_q; \
  initial running_q = 1'b0; \
  always @(posedge clk_i) running_q <= 1'b1; \
  always @* assume (running_q || !rst_ni);

// A harness of the engine `induction`: in the first cycle registers hold anything for which the invariant
// holds, or there is a reset; properties, of which the invariant is one, are asserted in the cycle
// after. A search for the trace of a fault begins with the reset.
`ifdef NEARDATA_INDUCTION
`define FROM_INVARIANT(invariant) \
  logic running_q; \
  initial running_q = 1'b0; \
  always @(posedge clk_i) running_q <= 1'b1; \
  always @* assume (running_q || !rst_ni || (invariant));
`define ASSERTED (rst_ni && running_q)
`else
`define FROM_INVARIANT(invariant) `FROM_ANY_STATE
`define ASSERTED rst_ni
`endif

// PROVE(Label, condition) is a property, and ASSUME(condition) what a module may rely on.
`define PROVE(label, condition) always @* if (`ASSERTED) label : assert (condition);
`define ASSUME(condition) always @* if (rst_ni) assume (condition);

// A pipeline of Latency stages: what comes in the first cycle leaves in that of `leaves`; whatever was
// in the registers before, and whatever comes behind it.
`define WINDOW(Latency) \
  logic [5:0] age_q; \
  initial age_q = '0; \
  always @(posedge clk_i) if (age_q <= 6'(Latency)) age_q <= age_q + 1'b1; \
  logic enters, leaves; \
  assign enters = age_q == '0; \
  assign leaves = age_q == 6'(Latency);
`define AT_THE_END(label, condition) always @* if (leaves) label : assert (condition);

`endif
