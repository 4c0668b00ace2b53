// SPDX-License-Identifier: Apache-2.0
// Ports, descriptor and handshakes of `dimm_ndp` for docs/reference/ports.md.

import { any, range, rule, type Legal, type UnitDescription } from "./description.ts";

const experts = "gated and ungated experts";
const base = rule("0 to 2^31 - 1", [0, 1], [2 ** 31]);
const rowOfWeights = "a row and its scales have at most 65,535 bursts";

/** Of rows of a region: base and stride wrap no address. */
const stride = (rows: string): Legal =>
  rule(`bit length of the stride + bit length of ${rows} ≤ 30`, [0, 1], [2 ** 31]);

export const dimmNdp: UnitDescription = {
  top: "dimm_ndp",
  intro:
    "`dimm_ndp` multiplies matrices. A descriptor starts one job: a single matrix product or a feed-forward expert. The unit reads activations and weights from `Streams` " +
    "DDR5 sub-channels and writes output rows to the same sub-channels.",
  parameters: {
    Streams: "number of streams; each stream reads one DDR5 sub-channel: 1, 2, 4 or 8",
    MultPerStream: "multipliers per stream: 4, 8, 16 or 32",
    Lanes: "lanes per multiplier: 2, 4 or 8",
    BitsPerCycle: "bits of the bit-serial operand that a multiplier processes per cycle: 1 or 2",
    BufferBytes: "size of the activation buffer in bytes: a power of two from 512 to 2,097,152",
    QueueBursts:
      "entries of the burst queue of each stream: a power of two, at least the bursts of two blocks",
    ActLanes: "lanes of the unit for activation functions: a power of two, at least 32",
    MaxTokens: "maximum number of tokens per pass (a pass reads all weights once): 2 to 1,024",
    LowBitWeights:
      "1: the unit also multiplies weights in MXFP4, MXFP8, NVFP4, FP8, INT8 and INT4; 0: FP16 and BF16 only",
    AlignedBits: "width of a product after alignment to the largest exponent: 12 to 44",
    Descriptors: "maximum number of jobs that have not ended: 1 to 4",
  },
  ports: {
    clk_i: "clock",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    desc_valid_i: "the descriptor is valid",
    desc_ready_o: "the unit accepts the descriptor",
    desc_i: "the descriptor: 23 words of 32 bits; word 0 is in the lowest bits",
    done_valid_o: "the completion of the oldest job is valid",
    done_ready_i: "the host accepts the completion",
    done_field_o: "0: the job is complete; other values: error number of the illegal field",
    req_valid_o: "per stream: the read request is valid",
    req_ready_i: "per stream: the memory accepts the request",
    req_addr_o: "per stream: address in the sub-channel, in bursts of 64 bytes",
    req_tag_o: "per stream: tag of the request; the response has the same tag",
    rsp_valid_i: "per stream: the response is valid",
    rsp_ready_o: "per stream: constant 1",
    rsp_tag_i: "per stream: tag of the request that this response belongs to",
    rsp_data_i: "per stream: the burst; byte 0 is in the lowest bits",
    out_valid_o: "the write is valid",
    out_ready_i: "the memory accepts the write",
    out_stream_o: "number of the sub-channel to write",
    out_addr_o: "address in that sub-channel, in bursts of 64 bytes",
    out_data_o:
      "the burst: 32 output values in FP16 or BF16; the first value is in the lowest bits",
    quiet_o: "1: the unit is idle, and no register changes before the next handshake",
    events_o:
      "one bit per event, for performance counters; each bit is 1 for one cycle, in the cycle after its event (bit numbers: constants `Ev...` of `dimm_ndp_pkg`)",
  },
  descriptor: {
    package: "dimm_ndp_pkg",
    notWords: ["DescWords", "DescBits"],
    notFields: ["FieldNone", "FieldBits"],
    intro:
      "All streams use the same bases and strides. Their unit is a burst of 64 bytes in a sub-channel. The layout of the data in the sub-channels is:\n\n" +
      "- A block is `MultPerStream` × `Lanes` values. Rows are padded with zeros to whole blocks.\n" +
      "- Row *n* of a matrix is in the sub-channel of stream *n* mod `Streams`. Its first burst has the address base + (*n* div `Streams`) × stride. A row group is the `Streams` rows that have the same address.\n" +
      "- Burst *q* of the input or output of token *t* is in the sub-channel of stream *q* mod `Streams`. Its address is base + *t* × stride + *q* div `Streams`.\n" +
      "- The activation buffer has words of 64 bytes. The inputs of a pass begin at word 0; the descriptor gives the first words of the hidden rows and of the partial results. The hidden rows are the results of gate and up.\n\n" +
      "`ndp_descriptor_check` checks every field that the operation uses. If several fields are illegal, the completion has the lowest of their error numbers. The bit length of a number is its number of bits without leading zeros.",
    fields: [
      {
        word: "DescMode",
        bits: [3, 0],
        meaning:
          "operation: 0 linear (y = down x), 1 gated expert (y = down(act(gate x) · up x)), 2 ungated expert (y = down(act(up x)))",
        legal: range(0, 2),
        refusedWith: "FieldOperation",
      },
      {
        word: "DescMode",
        bits: [6, 4],
        of: experts,
        meaning:
          "activation function: 0 identity, 1 ReLU, 2 SiLU, 3 GELU, 4 GELU approximated by tanh, 5 ReLU squared, 6 x · sigmoid(1.702 x)",
        legal: rule("0 to 6 in every descriptor", [0, 6], [7]),
        refusedWith: "FieldMode",
      },
      {
        word: "DescMode",
        bits: [7, 7],
        of: "gated experts",
        meaning: "1: the results of up are increased by one, after the clamp of word 16",
        legal: any,
      },
      {
        word: "DescMode",
        bits: [8, 8],
        meaning: "format of activations and outputs: 0 FP16, 1 BF16",
        legal: any,
      },
      {
        word: "DescMode",
        bits: [11, 9],
        meaning: "reserved",
        legal: rule("0", [0], [1, 4]),
        refusedWith: "FieldMode",
      },
      {
        word: "DescMode",
        bits: [15, 12],
        meaning:
          "format of the weights: 0 that of the activations, 1 MXFP4, 2 FP8 (E4M3), 3 INT8, 4 INT4, 5 MXFP8 (E4M3), 6 NVFP4",
        legal: rule("`LowBitWeights` = 0: 0; `LowBitWeights` = 1: 0 to 6", [0], [7, 15]),
        refusedWith: "FieldWeights",
      },
      {
        word: "DescMode",
        bits: [23, 16],
        of: "low-bit weights",
        meaning:
          "number n of weight blocks of gate and of up for one input block, minus 1; n is above 1 if a group of weights with one scale is shorter than half a block",
        legal: any,
      },
      {
        word: "DescMode",
        bits: [31, 24],
        of: "low-bit weights",
        meaning: "number of weight blocks of down for one input block of the down matrix, minus 1",
        legal: any,
      },
      {
        word: "DescTokens",
        meaning: "number of tokens of the job",
        legal: range(1, 65_535),
        refusedWith: "FieldTokens",
      },
      {
        word: "DescPassTokens",
        meaning: "number of tokens of a pass; the unit reads the weights once per pass",
        legal: range(1, "MaxTokens"),
        refusedWith: "FieldPassTokens",
      },
      {
        word: "DescInBlocks",
        meaning: "number of blocks of an input row",
        legal: rule("1 to the capacity of the buffer in blocks", [1], [0, 65_536]),
        refusedWith: "FieldInBlocks",
      },
      {
        word: "DescMidRows",
        of: experts,
        meaning: "number of rows of the gate matrix, which is also that of the up matrix",
        legal: rule("1 to the number of values in `DescMidBlocks` blocks", [1], [0]),
        refusedWith: "FieldMidRows",
      },
      {
        word: "DescMidBlocks",
        of: experts,
        meaning: "number of blocks of a hidden row",
        legal: rule(
          "`DescMidRows` in blocks, rounded up; at most the capacity of the buffer in blocks",
          [1],
          [65_536],
        ),
        refusedWith: "FieldMidBlocks",
      },
      {
        word: "DescOutRows",
        meaning: "number of rows of the down matrix, which is the number of values of an output",
        legal: rule("1 to 2^31 - 1", [1], [0, 2 ** 31]),
        refusedWith: "FieldOutRows",
      },
      {
        word: "DescXBase",
        meaning: "base address of the inputs",
        legal: base,
        refusedWith: "FieldXBase",
      },
      {
        word: "DescXStride",
        meaning: "stride between the inputs of two tokens",
        legal: stride("`DescTokens`"),
        refusedWith: "FieldXStride",
      },
      {
        word: "DescGateBase",
        of: "gated experts",
        meaning: "base address of the gate matrix",
        legal: base,
        refusedWith: "FieldGateBase",
      },
      {
        word: "DescUpBase",
        of: experts,
        meaning: "base address of the up matrix",
        legal: base,
        refusedWith: "FieldUpBase",
      },
      {
        word: "DescGuStride",
        of: experts,
        meaning: "stride between two row groups of gate, and of up",
        legal: stride("(`DescMidRows` div `Streams`)"),
        refusedWith: "FieldGuStride",
      },
      {
        word: "DescDownBase",
        meaning: "base address of the down matrix",
        legal: base,
        refusedWith: "FieldDownBase",
      },
      {
        word: "DescDownStride",
        meaning: "stride between two row groups of the down matrix",
        legal: stride("(`DescOutRows` div `Streams`)"),
        refusedWith: "FieldDownStride",
      },
      {
        word: "DescYBase",
        meaning: "base address of the outputs",
        legal: base,
        refusedWith: "FieldYBase",
      },
      {
        word: "DescYStride",
        meaning: "stride between the outputs of two tokens",
        legal: stride("`DescTokens`"),
        refusedWith: "FieldYStride",
      },
      {
        word: "DescHWord",
        bits: [15, 0],
        of: experts,
        meaning: "first buffer word of the hidden rows",
        legal: rule("not below the end of the inputs of a pass", [], [0]),
        refusedWith: "FieldHWord",
      },
      {
        word: "DescHWord",
        bits: [30, 16],
        of: experts,
        meaning:
          "limit L, a positive number in the format of the activations without the sign bit; 0: no limit. Gated experts: results of gate are at most L, and results of up are from -L to L. Ungated experts: results of up are at most L",
        legal: rule("not infinity and not NaN", [0, 0x4700], [0x7f80, 0x7fff]),
        refusedWith: "FieldLimit",
      },
      {
        word: "DescHWord",
        bits: [31, 31],
        of: experts,
        meaning: "reserved",
        legal: rule("0", [0], [1]),
        refusedWith: "FieldLimit",
      },
      {
        word: "DescCWord",
        meaning: "first buffer word of the partial results",
        legal: rule(
          "not below the end of the hidden rows (of a linear job: of the inputs); `DescCWord` + `DescPassTokens` × `ActLanes` / 8 is at most the number of words of the buffer",
          [],
          [0, 65_535, 65_536],
        ),
        refusedWith: "FieldCWord",
      },
      {
        word: "DescInWeights",
        of: "low-bit weights of experts",
        meaning: "number of weight blocks of a row of gate, and of up",
        legal: rule(`\`DescInBlocks\` × (bits 23:16 of word 0 + 1); ${rowOfWeights}`),
        refusedWith: "FieldInWeights",
      },
      {
        word: "DescMidWeights",
        of: "low-bit weights",
        meaning: "number of weight blocks of a row of the down matrix",
        legal: rule(
          `input blocks of the down matrix × (bits 31:24 of word 0 + 1); ${rowOfWeights}`,
        ),
        refusedWith: "FieldMidWeights",
      },
      {
        word: "DescGateFactor",
        of: "NVFP4 weights of gated experts",
        meaning: "FP32 factor of all weights of gate",
        legal: any,
      },
      {
        word: "DescUpFactor",
        of: "NVFP4 weights of experts",
        meaning: "FP32 factor of all weights of up",
        legal: any,
      },
      {
        word: "DescDownFactor",
        of: "NVFP4 weights",
        meaning: "FP32 factor of all weights of down",
        legal: any,
      },
    ],
  },
  structures: [],
  handshakes: [
    {
      title: "Descriptor: `desc`",
      rules: [
        "A job begins at the handshake of its descriptor and ends at the handshake of its completion. At most `Descriptors` jobs have not ended.",
        "With `Descriptors` = 1, `desc_ready_o` is 1 if and only if the unit runs no job and offers no completion.",
        "With `Descriptors` > 1, the unit loads the inputs of the next job while it writes the last outputs of the current job. So if a job reads outputs of an earlier job, send its descriptor after the completion of the earlier job. The unit does not check this rule.",
        "Completions have the order of the descriptors.",
        "The unit stores the whole descriptor at the handshake, so `desc_i` may change in the next cycle.",
        "A descriptor with an illegal field starts no job. Its completion is valid two cycles after the handshake of the descriptor, or later if earlier completions wait.",
      ],
    },
    {
      title: "Completion: `done`",
      rules: [
        "Every descriptor has exactly one completion.",
        "A completion with `done_field_o` = 0 comes after the handshake of the last write of the job.",
      ],
    },
    {
      title: "Reads: `req` and `rsp`, one pair per stream",
      rules: [
        "Streams are independent of each other. A stream issues at most one request per cycle.",
        "A stream has at most `QueueBursts` outstanding requests. They have different tags.",
        "A stream accepts at most one response per cycle. The order of the responses is free. The earliest cycle of a response is the cycle after the handshake of its request.",
        "Each request reserves a queue entry for its response. Therefore `rsp_ready_o` is constant 1, and the memory needs no response buffer.",
        "The memory must send exactly one response per request. The unit does not detect a response without a request.",
      ],
    },
    {
      title: "Writes: `out`",
      rules: [
        "All streams share one write port. A write has no response: the unit treats a write as complete at its handshake.",
        "The output region of a job must not overlap its inputs or its weights. Then the memory may reorder the reads and writes of a job. The unit does not check this rule.",
        "The unit always writes whole bursts. It fills a last, partial burst with zeros.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Keep `rst_ni` low for at least one rising clock edge. After this edge all valid outputs are 0, and `desc_ready_o` is 1.",
        "Data registers have no reset. A payload is undefined while its valid is 0.",
        "If reads are outstanding, keep `rst_ni` low until all responses have arrived, or reset the memory controller, too. During reset the unit discards responses. After reset it would use such a response as data. `common/reset_drain` extends a reset until all responses have arrived.",
      ],
    },
  ],
  pictures: [
    {
      name: "start",
      caption:
        "A descriptor starts a job. The diagram shows stream 0. In some cycles `req_ready_i` is 0, and the unit keeps the request unchanged.",
    },
    {
      name: "output",
      caption: "The last writes of a job under back-pressure, and its completion.",
    },
    {
      name: "refused",
      caption:
        "The unit refuses a descriptor with 0 tokens. The completion has error 3, and no read request follows.",
    },
  ],
};
