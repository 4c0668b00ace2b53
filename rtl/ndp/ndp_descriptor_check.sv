// SPDX-License-Identifier: Apache-2.0
// Checks every field of a descriptor that its operation reads. A descriptor is read in a cycle of load_i;
// ok_o and field_o belong to it from the next cycle until the next one is read: FieldNone, or the first
// field, in the order of their numbers in dimm_ndp_pkg, that breaks a rule:
//   operation    0 to 2
//   weights      0; with LowBit 0 to 6
//   tokens       1 to 65535
//   pass tokens  1 to MaxTokens
//   in blocks    1 to the blocks that the buffer holds
//   out rows     1 to 2^31 - 1
//   mid rows     of an expert: 1 to the values of the mid blocks
//   mode         the function is 0 to 6, and reserved bits of word 0 are 0
//   mid blocks   of an expert: at most the blocks that the buffer holds
//   bases        below 2^31
//   strides      a stride has b bits and its rows (tokens; matrix rows / Streams, rounded down) have c bits:
//                b + c is at most 30
//   hidden word  of an expert: not below the end of the inputs of a pass
//   chunk word   not below the end of the inputs, or of the hidden rows; the chunk halves end in the buffer
//   weights of a row, in and mid: of low-bit formats: the blocks of its input times the repeats, and at most
//                65535 bursts
//   limit        of an expert: 0, or a positive finite value in the format of the activations
// The last row of a region begins less than 2^30 bursts behind its base and has less than 2^30 bursts, so no
// address wraps. Words that the operation does not read may have any value.
module ndp_descriptor_check #(
  parameter int unsigned Streams = 8,
  parameter int unsigned BurstsPerBlock = 8,
  parameter int unsigned ActLanes = 256,
  parameter int unsigned MaxTokens = 64,
  parameter int unsigned BufferWords = 4096,
  parameter bit LowBit = 1'b0
) (
  input  logic                               clk_i,
  input  logic                               load_i,
  input  logic [dimm_ndp_pkg::DescBits-1:0]  desc_i,
  output logic                               ok_o,
  output logic [dimm_ndp_pkg::FieldBits-1:0] field_o
);
  localparam int unsigned Fields = dimm_ndp_pkg::Fields;
  localparam int unsigned CB = dimm_ndp_pkg::CountBits;
  localparam int unsigned StreamBits = $clog2(Streams);
  localparam int unsigned BlockShift = $clog2(BurstsPerBlock);
  localparam int unsigned ValueShift = BlockShift + $clog2(dimm_ndp_pkg::ValuesPerBurst);
  localparam int unsigned ChunkShift = $clog2(4 * ActLanes / dimm_ndp_pkg::ValuesPerBurst);
  localparam int unsigned MostBlocks = BufferWords / BurstsPerBlock;
  localparam int unsigned PassBits = $clog2(MaxTokens + 1);
  localparam int unsigned BlockBits = $clog2(MostBlocks + 1);
  localparam int unsigned RepeatsBits = dimm_ndp_pkg::RepeatBits + 1;
  localparam int unsigned SizeBits = 6;  // of a number of bits of a word
  localparam int unsigned MostSize = 30;

  // Ends of regions in the buffer, and blocks of a row. Of larger factors an earlier field breaks a rule.
  localparam int unsigned RegionBits = PassBits + BlockBits + BlockShift;
  localparam int unsigned ChunkBits = PassBits + ChunkShift;
  localparam int unsigned WideBits = RegionBits > ChunkBits ? RegionBits : ChunkBits;
  localparam int unsigned EndBits = (WideBits > CB ? WideBits : CB) + 1;
  localparam int unsigned RowBits = BlockBits + RepeatsBits;

  // The most blocks of a row of low-bit weights: each has that many bursts, each `scaled` of them one of scales.
  function automatic int unsigned most_row(input int unsigned bursts, input int unsigned scaled);
    int unsigned group;
    int unsigned rest;
    group = scaled * bursts + 1;
    rest = ((1 << CB) - 1) % group;
    most_row = ((1 << CB) - 1) / group * scaled;
    if (rest > 1) most_row = most_row + (rest - 1) / bursts;
  endfunction

  function automatic logic wide(input logic [31:CB] upper);
    wide = upper != '0;
  endfunction

  function automatic logic [SizeBits-1:0] size(input logic [31:0] value);
    size = '0;
    for (int unsigned b = 0; b < 32; b++) if (value[b]) size = SizeBits'(b + 1);
  endfunction

  logic [31:0] words[dimm_ndp_pkg::DescWords];
  for (genvar w = 0; w < dimm_ndp_pkg::DescWords; w++) begin : gen_word
    assign words[w] = desc_i[w*32+:32];
  end

  // The cycle of load_i: checks of single words, and products.
  logic [31:0] mode;
  logic expert, gated, low;
  assign mode = words[dimm_ndp_pkg::DescMode];
  assign expert = mode[1:0] != dimm_ndp_pkg::OpLinear;
  assign gated = mode[1:0] == dimm_ndp_pkg::OpGated;
  assign low = LowBit && mode[14:12] != ndp_pkg::WeightsWide;

  logic [Fields-1:0] alone, alone_q, bad;
  always_comb begin
    alone = '0;
    alone[dimm_ndp_pkg::FieldOperation] = mode[3:0] > 4'(dimm_ndp_pkg::OpUngated);
    alone[dimm_ndp_pkg::FieldWeights] = mode[15:12] > (LowBit ? 4'(ndp_pkg::WeightsNvfp4) : 4'd0);
    alone[dimm_ndp_pkg::FieldTokens] = wide(words[dimm_ndp_pkg::DescTokens][31:CB])
        || words[dimm_ndp_pkg::DescTokens] == '0;
    alone[dimm_ndp_pkg::FieldPassTokens] = words[dimm_ndp_pkg::DescPassTokens] == '0
        || words[dimm_ndp_pkg::DescPassTokens] > 32'(MaxTokens);
    alone[dimm_ndp_pkg::FieldInBlocks] = words[dimm_ndp_pkg::DescInBlocks] == '0
        || words[dimm_ndp_pkg::DescInBlocks] > 32'(MostBlocks);
    alone[dimm_ndp_pkg::FieldOutRows] = words[dimm_ndp_pkg::DescOutRows] == '0
        || words[dimm_ndp_pkg::DescOutRows][31];
    alone[dimm_ndp_pkg::FieldMidRows] = expert && (words[dimm_ndp_pkg::DescMidRows] == '0
        || (32 + ValueShift)'(words[dimm_ndp_pkg::DescMidRows])
           > {words[dimm_ndp_pkg::DescMidBlocks], ValueShift'(0)});
    alone[dimm_ndp_pkg::FieldMode] = mode[6:4] > ndp_pkg::ActQuickGelu || mode[11:9] != '0;
    alone[dimm_ndp_pkg::FieldMidBlocks] = expert
        && words[dimm_ndp_pkg::DescMidBlocks] > 32'(MostBlocks);
    alone[dimm_ndp_pkg::FieldXBase] = words[dimm_ndp_pkg::DescXBase][31];
    alone[dimm_ndp_pkg::FieldGateBase] = gated && words[dimm_ndp_pkg::DescGateBase][31];
    alone[dimm_ndp_pkg::FieldUpBase] = expert && words[dimm_ndp_pkg::DescUpBase][31];
    alone[dimm_ndp_pkg::FieldDownBase] = words[dimm_ndp_pkg::DescDownBase][31];
    alone[dimm_ndp_pkg::FieldYBase] = words[dimm_ndp_pkg::DescYBase][31];
    alone[dimm_ndp_pkg::FieldCWord] = wide(words[dimm_ndp_pkg::DescCWord][31:CB]);
    // Exponents of ones are those of infinity and NaN.
    alone[dimm_ndp_pkg::FieldLimit] = expert && (words[dimm_ndp_pkg::DescHWord][31]
        || (mode[8] ? &words[dimm_ndp_pkg::DescHWord][30:23]
                    : &words[dimm_ndp_pkg::DescHWord][30:26]));
  end

  logic [PassBits-1:0] pass;
  logic [BlockBits-1:0] in_blocks, mid_blocks;
  assign pass = words[dimm_ndp_pkg::DescPassTokens][PassBits-1:0];
  assign in_blocks = words[dimm_ndp_pkg::DescInBlocks][BlockBits-1:0];
  assign mid_blocks = words[dimm_ndp_pkg::DescMidBlocks][BlockBits-1:0];

  // Buffer words of a pass.
  function automatic logic [RegionBits-1:0] region(input logic [PassBits-1:0] tokens,
                                                   input logic [BlockBits-1:0] blocks);
    region = (RegionBits'(tokens) * RegionBits'(blocks)) << BlockShift;
  endfunction

  // Blocks of weights of a row.
  function automatic logic [RowBits-1:0] row(input logic [BlockBits-1:0] blocks,
                                             input logic [dimm_ndp_pkg::RepeatBits-1:0] repeats);
    row = RowBits'(blocks) * (RowBits'(repeats) + 1'b1);
  endfunction

  logic expert_q, low_q;
  logic [CB-1:0] hidden_word_q, chunk_word_q;
  logic [RegionBits-1:0] inputs_q, hidden_q;
  logic [ChunkBits-1:0] chunks_q;
  logic [SizeBits-1:0] tokens_size_q, mid_size_q, out_size_q;
  logic [SizeBits-1:0] x_size_q, gu_size_q, down_size_q, y_size_q;
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      alone_q <= alone;
      expert_q <= expert;
      low_q <= low;
      hidden_word_q <= words[dimm_ndp_pkg::DescHWord][CB-1:0];
      chunk_word_q <= words[dimm_ndp_pkg::DescCWord][CB-1:0];
      inputs_q <= region(pass, in_blocks);
      hidden_q <= region(pass, mid_blocks);
      chunks_q <= ChunkBits'(pass) << ChunkShift;
      tokens_size_q <= size(32'(words[dimm_ndp_pkg::DescTokens][CB-1:0]));
      mid_size_q <= size(words[dimm_ndp_pkg::DescMidRows] >> StreamBits);
      out_size_q <= size(words[dimm_ndp_pkg::DescOutRows] >> StreamBits);
      x_size_q <= size(words[dimm_ndp_pkg::DescXStride]);
      gu_size_q <= size(words[dimm_ndp_pkg::DescGuStride]);
      down_size_q <= size(words[dimm_ndp_pkg::DescDownStride]);
      y_size_q <= size(words[dimm_ndp_pkg::DescYStride]);
    end
  end

  // Rows of low-bit weights.
  logic in_row_bad, mid_row_bad;
  if (LowBit) begin : gen_low
    localparam logic [RowBits-1:0] MostTwo = RowBits'(most_row(BurstsPerBlock / 2, 8));
    localparam logic [RowBits-1:0] MostFour = RowBits'(most_row(BurstsPerBlock / 4, 8));
    localparam logic [RowBits-1:0] MostNvfp4 = RowBits'(most_row(BurstsPerBlock / 4, 4));
    logic two;
    assign two = ndp_pkg::burst_lanes_shift(mode[14:12]) == 2'd1;
    logic [31:0] in_row_word_q, mid_row_word_q;
    logic [RowBits-1:0] in_row_q, mid_row_q, most_q;
    always_ff @(posedge clk_i) begin
      if (load_i) begin
        in_row_word_q <= words[dimm_ndp_pkg::DescInWeights];
        mid_row_word_q <= words[dimm_ndp_pkg::DescMidWeights];
        in_row_q <= row(in_blocks, mode[16+:dimm_ndp_pkg::RepeatBits]);
        mid_row_q <= row(expert ? mid_blocks : in_blocks, mode[24+:dimm_ndp_pkg::RepeatBits]);
        most_q <= two ? MostTwo : mode[14:12] == ndp_pkg::WeightsNvfp4 ? MostNvfp4 : MostFour;
      end
    end
    assign in_row_bad = in_row_word_q != 32'(in_row_q) || in_row_q > most_q;
    assign mid_row_bad = mid_row_word_q != 32'(mid_row_q) || mid_row_q > most_q;
  end else begin : gen_wide
    assign in_row_bad = 1'b0;
    assign mid_row_bad = 1'b0;
  end

  // The cycle after it: fields that depend on each other and on the buffer.
  function automatic logic far(input logic [SizeBits-1:0] rows, input logic [SizeBits-1:0] stride);
    far = (SizeBits + 1)'(rows) + (SizeBits + 1)'(stride) > (SizeBits + 1)'(MostSize);
  endfunction

  logic [EndBits-1:0] hidden_word, chunk_word, hidden_end, chunks_end;
  assign hidden_word = EndBits'(hidden_word_q);
  assign chunk_word = EndBits'(chunk_word_q);
  assign hidden_end = hidden_word + EndBits'(hidden_q);
  assign chunks_end = chunk_word + EndBits'(chunks_q);

  always_comb begin
    bad = alone_q;
    bad[dimm_ndp_pkg::FieldXStride] = far(tokens_size_q, x_size_q);
    bad[dimm_ndp_pkg::FieldGuStride] = expert_q && far(mid_size_q, gu_size_q);
    bad[dimm_ndp_pkg::FieldDownStride] = far(out_size_q, down_size_q);
    bad[dimm_ndp_pkg::FieldYStride] = far(tokens_size_q, y_size_q);
    bad[dimm_ndp_pkg::FieldHWord] = expert_q && EndBits'(inputs_q) > hidden_word;
    if (expert_q ? hidden_end > chunk_word : EndBits'(inputs_q) > chunk_word) begin
      bad[dimm_ndp_pkg::FieldCWord] = 1'b1;
    end
    if (chunks_end > EndBits'(BufferWords)) bad[dimm_ndp_pkg::FieldCWord] = 1'b1;
    bad[dimm_ndp_pkg::FieldInWeights] = low_q && expert_q && in_row_bad;
    bad[dimm_ndp_pkg::FieldMidWeights] = low_q && mid_row_bad;
  end

  assign ok_o = bad == '0;
  // No rule has number 0, which is FieldNone.
  priority_encoder #(
    .Inputs(Fields)
  ) u_first (
    .asserted_i(bad),
    .number_o(field_o)
  );
endmodule
