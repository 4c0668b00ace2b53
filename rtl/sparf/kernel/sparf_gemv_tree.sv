// SPDX-License-Identifier: Apache-2.0
// Adds the lanes' sums, all at one scale, in a tree, one level per cycle, and rounds the total to FP32 once. A
// sum has two parts; high_i arrives one cycle after low_i. The latency of a logit and its marks from low_i is
// log2(Lanes) + 2 cycles and the stages of sparf_attn_normalise.
module sparf_gemv_tree #(
  parameter int unsigned Lanes = 16,
  parameter int unsigned SumBits = 52,
  parameter int unsigned LowBits = 26,
  parameter int unsigned LogitBits = 1,
  localparam int unsigned EB = sparf_kernel_pkg::ExponentSumBits,
  localparam int unsigned HighBits = SumBits - LowBits
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      valid_i,
  input  logic [Lanes*LowBits-1:0]  low_i,
  input  logic [Lanes*HighBits-1:0] high_i,
  input  logic [EB-1:0]             exponent_i,
  input  logic [LogitBits-1:0]      logit_i,
  output logic                      valid_o,
  output logic [31:0]               value_o,
  output logic [LogitBits-1:0]      logit_o,
  output logic                      moves_o  // a sum is above the leaves after this cycle
);
  localparam int unsigned Levels = $clog2(Lanes);
  localparam int unsigned NormaliseStages = sparf_kernel_pkg::NormaliseStages;

  // Level 0 is the inputs.
  logic [Levels+1:1] valid_q;
  logic [LowBits-1:0] low_q[Levels + 1][Lanes];
  logic [Lanes-1:0] carry_q[Levels + 1];
  logic [HighBits-1:0] high_q[Levels + 1][Lanes];
  logic [EB-1:0] exponent_q[Levels + 2];
  logic [LogitBits-1:0] level_logit_q[Levels + 2];
  logic [LowBits-1:0] root_low_q;
  logic [NormaliseStages:0] root_valid_q;
  logic [SumBits-1:0] root_q;
  logic [EB-1:0] root_exponent_q;
  logic [LogitBits-1:0] root_logit_q[NormaliseStages + 1];
  logic [Levels+1:0] valid;
  assign valid = {valid_q, valid_i};
  assign valid_o = root_valid_q[NormaliseStages];
  assign logit_o = root_logit_q[NormaliseStages];
  assign moves_o = valid[Levels:0] != '0;

  task automatic take_leaves();
    for (int unsigned i = 0; i < Lanes; i++) begin
      low_q[0][i] = low_i[i*LowBits +: LowBits];
      high_q[0][i] = high_i[i*HighBits +: HighBits];
    end
    exponent_q[0] = exponent_i;
    level_logit_q[0] = logit_i;
  endtask

  task automatic join_low(input int unsigned s);
    for (int unsigned i = 0; i < (Lanes >> (s + 1)); i++) begin
      {carry_q[s+1][i], low_q[s+1][i]} = {1'b0, low_q[s][2*i]} + {1'b0, low_q[s][2*i+1]};
    end
    exponent_q[s+1] = exponent_q[s];
    level_logit_q[s+1] = level_logit_q[s];
  endtask

  task automatic join_high(input int unsigned s);
    for (int unsigned i = 0; i < (Lanes >> (s + 1)); i++) begin
      high_q[s+1][i] = HighBits'(({high_q[s][2*i], 1'b1} + {high_q[s][2*i+1], carry_q[s+1][i]}) >> 1);
    end
  endtask

  // Last stage first: each stage reads the registers of the previous cycle. An upper part precedes the lower
  // part, whose carry it adds.
  always_ff @(posedge clk_i) begin
    root_valid_q <= {root_valid_q[NormaliseStages-1:0], valid_q[Levels+1]};
    for (int unsigned s = NormaliseStages; s >= 1; s--) root_logit_q[s] <= root_logit_q[s-1];
    root_logit_q[0] <= level_logit_q[Levels+1];
    root_q <= {high_q[Levels][0], root_low_q};
    root_exponent_q <= exponent_q[Levels+1];
    root_low_q = low_q[Levels][0];
    exponent_q[Levels+1] = exponent_q[Levels];
    level_logit_q[Levels+1] = level_logit_q[Levels];
    take_leaves();
    for (int unsigned s = 0; s < Levels; s++) begin
      if (valid[Levels-s]) join_high(Levels - 1 - s);
      if (valid[Levels-1-s]) join_low(Levels - 1 - s);
    end
    valid_q <= valid[Levels:0];
    if (!rst_ni) begin
      valid_q <= '0;
      root_valid_q <= '0;
      // A register, because the delay becomes a memory, which is slower.
      root_logit_q[NormaliseStages] <= '0;
    end
  end

  sparf_attn_normalise #(
    .SumBits(SumBits)
  ) u_normalise (
    .clk_i(clk_i),
    .en_i(root_valid_q[NormaliseStages-1:0]),
    .sum_i(root_q),
    .exponent_i(root_exponent_q),
    .value_o(value_o)
  );
endmodule
