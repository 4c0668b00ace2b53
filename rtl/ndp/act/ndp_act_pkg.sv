// SPDX-License-Identifier: Apache-2.0
// Shared types of the activation unit: the control word that the microcode sends to all lanes in a cycle, the
// widths of a lane, the latency.
//
// A lane has one multiplier (half a multiplicand x accumulator, so a product needs two steps), one shifter
// with rounding behind the product, one adder (coefficient +- shifted product) and one exponent adder.
// Significands are 11 bits in both formats, with the leading one at bit 10; subnormal operands are
// normalised.
package ndp_act_pkg;
  localparam int unsigned SigBits = 11;
  localparam int unsigned ExpBits = 9;      // unbiased, signed: -133 (BF16) to 128
  localparam int unsigned StepBits = 12;    // position on a segment of a table
  localparam int unsigned DigitBits = StepBits / 2;  // of the multiplicand in one step
  localparam int unsigned AccBits = 18;
  localparam int unsigned ProductBits = 29;  // the largest products: 4095 x 131070, 2047 x 189097
  localparam int unsigned ShiftBits = 5;
  localparam int unsigned SegmentBits = 5;
  localparam int unsigned FractionBits = 15;                  // of the exponent of two
  localparam int unsigned PowerBits = ExpBits + FractionBits;  // w in 2^-w, signed
  localparam int unsigned SumBits = 10;                       // exponent adder, signed

  // A limit of operands: a positive value without its sign.
  localparam int unsigned LimitBits = 15;
  // Stages of ndp_act_operands: operands reach the lanes so many cycles after they reach the unit.
  localparam int unsigned OperandStages = 3;

  // Where the microcode of a function ends; tanh GELU has more steps, which follow the first one.
  localparam int unsigned Steps = 48;
  localparam int unsigned TanhSteps = 6;
  // From start_i to done_o: one cycle until the last operands are in the lanes, and the step counter and
  // the control word are registered.
  localparam int unsigned ActLatency = Steps + OperandStages;
  localparam int unsigned TanhLatency = ActLatency + TanhSteps;

  // The first operand of the adder: the constant of the control word, or a coefficient of a table. The
  // three coefficients of a table follow each other, c2 first.
  localparam int unsigned SourceBits = 4;
  localparam logic [SourceBits-1:0] SourceConstant = 4'd0;
  localparam logic [SourceBits-1:0] SourceExp2 = 4'd4;
  localparam logic [SourceBits-1:0] SourceSilu = 4'd8;
  localparam logic [SourceBits-1:0] SourceGelu = 4'd12;

  localparam logic [AccBits-1:0] One = 18'd131072;
  localparam logic [AccBits-1:0] Log2e = 18'd189097;       // log2(e), units of 2^-17
  localparam logic [AccBits-1:0] QuickLog2e = 18'd160921;  // 1.702 log2(e), units of 2^-16
  // 2 sqrt(2 / pi) log2(e), units of 2^-14, and 0.044715 of it, units of 2^-20.
  localparam logic [AccBits-1:0] TanhLog2e = 18'd37719;
  localparam logic [AccBits-1:0] TanhCube = 18'd107944;
  // The correction tables store an offset minus the correction; Q is 2^-offset 2^-w.
  localparam logic [SumBits-1:0] SiluOffset = 10'd1;
  localparam logic [SumBits-1:0] GeluOffset = 10'd6;

  // Second operands of the exponent adder.
  localparam logic [2:0] ExpZero = 3'd0;
  localparam logic [2:0] ExpOperand = 3'd1;       // exponent of the operand
  localparam logic [2:0] ExpTwice = 3'd2;         // twice that
  localparam logic [2:0] ExpBelowOne = 3'd3;      // that where it is negative, otherwise 0
  localparam logic [2:0] ExpPower = 3'd4;         // integer part of w
  localparam logic [2:0] ExpSum = 3'd5;           // the exponent sum
  localparam logic [2:0] ExpCarry = 3'd6;         // 1 where the product is 2^27 or more

  // One step of all lanes. An idle step is all zeros. A step that uses the product neither changes it nor adds
  // exponents.
  typedef struct packed {
    logic bf16;
    // operand -> multiplicand, exponent, sign and kind
    logic decode;
    logic decode_up;      // the up operand, not the gate operand or result
    logic decode_merge;   // the other factor is decoded already: combine signs and kinds
    logic unity;          // multiplicand <= one, 2^11
    // product <= low half of the multiplicand x accumulator; then with the high half
    logic multiply_low;
    logic multiply_high;
    // after the shifter; its shift is that of the lane or this one, and 31 shifts out all bits
    logic use_product;
    logic shift_own;
    logic [ShiftBits-1:0] shift;
    // accumulator <= source +- shifted product
    logic acc_write;
    logic acc_positive;   // only where the operand is not negative
    logic acc_subtract;
    logic [SourceBits-1:0] source;
    logic [AccBits-1:0] constant;
    logic carry_to_far;   // note that the sum exceeds the accumulator: w saturates
    // w <= shifted product
    logic power_load;
    // multiplicand and segment for a table <= shifted product
    logic index_product;
    logic index_octave;   // its segments are those of GELU
    // result <= {exponent field, significand}
    logic pack;
    // w <= w - accumulator; multiplicand and segment for a table <= fraction of w
    logic power_correct;
    logic index_power;
    // exponent adder: constant or exponent sum, plus or minus an operand
    logic exp_add;
    logic exp_from_sum;
    logic exp_subtract;
    logic [2:0] exp_operand;
    logic [SumBits-1:0] exp_constant;
    logic exp_to_shift;
    logic exp_to_far;     // note that the shift is below 6: w saturates
    logic exp_to_sum;
    logic exp_negative;   // only where the operand is negative
    logic exp_to_field;   // exponent sum to exponent field, with all that is special
    logic tail;           // SiLU, GELU of every form: far negative operands become -0
    logic relu;           // negative operands become +0
  } control_t;

  // {exponent, 0, significand} of a finite operand; its value for zeros and infinities is not
  // used, but infinities have a large exponent.
  function automatic logic [ExpBits+StepBits-1:0] normalised(input logic [14:0] bits,
                                                             input logic bf16);
    logic [7:0] field;
    logic [SigBits-1:0] sig;
    logic [3:0] lost;
    logic [ExpBits-1:0] exponent;
    field = bf16 ? bits[14:7] : {3'b000, bits[14:10]};
    sig = bf16 ? {field != 8'd0, bits[6:0], 3'b000} : {field != 8'd0, bits[9:0]};
    lost = 4'd0;
    if (sig[10:3] == 8'd0) begin
      lost[3] = 1'b1;
      sig = {sig[2:0], 8'd0};
    end
    if (sig[10:7] == 4'd0) begin
      lost[2] = 1'b1;
      sig = {sig[6:0], 4'd0};
    end
    if (sig[10:9] == 2'd0) begin
      lost[1] = 1'b1;
      sig = {sig[8:0], 2'd0};
    end
    if (!sig[10]) begin
      lost[0] = 1'b1;
      sig = {sig[9:0], 1'b0};
    end
    // 1 - lost = ~lost + 2 where the field is 0: the 2 is added to the bias, 127 or 15.
    exponent = field == 8'd0 ? {5'b11111, ~lost} : {1'b0, field};
    exponent = exponent + {2'b11, {3{!bf16}}, 2'b00, field == 8'd0, 1'b1};
    normalised = {exponent, 1'b0, sig};
  endfunction

  // {NaN, infinity, zero}
  function automatic logic [2:0] kind(input logic [14:0] bits, input logic bf16);
    logic top;
    logic fraction;
    top = bf16 ? &bits[14:7] : &bits[14:10];
    fraction = bf16 ? |bits[6:0] : |bits[9:0];
    kind = {top && fraction, top && !fraction, bits == 15'd0};
  endfunction

  // {NaN, infinity, zero} of the product of two operands.
  function automatic logic [2:0] joined_kind(input logic [2:0] a, input logic [2:0] b);
    joined_kind = {a[2] || b[2] || (a[1] && b[0]) || (a[0] && b[1]), a[1] || b[1], a[0] || b[0]};
  endfunction

  // {product >> shift, round up}: to nearest, ties to even.
  function automatic logic [ProductBits:0] shift_rounded(input logic [ProductBits-1:0] product,
                                                         input logic [ShiftBits-1:0] shift);
    logic [ProductBits:0] v;  // the last bit is the one after the point
    logic sticky;
    v = {product, 1'b0};
    sticky = 1'b0;
    if (shift[4]) begin
      sticky = sticky || (|v[15:0]);
      v = v >> 16;
    end
    if (shift[3]) begin
      sticky = sticky || (|v[7:0]);
      v = v >> 8;
    end
    if (shift[2]) begin
      sticky = sticky || (|v[3:0]);
      v = v >> 4;
    end
    if (shift[1]) begin
      sticky = sticky || (|v[1:0]);
      v = v >> 2;
    end
    if (shift[0]) begin
      sticky = sticky || v[0];
      v = v >> 1;
    end
    shift_rounded = {v[ProductBits:1], v[0] && (sticky || v[1])};
  endfunction
endpackage
