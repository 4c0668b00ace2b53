// SPDX-License-Identifier: Apache-2.0
// Checks every field of a descriptor that its operation reads. A descriptor is read in cycles of
// load_i; ok_o and field_o belong to it four cycles later: FieldNone, or the first field, in the order
// of their numbers in sparf_pkg, that breaks a rule. The rules follow from the parameters below and
// the widths in sparf_pkg:
//   operation    sparse or dense; of an instance for appends: append
//   group        1 to MaxGroup
//   m            1, 2, 4 or 8
//   mode         unused bits of word 0 are 0
//   tokens       1 to 65535, and tokens in eights times queries in whole sets are at most MaxKeys; of
//                an append, whose token is one more: 0 to 65534
//   k            1 to 65535, of a sparse head; a value above S is clamped to S
//   window       0 to 65535, of a sparse head; a value above S is clamped to S
//   r            1 to Width; of a sparse head, the chosen dimensions of a block of tokens fit into a
//                ring, and their pages into the ring's tags
//   DimFlash     at most TokenFlash
//   TokenFlash   at most tokens
//   lines        below 0xfff00000, so that the address of no row exceeds 32 bits
//   scale        a positive, normal number
//   1 / S        likewise, of a sparse head with the mean
//   page         a power of two from 64 to 16384 bytes, of 1 to MaxPageRows rows, that fits into a ring
module sparf_descriptor_check #(
  parameter bit Appends = 1'b0,
  parameter int unsigned Width = 128,
  parameter int unsigned MaxKeys = 32768,
  parameter int unsigned MaxGroup = 8,
  parameter int unsigned RingLines = 2048,
  parameter int unsigned MaxPageRows = 64,
  parameter int unsigned Tags = 256,
  parameter int unsigned QuerySets = 1
) (
  input  logic                            clk_i,
  input  logic                            load_i,
  input  logic [sparf_pkg::DescBits-1:0]  desc_i,
  output logic                            ok_o,
  output logic [sparf_pkg::FieldBits-1:0] field_o
);
  localparam int unsigned CB = sparf_pkg::CountBits;
  localparam int unsigned Fields = sparf_pkg::Fields;
  localparam int unsigned LogWidth = $clog2(Width);
  localparam int unsigned LineLog = $clog2(sparf_pkg::LineBits / sparf_pkg::ValueBits);
  localparam int unsigned BeatTokens = sparf_pkg::SelTokens;
  // Pages: a row, a beat of a block of tokens; the limits of rows and beats.
  localparam int unsigned LineBytesLog = $clog2(sparf_pkg::LineBytes);
  localparam int unsigned RowLog = LogWidth + $clog2(sparf_pkg::ValueBits / 8);
  localparam int unsigned LeastPageLog = RowLog > LineBytesLog ? RowLog : LineBytesLog;
  localparam int unsigned BeatBytesLog = $clog2(sparf_pkg::BeatBits / 8);
  localparam int unsigned MostBytesLog = $clog2(sparf_pkg::RowBeats) + BeatBytesLog;
  localparam int unsigned MostRowsLog = RowLog + $clog2(MaxPageRows + 1) - 1;  // rounded down
  localparam int unsigned MostLinesLog = LineBytesLog + $clog2(RingLines);
  localparam int unsigned RowsOrLinesLog = MostRowsLog < MostLinesLog ? MostRowsLog : MostLinesLog;
  localparam int unsigned MostPageLog = RowsOrLinesLog < MostBytesLog ? RowsOrLinesLog
                                                                      : MostBytesLog;

  logic ok_q;
  assign ok_o = ok_q;

  logic [31:0] words[sparf_pkg::DescWords];
  for (genvar w = 0; w < sparf_pkg::DescWords; w++) begin : gen_word
    assign words[w] = desc_i[w*32+:32];
  end

  function automatic logic wide(input logic [31:CB] upper);
    wide = upper != '0;
  endfunction

  function automatic logic one_bit(input logic [CB-1:0] bytes);
    one_bit = 1'b0;
    for (int unsigned b = 0; b < CB; b++) if (bytes == CB'(1) << b) one_bit = 1'b1;
  endfunction

  function automatic logic far(input logic [31:20] line);
    far = line == '1;
  endfunction

  function automatic logic normal(input logic [31:23] value);
    normal = !value[31] && value[30:23] != '0 && value[30:23] != '1;
  endfunction

  // The first cycle: checks of single fields.
  logic [15:0] mode;
  logic dense, sparse, means;
  assign mode = words[sparf_pkg::DescMode][15:0];
  assign dense = mode[3:0] == sparf_pkg::OpDense;
  assign sparse = !Appends && !dense;
  assign means = mode[12] && !dense;

  logic [Fields-1:0] alone, alone_q, alone_q2, bad_q, bad, bad_q2;
  always_comb begin
    alone = '0;
    alone[sparf_pkg::FieldOperation] = Appends ? mode[3:0] != sparf_pkg::OpAppend
        : mode[3:0] != sparf_pkg::OpSparse && mode[3:0] != sparf_pkg::OpDense;
    alone[sparf_pkg::FieldGroup] = !Appends && 32'(mode[7:4]) >= MaxGroup;
    alone[sparf_pkg::FieldDimsPerPage] = mode[11:10] != '0;
    alone[sparf_pkg::FieldMode] = mode[15:13] != '0;
    alone[sparf_pkg::FieldTokens] = wide(words[sparf_pkg::DescTokens][31:CB])
        || words[sparf_pkg::DescTokens][CB-1:0] == (Appends ? {CB{1'b1}} : '0);
    alone[sparf_pkg::FieldTake] = sparse && (wide(words[sparf_pkg::DescTake][31:CB])
        || words[sparf_pkg::DescTake] == '0);
    alone[sparf_pkg::FieldWindow] = sparse && wide(words[sparf_pkg::DescWindow][31:CB]);
    alone[sparf_pkg::FieldDims] = !Appends && (words[sparf_pkg::DescDims] == '0
        || words[sparf_pkg::DescDims] > 32'(Width));
    alone[sparf_pkg::FieldDimFlash] = wide(words[sparf_pkg::DescDimFlash][31:CB]);
    alone[sparf_pkg::FieldTokenFlash] = wide(words[sparf_pkg::DescTokenFlash][31:CB]);
    alone[sparf_pkg::FieldQLine] = far(words[sparf_pkg::DescQLine][31:20]);
    alone[sparf_pkg::FieldSumLine] = means && far(words[sparf_pkg::DescSumLine][31:20]);
    alone[sparf_pkg::FieldKLine] = far(words[sparf_pkg::DescKLine][31:20]);
    alone[sparf_pkg::FieldVLine] = far(words[sparf_pkg::DescVLine][31:20]);
    alone[sparf_pkg::FieldOutLine] = !Appends && far(words[sparf_pkg::DescOutLine][31:20]);
    alone[sparf_pkg::FieldScale] = !Appends && !normal(words[sparf_pkg::DescScale][31:23]);
    alone[sparf_pkg::FieldReciprocal] = !Appends && means
        && !normal(words[sparf_pkg::DescReciprocal][31:23]);
    alone[sparf_pkg::FieldPageBytes] = wide(words[sparf_pkg::DescPageBytes][31:CB])
        || !one_bit(words[sparf_pkg::DescPageBytes][CB-1:0]);
  end

  // Fields that have to fit to each other and to the memories, in as many cycles.
  // - Beats of selections if every token were chosen, and beats of the whole group, in whole sets.
  localparam int unsigned BeatBits = CB + 1 - $clog2(BeatTokens);
  localparam int unsigned GroupBeatBits = BeatBits + 4;
  // - Lines of a column job: the dimensions times the lines of one, of a whole block or of the
  //   DimFlash tokens that it has. Dimensions beyond Width and tokens beyond a block do not matter.
  localparam int unsigned DimBits = LogWidth + 1;
  localparam int unsigned LinesBits = 9;  // of a dimension of the largest block
  localparam int unsigned PartBits = DimBits + 3;
  localparam int unsigned ProductBits = DimBits + LinesBits + 1;
  // - Pages of a column job: one per group of dimensions, one per chosen dimension at most.
  localparam bit PagesFit = Width <= Tags;

  function automatic logic [PartBits-1:0] times(input logic [DimBits-1:0] dims,
                                                input logic [2:0] digit);
    times = (digit[0] ? PartBits'(dims) : '0) + (digit[1] ? PartBits'(dims) << 1 : '0)
            + (digit[2] ? PartBits'(dims) << 2 : '0);
  endfunction

  logic [CB-1:0] tokens_q, dim_flash_q, token_flash_q;
  logic [3:0] page_log_q, block_log;
  logic [1:0] log_dims_q;
  logic sparse_q, sparse_q2;
  logic [DimBits-1:0] dims, dims_q, dims_q2;
  logic [BeatBits-1:0] beats_q;
  logic [2:0] others_q;  // queries without the first; a larger group is refused
  logic [GroupBeatBits-1:0] beats_two_q, beats_rest_q, beats_group_q;
  logic [PartBits-1:0] parts_q[3];
  logic [DimBits-1:0] rounding_q;
  logic [ProductBits-1:0] low_q, high_q, product_q;
  logic [3:0] block_lines_log_q;
  logic dims_beyond_q, flash_beyond_q, dims_beyond;
  logic block_whole_q, whole_fits_q, judged_q, whole_q, pages_fit, pages_fit_q, pages_fit_q2;
  assign dims = words[sparf_pkg::DescDims][DimBits-1:0];
  assign block_log = page_log_q - 4'd1 - 4'(log_dims_q);
  assign dims_beyond = dims_beyond_q && !alone_q2[sparf_pkg::FieldTokenFlash];
  if (PagesFit) begin : gen_all_pages_fit
    assign pages_fit = 1'b1;
  end else begin : gen_pages_fit
    assign pages_fit = 32'(dims_q) <= Tags || (Width >> log_dims_q) <= Tags || dim_flash_q == '0;
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      alone_q <= alone;
      sparse_q <= sparse;
      log_dims_q <= mode[9:8];
      tokens_q <= words[sparf_pkg::DescTokens][CB-1:0];
      dim_flash_q <= words[sparf_pkg::DescDimFlash][CB-1:0];
      token_flash_q <= words[sparf_pkg::DescTokenFlash][CB-1:0];
      page_log_q <= sparf_pkg::log2_of(words[sparf_pkg::DescPageBytes][15:0]);
      dims_q <= dims;
      beats_q <= BeatBits'(sparf_pkg::beats_of(words[sparf_pkg::DescTokens][CB-1:0]));
      others_q <= mode[6:4] | 3'(QuerySets - 1);
      for (int unsigned i = 0; i < 3; i++) begin
        parts_q[i] <= times(dims, words[sparf_pkg::DescDimFlash][LineLog+3*i+:3]);
      end
      rounding_q <= words[sparf_pkg::DescDimFlash][LineLog-1:0] == '0 ? '0 : dims;
    end

    // The second cycle.
    alone_q2 <= alone_q;
    dims_beyond_q <= dim_flash_q > token_flash_q;
    flash_beyond_q <= token_flash_q > tokens_q;
    if (32'(page_log_q) < LeastPageLog || 32'(page_log_q) > MostPageLog) begin
      alone_q2[sparf_pkg::FieldPageBytes] <= 1'b1;
    end
    sparse_q2 <= sparse_q;
    dims_q2 <= dims_q;
    beats_two_q <= GroupBeatBits'(beats_q) + (others_q[0] ? GroupBeatBits'(beats_q) : '0);
    beats_rest_q <= (others_q[1] ? GroupBeatBits'(beats_q) << 1 : '0)
                    + (others_q[2] ? GroupBeatBits'(beats_q) << 2 : '0);
    low_q <= ProductBits'(parts_q[0]) + (ProductBits'(parts_q[1]) << 3);
    high_q <= ProductBits'(rounding_q) + (ProductBits'(parts_q[2]) << 6);
    block_lines_log_q <= block_log < 4'(LineLog) ? '0 : block_log - 4'(LineLog);
    block_whole_q <= (dim_flash_q >> block_log) != '0;
    pages_fit_q <= pages_fit;

    // The third.
    bad_q <= alone_q2;
    if (dims_beyond) bad_q[sparf_pkg::FieldDimFlash] <= 1'b1;
    if (flash_beyond_q && !alone_q2[sparf_pkg::FieldTokens]) bad_q[sparf_pkg::FieldTokenFlash] <= 1'b1;
    beats_group_q <= beats_two_q + beats_rest_q;
    judged_q <= sparse_q2 && !alone_q2[sparf_pkg::FieldDimFlash] && !dims_beyond
                && !alone_q2[sparf_pkg::FieldPageBytes];
    whole_q <= block_whole_q;
    whole_fits_q <= 32'(dims_q2) <= RingLines >> block_lines_log_q;
    product_q <= low_q + high_q;
    pages_fit_q2 <= pages_fit_q;

    // The fourth.
    bad_q2 <= bad;
    ok_q <= bad == '0;
  end

  always_comb begin
    bad = bad_q;
    if (!Appends && 32'(beats_group_q) > MaxKeys / BeatTokens) bad[sparf_pkg::FieldTokens] = 1'b1;
    if (judged_q && !(pages_fit_q2 && (whole_q ? whole_fits_q : 32'(product_q) <= RingLines))) begin
      bad[sparf_pkg::FieldDims] = 1'b1;
    end
  end

  // No rule has number 0, which is FieldNone.
  priority_encoder #(
    .Inputs(Fields)
  ) u_first (
    .asserted_i(bad_q2),
    .number_o(field_o)
  );

  if (MaxGroup > 8) begin : gen_bad_group
    $error("sparf_descriptor_check: MaxGroup must be at most 8");
  end
  if (LeastPageLog > MostPageLog) begin : gen_bad_pages
    $error("sparf_descriptor_check: a page of one row must fit into a ring");
  end
endmodule
