// SPDX-License-Identifier: Apache-2.0
// What waits in front of each lane of a unit's streams until the next run, and what has moved.

import { NeardataError } from "../errors.ts";
import type { Native } from "../native/layout.ts";
import type { AnyTables } from "../native/unit/any-unit.ts";
import type { FieldTable } from "../native/unit/fields.ts";
import type { Port } from "../native/unit/ports.ts";
import type { Stream } from "../native/unit/streams.ts";
import { didYouMean } from "../nearest.ts";
import {
  messageFields,
  portFields,
  putField,
  readField,
  widthOf,
  wordPlaces,
  type MessageField,
} from "./messages.ts";
import type { Pauses, PortValue } from "./types.ts";

/** One lane of a stream. */
export interface LaneQueue {
  readonly number: number;
  readonly stream: Stream;
  readonly lane: number;
  readonly fields: readonly MessageField[];
  readonly native: Native<"UnitLane">;
  readonly send: (words: Uint32Array, pauses: readonly number[]) => void;
  readonly pause: (pauses: Pauses) => void;
  readonly waiting: () => number;
  readonly moved: () => Float64Array;
  readonly count: () => number;
  readonly words: () => Uint32Array;
  /** What the next run gets; forgotten here. */
  readonly sends: () => readonly Native<"UnitMessages">[];
  readonly pauses: () => readonly Native<"UnitPauses">[];
  /** What a run moved. */
  readonly add: (taken: Native<"UnitTaken">) => void;
  readonly clear: () => void;
}

/** Lanes of one stream one after another. */
export function lanesOf({ ports, fields }: AnyTables): readonly LaneQueue[] {
  const all = ports.streams.flatMap((stream) =>
    Array.from({ length: stream.lanes }, (_, lane) => ({ stream, lane })),
  );
  return all.map(({ stream, lane }, number) => {
    const own = stream.direction === "input" ? fields.inputs : fields.outputs;
    const other = stream.direction === "input" ? fields.outputs : fields.inputs;
    const message = messageFields(stream, own, lane);
    return laneQueue(number, stream, lane, message, {
      into: stream.direction === "input",
      bit: lane,
      valid: placeOf(stream.valid, own),
      ...(stream.ready === undefined ? {} : { ready: placeOf(stream.ready, other) }),
      words: wordPlaces(message),
    });
  });
}

function placeOf(port: Port, table: FieldTable): number {
  const [field] = table.ports.find((one) => one.port.name === port.name)?.fields ?? [];
  if (field === undefined) throw new NeardataError("misuse", `${port.name} is in no table`);
  return field.offset;
}

/** Numbers that grow by whole arrays. */
interface Growing<T> {
  readonly all: () => T;
  readonly count: () => number;
  readonly add: (more: T) => void;
  readonly clear: () => void;
}

function growing<T extends Uint32Array | Float64Array>(make: (length: number) => T): Growing<T> {
  let parts: T[] = [];
  let count = 0;
  return {
    all: () => {
      const [only] = parts;
      if (parts.length === 1 && only !== undefined) return only;
      const joined = make(count);
      let at = 0;
      for (const part of parts) {
        joined.set(part, at);
        at += part.length;
      }
      parts = [joined];
      return joined;
    },
    count: () => count,
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
  native: Native<"UnitLane">,
): LaneQueue {
  const width = widthOf(fields);
  const taken = growing<Uint32Array>((length) => new Uint32Array(length));
  const cycles = growing<Float64Array>((length) => new Float64Array(length));
  let sent: Native<"UnitMessages">[] = [];
  let unsent = 0;
  let inside = 0;
  let pausing: Native<"UnitPauses">[] = [];
  return {
    ...{ number, stream, lane, fields, native },
    send: (words, pauses) => {
      const count = width === 0 ? pauses.length : words.length / width;
      unsent += count;
      sent.push({ lane: number, words, pauses: Uint32Array.from(pauses) });
    },
    pause: ({ probability, seed = 1 }) => {
      // Streams of one seed draw apart.
      pausing = [{ lane: number, seed: seed * 1021 + number, probability }];
    },
    waiting: () => unsent + inside,
    moved: () => cycles.all(),
    count: () => cycles.count(),
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
    add: (more) => {
      taken.add(more.words);
      cycles.add(more.cycles);
      inside = more.waiting;
    },
    clear: () => {
      taken.clear();
      cycles.clear();
      [sent, pausing] = [[], []];
      [unsent, inside] = [0, 0];
    },
  };
}

/** The ports that belong to no stream. */
export interface PortBank {
  readonly set: (values: object) => void;
  readonly outputs: () => Readonly<Record<string, PortValue>>;
  /** What the next run gets; forgotten here. */
  readonly sets: () => readonly Native<"UnitWord">[];
  /** Words of outputs that have these values. */
  readonly expected: (values: object) => readonly Native<"UnitWord">[];
  /** The outputs of the last cycle of a run, and how often each strobe came in it. */
  readonly see: (words: Uint32Array, strobes: Float64Array) => void;
  readonly events: () => readonly number[];
  /** Words of `events_o`. */
  readonly strobes: Uint32Array;
  readonly clear: () => void;
}

export function portsOf({ ports, fields }: AnyTables): PortBank {
  const { top } = ports;
  const into = ports.inputs.flatMap((port) => portFields(port, fields.inputs));
  const out = ports.outputs.flatMap((port) => portFields(port, fields.outputs));
  let waiting: Native<"UnitWord">[] = [];
  const strobes = out.find(({ key }) => key === "events_o");
  let events: number[] = new Array<number>(strobes?.bits ?? 0).fill(0);
  let seen: Uint32Array = new Uint32Array(fields.outputs.words);
  return {
    set: (values) => {
      waiting.push(...wordsOfPorts(top, into, values));
    },
    outputs: () =>
      Object.fromEntries(
        out.map((field) => {
          const places = wordPlaces([field]);
          const words = places.map((place) => seen[place] ?? 0);
          return [field.key, readField(field, words, 0)] as const;
        }),
      ),
    sets: () => {
      const all = waiting;
      waiting = [];
      return all;
    },
    expected: (values) => wordsOfPorts(top, out, values),
    see: (words, counts) => {
      seen = words;
      events = events.map((count, i) => count + (counts[i] ?? 0));
    },
    events: () => events,
    strobes: strobes === undefined ? new Uint32Array(0) : wordPlaces([strobes]),
    clear: () => {
      waiting = [];
      events = events.map(() => 0);
      seen = new Uint32Array(fields.outputs.words);
    },
  };
}

/** @throws NeardataError `bad-input` with each port that there is not, or whose value does not fit */
function wordsOfPorts(
  top: string,
  fields: readonly MessageField[],
  values: object,
): readonly Native<"UnitWord">[] {
  const names = fields.map(({ key }) => key);
  const issues: NeardataError["issues"][number][] = [];
  const all = Object.entries(values).flatMap(([name, value]: readonly [string, unknown]) => {
    const where = `${top}.${name}`;
    const field = fields.find(({ key }) => key === name);
    if (field === undefined) {
      issues.push({ where, message: `there is no such port.${didYouMean(name, names)}` });
      return [];
    }
    const words = new Uint32Array(widthOf([field]));
    const problem = putField(field, value, words, 0);
    if (problem !== undefined) issues.push({ where, message: problem });
    return [...wordPlaces([field])].map((word, i) => ({ word, value: words[i] ?? 0 }));
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return all;
}
