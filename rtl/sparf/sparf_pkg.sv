// SPDX-License-Identifier: Apache-2.0
// Shared types of the SparF engine: the layout of the descriptor, the records between the front (movement of
// data) and the kernel (arithmetic), and the numbers of the event strobes. A line is 64 bytes, of controller
// DRAM and of the page rings; a beat is 8 bytes of a flash channel. Fields are as wide as any legal parameter
// set needs.
package sparf_pkg;
  localparam int unsigned LineBits = 512;
  localparam int unsigned LineBytes = LineBits / 8;
  localparam int unsigned BeatBits = 64;
  localparam int unsigned BeatsPerLine = LineBits / BeatBits;
  localparam int unsigned ValueBits = 16;  // FP16
  localparam int unsigned SumBits = 64;    // a sum of values, in units of 2^-24

  localparam int unsigned AddrBits = 32;      // line of controller DRAM, page index, head handle
  localparam int unsigned TagBits = 16;       // of a page, of a descriptor
  localparam int unsigned SlotBits = 4;       // a head in flight of one kernel
  localparam int unsigned GroupBits = 4;      // queries that share keys: 1 .. 8
  localparam int unsigned CountBits = 16;     // tokens, rows, dimensions
  localparam int unsigned DimsBits = 8;       // chosen dimensions: 1 .. 128
  localparam int unsigned RingBits = 16;      // line of a page ring
  localparam int unsigned FloatBits = 32;
  localparam int unsigned SelTokens = 8;      // tokens of a beat of selections

  // Descriptor: 16 words of 32 bits, word 0 in the least significant bits.
  localparam int unsigned DescWords = 16;
  localparam int unsigned DescBits = 32 * DescWords;
  localparam int unsigned DescMode = 0;  // 0..3 operation, 4..7 group - 1, 8..11 log2 m,
                                         // 12 use the mean of V, 13..15 are 0, 16..31 tag
  localparam int unsigned DescTokens = 1;      // S; of an append: before the append
  localparam int unsigned DescTake = 2;        // k
  localparam int unsigned DescWindow = 3;      // l
  localparam int unsigned DescDims = 4;        // r
  localparam int unsigned DescDimFlash = 5;    // tokens in embedding-order pages
  localparam int unsigned DescTokenFlash = 6;  // tokens in token-order pages
  localparam int unsigned DescHead = 7;        // handle, in the format of page requests
  localparam int unsigned DescQLine = 8;       // queries; of an append: a row of K, a row of V
  localparam int unsigned DescSumLine = 9;     // sums of V
  localparam int unsigned DescKLine = 10;      // row of K of token DimFlash; later rows follow
  localparam int unsigned DescVLine = 11;      // row of V of token TokenFlash, likewise
  localparam int unsigned DescOutLine = 12;
  localparam int unsigned DescScale = 13;       // binary32 log2(e) / sqrt(d)
  localparam int unsigned DescReciprocal = 14;  // binary32 1 / S
  localparam int unsigned DescPageBytes = 15;   // a power of two

  localparam logic [3:0] OpSparse = 4'd0;
  localparam logic [3:0] OpDense = 4'd1;
  localparam logic [3:0] OpAppend = 4'd2;

  // Fields of a descriptor by number: the first field of a refused descriptor that breaks a rule.
  localparam int unsigned FieldBits = 5;
  localparam logic [FieldBits-1:0] FieldNone = 5'd0;
  localparam int unsigned FieldOperation = 1;
  localparam int unsigned FieldGroup = 2;
  localparam int unsigned FieldDimsPerPage = 3;
  localparam int unsigned FieldMode = 4;  // unused bits
  localparam int unsigned FieldTokens = 5;
  localparam int unsigned FieldTake = 6;
  localparam int unsigned FieldWindow = 7;
  localparam int unsigned FieldDims = 8;
  localparam int unsigned FieldDimFlash = 9;
  localparam int unsigned FieldTokenFlash = 10;
  localparam int unsigned FieldQLine = 11;
  localparam int unsigned FieldSumLine = 12;
  localparam int unsigned FieldKLine = 13;
  localparam int unsigned FieldVLine = 14;
  localparam int unsigned FieldOutLine = 15;
  localparam int unsigned FieldScale = 16;
  localparam int unsigned FieldReciprocal = 17;
  localparam int unsigned FieldPageBytes = 18;
  localparam int unsigned Fields = 19;

  // Page requests: token-order K, V, embedding-order K (numbers of sim/flash).
  localparam logic [1:0] KindKeys = 2'd0;
  localparam logic [1:0] KindValues = 2'd1;
  localparam logic [1:0] KindDims = 2'd2;

  // The status of a descriptor in its done word.
  typedef struct packed {
    logic [4:0] no_status;
    logic non_finite;             // a query, key or value that was read, or that was added to a sum of V, is
                                  // infinite or not a number
    logic refused;                // the descriptor breaks a rule: no work started
    logic unreadable;             // a page is unreadable: the output is invalid
    logic [7-FieldBits:0] unused;
    logic [FieldBits-1:0] field;  // of a refused descriptor: the field that breaks a rule
    logic [TagBits-1:0] tag;
  } done_t;
  localparam int unsigned DoneBits = 32;

  typedef struct packed {
    logic write;                      // program the page, without an answer
    logic [AddrBits-1:0] index;
    logic [1:0] kind;
    logic [AddrBits-1:0] head;
    logic [TagBits-1:0] tag;
  } page_req_t;
  localparam int unsigned PageReqBits = 1 + AddrBits + 2 + AddrBits + TagBits;

  // A request of a ring: the engine adds the other fields of the page request.
  typedef struct packed {
    logic [AddrBits-1:0] index;
    logic [1:0] kind;
    logic [AddrBits-1:0] head;
  } page_ask_t;
  localparam int unsigned PageAskBits = AddrBits + 2 + AddrBits;

  // Most rows of a page (dimensions, tokens) and most beats of a row.
  localparam int unsigned PageRows = 128;
  localparam int unsigned LogRowsBits = 3;
  localparam int unsigned RowBeats = 2048;
  localparam int unsigned BeatCountBits = $clog2(RowBeats) + 1;
  localparam int unsigned LogBeatsBits = 4;
  localparam int unsigned LogTokensBits = 4;

  // A job: keys or values that are complete in a ring: a block of tokens as
  // dimensions (columns), or rows.
  typedef struct packed {
    logic [SlotBits-1:0] slot;
    logic column;
    logic second;                     // dense and step 2: logits of the attention; otherwise logits to rank
    logic last;                       // of this step of this head
    logic [CountBits-1:0] count;      // tokens
    logic [RingBits-1:0] base;        // first line, modulo the ring
    logic [DimsBits-1:0] dims;        // chosen dimensions
    logic [RingBits-1:0] row_lines;   // lines of each
  } job_t;
  localparam int unsigned JobBits = SlotBits + 3 + CountBits + DimsBits + 2 * RingBits;

  // A head at the input of the kernel.
  typedef struct packed {
    logic dense;
    logic mean_enable;
    logic [GroupBits-1:0] group;     // 1 .. MaxGroup
    logic [CountBits-1:0] tokens;    // S, at least 1
    logic [CountBits-1:0] take;      // k
    logic [CountBits-1:0] window;    // l
    logic [CountBits-1:0] dims;      // r: 1 .. Width
    logic [FloatBits-1:0] scale;
    logic [FloatBits-1:0] reciprocal;
  } head_t;

  // The context of a head in the front: fields of the descriptor, and values derived once.
  typedef struct packed {
    logic [TagBits-1:0] tag;
    logic dense;
    logic [CountBits-1:0] tokens;
    logic [CountBits-1:0] take;           // min(k, S)
    logic [CountBits-1:0] sel_beats;      // beats of selections, at most
    logic [CountBits-1:0] dims;
    logic [CountBits-1:0] dim_flash;
    logic dim_none;                       // dim_flash is 0
    logic dim_all;                        // dim_flash is tokens
    logic [CountBits-1:0] token_flash;
    logic [AddrBits-1:0] head;
    logic [AddrBits-1:0] k_line;
    logic [AddrBits-1:0] v_line;
    logic [AddrBits-1:0] out_line;
    logic [1:0] log_dims;                 // m, of dimensions in an embedding-order page
    logic [LogRowsBits-1:0] log_rows;     // n, of tokens in a token-order page
    logic [LogTokensBits-1:0] log_block;  // T, of tokens in an embedding-order page
  } context_t;
  localparam int unsigned ContextBits = TagBits + 3 + 6 * CountBits + 4 * AddrBits + 2 + LogRowsBits
                                        + LogTokensBits;

  // The record of a page for the flash channel that delivers it.
  typedef struct packed {
    logic [SlotBits-1:0] slot;
    logic split;                          // each row begins a line
    logic [LogRowsBits-1:0] log_rows;
    logic [LogBeatsBits-1:0] log_row_beats;
    logic [BeatCountBits-1:0] used_beats;
    logic [RingBits-1:0] base;            // first line in the ring
    logic [PageRows-1:0] mask;            // rows that pass; last, so that a unit for fewer rows truncates it
  } page_t;
  localparam int unsigned PageBits = SlotBits + 1 + LogRowsBits + LogBeatsBits + BeatCountBits
                                     + RingBits + PageRows;

  // An item to fetch for a ring: a page, or `lines` lines of DRAM from `line` on. It begins and
  // ends a job or is a part of a job; bases are assigned later.
  typedef struct packed {
    logic flash;
    logic begins;
    logic ends;
    logic [1:0] kind;
    logic [AddrBits-1:0] index;
    logic [AddrBits-1:0] line;
    logic [RingBits-1:0] lines;           // of the ring that it fills
    page_t page;
    job_t job;
  } item_t;
  localparam int unsigned ItemBits = 3 + 2 + 2 * AddrBits + RingBits + PageBits + JobBits;

  // Strobes of the engine: these, then for each channel a beat arrived, for each channel a beat
  // passed, for each channel it waited for the engine, then the strobes of each kernel.
  localparam int unsigned Events = 8;
  localparam int unsigned EvPageRead = 0;
  localparam int unsigned EvPageProgram = 1;
  localparam int unsigned EvDramRead = 2;
  localparam int unsigned EvDramWrite = 3;
  localparam int unsigned EvHeadStart = 4;
  localparam int unsigned EvHeadDone = 5;
  localparam int unsigned EvAppendDone = 6;
  localparam int unsigned EvBusy = 7;        // a descriptor is queued or in work

  // Channels that share one bank of the rings, which accepts a line per cycle: thirteen channels
  // of 1.4 GB/s deliver more than one in 3.5 ns. More channels than this have two banks.
  localparam int unsigned BankChannels = 8;

  function automatic int unsigned banks(input int unsigned channels);
    banks = (channels + BankChannels - 1) / BankChannels;
  endfunction

  function automatic int unsigned events(input int unsigned channels, input int unsigned kernels);
    events = Events + 3 * channels + sparf_kernel_pkg::Events * kernels;
  endfunction

  // The next line; its upper half is ready for either carry when the lower half is known.
  function automatic logic [AddrBits-1:0] line_behind(input logic [AddrBits-1:0] line);
    logic [AddrBits/2-1:0] lower, upper;
    {upper, lower} = line;
    line_behind = {lower == '1 ? upper + 1'b1 : upper, lower + 1'b1};
  endfunction

  // The upper two bits of a sum of V to which a value was added that is infinite or not a number. They
  // are alike in every other sum: 65,535 values stay below 2^57.
  localparam logic [1:0] LostSum = 2'b01;
  function automatic logic sum_lost(input logic [1:0] upper);
    sum_lost = upper[1] != upper[0];
  endfunction

  // Logarithm of a page's bytes, a power of two; of any number the position of its highest bit.
  function automatic logic [3:0] log2_of(input logic [15:0] bytes);
    log2_of = '0;
    for (int unsigned b = 0; b < 16; b++) if (bytes[b]) log2_of = 4'(b);
  endfunction

  // Beats of a selection that has all of `tokens`.
  function automatic logic [CountBits:0] beats_of(input logic [CountBits-1:0] tokens);
    beats_of = ({1'b0, tokens} + (CountBits + 1)'(SelTokens - 1)) >> $clog2(SelTokens);
  endfunction

  // Lines of a row of `width` values; a short row occupies a whole line.
  function automatic int unsigned row_lines(input int unsigned width);
    row_lines = (width * ValueBits + LineBits - 1) / LineBits;
  endfunction
endpackage
