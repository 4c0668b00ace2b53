// SPDX-License-Identifier: Apache-2.0
// Logits to weights, one a cycle: 2^-((largest - logit) scale), every operation rounded to FP32, in
// FP32 and as a fixed-point number (units of 2^-36, cut). The tag travels along. Latency is that of
// a difference, a product and attn_exp2.
`include "assert.svh"
module attn_weigh #(
  parameter int unsigned TagBits = 1,
  localparam int unsigned FixedBits = attn_pkg::WeightFractionBits + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  input  logic [31:0]          logit_i,
  input  logic [31:0]          largest_i,
  input  logic [31:0]          scale_i,   // FP32, positive
  input  logic [TagBits-1:0]   tag_i,
  output logic                 valid_o,
  output logic [31:0]          weight_o,
  output logic [FixedBits-1:0] fixed_o,
  output logic [TagBits-1:0]   tag_o
);
  localparam int unsigned SubtractStages = sparf_kernel_pkg::SubtractStages;
  localparam int unsigned ScaleStages = sparf_kernel_pkg::ScaleStages;
  localparam int unsigned Stages = SubtractStages + ScaleStages + attn_exp2_pkg::Stages;
  localparam int unsigned FB = attn_pkg::WeightFractionBits;

  logic [Stages-1:0] valid_q;
  logic [31:0] scale_q[SubtractStages];
  logic [TagBits-1:0] tag_q[Stages];
  logic [31:0] difference, distance;
  logic power_valid;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], valid_i};
    if (valid_q != '0 || valid_i) begin
      scale_q[0] <= scale_i;
      for (int unsigned s = 1; s < SubtractStages; s++) scale_q[s] <= scale_q[s-1];
      tag_q[0] <= tag_i;
      for (int unsigned s = 1; s < Stages; s++) tag_q[s] <= tag_q[s-1];
    end
  end

  fp_add u_difference (
    .clk_i(clk_i),
    .en_i({valid_q[SubtractStages-2:0], valid_i}),
    .a_i(largest_i),
    .b_i({~logit_i[31], logit_i[30:0]}),
    .sum_o(difference)
  );

  attn_multiply u_distance (
    .clk_i(clk_i),
    .en_i(valid_q[SubtractStages-1 +: ScaleStages]),
    .a_i(difference),
    .b_i(scale_q[SubtractStages-1]),
    .product_o(distance)
  );

  attn_exp2 u_power (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .z_valid_i(valid_q[SubtractStages+ScaleStages-1]),
    .z_i(distance),
    .power_valid_o(power_valid),
    .power_o(weight_o)
  );
  assign valid_o = valid_q[Stages-1];
  assign tag_o = tag_q[Stages-1];

  // The weight is at most 1.
  logic [7:0] down;
  localparam logic [7:0] UnitField = 8'd127;
  assign down = UnitField - weight_o[30:23];
  assign fixed_o = weight_o[30:23] == '0 || down > 8'(FB) ? '0
      : {1'b1, weight_o[22:0], {(FB - 23){1'b0}}} >> down[5:0];

  `ASSERT(Together_A, power_valid == valid_o)
endmodule
