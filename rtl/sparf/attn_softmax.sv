// SPDX-License-Identifier: Apache-2.0
// Logits to weights: the logits of a head come in, one a cycle; run_i turns each into
// 2^-((largest - logit) scale) and adds the weights up in units of 2^-36. The weights lie where the
// logits lay and can be read, in any order, from done_o to clear_i, which begins the next head.
// With S logits done_o comes S + Latency cycles after run_i.
`include "assert.svh"
module attn_softmax #(
  parameter int unsigned MaxRows = 4096,
  localparam int unsigned RowBits = $clog2(MaxRows),
  localparam int unsigned TotalBits = attn_pkg::WeightFractionBits + 1 + RowBits
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 logit_valid_i,
  input  logic [31:0]          logit_i,
  input  logic                 run_i,          // a strobe, after the last logit
  input  logic [31:0]          scale_i,        // FP32, positive; held until done_o
  output logic                 done_o,
  output logic [TotalBits-1:0] total_o,
  input  logic                 read_i,
  input  logic [RowBits-1:0]   row_i,
  output logic [31:0]          weight_o        // in the cycle after read_i
);
  localparam int unsigned FB = attn_pkg::WeightFractionBits;
  localparam int unsigned AddStages = 6;
  localparam int unsigned MultiplyStages = 3;
  // From the read of a logit to its weight.
  localparam int unsigned Latency = 1 + AddStages + MultiplyStages + attn_exp2_pkg::Stages;

  logic [RowBits:0] count_q, read_q, written_q;
  logic [31:0] largest_q;
  logic running_q;
  logic reading;
  assign reading = running_q && read_q != count_q;

  // FP32 in the order of unsigned numbers.
  function automatic logic [31:0] ordered(input logic [31:0] value);
    ordered = value[31] ? ~value : {1'b1, value[30:0]};
  endfunction

  // A logit on its way: read, subtracted, scaled.
  logic [AddStages+MultiplyStages:0] stage_q;
  logic [31:0] stored, difference, distance, power;
  logic power_valid;

  sram_1r1w #(
    .Words(MaxRows),
    .DataBits(32)
  ) u_rows (
    .clk_i(clk_i),
    .wr_valid_i(logit_valid_i || power_valid),
    .wr_addr_i(power_valid ? written_q[RowBits-1:0] : count_q[RowBits-1:0]),
    .wr_data_i(power_valid ? power : logit_i),
    .rd_valid_i(reading || read_i),
    .rd_addr_i(reading ? read_q[RowBits-1:0] : row_i),
    .rd_data_o(stored)
  );
  assign weight_o = stored;

  fp_add u_difference (
    .clk_i(clk_i),
    .en_i(stage_q[AddStages-1:0]),
    .a_i(largest_q),
    .b_i({~stored[31], stored[30:0]}),
    .sum_o(difference)
  );

  attn_multiply u_distance (
    .clk_i(clk_i),
    .en_i(stage_q[AddStages +: MultiplyStages]),
    .a_i(difference),
    .b_i(scale_i),
    .product_o(distance)
  );

  attn_exp2 u_power (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .z_valid_i(stage_q[AddStages+MultiplyStages]),
    .z_i(distance),
    .power_valid_o(power_valid),
    .power_o(power)
  );

  // The weight, at most 1, as a fixed-point number, cut.
  logic [FB:0] fixed;
  logic [7:0] down;
  localparam logic [7:0] UnitField = 8'd127;
  assign down = UnitField - power[30:23];
  assign fixed = power[30:23] == '0 || down > 8'(FB) ? '0
      : {1'b1, power[22:0], {(FB - 23){1'b0}}} >> down[5:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      count_q <= '0;
      read_q <= '0;
      written_q <= '0;
      running_q <= 1'b0;
      done_o <= 1'b0;
      stage_q <= '0;
      total_o <= '0;
    end else begin
      stage_q <= {stage_q[AddStages+MultiplyStages-1:0], reading};
      if (logit_valid_i) begin
        count_q <= count_q + 1'b1;
        if (count_q == '0 || ordered(logit_i) > ordered(largest_q)) largest_q <= logit_i;
      end
      if (run_i) running_q <= 1'b1;
      if (reading) read_q <= read_q + 1'b1;
      if (power_valid) begin
        written_q <= written_q + 1'b1;
        total_o <= total_o + TotalBits'(fixed);
        if (written_q + 1'b1 == count_q) begin
          running_q <= 1'b0;
          done_o <= 1'b1;
        end
      end
    end
  end

  if (Latency >= 64) begin : gen_bad_latency
    $error("attn_softmax: the pipeline is longer than anybody expects");
  end

  `ASSERT(RoomForLogit_A, logit_valid_i |-> !count_q[RowBits] && !running_q && !run_i)
  `ASSERT(RunWithLogits_A, run_i |-> count_q != '0)
  `ASSERT(ReadWhenDone_A, read_i |-> done_o)
endmodule
