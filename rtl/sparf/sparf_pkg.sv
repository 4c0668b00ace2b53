// SPDX-License-Identifier: Apache-2.0
// What the parts of the SparF engine share: the descriptor's layout, the records that pass between
// the movement of data (front) and the arithmetic (kernel), and the numbers of the event strobes.
// A line is 64 bytes, of controller DRAM and of the page rings; a beat is 8 bytes of a flash
// channel. Fields are as wide as any legal parameter set needs.
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
  localparam int unsigned RingBits = 16;      // line of a page ring
  localparam int unsigned FloatBits = 32;
  localparam int unsigned SelTokens = 8;      // tokens of a beat of selections

  // Descriptor: 16 words of 32 bits, word 0 in the least significant bits.
  localparam int unsigned DescWords = 16;
  localparam int unsigned DescBits = 32 * DescWords;
  localparam int unsigned DescMode = 0;  // 0..3 operation, 4..7 group - 1, 8..11 log2 m,
                                         // 12 mean of V is kept, 16..31 tag
  localparam int unsigned DescTokens = 1;      // S; of an append: before it
  localparam int unsigned DescTake = 2;        // k
  localparam int unsigned DescWindow = 3;      // l
  localparam int unsigned DescDims = 4;        // r
  localparam int unsigned DescDimFlash = 5;    // tokens that embedding-order pages hold
  localparam int unsigned DescTokenFlash = 6;  // tokens that token-order pages hold
  localparam int unsigned DescHead = 7;        // handle, as page requests carry it
  localparam int unsigned DescQLine = 8;       // queries; of an append: a row of K, a row of V
  localparam int unsigned DescSumLine = 9;     // sums of V
  localparam int unsigned DescKLine = 10;      // row of K of token DimFlash, later ones behind it
  localparam int unsigned DescVLine = 11;      // row of V of token TokenFlash, likewise
  localparam int unsigned DescOutLine = 12;
  localparam int unsigned DescScale = 13;       // binary32 log2(e) / sqrt(d)
  localparam int unsigned DescReciprocal = 14;  // binary32 1 / S
  localparam int unsigned DescPageBytes = 15;   // a power of two

  localparam logic [3:0] OpSparse = 4'd0;
  localparam logic [3:0] OpDense = 4'd1;
  localparam logic [3:0] OpAppend = 4'd2;

  // Page requests: token-order K, V, embedding-order K (numbers of sim/flash).
  localparam logic [1:0] KindKeys = 2'd0;
  localparam logic [1:0] KindValues = 2'd1;
  localparam logic [1:0] KindDims = 2'd2;

  // What a done word says of its head: bits of its status.
  localparam int unsigned StatusUnreadable = 0;  // of a page: the output is not to be used

  // A head, from front to kernel; its queries (a row each, padded to lines) and, if mean_enable,
  // its sums of V follow as lines.
  typedef struct packed {
    logic [SlotBits-1:0] slot;
    logic dense;
    logic mean_enable;
    logic [GroupBits-1:0] group;     // 1 .. MaxGroup
    logic [CountBits-1:0] tokens;    // 1 .. MaxKeys / group
    logic [CountBits-1:0] take;      // k, any size
    logic [CountBits-1:0] window;    // l, any size
    logic [CountBits-1:0] dims;      // r: 1 .. Width
    logic [FloatBits-1:0] scale;
    logic [FloatBits-1:0] reciprocal;
  } head_t;

  // Keys that lie complete in the K ring: a block of tokens as dimensions, or rows.
  typedef struct packed {
    logic [SlotBits-1:0] slot;
    logic col;                        // dimensions: step 1 from flash
    logic step2;                      // dense and step 2: logits that attend; else logits to rank
    logic masked;                     // rows of which only the chosen dimensions count
    logic last;                       // of this step of this head
    logic [CountBits-1:0] count;      // tokens
    logic [RingBits-1:0] base;        // first line, modulo the ring
    logic [CountBits-1:0] dims;       // dimensions of the block
    logic [RingBits-1:0] row_lines;   // lines of each dimension
  } kjob_t;

  // Rows of values that lie complete in the V ring.
  typedef struct packed {
    logic [SlotBits-1:0] slot;
    logic last;
    logic [CountBits-1:0] count;
    logic [RingBits-1:0] base;
  } vjob_t;

  // Tokens that a head has chosen: SelTokens from beat * SelTokens on.
  typedef struct packed {
    logic [SlotBits-1:0] slot;
    logic last;
    logic [CountBits-1:0] beat;
    logic [SelTokens-1:0] mask;
  } sel_t;

  // One line of output.
  typedef struct packed {
    logic [SlotBits-1:0] slot;
    logic [GroupBits-1:0] query;
    logic [CountBits-1:0] line;       // of the query's row
    logic last;                       // of the head
  } out_t;

  // Strobes of a kernel.
  localparam int unsigned KernelEvents = 8;
  localparam int unsigned EvRankLogit = 0;   // logits of step 1 are computed
  localparam int unsigned EvRank = 1;        // argtopk works
  localparam int unsigned EvSoftmax = 2;
  localparam int unsigned EvLogit = 3;       // logits that attend are computed
  localparam int unsigned EvAttend = 4;      // values are summed
  localparam int unsigned EvWaitKeys = 5;
  localparam int unsigned EvWaitValues = 6;
  localparam int unsigned EvBlocked = 7;

  // Strobes of the engine: these, then for each channel a beat came in, for each channel a beat was
  // kept, for each channel it waited for the engine, then the strobes of each kernel.
  localparam int unsigned Events = 8;
  localparam int unsigned EvPageRead = 0;
  localparam int unsigned EvPageProgram = 1;
  localparam int unsigned EvDramRead = 2;
  localparam int unsigned EvDramWrite = 3;
  localparam int unsigned EvHeadStart = 4;
  localparam int unsigned EvHeadDone = 5;
  localparam int unsigned EvAppendDone = 6;
  localparam int unsigned EvBusy = 7;        // a descriptor is queued or at work

  function automatic int unsigned events(input int unsigned channels, input int unsigned kernels);
    events = Events + 3 * channels + KernelEvents * kernels;
  endfunction

  // Lines of a row of `width` values; a short row takes a whole line.
  function automatic int unsigned row_lines(input int unsigned width);
    row_lines = (width * ValueBits + LineBits - 1) / LineBits;
  endfunction
endpackage
