// SPDX-License-Identifier: Apache-2.0
// Ports, descriptor and handshakes of `dimm_ndp` for docs/reference/ports.md.

import { any, range, rule, type Legal, type UnitDescription } from "./description.ts";

const bursts = "in bursts";
const experts = "gated and ungated experts";
const base = rule("0 to 2^31 - 1", [0, 1], [2 ** 31]);
const rowOfWeights = "a row with its scales has at most 65,535 bursts";

/** Of rows of a region: base and stride wrap no address. */
const stride = (rows: string): Legal =>
  rule(
    `its bits and those of ${rows} (leading zeros not counted) are at most 30 together`,
    [0, 1],
    [2 ** 31],
  );

export const dimmNdp: UnitDescription = {
  top: "dimm_ndp",
  intro:
    "`dimm_ndp` computes a matrix product or a feed-forward expert. A descriptor starts a job. The unit reads activations and weights from `Streams` " +
    "DDR5 sub-channels and writes output rows to the same sub-channels.",
  parameters: {
    Streams: "sub-channels: 1, 2, 4 or 8",
    MultPerStream: "multipliers of each stream: 4, 8, 16 or 32",
    Lanes: "lanes of each multiplier: 2, 4 or 8",
    BitsPerCycle: "bits of the serial operand per cycle: 1 or 2",
    BufferBytes: "activation buffer: a power of two from 512 to 2,097,152",
    QueueBursts: "entries of each stream's burst queue: a power of two, at least two blocks",
    ActLanes: "lanes of the activation unit: a power of two, at least 32",
    MaxTokens: "tokens of a pass: 2 to 1,024",
    LowBitWeights: "1: the unit multiplies MXFP4, FP8, INT8 and INT4 weights as well",
    AlignedBits: "bits of a product after alignment: 12 to 44",
    Descriptors: "descriptors between `desc` and `done`: 1 to 4",
  },
  ports: {
    clk_i: "clock; every register samples at its rising edge",
    rst_ni: "reset, active low, synchronous to `clk_i`",
    desc_valid_i: "a descriptor is offered",
    desc_ready_o: "the unit takes a descriptor: fewer than `Descriptors` are at work",
    desc_i: "the descriptor: 20 words of 32 bits, word 0 in the lowest bits",
    done_valid_o: "the oldest job has ended",
    done_ready_i: "the completion is taken",
    done_field_o: "0: done; otherwise the number of the illegal field",
    req_valid_o: "by stream: a read request is offered",
    req_ready_i: "by stream: the memory takes the request",
    req_addr_o: "by stream: address, in bursts of 64 bytes of this sub-channel",
    req_tag_o: "by stream: the tag that the response must carry",
    rsp_valid_i: "by stream: a response is offered",
    rsp_ready_o: "by stream: constant 1",
    rsp_tag_i: "by stream: tag of the request",
    rsp_data_i: "by stream: the burst, byte 0 in the lowest bits",
    out_valid_o: "a write is offered",
    out_ready_i: "the memory takes the write",
    out_stream_o: "sub-channel of the write",
    out_addr_o: "address, in bursts of 64 bytes of that sub-channel",
    out_data_o: "the burst: 32 output values of FP16 or BF16, the first in the lowest bits",
    quiet_o: "no register changes before the next handshake",
    events_o: "strobes of one cycle for counters, one cycle late (`Ev...` of `dimm_ndp_pkg`)",
  },
  descriptor: {
    package: "dimm_ndp_pkg",
    notWords: ["DescWords", "DescBits"],
    notFields: ["FieldNone", "FieldBits"],
    intro:
      "Row *n* of a matrix belongs to stream *n* mod `Streams`; row group *j* is rows *j* × `Streams` onwards, one row of each stream, at base + *j* × stride. " +
      "Burst *q* of a token's input or output belongs to stream *q* mod `Streams`, at base + token × stride + *q* / `Streams`. Bases and strides count bursts of 64 bytes of a sub-channel and are the same in every stream. " +
      "A block is `MultPerStream` × `Lanes` values; rows are padded with zeros to whole blocks. " +
      "`ndp_descriptor_check` checks every field that the operation reads. The completion names the first illegal field in the order of the numbers.",
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
        bits: [5, 4],
        of: experts,
        meaning: "activation function: 0 identity, 1 ReLU, 2 SiLU, 3 GELU",
        legal: any,
      },
      {
        word: "DescMode",
        bits: [7, 6],
        meaning: "reserved",
        legal: rule("0", [0], [1, 2, 3]),
        refusedWith: "FieldMode",
      },
      {
        word: "DescMode",
        bits: [8, 8],
        meaning: "0: activations and outputs are FP16; 1: BF16",
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
        meaning: "weights: 0 as the activations, 1 MXFP4, 2 FP8 (E4M3), 3 INT8, 4 INT4",
        legal: rule("0; with `LowBitWeights` = 1: 0 to 4", [0], [5, 15]),
        refusedWith: "FieldWeights",
      },
      {
        word: "DescMode",
        bits: [23, 16],
        of: "low-bit weights",
        meaning: "blocks of gate and up weights per block of the input, less 1",
        legal: any,
      },
      {
        word: "DescMode",
        bits: [31, 24],
        of: "low-bit weights",
        meaning: "blocks of down weights per block of its input, less 1",
        legal: any,
      },
      {
        word: "DescTokens",
        meaning: "tokens of the job",
        legal: range(1, 65_535),
        refusedWith: "FieldTokens",
      },
      {
        word: "DescPassTokens",
        meaning: "tokens of a pass; weights are read once per pass",
        legal: range(1, "MaxTokens"),
        refusedWith: "FieldPassTokens",
      },
      {
        word: "DescInBlocks",
        meaning: "blocks of an input row",
        legal: rule("1 to the blocks that the buffer holds", [1], [0, 65_536]),
        refusedWith: "FieldInBlocks",
      },
      {
        word: "DescMidRows",
        of: experts,
        meaning: "rows of gate and up",
        legal: rule("at least 1, at most the values of `DescMidBlocks`", [1], [0]),
        refusedWith: "FieldMidRows",
      },
      {
        word: "DescMidBlocks",
        of: experts,
        meaning: "blocks of a row between the matrices",
        legal: rule(
          "the rows of gate and up, rounded up to whole blocks: at most the blocks that the buffer holds",
          [1],
          [65_536],
        ),
        refusedWith: "FieldMidBlocks",
      },
      {
        word: "DescOutRows",
        meaning: "rows of the down matrix, which are the values of an output",
        legal: rule("1 to 2^31 - 1", [1], [0, 2 ** 31]),
        refusedWith: "FieldOutRows",
      },
      {
        word: "DescXBase",
        meaning: `first burst of the inputs, ${bursts}`,
        legal: base,
        refusedWith: "FieldXBase",
      },
      {
        word: "DescXStride",
        meaning: `from one token's input to the next, ${bursts}`,
        legal: stride("tokens"),
        refusedWith: "FieldXStride",
      },
      {
        word: "DescGateBase",
        of: "gated experts",
        meaning: `first burst of the gate matrix, ${bursts}`,
        legal: base,
        refusedWith: "FieldGateBase",
      },
      {
        word: "DescUpBase",
        of: experts,
        meaning: `first burst of the up matrix, ${bursts}`,
        legal: base,
        refusedWith: "FieldUpBase",
      },
      {
        word: "DescGuStride",
        of: experts,
        meaning: `from one row group of gate and up to the next, ${bursts}`,
        legal: stride("`DescMidRows` / `Streams`"),
        refusedWith: "FieldGuStride",
      },
      {
        word: "DescDownBase",
        meaning: `first burst of the down matrix, ${bursts}`,
        legal: base,
        refusedWith: "FieldDownBase",
      },
      {
        word: "DescDownStride",
        meaning: `from one of its row groups to the next, ${bursts}`,
        legal: stride("`DescOutRows` / `Streams`"),
        refusedWith: "FieldDownStride",
      },
      {
        word: "DescYBase",
        meaning: `first burst of the outputs, ${bursts}`,
        legal: base,
        refusedWith: "FieldYBase",
      },
      {
        word: "DescYStride",
        meaning: `from one token's output to the next, ${bursts}`,
        legal: stride("tokens"),
        refusedWith: "FieldYStride",
      },
      {
        word: "DescHWord",
        of: experts,
        meaning: "buffer word (64 bytes) where the rows between the matrices begin",
        legal: rule("at or behind the end of the inputs of a pass", [], [0]),
        refusedWith: "FieldHWord",
      },
      {
        word: "DescCWord",
        meaning: "buffer word where partial results begin",
        legal: rule(
          "at or behind the end of the region in front of it; `PassTokens` × `ActLanes` / 8 words from there on are inside the buffer",
          [],
          [0, 65_535, 65_536],
        ),
        refusedWith: "FieldCWord",
      },
      {
        word: "DescInWeights",
        of: "low-bit weights of experts",
        meaning: "blocks of a row of gate and up",
        legal: rule(`\`DescInBlocks\` × (bits 23:16 of word 0, plus 1); ${rowOfWeights}`),
        refusedWith: "FieldInWeights",
      },
      {
        word: "DescMidWeights",
        of: "low-bit weights",
        meaning: "blocks of a row of the down matrix",
        legal: rule(`its input blocks × (bits 31:24 of word 0, plus 1); ${rowOfWeights}`),
        refusedWith: "FieldMidWeights",
      },
    ],
  },
  structures: [],
  handshakes: [
    {
      title: "Descriptor: `desc`",
      rules: [
        "At most `Descriptors` jobs are between `desc` and `done`. With one, `desc_ready_o` is 1 exactly while no job runs and no completion waits. With more, the unit loads the inputs of the next job while it drains the last one: " +
          "a job must not read the outputs of an earlier job, unless its descriptor is sent after that job's completion. Completions come in the order of the descriptors.",
        "The unit stores the whole descriptor; `desc_i` may change in the next cycle.",
        "A descriptor with an illegal field starts nothing. Its completion is valid two cycles after the descriptor is taken, or after the completions before it.",
      ],
    },
    {
      title: "Completion: `done`",
      rules: [
        "One completion per descriptor. `done_valid_o` and `done_field_o` hold until `done_ready_i` is 1.",
        "A completion with `done_field_o` = 0 follows the handshake of the job's last write.",
      ],
    },
    {
      title: "Reads: `req` and `rsp`, one pair per stream",
      rules: [
        "Streams are independent. A stream issues at most one request per cycle.",
        "At most `QueueBursts` requests of a stream are outstanding. Tags of outstanding requests of a stream are distinct.",
        "Responses of a stream come in any order, from the cycle after the handshake of their request on, at most one per cycle.",
        "A request reserves the queue entry of its response, so `rsp_ready_o` is constant 1: the memory needs no response buffer.",
        "Every request has exactly one response. A response without a request is an error of the memory and is not found.",
      ],
    },
    {
      title: "Writes: `out`",
      rules: [
        "One write port for all streams. A write is complete for the unit when it is taken; there is no response.",
        "The unit never reads the output region, so the order of reads and writes at the memory does not matter within a job.",
        "A write occupies whole bursts: values behind the last output row are 0.",
      ],
    },
    {
      title: "Reset",
      rules: [
        "Hold `rst_ni` low for at least one rising clock edge. All valid outputs are then 0 and `desc_ready_o` is 1.",
        "Registers of data have no reset; an output's data are undefined while its valid is 0.",
        "Reset while reads are outstanding: a response must not arrive after the reset has ended. Wait for the outstanding responses, or reset the memory controller as well.",
      ],
    },
  ],
  pictures: [
    {
      name: "start",
      caption:
        "A descriptor starts a job. Stream 0 is shown; `req_ready_i` is low in some cycles, and the request holds.",
    },
    {
      name: "output",
      caption: "The last writes under back-pressure, and the completion of the job.",
    },
    {
      name: "refused",
      caption: "A descriptor without tokens is refused with field 3; no request follows.",
    },
  ],
};
