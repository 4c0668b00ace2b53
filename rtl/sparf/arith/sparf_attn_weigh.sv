// SPDX-License-Identifier: Apache-2.0
// Logits to weights, one per cycle: 2^-((largest - logit) scale), every operation rounded to FP32. The weight
// leaves in FP32 and as a fixed-point number (units of 2^-36, truncated), WeighStages of sparf_kernel_pkg
// later, with the tag of its logit.
`include "assert.svh"
`include "observe.svh"
module sparf_attn_weigh #(
  parameter int unsigned TagBits = 1,
  localparam int unsigned FixedBits = sparf_attn_pkg::WeightFractionBits + 1
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
  localparam int unsigned AddStages = sparf_kernel_pkg::AddStages;
  localparam int unsigned MultiplyStages = sparf_kernel_pkg::MultiplyStages;
  localparam int unsigned FixStages = sparf_kernel_pkg::FixStages;
  localparam int unsigned Stages = sparf_kernel_pkg::WeighStages;
  localparam int unsigned FB = sparf_attn_pkg::WeightFractionBits;

  logic [FixedBits-1:0] fixed_q;
  assign fixed_o = fixed_q;

  logic [Stages-1:0] valid_q;
  logic [(AddStages-1)*32-1:0] scale_q;
  logic [31:0] scale_end_q;
  logic [Stages*TagBits-1:0] tag_q;
  logic [31:0] difference, distance, power;
  logic flows;
  assign flows = valid_i || valid_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], valid_i};
    if (flows) begin
      scale_q <= {scale_q[(AddStages-2)*32-1:0], scale_i};
      scale_end_q <= scale_q[(AddStages-2)*32 +: 32];
      tag_q <= {tag_q[(Stages-1)*TagBits-1:0], tag_i};
    end
    // With a reset they stay registers where the delay becomes a memory, which is slower.
    if (!rst_ni) scale_end_q <= '0;
    if (!rst_ni) tag_q[(Stages-1)*TagBits +: TagBits] <= '0;
  end

  sparf_attn_add u_difference (
    .clk_i(clk_i),
    .en_i({valid_q[AddStages-2:0], valid_i}),
    .a_i(largest_i),
    .b_i({~logit_i[31], logit_i[30:0]}),
    .sum_o(difference)
  );

  sparf_attn_multiply u_distance (
    .clk_i(clk_i),
    .en_i(valid_q[AddStages-1 +: MultiplyStages]),
    .a_i(difference),
    .b_i(scale_end_q),
    .product_o(distance)
  );

`ifdef NEARDATA_OBSERVE
  logic power_valid;
`endif
  sparf_attn_exp2 u_power (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .z_valid_i(valid_q[AddStages+MultiplyStages-1]),
    .z_i(distance),
`ifdef NEARDATA_OBSERVE
    .power_valid_o(power_valid),
`endif
    .power_o(power)
  );
  assign valid_o = valid_q[Stages-1];
  assign tag_o = tag_q[(Stages-1)*TagBits +: TagBits];

  // The weight is at most 1.
  localparam logic [7:0] UnitField = 8'd127;
  logic [FixStages*32-1:0] weight_q;
  logic [5:0] down_q;
  logic none_q;
  logic [2:0] fine_q;
  logic [FB:0] whole, coarse_q;
  assign whole = {1'b1, weight_q[22:0], {(FB - 23){1'b0}}};
  assign weight_o = weight_q[(FixStages-1)*32 +: 32];
  always_ff @(posedge clk_i) begin
    if (flows) begin
      weight_q <= {weight_q[(FixStages-1)*32-1:0], power};
      down_q <= 6'(UnitField - power[30:23]);
      none_q <= power[30:23] < UnitField - 8'(FB);
      coarse_q <= none_q ? '0 : whole >> {down_q[5:3], 3'b000};
      fine_q <= down_q[2:0];
      fixed_q <= coarse_q >> fine_q;
    end
  end

  if (sparf_kernel_pkg::PowerStages != sparf_attn_exp2_pkg::Stages) begin : gen_bad_stages
    $error("sparf_attn_weigh: PowerStages must be that of sparf_attn_exp2");
  end

`ifdef NEARDATA_OBSERVE
  `HOLDS(Together_A, power_valid == valid_q[Stages-FixStages-1])
`endif
endmodule
