// SPDX-License-Identifier: Apache-2.0
// Scores of a group: for each of eight tokens the sum over the queries, in their order, of weight
// times inverse total, every operation rounded to FP32. Weights come by query, then by token; so
// eight cycles lie between two additions to one sum, of which the loop takes seven.
`include "assert.svh"
module rank_scores #(
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
  localparam int unsigned MultiplyStages = 3;
  localparam int unsigned AddStages = 6;
  localparam int unsigned Stages = MultiplyStages + AddStages;
  logic [Stages-1:0] valid_q;
  logic [LaneBits-1:0] lane_q[Stages];
  logic [Stages-1:0] first_q, last_q;
  logic [31:0] share, sum;
  logic [31:0] sum_q[Lanes];

  attn_multiply u_share (
    .clk_i(clk_i),
    .en_i({valid_q[MultiplyStages-2:0], valid_i}),
    .a_i(weight_i),
    .b_i(inverse_i),
    .product_o(share)
  );
  fp_add u_sum (
    .clk_i(clk_i),
    .en_i(valid_q[Stages-2 -: AddStages]),
    .a_i(first_q[MultiplyStages-1] ? '0 : sum_q[lane_q[MultiplyStages-1]]),
    .b_i(share),
    .sum_o(sum)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], valid_i};
    beat_valid_o <= rst_ni && valid_q[Stages-1] && last_q[Stages-1] &&
        lane_q[Stages-1] == LaneBits'(Lanes - 1);
    if (valid_i || valid_q != '0) begin
      first_q <= {first_q[Stages-2:0], first_i};
      last_q <= {last_q[Stages-2:0], last_i};
      lane_q[0] <= lane_i;
      for (int unsigned s = 1; s < Stages; s++) lane_q[s] <= lane_q[s-1];
    end
    if (valid_q[Stages-1]) sum_q[lane_q[Stages-1]] <= sum;
    if (valid_q[Stages-1] && last_q[Stages-1]) beat_o[32'(lane_q[Stages-1])*32 +: 32] <= sum;
  end
endmodule
