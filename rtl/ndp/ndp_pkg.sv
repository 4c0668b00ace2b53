// SPDX-License-Identifier: Apache-2.0
// Parameters of the datapath of the NDP unit: encodings, widths and the ages of a slot. The age of a
// slot is the number of cycles since its lane-0 load. A stage named "at age n" computes in that cycle
// from registers; its results are registered at the end of the cycle. All numbers are derived from
// Streams, Mults (multipliers per stream), Lanes (of a multiplier) and Bits (of the serial operand per
// cycle).
package ndp_pkg;
  // Functions of the activation unit.
  localparam logic [2:0] ActIdentity = 3'd0;
  localparam logic [2:0] ActRelu = 3'd1;
  localparam logic [2:0] ActSilu = 3'd2;
  localparam logic [2:0] ActGelu = 3'd3;
  localparam logic [2:0] ActTanhGelu = 3'd4;
  localparam logic [2:0] ActReluSquared = 3'd5;
  localparam logic [2:0] ActQuickGelu = 3'd6;  // x sigmoid(1.702 x)

  // Formats of weights. Codes of fewer bits have separate scales: MXFP4 and MXFP8 the exponent of
  // 32 weights (E8M0), NVFP4 a number for 16 weights (E4M3) and an FP32 factor for the matrix, the
  // others an FP32 factor of half a block.
  localparam logic [2:0] WeightsWide = 3'd0;   // FP16 or BF16, as the activations
  localparam logic [2:0] WeightsMxfp4 = 3'd1;  // E2M1
  localparam logic [2:0] WeightsFp8 = 3'd2;    // E4M3
  localparam logic [2:0] WeightsInt8 = 3'd3;   // sign and magnitude; -0 encodes -128
  localparam logic [2:0] WeightsInt4 = 3'd4;   // sign and magnitude; -0 encodes -8
  localparam logic [2:0] WeightsMxfp8 = 3'd5;  // E4M3
  localparam logic [2:0] WeightsNvfp4 = 3'd6;  // E2M1
  localparam int unsigned ScaleBits = 64;      // of a block: 8 exponents, or 2 factors

  // An operand inside the array is {sign, exponent, significand}. Exponent 0 is a zero, 255 an
  // infinity or, with NanBit of the significand set, a NaN; subnormals have exponent 1.
  localparam int unsigned OperandBits = 16;
  localparam int unsigned SigBits = 11;
  localparam int unsigned ExpBits = 8;
  localparam int unsigned DecodedBits = 1 + ExpBits + SigBits;
  localparam int unsigned NanBit = SigBits - 2;
  localparam int unsigned SignBit = DecodedBits - 1;

  localparam int unsigned ProductBits = 2 * SigBits;
  localparam int unsigned ExpSumBits = ExpBits + 1;
  // The aligned product has as many bits below the product at the largest exponent as that product has.
  localparam int unsigned GuardBits = ProductBits;
  localparam int unsigned AlignedBits = ProductBits + GuardBits;
  localparam int unsigned ShiftBits = 6;  // saturated at 63 >= AlignedBits, which shifts out all bits
  // Special operands of a block: {NaN, +inf, -inf}.
  localparam int unsigned SpecialBits = 3;
  localparam int unsigned RankBits = SpecialBits + ExpSumBits;  // {specials, exponent sum}

  localparam int unsigned Fp32Bits = 32;

  // Cycles of a slot: one operand of 16 bits, serially.
  function automatic int unsigned slot_cycles(input int unsigned bits);
    slot_cycles = OperandBits / bits;
  endfunction

  // Cycles in which a lane multiplies.
  function automatic int unsigned serial_steps(input int unsigned bits);
    serial_steps = (SigBits + bits - 1) / bits;
  endfunction

  // Bursts of 64 bytes in one block of one stream.
  function automatic int unsigned bursts_per_block(input int unsigned mults,
                                                   input int unsigned lanes);
    bursts_per_block = mults * lanes * OperandBits / 512;
  endfunction

  // An aligned product is below 2^AlignedBits, so the magnitude of a sum over a block is below
  // 2^(AlignedBits + log2 of the block); one more bit for the sign.
  function automatic int unsigned sum_bits(input int unsigned mults, input int unsigned lanes);
    sum_bits = AlignedBits + $clog2(mults * lanes) + 1;
  endfunction

  // Age at which the largest exponent of the block can be read: the last lane is loaded at age
  // lanes - 1, its exponent computed and compared with those of the other lanes at age lanes, then
  // one tree level per cycle over the multipliers.
  function automatic int unsigned rank_age(input int unsigned mults, input int unsigned lanes);
    rank_age = lanes + 1 + $clog2(mults);
  endfunction

  // Age at which lane 0 computes its alignment shift; lane c does so c cycles later, and is shifted
  // in the cycle after. Not before the product and the largest exponent are valid.
  function automatic int unsigned align_age(input int unsigned mults, input int unsigned lanes,
                                            input int unsigned bits);
    if (rank_age(mults, lanes) > serial_steps(bits)) align_age = rank_age(mults, lanes);
    else align_age = serial_steps(bits);
  endfunction

  // Cycles for which a product is needed after its lane is reused by the next slot at age slot_cycles.
  function automatic int unsigned hold_cycles(input int unsigned mults, input int unsigned lanes,
                                              input int unsigned bits);
    if (align_age(mults, lanes, bits) + 1 > slot_cycles(bits)) begin
      hold_cycles = align_age(mults, lanes, bits) + 1 - slot_cycles(bits);
    end else begin
      hold_cycles = 0;
    end
  endfunction

  // Age at which the sum of lane 0 over the multipliers can be read; lane c is c cycles later.
  function automatic int unsigned tree_age(input int unsigned mults, input int unsigned lanes,
                                           input int unsigned bits);
    tree_age = align_age(mults, lanes, bits) + 2 + $clog2(mults);
  endfunction

  // Age at which the sums of the block can be read.
  function automatic int unsigned sum_age(input int unsigned mults, input int unsigned lanes,
                                          input int unsigned bits);
    sum_age = tree_age(mults, lanes, bits) + lanes;
  endfunction

  // The tree stores the largest exponent of a block until that of the next slot replaces it, slot_cycles later. It is
  // used with the sums, so copies, one for each slot_cycles, delay it.
  function automatic int unsigned rank_copies(input int unsigned mults, input int unsigned lanes,
                                              input int unsigned bits);
    rank_copies = (sum_age(mults, lanes, bits) - 1 - rank_age(mults, lanes)) / slot_cycles(bits);
  endfunction

  // Stages of the root: sum to FP32, FP32 addition, FP32 to the result's format.
  localparam int unsigned NormaliseStages = 5;
  localparam int unsigned MultiplyStages = 8;
  localparam int unsigned AddStages = 6;
  localparam int unsigned NarrowStages = 2;
  // Cycles from a read of an accumulator to the first read of its new value: the fetch, the addition, the write.
  localparam int unsigned AccumulateLoop = AddStages + 2;

  // From a block's sums to the accumulated term. With low-bit weights the sums of its halves are
  // scaled and added first.
  function automatic int unsigned term_stages(input bit low_bit);
    term_stages = NormaliseStages + (low_bit ? MultiplyStages + AddStages : 0);
  endfunction

  // From the cycle of the lane-0 load to the cycle in which res_valid_o is high: the sums pass the root one stream per
  // cycle and are collected.
  function automatic int unsigned gemv_latency(input int unsigned streams,
                                               input int unsigned mults, input int unsigned lanes,
                                               input int unsigned bits, input bit low_bit);
    gemv_latency = sum_age(mults, lanes, bits) + term_stages(low_bit) + AddStages + NarrowStages +
        streams;
  endfunction

  // An operand in the format of the lanes.
  function automatic logic [DecodedBits-1:0] decode(input logic [OperandBits-1:0] value,
                                                    input logic bf16);
    logic [ExpBits-1:0] field;
    logic [SigBits-2:0] fraction;
    logic [ExpBits-1:0] ones;
    logic subnormal;
    field = bf16 ? value[14:7] : {3'b000, value[14:10]};
    fraction = bf16 ? {value[6:0], 3'b000} : value[9:0];
    ones = {ExpBits{bf16 ? &value[14:7] : &value[14:10]}};
    subnormal = ~|field & |fraction;
    decode = {
      value[15],
      field | ones | ExpBits'(subnormal),
      |field,
      (fraction & {(SigBits - 1) {~ones[0]}}) | {|fraction & ones[0], 9'b0}
    };
  endfunction

  // Extracts a weight of fewer than 16 bits from the word of its multiplier, which has one of each of two
  // or four lanes, the first in the low bits. Magnitudes of fixed point are at the top of the
  // significand, those of MXFP4 one bit lower, in halves; where the exponent of their scale would be
  // 0, the exponent of zero, they are one bit lower and the exponent is 1. The exponent of MXFP8 is
  // the sum of the scale and the exponent of the code, less 8. A weight that is not zero is a NaN if
  // this exponent is not in 1 to 254. The significand of NVFP4 is the code in halves times the
  // significand of the scale, at the exponent of the scale.
  function automatic logic [DecodedBits-1:0] decode_code(input logic [OperandBits-1:0] word,
                                                         input logic [1:0] part,
                                                         input logic [2:0] format,
                                                         input logic [7:0] scale);
    logic [7:0] code;
    logic [7:0] size;
    logic sign;
    logic nonzero;
    logic nan;
    logic [ExpBits-1:0] field;
    logic [3:0] own;
    logic [3:0] scale_sig;
    logic [ExpBits:0] sum;
    if (format == WeightsMxfp4 || format == WeightsInt4 || format == WeightsNvfp4) begin
      code = part[1] ? word[15:8] : word[7:0];
      code = {part[0] ? code[7:4] : code[3:0], 4'b0000};
    end else begin
      code = part[0] ? word[15:8] : word[7:0];
    end
    scale_sig = {|scale[6:3], scale[2:0]};
    sign = code[7];
    nonzero = |code[6:0];
    nan = 1'b0;
    own = code[6:3] | 4'(code[6:3] == '0);
    // scale + own - 8, from -7 to 262: bit 8 is set below 0 and above 255.
    sum = {1'b0, scale} + {{6{~own[3]}}, own[2:0]};
    unique case (format)
      WeightsMxfp4: begin
        size = halves_times(code[6:4], 4'd1) << ((scale == '0) ? 3 : 4);
        field = scale | ExpBits'(scale == '0);
        nan = &scale;
      end
      WeightsFp8: begin
        size = {|code[6:3], code[2:0], 4'b0000};
        field = {4'b0000, own};
        nan = &code[6:0];
      end
      WeightsMxfp8: begin
        size = {|code[6:3], code[2:0], 4'b0000};
        field = sum[ExpBits-1:0];
        nan = &code[6:0] | &scale | (nonzero & (sum[ExpBits] | &field | ~|field));
      end
      WeightsNvfp4: begin
        size = halves_times(code[6:4], scale_sig);
        field = {4'b0000, scale[6:3] | 4'(scale[6:3] == '0)};
        nonzero = nonzero & |scale_sig;
        sign = code[7] ^ scale[7];
        nan = &scale[6:0];
      end
      default: begin
        size = {code[7] & ~nonzero, code[6:0]};
        field = ExpBits'(1);
        nonzero = |size;
      end
    endcase
    decode_code = nan ? {sign, {ExpBits{1'b1}}, 1'b1, 1'b1, 9'b0}
        : {sign, field & {ExpBits{nonzero}}, size, 3'b000};
  endfunction

  // The magnitude of an E2M1 code, in halves, times a factor: 0, 1 or 3 times the factor, at one of four places.
  function automatic logic [7:0] halves_times(input logic [2:0] code, input logic [3:0] factor);
    logic [7:0] odd;
    odd = code[0] && code[2:1] != '0 ? 8'({factor, 1'b0}) + 8'(factor) : 8'(factor);
    unique case (code)
      3'd0: halves_times = '0;
      3'd1, 3'd3: halves_times = odd;
      3'd2, 3'd5: halves_times = odd << 1;
      3'd4, 3'd7: halves_times = odd << 2;
      default: halves_times = odd << 3;
    endcase
  endfunction

  // Lanes of a burst of low-bit weights, 2 or 4, as a power of two.
  function automatic logic [1:0] burst_lanes_shift(input logic [2:0] weights);
    unique case (weights)
      WeightsFp8, WeightsInt8, WeightsMxfp8: burst_lanes_shift = 2'd1;
      WeightsMxfp4, WeightsInt4, WeightsNvfp4: burst_lanes_shift = 2'd2;
      default: burst_lanes_shift = 2'd0;
    endcase
  endfunction

  // Blocks that follow a burst of scales, 4 or 8, as a power of two.
  function automatic logic [1:0] scaled_blocks_shift(input logic [2:0] weights);
    scaled_blocks_shift = weights == WeightsNvfp4 ? 2'd2 : 2'd3;
  endfunction

  // The bias of such weights: their value is significand * 2^(exponent - bias - 10).
  function automatic logic signed [8:0] weight_bias(input logic [2:0] format, input logic bf16);
    unique case (format)
      WeightsMxfp4: weight_bias = 9'sd125;
      WeightsFp8: weight_bias = 9'sd7;
      WeightsInt8: weight_bias = -9'sd6;
      WeightsInt4: weight_bias = -9'sd2;
      WeightsMxfp8: weight_bias = 9'sd126;
      WeightsNvfp4: weight_bias = 9'sd4;
      default: weight_bias = bf16 ? 9'sd127 : 9'sd15;
    endcase
  endfunction

  // Combines two {specials, exponent sum}: the union of the specials, the larger exponent sum.
  function automatic logic [RankBits-1:0] higher(input logic [RankBits-1:0] a,
                                                 input logic [RankBits-1:0] b);
    higher = {
      a[RankBits-1:ExpSumBits] | b[RankBits-1:ExpSumBits],
      (a[ExpSumBits-1:0] > b[ExpSumBits-1:0]) ? a[ExpSumBits-1:0] : b[ExpSumBits-1:0]
    };
  endfunction
endpackage
