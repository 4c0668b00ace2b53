// SPDX-License-Identifier: Apache-2.0
// The runs whose waveforms docs/reference/ports.md shows: units at the size of the tests, small jobs, memories that
// answer some cycles after a request.

import type { Scenario, Sent } from "./record.ts";

/** Words of a descriptor as the value of its port. */
export function wordsToBits(words: readonly number[]): bigint {
  return words.reduce((all, word, i) => all | (BigInt(word >>> 0) << BigInt(32 * i)), 0n);
}

/** Every FP16 value of a line is 1. */
const ones = Array.from({ length: 32 }, (_, i) => 0x3c00n << BigInt(16 * i)).reduce(
  (all, value) => all | value,
);

export const rests = (
  probability: number,
  seed: number,
): { probability: number; seed: number } => ({
  probability,
  seed,
});

export const dimm: Omit<Scenario, "first"> = {
  unit: {
    top: "dimm_ndp",
    uses: ["common", "ndp"],
    parameters: {
      Streams: 2,
      MultPerStream: 4,
      Lanes: 8,
      BitsPerCycle: 1,
      BufferBytes: 16_384,
      QueueBursts: 8,
      ActLanes: 32,
      MaxTokens: 8,
      LowBitWeights: 0,
      AlignedBits: 44,
      Descriptors: 1,
    },
  },
  cycles: 260,
  answer: ({ stream, lane, at, message }): readonly Sent[] =>
    stream === "req"
      ? [{ stream: "rsp", lane, at: at + 4, message: { tag: Number(message["tag"]), data: ones } }]
      : [],
};

/** A matrix of four rows of two blocks times two vectors. */
export const matrix: readonly number[] = [
  0, 2, 2, 2, 0, 0, 4, 0, 2, 0, 0, 0, 100, 2, 200, 1, 8, 16, 0, 0,
];

export const engine: Omit<Scenario, "first"> = {
  unit: {
    top: "sparf_engine",
    uses: ["ndp_pkg.sv", "common", "sparf"],
    parameters: {
      Channels: 2,
      Kernels: 2,
      Lanes: 4,
      Width: 16,
      MaxKeys: 256,
      MaxGroup: 4,
      Slots: 2,
      RingLines: 64,
      MaxPageRows: 16,
      Tags: 16,
      QuerySets: 1,
    },
  },
  cycles: 560,
  answer: ({ stream, at, message }): readonly Sent[] => {
    if (stream === "dr_req") return [{ stream: "dr_rsp", at: at + 3, message: { data: ones } }];
    if (stream !== "page_req") return [];
    const tag = Number(message["tag"]);
    const lane = Number(message["kind"]);
    return Array.from({ length: 8 }, (_, beat): Sent => {
      const values = BigInt.asUintN(64, ones);
      const first = Number(beat === 0);
      return {
        stream: "ch",
        lane,
        at: at + 8,
        message: { first, error: 0, tag: beat === 0 ? tag : 0, data: values },
      };
    });
  },
};

/** Dense attention of a query to two tokens, on a page of keys and one of values. */
export const head: readonly number[] = [
  ...[0x00070001, 2, 0, 0, 1, 0, 2, 5, 100, 0, 0, 0, 500],
  ...[0x3eb8aa3b, 0, 64],
];

export const relayout: Scenario = {
  unit: {
    top: "relayout_unit",
    uses: ["relayout", "common/round_robin.sv", "common/sram_1r1w.sv"],
    parameters: { Streams: 2, Packets: 4, Flows: 4 },
    seed: 1,
  },
  cycles: 60,
  inputs: { dimm_i: 3 },
  pauses: { read: rests(0.4, 3), link_out: rests(0.4, 5) },
  first: [
    {
      stream: "run",
      at: 1,
      message: {
        flow: 9,
        from: 0,
        from_burst: 64,
        to_dimm: 5,
        to_stream: 1,
        to_burst: 128,
        bursts: 4,
      },
    },
  ],
  answer: ({ stream, lane, at, message }): readonly Sent[] => {
    if (stream !== "read") return [];
    const [tag, burst] = [Number(message["tag"]), Number(message["burst"])];
    return [{ stream: "rsp", lane, at: at + 4, message: { tag, data: BigInt(0xd00 + burst) } }];
  },
};

export const transposition: Scenario = {
  unit: {
    top: "transposition_buffer",
    uses: ["sram_1r1w.sv", "value_rotator.sv", "transposition_buffer.sv"],
    parameters: { Words: 256, Slots: 4 },
    seed: 1,
  },
  cycles: 70,
  pauses: { out: rests(0.6, 3) },
  first: [
    { stream: "set", at: 1, message: { slot: 2, base: 0, first: 0, log_dims: 2, tiles: 1 } },
    ...Array.from({ length: 32 }, (_, token): Sent => {
      // Value d of token t is t and d as two bytes.
      const values = Array.from(
        { length: 32 },
        (__, d) => BigInt(256 * token + d) << BigInt(16 * d),
      );
      const data = values.reduce((all, value) => all | value);
      return { stream: "line", at: 2, message: { data } };
    }),
    { stream: "page", at: 8, message: { slot: 2, first: 2, dims: 2, tag: 0x77 } },
  ],
};
