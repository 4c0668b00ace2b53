// SPDX-License-Identifier: Apache-2.0
// Reads a job as the unit does: through the words of its descriptor, element by element. Written
// independently of the driver's layout, so that the two can be compared.

import { fromBits } from "../../src/golden/float16.ts";
import type { GateFunction } from "../../src/golden/names.ts";
import type { NdpUnitParameters, StreamPiece } from "../../src/machine/types.ts";

export interface SeenJob {
  readonly tokens: number;
  readonly format: "fp16" | "bf16";
  readonly activation: GateFunction;
  readonly gate: Uint16Array;
  readonly up: Uint16Array;
  readonly down: Uint16Array;
  readonly inputs: Uint16Array;
  readonly outBase: number;
  readonly outStride: number;
}

/** The operands of the unit; `hidden` is the number of output rows. */
export function readExpertJob(
  unit: NdpUnitParameters,
  descriptor: Uint32Array,
  streams: readonly (readonly StreamPiece[])[],
): SeenJob {
  const word = (i: number): number => descriptor[i] ?? 0;
  const value = (stream: number, burst: number, element: number): number => {
    const address = burst * 64 + element * 2;
    for (const piece of streams[stream] ?? []) {
      const offset = address - piece.burst * 64;
      if (offset >= 0 && offset < piece.data.length) {
        return (piece.data[offset] ?? 0) | ((piece.data[offset + 1] ?? 0) << 8);
      }
    }
    return 0;
  };
  const middle = word(4);
  const hidden = word(6);
  const matrix = (rows: number, columns: number, base: number, stride: number): Uint16Array =>
    Uint16Array.from({ length: rows * columns }, (_, i) => {
      const row = Math.floor(i / columns);
      const k = i % columns;
      const group = Math.floor(row / unit.streams);
      const burst = base + group * stride + Math.floor(k / 32);
      return value(row % unit.streams, burst, k % 32);
    });
  const tokens = word(1);
  const inputs = Uint16Array.from({ length: tokens * hidden }, (_, i) => {
    const k = i % hidden;
    const q = Math.floor(k / 32);
    const burst = word(7) + Math.floor(i / hidden) * word(8) + Math.floor(q / unit.streams);
    return value(q % unit.streams, burst, k % 32);
  });
  const functions = [
    "identity",
    "relu",
    "silu",
    "gelu",
    "gelu-tanh",
    "relu2",
    "quick-gelu",
  ] as const;
  const format = ((word(0) >> 8) & 1) === 1 ? "bf16" : "fp16";
  const limit = word(16) >>> 16;
  return {
    tokens,
    format,
    activation: {
      name: functions[(word(0) >> 4) & 7] ?? "identity",
      ...(limit === 0 ? {} : { limit: fromBits(format, limit) }),
      ...(((word(0) >> 7) & 1) === 1 ? { upPlusOne: true } : {}),
    },
    gate: matrix(middle, hidden, word(9), word(11)),
    up: matrix(middle, hidden, word(10), word(11)),
    down: matrix(hidden, middle, word(12), word(13)),
    inputs,
    outBase: word(14),
    outStride: word(15),
  };
}
