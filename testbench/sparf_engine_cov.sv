// SPDX-License-Identifier: Apache-2.0
// Situations that tests of the SparF engine must reach, defined on its ports and its events.
`include "assert.svh"
module sparf_engine_cov #(
  parameter int unsigned Channels = 8,
  parameter int unsigned Kernels = 2,
  parameter int unsigned Width = 128,
  parameter int unsigned Events = 8
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              desc_valid_i,
  input logic                              desc_ready_o,
  input logic [sparf_pkg::DescBits-1:0]    desc_i,
  input logic                              done_valid_o,
  input logic                              done_ready_i,
  input logic [31:0]                       done_o,
  input logic                              page_req_valid_o,
  input logic                              page_req_ready_i,
  input logic [Channels-1:0]               ch_valid_i,
  input logic [Channels-1:0]               ch_first_i,
  input logic [Channels-1:0]               ch_error_i,
  input logic [Channels*sparf_pkg::TagBits-1:0] ch_tag_i,
  input logic                              dr_req_valid_o,
  input logic                              dr_req_ready_i,
  input logic                              dw_valid_o,
  input logic                              dw_ready_i,
  input logic                              quiet_o,
  input logic [Events-1:0]                 events_o
);
  localparam int unsigned KernelEvents = sparf_kernel_pkg::Events;
  localparam int unsigned FirstKernel = sparf_pkg::Events + 3 * Channels;

  logic accept, sparse, dense, append, done;
  logic [31:0] mode, tokens, take, window, dims, dim_flash, token_flash;
  assign accept = desc_valid_i && desc_ready_o;
  assign done = done_valid_o && done_ready_i;
  assign mode = desc_i[32*sparf_pkg::DescMode+:32];
  assign tokens = desc_i[32*sparf_pkg::DescTokens+:32];
  assign take = desc_i[32*sparf_pkg::DescTake+:32];
  assign window = desc_i[32*sparf_pkg::DescWindow+:32];
  assign dims = desc_i[32*sparf_pkg::DescDims+:32];
  assign dim_flash = desc_i[32*sparf_pkg::DescDimFlash+:32];
  assign token_flash = desc_i[32*sparf_pkg::DescTokenFlash+:32];
  assign sparse = accept && mode[3:0] == sparf_pkg::OpSparse;
  assign dense = accept && mode[3:0] == sparf_pkg::OpDense;
  assign append = accept && mode[3:0] == sparf_pkg::OpAppend;

  // Kinds of descriptors.
  `COVER(SparseGroup_C, sparse && mode[7:4] != 4'd0)
  `COVER(DenseGroup_C, dense && mode[7:4] != 4'd0)
  `COVER(OneDimAPage_C, sparse && mode[11:8] == 4'd0)
  `COVER(SeveralDimsAPage_C, sparse && mode[11:8] != 4'd0)
  `COVER(MeanOfValues_C, sparse && mode[12])
  `COVER(NoMeanOfValues_C, sparse && !mode[12])
  `COVER(SparseOneToken_C, sparse && tokens == 32'd1)
  `COVER(DenseOneToken_C, dense && tokens == 32'd1)
  `COVER(TakeOne_C, sparse && take == 32'd1)
  `COVER(TakeAll_C, sparse && take >= tokens)
  `COVER(WindowBeyondTake_C, sparse && window >= take)
  `COVER(NoWindow_C, sparse && window == '0)
  `COVER(AllDims_C, sparse && dims == 32'(Width))
  `COVER(SparseNoFlash_C, sparse && dim_flash == '0 && token_flash == '0)
  `COVER(SparseAllFlash_C, sparse && dim_flash >= tokens && token_flash >= tokens)
  `COVER(SparseTail_C, sparse && dim_flash < token_flash && token_flash < tokens)
  `COVER(DenseTail_C, dense && token_flash != '0 && token_flash < tokens)
  `COVER(AppendBehindHead_C, append && !quiet_o)

  // Stimuli of the environment.
  `COVER(PageRequestBlocked_C, page_req_valid_o && !page_req_ready_i)
  `COVER(EveryChannelBrings_C, &ch_valid_i)
  `COVER(Unreadable_C, |(ch_valid_i & ch_first_i & ch_error_i))
  `COVER(DramReadBlocked_C, dr_req_valid_o && !dr_req_ready_i)
  `COVER(DramWriteBlocked_C, dw_valid_o && !dw_ready_i)
  `COVER(DoneWaits_C, done_valid_o && !done_ready_i)
  `COVER(DescriptorWaits_C, desc_valid_i && !desc_ready_o)
  `COVER(WorksAgain_C, accept && quiet_o)

  // A page that overtakes the previously requested one; a head that overtakes the previous one.
  logic [sparf_pkg::TagBits-1:0] page_tag_q, head_tag_q;
  logic first;
  assign first = ch_valid_i[0] && ch_first_i[0];
  always_ff @(posedge clk_i) begin
    if (first) page_tag_q <= ch_tag_i[sparf_pkg::TagBits-1:0];
    if (done) head_tag_q <= done_o[sparf_pkg::TagBits-1:0];
  end
  `COVER(PagesOvertake_C, first && ch_tag_i[sparf_pkg::TagBits-1:0] + 1'b1 == page_tag_q)
  `COVER(HeadsOvertake_C, done && done_o[sparf_pkg::TagBits-1:0] + 1'b1 == head_tag_q)

  // Results of a head.
  sparf_pkg::done_t status;
  assign status = done_o;
  `COVER(Fine_C, done && !status.unreadable && !status.refused && !status.non_finite)
  `COVER(DoneUnreadable_C, done && status.unreadable)
  `COVER(Refused_C, done && status.refused)
  `COVER(NonFinite_C, done && status.non_finite)

  // Events during a head.
  logic [Channels-1:0] waits;
  assign waits = events_o[sparf_pkg::Events+2*Channels+:Channels];
  `COVER(ChannelWaits_C, waits != '0)
  `COVER(Programs_C, events_o[sparf_pkg::EvPageProgram])
  `COVER(Appends_C, events_o[sparf_pkg::EvAppendDone])

  logic [KernelEvents-1:0] kernel;
  logic [Kernels-1:0] attends;
  assign kernel = events_o[FirstKernel+:KernelEvents];
  for (genvar k = 0; k < Kernels; k++) begin : gen_kernel
    assign attends[k] = events_o[FirstKernel+k*KernelEvents+sparf_kernel_pkg::EventAttend];
  end
  `COVER(EveryKernelAttends_C, &attends)
  `COVER(SelectsBesideAttend_C, kernel[sparf_kernel_pkg::EventSelect]
         && kernel[sparf_kernel_pkg::EventAttend])
  `COVER(RanksBesideFold_C, kernel[sparf_kernel_pkg::EventWeigh]
         && kernel[sparf_kernel_pkg::EventFold])
  `COVER(WaitsForKeys_C, kernel[sparf_kernel_pkg::EventKeyWait])
  `COVER(WaitsForValues_C, kernel[sparf_kernel_pkg::EventValueWait])
  `COVER(UnitTaken_C, kernel[sparf_kernel_pkg::EventBlocked])
endmodule

bind sparf_engine sparf_engine_cov #(
  .Channels(Channels),
  .Kernels(Kernels),
  .Width(Width),
  .Events(Events)
) u_cov (.*);
