// SPDX-License-Identifier: Apache-2.0
// Checks one valid/ready stream: an offer stays, and with the same payload, until it is taken. The
// data are looked at only while valid_i is high.
`include "assert.svh"

module stream_chk #(
  parameter int unsigned DataBits = 1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic                ready_i,
  input logic [DataBits-1:0] data_i
);
  `ASSERT(ValidStays_A, valid_i && !ready_i |=> valid_i)
  `ASSERT(DataStay_A, valid_i && !ready_i |=> data_i == $past(data_i))
endmodule
