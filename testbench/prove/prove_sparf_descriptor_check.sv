// SPDX-License-Identifier: Apache-2.0
// sparf_descriptor_check against the rules as its comment states them, with products and quotients: every
// descriptor, after and before any other ones.
`include "prove.svh"
module prove_sparf_descriptor_check #(
  parameter bit Appends = 1'b0,
  parameter int unsigned Width = 32,
  parameter int unsigned MaxKeys = 256,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned RingLines = 64,
  parameter int unsigned MaxPageRows = 32,
  parameter int unsigned Tags = 16,
  parameter int unsigned QuerySets = 1
) (
  input logic                           clk_i,
  input logic                           load_i,
  input logic [sparf_pkg::DescBits-1:0] desc_i
);
  localparam int unsigned Stages = 4;
  `WINDOW(Stages)
  logic ok;
  logic [sparf_pkg::FieldBits-1:0] field;
  sparf_descriptor_check #(
    .Appends(Appends),
    .Width(Width),
    .MaxKeys(MaxKeys),
    .MaxGroup(MaxGroup),
    .RingLines(RingLines),
    .MaxPageRows(MaxPageRows),
    .Tags(Tags),
    .QuerySets(QuerySets)
  ) u_dut (
    .clk_i(clk_i),
    .load_i(load_i),
    .desc_i(desc_i),
    .ok_o(ok),
    .field_o(field)
  );
  // The descriptor of the first cycle, which is loaded; none until it is answered.
  logic [sparf_pkg::DescBits-1:0] desc_q, desc;
  assign desc = enters ? desc_i : desc_q;
  always @(posedge clk_i) desc_q <= desc;
  always @* assume (load_i == enters);

  logic [31:0] words[sparf_pkg::DescWords];
  for (genvar w = 0; w < sparf_pkg::DescWords; w++) begin : gen_word
    assign words[w] = desc[w*32+:32];
  end
  logic [15:0] mode;
  logic dense, sparse, means;
  logic [31:0] tokens, dim_flash, token_flash, page, queries, eights, dims, block, used, groups;
  logic [sparf_pkg::Fields-1:0] wrong;
  assign mode = words[sparf_pkg::DescMode][15:0];
  assign dense = mode[3:0] == sparf_pkg::OpDense;
  assign sparse = !Appends && !dense;
  assign means = !dense && mode[12];
  assign tokens = words[sparf_pkg::DescTokens];
  assign dims = words[sparf_pkg::DescDims];
  assign dim_flash = words[sparf_pkg::DescDimFlash];
  assign token_flash = words[sparf_pkg::DescTokenFlash];
  assign page = words[sparf_pkg::DescPageBytes];

  localparam logic [31:0] Far = 32'hfff00000;
  localparam logic [31:0] WholeSets = 0 - QuerySets;  // a mask
  function automatic logic float_bad(input logic [31:0] value);
    float_bad = value[31] || value[30:23] == 8'd0 || value[30:23] == 8'd255;
  endfunction

  logic [31:0] product, lines, dims_lines;
  always @* begin
    wrong = '0;
    wrong[sparf_pkg::FieldOperation] = Appends ? mode[3:0] != sparf_pkg::OpAppend
        : mode[3:0] > sparf_pkg::OpDense;
    wrong[sparf_pkg::FieldGroup] = !Appends && {28'd0, mode[7:4]} >= 32'(MaxGroup);
    wrong[sparf_pkg::FieldDimsPerPage] = mode[11:8] > 4'd3;
    wrong[sparf_pkg::FieldMode] = mode[15:13] != '0;
    // Queries in whole sets, tokens in eights.
    queries = ({28'd0, mode[7:4]} + 32'(QuerySets)) & WholeSets;
    eights = (tokens + 32'd7) >> 3;
    product = {18'd0, eights[13:0]} * {27'd0, queries[4:0]} * 32'd8;
    wrong[sparf_pkg::FieldTokens] = Appends ? tokens > 32'd65534
        : tokens == '0 || tokens > 32'd65535 || product > 32'(MaxKeys);
    wrong[sparf_pkg::FieldTake] = sparse && (words[sparf_pkg::DescTake] == '0 ||
        words[sparf_pkg::DescTake] > 32'd65535);
    wrong[sparf_pkg::FieldWindow] = sparse && words[sparf_pkg::DescWindow] > 32'd65535;
    wrong[sparf_pkg::FieldDimFlash] = dim_flash > 32'd65535;
    wrong[sparf_pkg::FieldTokenFlash] = token_flash > 32'd65535;
    if (!wrong[sparf_pkg::FieldTokenFlash] && dim_flash > token_flash)
      wrong[sparf_pkg::FieldDimFlash] = 1'b1;
    if (tokens <= 32'd65535 && (Appends || tokens != '0) && !(Appends && tokens == 32'd65535) &&
        token_flash > tokens) wrong[sparf_pkg::FieldTokenFlash] = 1'b1;
    wrong[sparf_pkg::FieldQLine] = words[sparf_pkg::DescQLine] >= Far;
    wrong[sparf_pkg::FieldSumLine] = means && words[sparf_pkg::DescSumLine] >= Far;
    wrong[sparf_pkg::FieldKLine] = words[sparf_pkg::DescKLine] >= Far;
    wrong[sparf_pkg::FieldVLine] = words[sparf_pkg::DescVLine] >= Far;
    wrong[sparf_pkg::FieldOutLine] = !Appends && words[sparf_pkg::DescOutLine] >= Far;
    wrong[sparf_pkg::FieldScale] = !Appends && float_bad(words[sparf_pkg::DescScale]);
    wrong[sparf_pkg::FieldReciprocal] = !Appends && means &&
        float_bad(words[sparf_pkg::DescReciprocal]);
    wrong[sparf_pkg::FieldPageBytes] = (page & (page - 32'd1)) != '0 || page < 32'd64 ||
        page > 32'd16384 || page < 32'(2 * Width) || page > 32'(2 * Width * MaxPageRows) ||
        page > 32'(64 * RingLines);
    // Values of a block of tokens: the lines of its dimensions, and its pages.
    block = (page >> 1) >> mode[9:8];
    used = dim_flash < block ? dim_flash : block;
    lines = (used + 32'd31) >> 5;
    dims_lines = {24'd0, dims[7:0]} * {20'd0, lines[11:0]};
    groups = 32'(Width) >> mode[9:8];
    wrong[sparf_pkg::FieldDims] = !Appends && (dims == '0 || dims > 32'(Width));
    if (sparse && !wrong[sparf_pkg::FieldDimFlash] && !wrong[sparf_pkg::FieldPageBytes] &&
        dim_flash != '0) begin
      if (dims_lines > 32'(RingLines)) wrong[sparf_pkg::FieldDims] = 1'b1;
      if (dims > 32'(Tags) && groups > 32'(Tags)) wrong[sparf_pkg::FieldDims] = 1'b1;
    end
  end

  // The first rule that is broken, in the order of the fields' numbers.
  logic [sparf_pkg::FieldBits-1:0] first;
  always @* begin
    first = sparf_pkg::FieldNone;
    for (int unsigned f = sparf_pkg::Fields - 1; f > 0; f--) begin
      if (wrong[f]) first = sparf_pkg::FieldBits'(f);
    end
  end
  `AT_THE_END(Accepts, ok == (wrong == '0))
  `AT_THE_END(FieldNamed, field == first)
endmodule
