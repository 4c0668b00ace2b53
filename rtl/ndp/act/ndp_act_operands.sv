// SPDX-License-Identifier: Apache-2.0
// Operands of the activation unit on their path from the buffer to the lanes. With a limit that is not zero, gate
// operands are at most the limit, and up operands are from -limit to limit; a NaN remains. With up_plus_one_i,
// one is added to up operands after their clamp; the sum is rounded to nearest even in the format of the
// operands, and -1 gives +0. One word per cycle; latency: ndp_act_pkg::OperandStages cycles. Outputs are
// registers. The stages: clamp, addition, rounding.
//
// The first addend is the larger of 1 and the operand's magnitude, the other one is aligned to it. Only an
// operand between -2 and -1/2 cancels more than one bit of the first addend. Such a sum is exact, so
// it is normalised and needs no rounding; every other sum is shifted by at most one bit and rounded.
module ndp_act_operands #(
  parameter int unsigned Values = 32,
  parameter int unsigned IndexBits = 3
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              valid_i,
  input  logic                              up_i,     // 0 gate operands, 1 up operands
  input  logic [IndexBits-1:0]              index_i,
  input  logic [16*Values-1:0]              data_i,
  input  logic                              bf16_i,   // sampled with valid_i, as the next two
  input  logic [ndp_act_pkg::LimitBits-1:0] limit_i,  // a positive value without its sign
  input  logic                              up_plus_one_i,
  output logic                              valid_o,
  output logic                              up_o,
  output logic [IndexBits-1:0]              index_o,
  output logic [16*Values-1:0]              data_o
);
  // Bits of an addend: significand, two guard bits, one sticky bit. A sum has one carry bit more.
  localparam int unsigned AddendBits = ndp_act_pkg::SigBits + 3;
  localparam int unsigned SumBits = AddendBits + 1;
  localparam int unsigned FieldBits = 8;
  localparam int unsigned FractionBits = ndp_act_pkg::SigBits - 1;
  localparam logic [FieldBits-1:0] Bias = 8'd127;

  logic valid_q1, valid_q2, valid_q3, up_q1, up_q2, up_q3, bf16_q1, bf16_q2, add_q1, add_q2;
  logic [IndexBits-1:0] index_q1, index_q2, index_q3;
  logic [16*Values-1:0] clamped_d, clamped_q, operand_q, result_d, result_q;
  logic [SumBits*Values-1:0] sum_d, sum_q;

  assign valid_o = valid_q3;
  assign up_o = up_q3;
  assign index_o = index_q3;
  assign data_o = result_q;

  function automatic logic [15:0] clamped(input logic [15:0] value, input logic up,
                                          input logic bf16,
                                          input logic [ndp_act_pkg::LimitBits-1:0] limit);
    logic nan;
    logic beyond;
    nan = bf16 ? (&value[14:7]) && (|value[6:0]) : (&value[14:10]) && (|value[9:0]);
    beyond = value[14:0] > limit && limit != '0 && !nan && (up || !value[15]);
    clamped = {value[15], beyond ? limit : value[14:0]};
  endfunction

  // The exponent of both formats with the bias of BF16: 112 more than the field of FP16.
  function automatic logic [FieldBits-1:0] exponent(input logic [14:7] upper, input logic bf16);
    exponent = bf16 ? upper : {upper[14], {3{!upper[14]}}, upper[13:10]};
  endfunction

  // The operand's magnitude is 1 or more.
  function automatic logic at_least_one(input logic [FieldBits-1:0] field);
    at_least_one = field >= Bias;
  endfunction

  // The magnitude of operand + 1, in units of the first addend.
  function automatic logic [SumBits-1:0] sum(input logic [15:0] value, input logic bf16);
    logic [FieldBits-1:0] field;
    logic [6:0] distance;  // of an exponent of 0 or less: the exponent negated
    logic [AddendBits-1:0] first;
    logic [AddendBits-1:0] second;
    logic [AddendBits-1:0] one;  // 1 aligned to a larger operand
    logic lost;
    field = exponent(value[14:7], bf16);
    distance = ~field[6:0];
    second = bf16 ? {|value[14:7], value[6:0], 6'd0} : {|value[14:10], value[9:0], 3'd0};
    first = {1'b1, second[AddendBits-2:0] & {(AddendBits - 1) {at_least_one(field)}}};
    lost = 1'b0;
    if (distance[6:4] != '0) begin
      lost = second != '0;
      second = '0;
    end
    if (distance[3]) begin
      lost = lost || (|second[7:0]);
      second = second >> 8;
    end
    if (distance[2]) begin
      lost = lost || (|second[3:0]);
      second = second >> 4;
    end
    if (distance[1]) begin
      lost = lost || (|second[1:0]);
      second = second >> 2;
    end
    if (distance[0]) begin
      lost = lost || second[0];
      second = second >> 1;
    end
    second[0] = second[0] || lost;
    one = field[6:4] == '0 ? (AddendBits)'(1 << (AddendBits - 2)) >> field[3:0] : '0;
    // From 1 to 2 the operand is the first addend, so its significand is reduced by 1 here.
    if (distance == '0) second[AddendBits-2:0] = '0;
    if (field[7]) second = one;
    sum = {1'b0, first} + ({1'b0, second} ^ {SumBits{value[15]}}) + SumBits'(value[15]);
  endfunction

  // The sum in the format of the operands.
  function automatic logic [15:0] rounded(input logic negative, input logic [FieldBits-1:0] operand,
                                          input logic [SumBits-1:0] total, input logic bf16);
    logic larger;  // the operand, whose exponent this is
    logic [FieldBits-1:0] first;
    logic near;
    logic [FieldBits-1:0] field;
    logic [FractionBits+1:0] kept;  // fraction, guard bit, sticky bit
    logic up;
    logic [FieldBits+FractionBits-1:0] whole;
    logic [FractionBits-1:0] exact;
    logic [3:0] zeros;
    larger = at_least_one(operand);
    first = larger ? operand : Bias;
    near = total[SumBits-1:SumBits-3] == '0;

    if (total[SumBits-1]) begin
      field = first + 1'b1;
      kept = {total[SumBits-2:3], |total[2:0]};
    end else if (total[SumBits-2]) begin
      field = first;
      kept = {total[SumBits-3:2], |total[1:0]};
    end else begin
      field = first - 1'b1;
      kept = total[SumBits-4:0];
    end
    up = bf16 ? kept[4] && (kept[5] || (|kept[3:0])) : kept[1] && (kept[2] || kept[0]);
    whole = {field, kept[FractionBits+1:2]}
        + (bf16 ? {14'd0, up, 3'd0} : {17'd0, up});

    // Bits below these are zero in an exact sum.
    exact = total[SumBits-4:2];
    zeros = '0;
    if (exact[9:2] == '0) begin
      zeros[3] = 1'b1;
      exact = exact << 8;
    end
    if (exact[9:6] == '0) begin
      zeros[2] = 1'b1;
      exact = exact << 4;
    end
    if (exact[9:8] == '0) begin
      zeros[1] = 1'b1;
      exact = exact << 2;
    end
    if (!exact[9]) begin
      zeros[0] = 1'b1;
      exact = exact << 1;
    end
    if (near) whole = {1'b0, {3{exact[9]}}, exact[9] ? 4'd13 - zeros : 4'd0, exact[8:0], 1'b0};
    rounded[15] = negative && larger && !(near && !exact[9]);
    rounded[14:0] = bf16 ? whole[FieldBits+FractionBits-1:3] : {whole[17], whole[13:0]};
  endfunction

  always_comb begin
    for (int unsigned i = 0; i < Values; i++) begin
      clamped_d[16*i+:16] = clamped(data_i[16*i+:16], up_i, bf16_i, limit_i);
      sum_d[SumBits*i+:SumBits] = sum(clamped_q[16*i+:16], bf16_q1);
      result_d[16*i+:16] = add_q2
          ? rounded(operand_q[16*i+15], exponent(operand_q[16*i+7+:8], bf16_q2),
                    sum_q[SumBits*i+:SumBits], bf16_q2)
          : operand_q[16*i+:16];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q1 <= 1'b0;
      valid_q2 <= 1'b0;
      valid_q3 <= 1'b0;
    end else begin
      valid_q1 <= valid_i;
      valid_q2 <= valid_q1;
      valid_q3 <= valid_q2;
    end
    if (valid_i) begin
      up_q1 <= up_i;
      bf16_q1 <= bf16_i;
      add_q1 <= up_i && up_plus_one_i;
      index_q1 <= index_i;
      clamped_q <= clamped_d;
    end
    if (valid_q1) begin
      up_q2 <= up_q1;
      bf16_q2 <= bf16_q1;
      add_q2 <= add_q1;
      index_q2 <= index_q1;
      operand_q <= clamped_q;
      sum_q <= sum_d;
    end
    if (valid_q2) begin
      up_q3 <= up_q2;
      index_q3 <= index_q2;
      result_q <= result_d;
    end
  end
endmodule
