// SPDX-License-Identifier: Apache-2.0
// The queued messages of each lane of a unit's streams for the next run, and the transferred
// messages.

import type { Native } from "../native/layout.ts";
import type { AnyTables } from "../native/unit/any-unit.ts";
import type { Stream } from "../native/unit/streams.ts";
import { messageFields, widthOf, type MessageField } from "./messages.ts";
import type { PauseList, Pauses } from "./types.ts";

/** One lane of a stream. */
export interface LaneQueue {
  readonly number: number;
  readonly stream: Stream;
  readonly lane: number;
  readonly fields: readonly MessageField[];
  readonly send: (words: Uint32Array, pauses: PauseList) => void;
  readonly pause: (pauses: Pauses) => void;
  readonly waiting: () => number;
  readonly moved: () => Float64Array;
  readonly count: () => number;
  readonly words: () => Uint32Array;
  /** Makes the lane answer the requests of an output lane, from this number of messages. */
  readonly answer: (asked: LaneQueue, words: Uint32Array, latency: number) => void;
  /** Returns and clears the inputs of the next run. */
  readonly sends: () => readonly Native<"UnitMessages">[];
  readonly pauses: () => readonly Native<"UnitPauses">[];
  readonly answers: () => readonly Native<"UnitAnswers">[];
  /** The messages that a run transferred. */
  readonly add: (taken: Native<"UnitTaken">) => void;
  readonly clear: () => void;
}

/** Lanes of one stream one after another. */
export function lanesOf({ ports, fields }: AnyTables): readonly LaneQueue[] {
  const all = ports.streams.flatMap((stream) =>
    Array.from({ length: stream.lanes }, (_, lane) => ({ stream, lane })),
  );
  return all.map(({ stream, lane }, number) => {
    const fieldTable = stream.direction === "input" ? fields.inputs : fields.outputs;
    const message = messageFields(stream, fieldTable, lane);
    return laneQueue(number, stream, lane, message);
  });
}

/** As CycleRuns of sim/rtl/shim/driven_words.h has them. */
const lengthBits = 8;

/** Every cycle, from words: how many passed since the last one, and how many in a row follow. */
function everyCycle(runs: Uint32Array, count: number): Float64Array {
  const all = new Float64Array(count);
  let [at, cycle] = [0, 0];
  for (const run of runs) {
    cycle += run >>> lengthBits;
    for (let left = run & ((1 << lengthBits) - 1); left > 0; left -= 1) all[at++] = cycle++;
  }
  return all;
}

/** Numbers that grow by whole arrays. */
interface Growing {
  readonly all: () => Uint32Array;
  readonly add: (more: Uint32Array) => void;
  readonly clear: () => void;
}

function growing(): Growing {
  let parts: Uint32Array[] = [];
  let count = 0;
  return {
    all: () => {
      const [only] = parts;
      if (parts.length === 1 && only !== undefined) return only;
      const joined = new Uint32Array(count);
      let at = 0;
      for (const part of parts) {
        joined.set(part, at);
        at += part.length;
      }
      parts = [joined];
      return joined;
    },
    add: (more) => {
      if (more.length === 0) return;
      parts.push(more);
      count += more.length;
    },
    clear: () => {
      parts = [];
      count = 0;
    },
  };
}

function laneQueue(
  number: number,
  stream: Stream,
  lane: number,
  fields: readonly MessageField[],
): LaneQueue {
  const width = widthOf(fields);
  const taken = growing();
  const cycles = growing();
  let count = 0;
  let sent: Native<"UnitMessages">[] = [];
  let unsent = 0;
  let inside = 0;
  let pausing: Native<"UnitPauses">[] = [];
  let answering: Native<"UnitAnswers">[] = [];
  return {
    number,
    stream,
    lane,
    fields,
    send: (words, pauses) => {
      unsent += width === 0 ? pauses.length : words.length / width;
      const list = pauses instanceof Uint32Array ? pauses : Uint32Array.from(pauses);
      sent.push({ lane: number, words, pauses: list });
    },
    pause: ({ probability, seed = 1 }) => {
      // Streams with the same seed sample independently.
      pausing = [{ lane: number, seed: seed * 1021 + number, probability }];
    },
    waiting: () => unsent + inside,
    answer: (asked, words, latency) => {
      answering = [{ asked: asked.number, lane: number, latency, words }];
    },
    moved: () => everyCycle(cycles.all(), count),
    count: () => count,
    words: () => taken.all(),
    sends: () => {
      const all = sent;
      sent = [];
      inside += unsent;
      unsent = 0;
      return all;
    },
    pauses: () => {
      const all = pausing;
      pausing = [];
      return all;
    },
    answers: () => {
      const all = answering;
      answering = [];
      return all;
    },
    add: (more) => {
      count += more.moved;
      taken.add(more.words);
      cycles.add(more.cycles);
      inside = more.waiting;
    },
    clear: () => {
      taken.clear();
      cycles.clear();
      [sent, pausing, answering] = [[], [], []];
      [unsent, inside, count] = [0, 0, 0];
    },
  };
}
