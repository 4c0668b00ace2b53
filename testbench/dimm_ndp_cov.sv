// SPDX-License-Identifier: Apache-2.0
// Situations that tests of the DIMM-NDP have to bring about, seen from its ports and its events.
`include "assert.svh"
module dimm_ndp_cov #(
  parameter int unsigned Streams = 8,
  parameter int unsigned TagBits = 6
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              desc_valid_i,
  input logic                              desc_ready_o,
  input logic [dimm_ndp_pkg::DescBits-1:0] desc_i,
  input logic                              done_valid_o,
  input logic                              done_ready_i,
  input logic [Streams-1:0]                req_valid_o,
  input logic [Streams-1:0]                req_ready_i,
  input logic [Streams-1:0]                rsp_valid_i,
  input logic [Streams*TagBits-1:0]        rsp_tag_i,
  input logic                              out_valid_o,
  input logic                              out_ready_i,
  input logic                              quiet_o,
  input logic [dimm_ndp_pkg::Events-1:0]   events_o
);
  logic accept;
  logic [31:0] mode, tokens, pass_tokens, mid_rows, out_rows;
  assign accept = desc_valid_i && desc_ready_o;
  assign mode = desc_i[32*dimm_ndp_pkg::DescMode+:32];
  assign tokens = desc_i[32*dimm_ndp_pkg::DescTokens+:32];
  assign pass_tokens = desc_i[32*dimm_ndp_pkg::DescPassTokens+:32];
  assign mid_rows = desc_i[32*dimm_ndp_pkg::DescMidRows+:32];
  assign out_rows = desc_i[32*dimm_ndp_pkg::DescOutRows+:32];

  logic linear, gated, ungated;
  assign linear = accept && mode[1:0] == dimm_ndp_pkg::OpLinear;
  assign gated = accept && mode[1:0] == dimm_ndp_pkg::OpGated;
  assign ungated = accept && mode[1:0] == dimm_ndp_pkg::OpUngated;

  // Kinds of descriptors.
  `COVER(LinearFp16_C, linear && !mode[8])
  `COVER(LinearBf16_C, linear && mode[8])
  `COVER(GatedIdentity_C, gated && mode[5:4] == 2'd0)
  `COVER(GatedRelu_C, gated && mode[5:4] == 2'd1)
  `COVER(GatedSilu_C, gated && mode[5:4] == 2'd2)
  `COVER(GatedGelu_C, gated && mode[5:4] == 2'd3)
  `COVER(GatedBf16_C, gated && mode[8])
  `COVER(UngatedFp16_C, ungated && !mode[8])
  `COVER(UngatedBf16_C, ungated && mode[8])
  `COVER(OneToken_C, accept && tokens == 32'd1)
  `COVER(SeveralPasses_C, accept && tokens > pass_tokens)
  `COVER(ShortLastPass_C, accept && tokens > pass_tokens && tokens % pass_tokens != '0)
  `COVER(OneOutputRow_C, accept && out_rows == 32'd1)
  `COVER(PartialRowGroup_C, accept && !linear && mid_rows % Streams != '0)
  `COVER(PartialOutputBurst_C, accept && out_rows % dimm_ndp_pkg::ValuesPerBurst != '0)

  // Stimuli of the environment.
  `COVER(EveryRequestBlocked_C, &req_valid_o && req_ready_i == '0)
  `COVER(EveryStreamAnswered_C, &rsp_valid_i)
  `COVER(OutputBlocked_C, out_valid_o && !out_ready_i)
  `COVER(DoneWaits_C, done_valid_o && !done_ready_i)
  `COVER(DescriptorWaits_C, desc_valid_i && !desc_ready_o)
  `COVER(BackToBack_C, accept && $past(done_valid_o && done_ready_i))
  `COVER(QuietAtWork_C, quiet_o && !events_o[dimm_ndp_pkg::EvIdle])

  // Answers of a stream that overtake each other.
  logic [TagBits-1:0] last_tag_q;
  always_ff @(posedge clk_i) begin
    if (rsp_valid_i[0]) last_tag_q <= rsp_tag_i[TagBits-1:0];
  end
  `COVER(OutOfOrder_C, rsp_valid_i[0] && rsp_tag_i[TagBits-1:0] + 1'b1 == last_tag_q)

  // Reactions of the unit.
  `COVER(WaitsForWeights_C, events_o[dimm_ndp_pkg::EvStallWeights])
  `COVER(WaitsForOperand_C, events_o[dimm_ndp_pkg::EvStallOperand])
  `COVER(WaitsForOutput_C, events_o[dimm_ndp_pkg::EvStallOutput])
  `COVER(ActivatesBesideArray_C, events_o[dimm_ndp_pkg::EvActBusy] && events_o[dimm_ndp_pkg::EvSlot])
  `COVER(WeightsKept_C, events_o[dimm_ndp_pkg::EvSlot] && !events_o[dimm_ndp_pkg::EvNewWeights])
endmodule

bind dimm_ndp dimm_ndp_cov #(
  .Streams(Streams),
  .TagBits(TagBits)
) u_cov (.*);
