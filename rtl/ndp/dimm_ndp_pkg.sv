// SPDX-License-Identifier: Apache-2.0
// Shared types of the control of the DIMM-NDP unit: the layout of the descriptor, the plan derived from it, the
// phases of a run and the numbers of the event strobes. Addresses and strides of memory are in 64-byte bursts
// inside a sub-channel; buffer words are 64 bytes as well.
package dimm_ndp_pkg;
  localparam int unsigned BurstBits = 512;
  localparam int unsigned ValuesPerBurst = 32;
  localparam int unsigned AddrBits = 32;   // burst index in a sub-channel
  localparam int unsigned CountBits = 16;  // tokens, blocks, buffer words
  localparam int unsigned RowBits = 32;    // matrix rows and counters of rows
  localparam int unsigned RepeatBits = 8;
  localparam int unsigned LimitBits = 15;
  localparam int unsigned ScaledBlocks = 8;  // the most that follow a burst of scales

  // Descriptor: 23 words of 32 bits, word 0 in the least significant bits.
  localparam int unsigned DescWords = 23;
  localparam int unsigned DescBits = 32 * DescWords;
  // 0..3 operation, 4..6 function, 7 up + 1, 8 BF16, 12..14 weights (ndp_pkg); 16..23 and 24..31 the number of blocks
  // of weights per block of the input, less one, for gate and up and for down.
  localparam int unsigned DescMode = 0;
  localparam int unsigned DescTokens = 1;
  localparam int unsigned DescPassTokens = 2;
  localparam int unsigned DescInBlocks = 3;
  localparam int unsigned DescMidRows = 4;
  localparam int unsigned DescMidBlocks = 5;
  localparam int unsigned DescOutRows = 6;
  localparam int unsigned DescXBase = 7;
  localparam int unsigned DescXStride = 8;
  localparam int unsigned DescGateBase = 9;
  localparam int unsigned DescUpBase = 10;
  localparam int unsigned DescGuStride = 11;
  localparam int unsigned DescDownBase = 12;
  localparam int unsigned DescDownStride = 13;
  localparam int unsigned DescYBase = 14;
  localparam int unsigned DescYStride = 15;
  // 0..15 hidden word; 16..30 limit of the operands of the activation, a positive value without its sign, or 0.
  localparam int unsigned DescHWord = 16;
  localparam int unsigned DescCWord = 17;
  // Blocks of a row of low-bit weights.
  localparam int unsigned DescInWeights = 18;
  localparam int unsigned DescMidWeights = 19;
  // FP32 factors of the matrices, of NVFP4.
  localparam int unsigned DescGateFactor = 20;
  localparam int unsigned DescUpFactor = 21;
  localparam int unsigned DescDownFactor = 22;

  // The field for which a descriptor is refused: the first that breaks a rule of ndp_descriptor_check.
  localparam int unsigned FieldBits = 5;
  localparam int unsigned Fields = 24;
  localparam logic [FieldBits-1:0] FieldNone = 5'd0;
  localparam logic [FieldBits-1:0] FieldOperation = 5'd1;
  localparam logic [FieldBits-1:0] FieldWeights = 5'd2;
  localparam logic [FieldBits-1:0] FieldTokens = 5'd3;
  localparam logic [FieldBits-1:0] FieldPassTokens = 5'd4;
  localparam logic [FieldBits-1:0] FieldInBlocks = 5'd5;
  localparam logic [FieldBits-1:0] FieldOutRows = 5'd6;
  localparam logic [FieldBits-1:0] FieldMidRows = 5'd7;
  localparam logic [FieldBits-1:0] FieldMode = 5'd8;
  localparam logic [FieldBits-1:0] FieldMidBlocks = 5'd9;
  localparam logic [FieldBits-1:0] FieldXBase = 5'd10;
  localparam logic [FieldBits-1:0] FieldXStride = 5'd11;
  localparam logic [FieldBits-1:0] FieldGateBase = 5'd12;
  localparam logic [FieldBits-1:0] FieldUpBase = 5'd13;
  localparam logic [FieldBits-1:0] FieldGuStride = 5'd14;
  localparam logic [FieldBits-1:0] FieldDownBase = 5'd15;
  localparam logic [FieldBits-1:0] FieldDownStride = 5'd16;
  localparam logic [FieldBits-1:0] FieldYBase = 5'd17;
  localparam logic [FieldBits-1:0] FieldYStride = 5'd18;
  localparam logic [FieldBits-1:0] FieldHWord = 5'd19;
  localparam logic [FieldBits-1:0] FieldCWord = 5'd20;
  localparam logic [FieldBits-1:0] FieldInWeights = 5'd21;
  localparam logic [FieldBits-1:0] FieldMidWeights = 5'd22;
  localparam logic [FieldBits-1:0] FieldLimit = 5'd23;

  localparam logic [1:0] OpLinear = 2'd0;   // y = W x, W at the down base
  localparam logic [1:0] OpGated = 2'd1;    // y = down(act(gate x) * up x)
  localparam logic [1:0] OpUngated = 2'd2;  // y = down(act(up x))

  // The descriptor with everything that is derived once. Constant while a descriptor runs.
  typedef struct packed {
    logic [AddrBits-1:0] x_base;
    logic [AddrBits-1:0] x_stride;
    logic [AddrBits-1:0] gate_base;
    logic [AddrBits-1:0] up_base;
    logic [AddrBits-1:0] gu_stride;
    logic [AddrBits-1:0] down_base;
    logic [AddrBits-1:0] down_stride;
    logic [AddrBits-1:0] y_base;
    logic [AddrBits-1:0] y_stride;
    logic [RowBits-1:0] mid_rows;
    logic [RowBits-1:0] mid_groups;  // row groups: one row of every stream
    logic [RowBits-1:0] out_rows;
    logic [RowBits-1:0] out_groups;
    logic [RowBits-1:0] out_words;  // bursts of an output row
    logic [CountBits-1:0] tokens;
    logic [CountBits-1:0] pass_tokens;
    logic [CountBits-1:0] in_blocks;
    logic [CountBits-1:0] in_words;
    logic [CountBits-1:0] mid_words;
    logic [CountBits-1:0] down_words;
    logic [CountBits-1:0] gu_blocks;    // of weights of a row
    logic [CountBits-1:0] down_blocks;
    logic [CountBits-1:0] gu_bursts;
    logic [CountBits-1:0] down_bursts;
    logic [RepeatBits-1:0] gu_repeats;  // blocks of weights per block of the input, less one
    logic [RepeatBits-1:0] down_repeats;
    logic [31:0] gate_factor;
    logic [31:0] up_factor;
    logic [31:0] down_factor;
    logic [CountBits-1:0] h_word;
    logic [CountBits-1:0] c_word;
    logic [LimitBits-1:0] limit;
    logic [CountBits-1:0] half_words;  // buffer words of one matrix in one chunk half
    logic [1:0] op;
    logic [2:0] func;
    logic up_plus_one;
    logic bf16;
    logic [2:0] weights;  // format
  } plan_t;

  typedef enum logic [2:0] {
    PhaseIdle,
    PhaseSetup,   // one cycle: the plan is derived
    PhaseLoad,    // activations of a pass enter the buffer
    PhaseGateUp,
    PhaseDown,
    PhaseTail     // every slot has started; results and outputs drain
  } phase_e;

  // Strobes of events_o, each one cycle long and one cycle after the fact.
  localparam int unsigned Events = 16;
  localparam int unsigned EvSlot = 0;
  localparam int unsigned EvNewWeights = 1;
  localparam int unsigned EvStallWeights = 2;
  localparam int unsigned EvStallOperand = 3;
  localparam int unsigned EvStallOutput = 4;
  localparam int unsigned EvActStart = 5;
  localparam int unsigned EvActBusy = 6;
  localparam int unsigned EvDescAccepted = 7;
  localparam int unsigned EvDescDone = 8;
  localparam int unsigned EvXStored = 9;
  localparam int unsigned EvOutAccepted = 10;
  localparam int unsigned EvIdle = 11;
  localparam int unsigned EvPassStart = 12;
  localparam int unsigned EvPhaseDown = 13;
  localparam int unsigned EvPhaseLoad = 14;
  localparam int unsigned EvPhaseGateUp = 15;
endpackage
