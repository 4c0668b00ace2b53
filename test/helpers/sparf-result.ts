// SPDX-License-Identifier: Apache-2.0
// The result of the SparF engine's C++ testbench (testbench/sparf_case.h).

import {
  type EngineJob,
  kinds,
  lineBytes,
  type PageRequest,
  type Place,
  rowLines,
} from "../../src/tools/bench/sparf-case.ts";

/** The result of one job. */
export interface JobOutcome {
  readonly status: number;
  /** Number of the field for which the descriptor was refused, otherwise 0. */
  readonly field: number;
  readonly doneAt: number;
  readonly dims: readonly number[];
  readonly tokens: readonly number[];
  /** Rows of output as FP16 bit patterns, a query each. */
  readonly rows: readonly (readonly number[])[];
}

export interface EngineRun {
  readonly cycles: number;
  readonly jobs: readonly JobOutcome[];
  readonly pages: readonly PageRequest[];
  readonly beatsIn: number;
  readonly beatsKept: number;
  /** Cycles in which a channel waited for the engine. */
  readonly waits: number;
  readonly firstBeat: number;
  readonly lastBeat: number;
  /** A hash of all strobes in all cycles. */
  readonly events: string;
}

/** The results of the bench, decoded from bytes. */
export function decodeResult(
  bytes: Buffer,
  jobs: readonly EngineJob[],
  places: readonly (Place | undefined)[],
): Omit<EngineRun, "events"> {
  const words = new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  );
  let at = 0;
  const next = (): number => words[at++] ?? 0;
  const take = (count: number): number[] => Array.from({ length: count }, next);
  const [cycles = 0, doneCount = 0, pageCount = 0, choiceCount = 0, , ...counters] = take(10);
  const [beatsIn = 0, beatsKept = 0, waits = 0, firstBeat = 0, lastBeat = 0] = counters;
  const done = new Map<number, { status: number; field: number; doneAt: number }>();
  for (let i = 0; i < doneCount; i += 1) {
    const [word = 0, doneAt = 0] = take(2);
    done.set(word & 0xffff, { status: word >>> 24, field: (word >>> 16) & 0xff, doneAt });
  }
  const pages = Array.from({ length: pageCount }, (): PageRequest => {
    const [kind = 0, head = 0, index = 0, write = 0] = take(4);
    return { kind: kinds[kind] ?? "keys", head, index, write: write === 1 };
  });
  const width = jobs.find((job) => job.op !== "append")?.cache.width ?? 1;
  const choices = new Map<number, { dims: number[]; tokens: number[] }>();
  for (let i = 0; i < choiceCount; i += 1) {
    const tag = next();
    const mask = take(Math.ceil(width / 32));
    const dims = Array.from({ length: width }, (_, c) => c).filter(
      (c) => (((mask[c >> 5] ?? 0) >>> (c & 31)) & 1) === 1,
    );
    choices.set(tag, { dims, tokens: take(next()) });
  }
  const image = new Uint16Array(words.buffer, at * 4);
  const outcomes = jobs.map((job, i): JobOutcome => {
    const end = done.get(i) ?? { status: -1, field: 0, doneAt: -1 };
    const chosen = choices.get(i) ?? { dims: [], tokens: [] };
    const out = places[i]?.out ?? 0;
    const rows =
      job.op === "append"
        ? []
        : job.queries.map((_, g) => {
            const from = (out + g * rowLines(width)) * (lineBytes / 2);
            return [...image.subarray(from, from + width)];
          });
    return { ...end, ...chosen, rows };
  });
  return {
    cycles,
    jobs: outcomes,
    pages,
    beatsIn,
    beatsKept,
    waits,
    firstBeat,
    lastBeat,
  };
}
