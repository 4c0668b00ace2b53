// SPDX-License-Identifier: Apache-2.0
// The activation unit: ActLanes lanes that compute act(gate), or act(gate) * up when gated_i, in FP16 or
// BF16. Operands are loaded 32 at a time while the unit is idle; ndp_act_operands clamps them and adds one
// to up operands, by the format and the rules of the cycle in which they are loaded. start_i samples the
// function. done_o is high for one cycle, ndp_act_pkg::ActLatency cycles after start_i, TanhLatency with tanh
// GELU; then rd_data_o shows results until the next gate operands are loaded. Results are rounded to nearest
// even, subnormals are preserved, NaN is canonical.
`include "assert.svh"

module ndp_act_unit #(
  parameter int unsigned ActLanes = 256,
  parameter int unsigned BankLanes = ActLanes,  // simulates fastest as one bank
  localparam int unsigned Words = ActLanes / 32,
  localparam int unsigned IndexBits = Words > 1 ? $clog2(Words) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 ld_valid_i,
  input  logic                 ld_up_i,     // 0 gate operands, 1 up operands
  input  logic [IndexBits-1:0] ld_index_i,
  input  logic [511:0]         ld_data_i,
  input  logic [ndp_act_pkg::LimitBits-1:0] limit_i,  // of operands, 0: none
  input  logic                 up_plus_one_i,
  input  logic                 start_i,
  input  logic [2:0]           func_i,      // ndp_pkg::Act*
  input  logic                 bf16_i,
  input  logic                 gated_i,
  output logic                 done_o,
  input  logic [IndexBits-1:0] rd_index_i,
  output logic [511:0]         rd_data_o
);
  localparam int unsigned Banks = ActLanes / BankLanes;
  localparam int unsigned BankWords = BankLanes / 32;

  if (ActLanes < 32 || (ActLanes & (ActLanes - 1)) != 0) begin : gen_lanes
    $error("ndp_act_unit: ActLanes must be a power of two, 32 or more");
  end
  if (BankLanes % 32 != 0 || ActLanes % BankLanes != 0) begin : gen_banks
    $error("ndp_act_unit: BankLanes must be a multiple of 32 that divides ActLanes");
  end

  ndp_act_pkg::control_t control;
  logic [16*ActLanes-1:0] gate;

  ndp_act_microcode u_microcode (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start_i),
    .func_i   (func_i),
    .bf16_i   (bf16_i),
    .gated_i  (gated_i),
    .control_o(control),
    .done_o   (done_o)
  );

  logic op_valid, op_up;
  logic [IndexBits-1:0] op_index;
  logic [511:0] op_data;

  ndp_act_operands #(
    .Values(32),
    .IndexBits(IndexBits)
  ) u_operands (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .valid_i      (ld_valid_i),
    .up_i         (ld_up_i),
    .index_i      (ld_index_i),
    .data_i       (ld_data_i),
    .bf16_i       (bf16_i),
    .limit_i      (limit_i),
    .up_plus_one_i(up_plus_one_i),
    .valid_o      (op_valid),
    .up_o         (op_up),
    .index_o      (op_index),
    .data_o       (op_data)
  );

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [BankWords-1:0] ld_group;

    always_comb begin
      for (int unsigned g = 0; g < BankWords; g++) begin
        ld_group[g] = op_valid && op_index == IndexBits'(b * BankWords + g);
      end
    end

    ndp_act_bank #(
      .Lanes(BankLanes),
      .Group(32)
    ) u_bank (
      .clk_i     (clk_i),
      .control_i (control),
      .ld_group_i(ld_group),
      .ld_up_i   (op_up),
      .ld_data_i (op_data),
      .gate_o    (gate[16*BankLanes*b+:16*BankLanes])
    );
  end

  assign rd_data_o = gate[512*rd_index_i+:512];

  logic running_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) running_q <= 1'b0;
    else running_q <= start_i || (running_q && !done_o);
  end

  `IMPLIES(StartWhileRunning_A, start_i, !running_q || done_o)
  `IMPLIES(LoadWhileRunning_A, ld_valid_i, !running_q || done_o)
endmodule
