// SPDX-License-Identifier: Apache-2.0
// Start of every harness with a reset: registers have any contents, the first cycle is a reset, and further resets may
// occur at any time. A harness asserts outside of the reset.
`ifndef NEARDATA_PROVE_SVH
`define NEARDATA_PROVE_SVH

`define FROM_ANY_STATE \
  logic running_q; \
  initial running_q = 1'b0; \
  always @(posedge clk_i) running_q <= 1'b1; \
  always @* assume (running_q || !rst_ni);

// Start of a harness of the engine `induction`: in the first cycle registers have any contents that satisfy the
// invariant, or the cycle is a reset. Properties, including the invariant, are asserted in the next cycle. A search for
// the trace of a fault begins with the reset.
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

// PROVE(Label, condition) is a property, and ASSUME(condition) an assumption about the inputs.
`define PROVE(label, condition) always @* if (`ASSERTED) label : assert (condition);
`define ASSUME(condition) always @* if (rst_ni) assume (condition);

// A pipeline of Latency stages: the input of the first cycle leaves in the cycle of `leaves`, for any contents of the
// registers before it and any inputs after it.
`define WINDOW(Latency) \
  logic [5:0] age_q; \
  initial age_q = '0; \
  always @(posedge clk_i) if (age_q <= 6'(Latency)) age_q <= age_q + 1'b1; \
  logic enters, leaves; \
  assign enters = age_q == '0; \
  assign leaves = age_q == 6'(Latency);
`define AT_THE_END(label, condition) always @* if (leaves) label : assert (condition);

`endif
