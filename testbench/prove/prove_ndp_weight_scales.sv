// SPDX-License-Identifier: Apache-2.0
// ndp_weight_scales against the formats' definitions: every code of every format with every scale, at any
// place of a burst. An operand in the array is sign, exponent and significand; its value is
// significand * 2^(exponent - 10 - bias), so that significands moved up by their exponents are compared.
`include "prove.svh"
module prove_ndp_weight_scales #(
  parameter int unsigned Mults = 32,
  parameter int unsigned Lanes = 8,
  localparam int unsigned BurstBits = 16 * Mults,
  localparam int unsigned LaneBits = $clog2(Lanes),
  localparam int unsigned MultBits = $clog2(Mults),
  localparam int unsigned BlockBits = $clog2(BurstBits / 64)
) (
  input logic                 clk_i,
  input logic                 bf16_i,
  input logic [2:0]           format_i,
  input logic                 load_scales_i,
  input logic                 next_valid_i,
  input logic [LaneBits-1:0]  next_lane_i,
  input logic [BlockBits-1:0] block_i,
  input logic [31:0]          factor_i,
  input logic [BurstBits-1:0] weights_i,
  input logic [MultBits-1:0]  pick_i
);
  // A burst of scales is loaded in the first cycle, and optionally another one in the second, in which the scales of a
  // lane are selected. Its weights arrive in the third. All have the same format.
  `WINDOW(2)
  logic load;
  assign load = enters || load_scales_i;
  always @* assume (!load || enters || (next_lane_i == '0 && block_i == '0));
  logic [2:0] format_q;
  always @(posedge clk_i) format_q <= format_i;
  always @* assume (enters || format_i == format_q);
  logic [BurstBits-1:0] stored_q, burst, burst_q;
  logic [LaneBits-1:0] lane_q;
  logic [BlockBits-1:0] block_q;
  assign burst = load ? weights_i : stored_q;
  always @(posedge clk_i) begin
    stored_q <= burst;
    burst_q <= burst;
    lane_q <= next_lane_i;
    block_q <= block_i;
  end
  logic [20*Mults-1:0] weights;
  logic [63:0] factors, block_scales;
  ndp_weight_scales #(
    .Streams(1),
    .Mults(Mults),
    .Lanes(Lanes)
  ) u_dut (
    .clk_i(clk_i),
    .bf16_i(bf16_i),
    .format_i(format_i),
    .load_scales_i(load),
    .next_valid_i(next_valid_i || !leaves),
    .next_lane_i(next_lane_i),
    .block_i(block_i),
    .factor_i(factor_i),
    .part_i(lane_q[1:0]),
    .weights_i(weights_i),
    .weights_o(weights),
    .factors_o(factors)
  );

  // The code, the scale and the output.
  logic [15:0] word;
  logic [7:0] byte_code, exponent_code, exponent;
  logic [3:0] nibble;
  logic sign;
  logic [10:0] significand;
  logic [277:0] got;
  assign word = weights_i[32'(pick_i)*16 +: 16];
  assign byte_code = word[32'(lane_q[0])*8 +: 8];
  assign nibble = word[32'(lane_q[1:0])*4 +: 4];
  assign block_scales = burst_q[32'(block_q)*64 +: 64];
  assign exponent_code = block_scales[32'(lane_q)*8 +: 8];
  assign {sign, exponent, significand} = weights[32'(pick_i)*20 +: 20];
  assign got = exponent == '0 ? '0 : 278'(significand) << exponent;
  logic is_nan, is_finite;
  assign is_nan = exponent == '1 && significand[9];
  assign is_finite = exponent != '1;

  // E2M1: 0, 1/2, 1, 3/2, 2, 3, 4, 6, times 2^(scale - 127); with a scale of 255 every code is a NaN.
  logic [3:0] halves;
  always @* begin
    case (nibble[2:0])
      3'd0: halves = 4'd0;
      3'd1: halves = 4'd1;
      3'd2: halves = 4'd2;
      3'd3: halves = 4'd3;
      3'd4: halves = 4'd4;
      3'd5: halves = 4'd6;
      3'd6: halves = 4'd8;
      default: halves = 4'd12;
    endcase
  end
  `AT_THE_END(Mxfp4, format_i != 3'd1 || (sign == nibble[3] && (exponent_code == '1 ? is_nan :
              is_finite && got == 278'(halves) << (9'(exponent_code) + 9'd7))))

  // E4M3 with a bias of 7: one NaN of each sign, no infinity.
  logic [3:0] eighths;
  logic [3:0] octave;
  assign eighths = {byte_code[6:3] != '0, byte_code[2:0]};
  assign octave = byte_code[6:3] == '0 ? 4'd1 : byte_code[6:3];
  `AT_THE_END(Fp8, format_i != 3'd2 || (sign == byte_code[7] && (byte_code[6:0] == '1 ? is_nan :
              is_finite && got == 278'(eighths) << (9'(octave) + 9'd7))))

  // The same codes times 2^(scale - 127). The exponent is octave + scale - 8, with a bias of 126; it is a NaN
  // outside of 1 to 254, and so is any code with a scale of 255.
  logic [9:0] mx_exponent;
  logic mx_outside;
  assign mx_exponent = 10'(exponent_code) + 10'(octave);
  assign mx_outside = eighths != '0 && (mx_exponent < 10'd9 || mx_exponent > 10'd262);
  `AT_THE_END(Mxfp8, format_i != 3'd5 || (sign == byte_code[7] &&
              (byte_code[6:0] == '1 || exponent_code == '1 || mx_outside ? is_nan :
              is_finite && got == 278'(eighths) << (mx_exponent - 10'd1))))

  // NVFP4: E2M1 times E4M3, a scale for each 16 weights in the order of the weights (here: for each half of the
  // multipliers). The value is halves * eighths * 2^(octave - 11); with a scale of all ones it is a NaN.
  logic [7:0] nv_scale;
  logic [3:0] nv_eighths, nv_octave;
  assign nv_scale = burst_q[((32'(block_q)*Lanes + 32'(lane_q))*16 + 32'(pick_i[MultBits-1])*8) % BurstBits +: 8];
  assign nv_eighths = {nv_scale[6:3] != '0, nv_scale[2:0]};
  assign nv_octave = nv_scale[6:3] == '0 ? 4'd1 : nv_scale[6:3];
  `AT_THE_END(Nvfp4, format_i != 3'd6 || (sign == (nibble[3] ^ nv_scale[7]) &&
              (nv_scale[6:0] == '1 ? is_nan :
               is_finite && got == 278'(halves) * 278'(nv_eighths) << (9'(nv_octave) + 9'd3))))

  // Sign and magnitude; -0 encodes the most negative number of two's complement.
  logic [7:0] int8;
  logic [3:0] int4;
  assign int8 = byte_code == 8'h80 ? 8'd128 : {1'b0, byte_code[6:0]};
  assign int4 = nibble == 4'h8 ? 4'd8 : {1'b0, nibble[2:0]};
  `AT_THE_END(Int8, format_i != 3'd3 ||
              (sign == byte_code[7] && is_finite && got == 278'(int8) << 4))
  `AT_THE_END(Int4, format_i != 3'd4 ||
              (sign == nibble[3] && is_finite && got == 278'(int4) << 8))

  // FP16 and BF16, whose significand is 8 of the 11 bits: a special is an infinity or a NaN.
  logic [7:0] field;
  logic [9:0] fraction;
  logic special;
  assign field = bf16_i ? word[14:7] : 8'(word[14:10]);
  assign fraction = bf16_i ? {word[6:0], 3'd0} : word[9:0];
  assign special = bf16_i ? word[14:7] == '1 : word[14:10] == '1;
  `AT_THE_END(Wide, format_i != 3'd0 || (sign == word[15] && (special ?
              exponent == '1 && is_nan == (fraction != '0) :
              is_finite && got == 278'({field != '0, fraction}) << (field == '0 ? 8'd1 : field))))

  `AT_THE_END(Factors, factors == (format_i == 3'd6 ? {2{factor_i}} : burst[32'(block_i)*64 +: 64]))
endmodule
