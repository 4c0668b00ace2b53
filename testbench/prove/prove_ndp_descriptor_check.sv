// SPDX-License-Identifier: Apache-2.0
// ndp_descriptor_check against the rules in its header, with products, divisions and sums of 64 bits: every descriptor,
// for any earlier descriptor and any later contents of the port.
`include "prove.svh"
module prove_ndp_descriptor_check #(
  parameter int unsigned Streams = 2,
  parameter int unsigned BurstsPerBlock = 1,
  parameter int unsigned ActLanes = 32,
  parameter int unsigned MaxTokens = 5,
  parameter int unsigned BufferWords = 64,
  parameter bit LowBit = 1'b0
) (
  input logic                              clk_i,
  input logic                              load_i,
  input logic [dimm_ndp_pkg::DescBits-1:0] desc_i
);
  localparam int unsigned Cycles = 2;
  `WINDOW(Cycles)
  logic ok;
  logic [dimm_ndp_pkg::FieldBits-1:0] field;
  ndp_descriptor_check #(
    .Streams(Streams),
    .BurstsPerBlock(BurstsPerBlock),
    .ActLanes(ActLanes),
    .MaxTokens(MaxTokens),
    .BufferWords(BufferWords),
    .LowBit(LowBit)
  ) u_dut (
    .clk_i(clk_i),
    .load_i(load_i),
    .desc_i(desc_i),
    .ok_o(ok),
    .field_o(field)
  );
  // The descriptor of the first cycle, which is read; none is read after it.
  logic [dimm_ndp_pkg::DescBits-1:0] desc_q, desc;
  assign desc = enters ? desc_i : desc_q;
  always @(posedge clk_i) desc_q <= desc;
  always @* assume (load_i == enters);

  logic [31:0] words[dimm_ndp_pkg::DescWords];
  for (genvar w = 0; w < dimm_ndp_pkg::DescWords; w++) begin : gen_word
    assign words[w] = desc[w*32+:32];
  end

  function automatic logic [63:0] long(input logic [31:0] value);
    long = {32'd0, value};
  endfunction

  // A value of at most so many bits; of a larger one an earlier field breaks a rule.
  function automatic logic [63:0] cut(input logic [31:0] value, input logic [31:0] most);
    cut = value > most ? 64'd0 : {48'd0, value[15:0]};
  endfunction

  // No power of two above both of these bit widths makes a product above 2^30.
  function automatic logic wraps(input logic [31:0] rows, input logic [31:0] stride);
    wraps = 1'b0;
    for (int unsigned b = 0; b < 32; b++) begin
      for (int unsigned c = 0; c < 32; c++) begin
        if (rows[b] && stride[c] && b + c + 2 > 30) wraps = 1'b1;
      end
    end
    for (int unsigned b = 30; b < 32; b++) if (rows[b] || stride[b]) wraps = 1'b1;
  endfunction

  // Bursts of a row of low-bit weights: the codes of its blocks, and one burst of scales for each eight blocks or part
  // of eight (for each four of NVFP4).
  function automatic logic [63:0] bursts(input logic [63:0] blocks, input logic [3:0] weights);
    logic quarter;
    quarter = weights == 4'd1 || weights == 4'd4 || weights == 4'd6;
    bursts = blocks * (quarter ? BurstsPerBlock / 4 : BurstsPerBlock / 2)
        + (weights == 4'd6 ? (blocks + 64'd3) / 64'd4 : (blocks + 64'd7) / 64'd8);
  endfunction

  localparam logic [31:0] MostBlocks = BufferWords / BurstsPerBlock;
  localparam logic [31:0] Half = 32'h80000000;
  logic [31:0] hidden_word;
  assign hidden_word = {16'd0, words[dimm_ndp_pkg::DescHWord][15:0]};
  logic [31:0] mode, tokens, pass, in_blocks, mid_rows, mid_blocks, out_rows;
  logic [3:0] operation, weights;
  logic expert, gated;
  logic [63:0] pass_cut, in_cut, mid_cut, inputs_end, hidden_end, chunks_end, in_row, mid_row;
  logic [dimm_ndp_pkg::Fields-1:0] wrong;
  assign mode = words[dimm_ndp_pkg::DescMode];
  assign tokens = words[dimm_ndp_pkg::DescTokens];
  assign pass = words[dimm_ndp_pkg::DescPassTokens];
  assign in_blocks = words[dimm_ndp_pkg::DescInBlocks];
  assign mid_rows = words[dimm_ndp_pkg::DescMidRows];
  assign mid_blocks = words[dimm_ndp_pkg::DescMidBlocks];
  assign out_rows = words[dimm_ndp_pkg::DescOutRows];
  assign operation = mode[3:0];
  assign weights = mode[15:12];
  assign expert = operation != 4'd0;
  assign gated = operation == 4'd1;
  assign pass_cut = cut(pass, MaxTokens);
  assign in_cut = cut(in_blocks, MostBlocks);
  assign mid_cut = cut(mid_blocks, MostBlocks);
  assign inputs_end = pass_cut * in_cut * 64'(BurstsPerBlock);
  assign hidden_end = long(hidden_word)
      + pass_cut * mid_cut * 64'(BurstsPerBlock);
  assign chunks_end = long(words[dimm_ndp_pkg::DescCWord]) + pass_cut * 64'(ActLanes / 8);
  assign in_row = in_cut * (64'(mode[23:16]) + 64'd1);
  assign mid_row = (expert ? mid_cut : in_cut) * (64'(mode[31:24]) + 64'd1);

  always @* begin
    wrong = '0;
    wrong[dimm_ndp_pkg::FieldOperation] = operation > 4'd2;
    wrong[dimm_ndp_pkg::FieldWeights] = weights > (LowBit ? 4'd6 : 4'd0);
    wrong[dimm_ndp_pkg::FieldTokens] = tokens == 32'd0 || tokens > 32'd65535;
    wrong[dimm_ndp_pkg::FieldPassTokens] = pass == 32'd0 || pass > 32'(MaxTokens);
    wrong[dimm_ndp_pkg::FieldInBlocks] = in_blocks == 32'd0 || in_blocks > MostBlocks;
    wrong[dimm_ndp_pkg::FieldOutRows] = out_rows == 32'd0 || out_rows >= Half;
    wrong[dimm_ndp_pkg::FieldMidRows] = expert && (mid_rows == 32'd0
        || long(mid_rows) > long(mid_blocks) * 64'(32 * BurstsPerBlock));
    wrong[dimm_ndp_pkg::FieldMode] = (mode & 32'h00000e00) != 32'd0 || mode[6:4] == 3'd7;
    wrong[dimm_ndp_pkg::FieldMidBlocks] = expert && mid_blocks > MostBlocks;
    wrong[dimm_ndp_pkg::FieldXBase] = words[dimm_ndp_pkg::DescXBase] >= Half;
    wrong[dimm_ndp_pkg::FieldXStride] = wraps(tokens, words[dimm_ndp_pkg::DescXStride]);
    wrong[dimm_ndp_pkg::FieldGateBase] = gated && words[dimm_ndp_pkg::DescGateBase] >= Half;
    wrong[dimm_ndp_pkg::FieldUpBase] = expert && words[dimm_ndp_pkg::DescUpBase] >= Half;
    wrong[dimm_ndp_pkg::FieldGuStride] = expert
        && wraps(mid_rows / Streams, words[dimm_ndp_pkg::DescGuStride]);
    wrong[dimm_ndp_pkg::FieldDownBase] = words[dimm_ndp_pkg::DescDownBase] >= Half;
    wrong[dimm_ndp_pkg::FieldDownStride] =
        wraps(out_rows / Streams, words[dimm_ndp_pkg::DescDownStride]);
    wrong[dimm_ndp_pkg::FieldYBase] = words[dimm_ndp_pkg::DescYBase] >= Half;
    wrong[dimm_ndp_pkg::FieldYStride] = wraps(tokens, words[dimm_ndp_pkg::DescYStride]);
    wrong[dimm_ndp_pkg::FieldHWord] = expert && inputs_end > long(hidden_word);
    wrong[dimm_ndp_pkg::FieldCWord] =
        (expert ? hidden_end : inputs_end) > long(words[dimm_ndp_pkg::DescCWord])
        || chunks_end > 64'(BufferWords);
    wrong[dimm_ndp_pkg::FieldLimit] = expert
        && words[dimm_ndp_pkg::DescHWord] >= (mode[8] ? 32'h7f800000 : 32'h7c000000);
    if (weights != 4'd0) begin
      wrong[dimm_ndp_pkg::FieldInWeights] = expert
          && (long(words[dimm_ndp_pkg::DescInWeights]) != in_row || bursts(in_row, weights) > 64'd65535);
      wrong[dimm_ndp_pkg::FieldMidWeights] =
          long(words[dimm_ndp_pkg::DescMidWeights]) != mid_row || bursts(mid_row, weights) > 64'd65535;
    end
  end

  // The first rule that is broken, in the order of the fields' numbers.
  logic [dimm_ndp_pkg::FieldBits-1:0] first;
  always @* begin
    first = dimm_ndp_pkg::FieldNone;
    for (int unsigned f = dimm_ndp_pkg::Fields - 1; f > 0; f--) begin
      if (wrong[f]) first = dimm_ndp_pkg::FieldBits'(f);
    end
  end
  `AT_THE_END(Accepts, ok == (wrong == '0))
  `AT_THE_END(FieldNamed, field == first)
endmodule
