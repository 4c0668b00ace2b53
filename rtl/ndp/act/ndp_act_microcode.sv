// SPDX-License-Identifier: Apache-2.0
// The microcode of the activation unit: one control word per cycle for all lanes, the first three cycles after start_i.
// func_i, bf16_i and gated_i are sampled with start_i. done_o follows start_i by ndp_act_pkg::ActLatency cycles,
// TanhLatency with tanh GELU; the next start is not earlier.
//
// With Q = sigmoid(-a) or Phi(-|x|): Q = 2^-offset 2^-w, w = t - (offset - correction).
//   SiLU        t = |x| log2(e)                              correction = log2(1 + z), z = 2^-t
//   quick GELU  t = 1.702 |x| log2(e)                        the same
//   tanh GELU   t = 2 sqrt(2/pi) (|x| + 0.044715 |x|^3) log2(e)   the same
//   GELU        t = (x^2/2) log2(e)                          correction = -log2(Phi(-|x|) e^(x^2/2))
// The result is x Q for negative x and x (1 - Q) otherwise; identity and ReLU replace that factor by 1, and
// ReLU squared replaces it by x.
`include "assert.svh"

module ndp_act_microcode (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              start_i,
  input  logic [2:0]        func_i,
  input  logic              bf16_i,
  input  logic              gated_i,
  output ndp_act_pkg::control_t control_o,
  output logic              done_o
);
  localparam int unsigned CountBits = $clog2(ndp_act_pkg::Steps);  // 6
  localparam int unsigned SB = ndp_act_pkg::SumBits;

  ndp_act_pkg::control_t control_q;
  logic done_q;
  assign control_o = control_q;
  assign done_o = done_q;

  // Shifts that align the binary point. Products are significand x accumulator.
  localparam logic [4:0] ShiftAll = 5'd31;
  localparam logic [4:0] ShiftStep = 5'd12;   // r (c1 - r c2): r counts 4096ths
  localparam logic [4:0] ShiftHalf = 5'd11;   // |x| log2(e) / 2: back to 18 bits
  localparam logic [SB-1:0] ShiftPower = 10'd12;  // t, minus the exponent of |x| or x^2
  localparam logic [SB-1:0] ShiftQuick = 10'd11;  // the same with the constants of quick GELU
  localparam logic [SB-1:0] ShiftTanh = 10'd9;    // and of tanh GELU
  localparam logic [SB-1:0] ShiftCube = 10'd15;   // 0.044715 x^2, minus the exponent of x^2
  localparam logic [SB-1:0] ShiftIndex = 10'd13;  // |x|: 14 bits behind the point
  localparam logic [SB-1:0] ShiftZ = 10'd13;      // z from 2^28 2^-t: 15 bits behind the point
  localparam logic [SB-1:0] ShiftTail = 10'd11;   // Q from 2^28 Q: back to 17 bits

  // The steps of tanh GELU between steps 0 and 1.
  localparam logic [CountBits-1:0] FirstTanh = CountBits'(ndp_act_pkg::Steps);
  localparam logic [CountBits-1:0] LastTanh = FirstTanh + CountBits'(ndp_act_pkg::TanhSteps - 1);

  logic started_q, busy_q, ending_q;
  logic [CountBits-1:0] step_q;
  logic [2:0] func_q;
  logic bf16_q, gated_q;
  logic curve, gelu, quick, tanh, relu, square, second, last;
  logic [SB-1:0] bias, offset, power_shift;
  logic [ndp_act_pkg::AccBits-1:0] slope;          // of t, or of its cube
  logic [ndp_act_pkg::SourceBits-1:0] correction;   // its table
  logic [ndp_act_pkg::SourceBits-1:0] coefficient;  // of the steps that evaluate a table
  ndp_act_pkg::control_t word;

  assign gelu = func_q == ndp_pkg::ActGelu;
  assign quick = func_q == ndp_pkg::ActQuickGelu;
  assign tanh = func_q == ndp_pkg::ActTanhGelu;
  assign curve = func_q == ndp_pkg::ActSilu || gelu || quick || tanh;
  assign slope = quick ? ndp_act_pkg::QuickLog2e
      : tanh ? ndp_act_pkg::TanhCube : ndp_act_pkg::Log2e;
  assign power_shift = quick ? ShiftQuick : tanh ? ShiftTanh : ShiftPower;
  assign bias = bf16_q ? 10'd127 : 10'd15;
  assign offset = gelu ? ndp_act_pkg::GeluOffset : ndp_act_pkg::SiluOffset;
  assign correction = gelu ? ndp_act_pkg::SourceGelu : ndp_act_pkg::SourceSilu;
  assign square = func_q == ndp_pkg::ActReluSquared;
  assign relu = func_q == ndp_pkg::ActRelu || square;
  assign second = step_q > 6'd38 && step_q < FirstTanh;
  assign coefficient = step_q == 6'd15 || step_q == 6'd24 ? 4'd0
      : step_q == 6'd18 || step_q == 6'd27 ? 4'd1 : 4'd2;
  assign last = step_q == CountBits'(ndp_act_pkg::Steps - 1);

  always_comb begin
    word = '0;
    word.bf16 = bf16_q;
    word.shift = ShiftAll;
    if (busy_q) begin
      unique case (step_q)
        0: begin
          word.decode = 1'b1;
          word.acc_write = 1'b1;
          word.constant = slope;
        end
        // tanh GELU: the slope of t, 2 sqrt(2/pi) (1 + 0.044715 x^2) log2(e).
        48, 51: word.multiply_low = 1'b1;
        49: begin
          word.multiply_high = 1'b1;
          word.exp_operand = ndp_act_pkg::ExpOperand;
          word.exp_subtract = 1'b1;
          word.exp_constant = ShiftTanh;
          word.exp_to_far = 1'b1;
        end
        50: begin
          word.acc_write = 1'b1;
          word.shift = ShiftHalf;
        end
        52: begin
          word.multiply_high = 1'b1;
          word.exp_operand = ndp_act_pkg::ExpTwice;
          word.exp_subtract = 1'b1;
          word.exp_constant = ShiftCube;
          word.exp_to_shift = 1'b1;
        end
        53: begin
          word.acc_write = 1'b1;
          word.shift_own = 1'b1;
          word.constant = ndp_act_pkg::TanhLog2e;
          word.carry_to_far = 1'b1;
        end
        // SiLU: t, then z = 2^-t.     GELU: t, then |x| as an index.
        1: word.multiply_low = !gelu;
        2: begin
          word.multiply_high = !gelu;
          word.exp_operand = ndp_act_pkg::ExpOperand;
          word.exp_subtract = 1'b1;
          word.exp_constant = power_shift;
          word.exp_to_shift = 1'b1;
          word.exp_to_far = !tanh;
        end
        3: begin
          word.shift_own = 1'b1;
          word.power_load = 1'b1;
        end
        4: word.index_power = !gelu;
        5: begin
          word.multiply_low = gelu;
          word.acc_write = !gelu;
          word.source = ndp_act_pkg::SourceExp2;
        end
        6: begin
          word.multiply_low = !gelu;
          word.multiply_high = gelu;
        end
        7: begin
          word.multiply_high = !gelu;
          word.acc_write = gelu;
          word.shift = ShiftHalf;
        end
        8: begin
          word.multiply_low = gelu;
          word.acc_write = !gelu;
          word.acc_subtract = 1'b1;
          word.source = ndp_act_pkg::SourceExp2 + 4'd1;
          word.shift = ShiftStep;
        end
        9: begin
          word.multiply_low = !gelu;
          word.multiply_high = gelu;
          word.exp_operand = ndp_act_pkg::ExpTwice;
          word.exp_subtract = 1'b1;
          word.exp_constant = ShiftPower;
          word.exp_to_shift = gelu;
          word.exp_to_far = gelu;
        end
        10: begin
          word.multiply_high = !gelu;
          word.shift_own = 1'b1;
          word.power_load = gelu;
        end
        11: begin
          word.unity = !gelu;
          word.acc_write = 1'b1;
          word.acc_subtract = !gelu;
          word.source = gelu ? ndp_act_pkg::SourceConstant : ndp_act_pkg::SourceExp2 + 4'd2;
          word.constant = ndp_act_pkg::One;
          word.shift = gelu ? ShiftAll : ShiftStep;
        end
        12: word.multiply_low = 1'b1;
        13: begin
          word.multiply_high = 1'b1;
          word.exp_operand = gelu ? ndp_act_pkg::ExpBelowOne : ndp_act_pkg::ExpPower;
          word.exp_subtract = gelu;
          word.exp_constant = gelu ? ShiftIndex : ShiftZ;
          word.exp_to_shift = 1'b1;
        end
        14: begin
          word.shift_own = 1'b1;
          word.index_product = 1'b1;
          word.index_octave = gelu;
        end
        // The correction, from c2 to c0.
        15, 18, 21: begin
          word.acc_write = 1'b1;
          word.acc_subtract = 1'b1;
          word.source = correction + coefficient;
          word.shift = coefficient == '0 ? ShiftAll : ShiftStep;
        end
        16, 19: word.multiply_low = 1'b1;
        17, 20: word.multiply_high = 1'b1;
        22: word.power_correct = 1'b1;
        // Q = 2^-w.
        23: word.index_power = 1'b1;
        24, 27, 30: begin
          word.acc_write = 1'b1;
          word.acc_subtract = 1'b1;
          word.source = ndp_act_pkg::SourceExp2 + coefficient;
          word.shift = coefficient == '0 ? ShiftAll : ShiftStep;
          word.unity = coefficient == 4'd2;
          // ReLU squared: the accumulator becomes x, as later the up operand.
          if (square && coefficient == 4'd2) begin
            word.acc_subtract = 1'b0;
            word.source = ndp_act_pkg::SourceConstant;
            word.constant = ndp_act_pkg::One;
            word.shift = ShiftAll;
            word.unity = 1'b0;
            word.decode = 1'b1;
          end
        end
        25, 28: word.multiply_low = 1'b1;
        26, 29: begin
          word.multiply_high = 1'b1;
          word.exp_constant = bias - 10'd2;
          word.exp_to_sum = 1'b1;
        end
        // 1 - Q where x is not negative, with its exponent; or 1 for identity and ReLU.
        31: begin
          word.multiply_low = 1'b1;
          word.exp_operand = square ? ndp_act_pkg::ExpOperand : ndp_act_pkg::ExpPower;
          word.exp_subtract = !square;
          word.exp_constant = square ? bias - 10'd1 : bias - 10'd2 - offset;
          word.exp_to_sum = curve || square;
          word.exp_negative = !square;
        end
        32: begin
          word.multiply_high = 1'b1;
          word.exp_operand = ndp_act_pkg::ExpPower;
          word.exp_constant = ShiftTail + offset;
          word.exp_to_shift = 1'b1;
        end
        33: begin
          word.decode = 1'b1;
          word.shift_own = curve;
          word.acc_write = 1'b1;
          word.acc_positive = curve;
          word.acc_subtract = !square;
          word.constant = square ? '0 : ndp_act_pkg::One;
          word.shift = square ? ShiftHalf : ShiftAll;
        end
        // The product with x; in the second round that of the result and the up operand. The
        // shift of a subnormal result, then the field and, if it is not subnormal, its shift.
        34, 43: begin
          word.multiply_low = 1'b1;
          word.exp_from_sum = 1'b1;
          word.exp_operand = ndp_act_pkg::ExpOperand;
          word.exp_to_sum = 1'b1;
        end
        35, 44: begin
          word.multiply_high = 1'b1;
          word.exp_operand = ndp_act_pkg::ExpSum;
          word.exp_subtract = 1'b1;
          word.exp_constant = bf16_q ? 10'd19 : 10'd16;
          word.exp_to_shift = 1'b1;
        end
        36, 45: begin
          word.exp_from_sum = 1'b1;
          word.exp_operand = ndp_act_pkg::ExpCarry;
          word.exp_to_sum = 1'b1;
        end
        37, 46: begin
          word.exp_to_field = 1'b1;
          word.tail = curve && !second;
          word.relu = relu && !second;
        end
        38, 47: begin
          word.shift_own = 1'b1;
          word.pack = 1'b1;
          word.relu = relu && !second;
        end
        // The up operand becomes the accumulator.
        39: begin
          word.decode = 1'b1;
          word.decode_up = 1'b1;
          word.acc_write = 1'b1;
          word.constant = ndp_act_pkg::One;
        end
        40: word.multiply_low = 1'b1;
        41: begin
          word.multiply_high = 1'b1;
          word.exp_operand = ndp_act_pkg::ExpOperand;
          word.exp_constant = bias - 10'd1;
          word.exp_to_sum = 1'b1;
        end
        42: begin
          word.decode = 1'b1;
          word.decode_merge = 1'b1;
          word.acc_write = 1'b1;
          word.shift = ShiftHalf;
        end
        default: word = '0;
      endcase
    end
    word.use_product = word.acc_write || word.power_load || word.index_product || word.pack;
    word.exp_add = word.exp_to_shift || word.exp_to_far || word.exp_to_sum;
    if (second && !gated_q) word = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      busy_q <= 1'b0;
      step_q <= '0;
      control_q <= '0;
      ending_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      started_q <= start_i;
      if (!busy_q) begin
        busy_q <= started_q;
        step_q <= '0;
      end else begin
        busy_q <= !last;
        if (tanh && step_q == '0) step_q <= FirstTanh;
        else if (step_q == LastTanh) step_q <= CountBits'(1);
        else step_q <= step_q + 1'b1;
      end
      control_q <= word;
      ending_q <= busy_q && last;
      done_q <= ending_q;
    end
    if (start_i) begin
      func_q <= func_i;
      bf16_q <= bf16_i;
      gated_q <= gated_i;
    end
  end

  `IMPLIES(ProductHoldsWhileUsed_A, control_o.use_product,
          !control_o.multiply_low && !control_o.multiply_high && !control_o.exp_add &&
          !control_o.exp_to_field && !control_o.index_power && !control_o.power_correct)
endmodule
