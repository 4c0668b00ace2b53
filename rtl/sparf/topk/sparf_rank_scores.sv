// SPDX-License-Identifier: Apache-2.0
// Scores of a group: for each of eight tokens the sum over the queries, in their order, of weight times
// inverse total, every operation rounded to FP32. Weights arrive by query, then by token, at most every
// second cycle. So sixteen cycles separate two additions to one sum; the loop needs AddStages + 1 of
// them.
`include "assert.svh"
module sparf_rank_scores #(
  localparam int unsigned Lanes = sparf_kernel_pkg::KeysPerBeat,
  localparam int unsigned LaneBits = $clog2(Lanes)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                valid_i,
  input  logic [31:0]         weight_i,
  input  logic [31:0]         inverse_i,
  input  logic                first_i,   // query
  input  logic                last_i,    // query
  input  logic [LaneBits-1:0] lane_i,
  output logic                beat_valid_o,
  output logic [Lanes*32-1:0] beat_o
);
  localparam int unsigned MultiplyStages = sparf_kernel_pkg::MultiplyStages;
  localparam int unsigned AddStages = sparf_kernel_pkg::AddStages;
  localparam int unsigned Stages = MultiplyStages + AddStages;

  logic beat_valid_q;
  logic [Lanes*32-1:0] beat_q;
  assign beat_valid_o = beat_valid_q;
  assign beat_o = beat_q;

  // Inputs arrive from a table and are registered first.
  logic in_valid_q, in_first_q, in_last_q;
  logic [31:0] in_weight_q, in_inverse_q;
  logic [LaneBits-1:0] in_lane_q;
  logic [Stages-1:0] valid_q;
  logic [(Stages-1)*LaneBits-1:0] lane_q;
  logic [LaneBits-1:0] read_lane_q, sum_lane_q;
  logic [MultiplyStages-2:0] first_q;
  logic [Stages-2:0] last_q;
  logic sum_last_q;
  logic [31:0] share, sum, sum_before_q;
  logic [31:0] sum_q[Lanes];

  sparf_attn_multiply u_share (
    .clk_i(clk_i),
    .en_i({valid_q[MultiplyStages-2:0], in_valid_q}),
    .a_i(in_weight_q),
    .b_i(in_inverse_q),
    .product_o(share)
  );
  sparf_attn_add u_sum (
    .clk_i(clk_i),
    .en_i(valid_q[Stages-2 -: AddStages]),
    .a_i(sum_before_q),
    .b_i(share),
    .sum_o(sum)
  );

  always_ff @(posedge clk_i) begin
    in_valid_q <= rst_ni && valid_i;
    {in_weight_q, in_inverse_q} <= {weight_i, inverse_i};
    {in_first_q, in_last_q, in_lane_q} <= {first_i, last_i, lane_i};
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], in_valid_q};
    beat_valid_q <= rst_ni && valid_q[Stages-1] && sum_last_q &&
        sum_lane_q == LaneBits'(Lanes - 1);
    if (in_valid_q || valid_q != '0) begin
      first_q <= {first_q[MultiplyStages-3:0], in_first_q};
      last_q <= {last_q[Stages-3:0], in_last_q};
      lane_q <= {lane_q[(Stages-2)*LaneBits-1:0], in_lane_q};
    end
    // Separate flip-flops: the output of a long shift register is late in its cycle.
    sum_last_q <= last_q[Stages-2];
    sum_lane_q <= lane_q[(Stages-2)*LaneBits +: LaneBits];
    read_lane_q <= lane_q[(MultiplyStages-3)*LaneBits +: LaneBits];
    sum_before_q <= first_q[MultiplyStages-2] ? '0 : sum_q[read_lane_q];
    if (valid_q[Stages-1]) sum_q[sum_lane_q] <= sum;
    for (int unsigned l = 0; l < Lanes; l++) begin
      if (valid_q[Stages-1] && sum_last_q && sum_lane_q == LaneBits'(l)) begin
        beat_q[l*32 +: 32] <= sum;
      end
    end
  end
endmodule
