// SPDX-License-Identifier: Apache-2.0
// NEARDATA_OBSERVE is defined in simulators. Ports for checkers and drivers of a simulation exist only under it:
// neither a circuit nor a proof has them.
`ifndef NEARDATA_OBSERVE_SVH
`define NEARDATA_OBSERVE_SVH

`ifndef FORMAL
`ifndef SYNTHESIS
`ifndef YOSYS
`define NEARDATA_OBSERVE
`endif
`endif
`endif
`endif
