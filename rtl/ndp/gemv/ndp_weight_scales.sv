// SPDX-License-Identifier: Apache-2.0
// Unpacks weights of fewer than 16 bits for the array. load_scales_i stores a burst of scales (on weights_i)
// for the blocks that follow it; the weights of a lane are selected from their burst and separated.
// Combinational except for the stored burst.
// - Block b has bits 64 b to 64 b + 63 of the burst: the exponents of its lanes for MXFP4 and MXFP8, one byte
//   each, or the FP32 factors of its halves.
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
  input  logic [BlockBits-1:0]                           block_i,
  input  logic [LaneBits-1:0]                            lane_i,
  input  logic [Streams*BurstBits-1:0]                   weights_i,
  output logic [Streams*Mults*ndp_pkg::DecodedBits-1:0]  weights_o,
  output logic [Streams*ndp_pkg::ScaleBits-1:0]          scales_o  // of block_i
);
  localparam int unsigned Decoded = ndp_pkg::DecodedBits;

  logic [Streams*BurstBits-1:0] burst_q;
  logic [Streams*ndp_pkg::ScaleBits-1:0] scales;

  always_ff @(posedge clk_i) begin
    if (load_scales_i) burst_q <= weights_i;
  end

  for (genvar s = 0; s < Streams; s++) begin : gen_stream
    logic [7:0] exponent;
    assign scales[s*ndp_pkg::ScaleBits+:ndp_pkg::ScaleBits] =
        burst_q[s*BurstBits+block_i*ndp_pkg::ScaleBits+:ndp_pkg::ScaleBits];
    assign exponent = scales[s*ndp_pkg::ScaleBits+lane_i*8+:8];
    for (genvar p = 0; p < Mults; p++) begin : gen_weight
      logic [ndp_pkg::OperandBits-1:0] word;
      assign word = weights_i[(s*Mults+p)*ndp_pkg::OperandBits+:ndp_pkg::OperandBits];
      assign weights_o[(s*Mults+p)*Decoded+:Decoded] = format_i == ndp_pkg::WeightsWide
          ? ndp_pkg::decode(word, bf16_i)
          : ndp_pkg::decode_code(word, lane_i[1:0], format_i, exponent);
    end
  end

  assign scales_o = scales;
endmodule
