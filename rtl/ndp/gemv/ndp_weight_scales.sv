// SPDX-License-Identifier: Apache-2.0
// Unpacks weights of fewer than 16 bits for the array. load_scales_i stores a burst of scales (on weights_i)
// for the blocks that follow it. The weights of a lane are selected from their burst and separated; its scales
// are selected in the cycle before (next_valid_i), so that they are registered. A selection in the cycle of
// load_scales_i is of lane 0 of block 0, and reads weights_i.
// - Block b has bits 64 b to 64 b + 63 of the burst: the exponents of its lanes for MXFP4 and MXFP8, one byte
//   each, or the FP32 factors of its halves. For NVFP4, block b (of four) has bits 128 b to 128 b + 127: two
//   bytes for each lane, one for each half of its multipliers.
// - A burst has the codes of two lanes (8 bits) or four lanes (4 bits); part_i selects one.
module ndp_weight_scales #(
  parameter int unsigned Streams = 8,
  parameter int unsigned Mults = 32,
  parameter int unsigned Lanes = 8,
  localparam int unsigned LaneBits = $clog2(Lanes),
  localparam int unsigned BurstBits = Mults * ndp_pkg::OperandBits,
  localparam int unsigned Blocks = BurstBits / ndp_pkg::ScaleBits,
  localparam int unsigned BlockBits = $clog2(Blocks)
) (
  input  logic                                           clk_i,
  input  logic                                           bf16_i,
  input  logic [2:0]                                     format_i,
  input  logic                                           load_scales_i,
  input  logic                                           next_valid_i,
  input  logic [LaneBits-1:0]                            next_lane_i,
  input  logic [BlockBits-1:0]                           block_i,    // of next_lane_i
  input  logic [31:0]                                    factor_i,   // of the matrix, of NVFP4
  input  logic [1:0]                                     part_i,     // low bits of the lane
  input  logic [Streams*BurstBits-1:0]                   weights_i,
  output logic [Streams*Mults*ndp_pkg::DecodedBits-1:0]  weights_o,
  output logic [Streams*ndp_pkg::ScaleBits-1:0]          factors_o   // of the halves of block_i
);
  localparam int unsigned Decoded = ndp_pkg::DecodedBits;

  logic [Streams*BurstBits-1:0] burst_q;
  logic nvfp4;
  logic [BlockBits-1:0] part;  // of the burst, ScaleBits each
  assign nvfp4 = format_i == ndp_pkg::WeightsNvfp4;
  assign part = nvfp4 ? BlockBits'({block_i, next_lane_i[LaneBits-1]}) : block_i;

  always_ff @(posedge clk_i) begin
    if (load_scales_i) burst_q <= weights_i;
  end

  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    logic [ndp_pkg::ScaleBits-1:0] scales;
    logic [7:0] exponent;   // of a lane, of MXFP4 and MXFP8
    logic [7:0] scale_q[2];  // of the halves of a lane
    assign scales = load_scales_i
        ? weights_i[s*BurstBits+:ndp_pkg::ScaleBits]
        : burst_q[s*BurstBits+part*ndp_pkg::ScaleBits+:ndp_pkg::ScaleBits];
    assign exponent = scales[next_lane_i*8+:8];
    for (genvar h = 0; h < 2; h++) begin : gen_half
      always_ff @(posedge clk_i) begin
        if (next_valid_i) scale_q[h] <= nvfp4 ? scales[16*next_lane_i[LaneBits-2:0]+8*h+:8] : exponent;
      end
    end
    assign factors_o[s*ndp_pkg::ScaleBits+:ndp_pkg::ScaleBits] = nvfp4 ? {2{factor_i}} : scales;
    for (genvar p = 0; p < Mults; p++) begin : gen_weight
      logic [ndp_pkg::OperandBits-1:0] word;
      assign word = weights_i[(s*Mults+p)*ndp_pkg::OperandBits+:ndp_pkg::OperandBits];
      assign weights_o[(s*Mults+p)*Decoded+:Decoded] = format_i == ndp_pkg::WeightsWide
          ? ndp_pkg::decode(word, bf16_i)
          : ndp_pkg::decode_code(word, part_i, format_i, scale_q[2*p/Mults]);
    end
  end
endmodule
