// SPDX-License-Identifier: Apache-2.0
// The streams of an open unit as a test sees them.

import { inputError } from "../errors.ts";
import type { AnyTables } from "../native/unit/any-unit.ts";
import type { LaneQueue } from "./lanes.ts";
import { packMessages, readMessages, widthOf } from "./messages.ts";
import type { AnyMessage, InputStream, OfLane, OutputStream } from "./types.ts";

type AnyStream = InputStream<AnyMessage> | OutputStream<AnyMessage>;

export function streamsOf(
  { ports }: AnyTables,
  lanes: readonly LaneQueue[],
): Readonly<Record<string, AnyStream>> {
  return Object.fromEntries(
    ports.streams.map(({ name, direction }) => {
      const own = lanes.filter((lane) => lane.stream.name === name);
      const of = ({ lane = 0 }: OfLane = {}): LaneQueue => {
        const found = own[lane];
        if (found !== undefined) return found;
        const message = `there is no lane ${String(lane)} of ${String(own.length)}.`;
        throw inputError(`${ports.top}.${name}`, message);
      };
      const where = `${ports.top}.${name}`;
      return [name, direction === "input" ? input(where, own, of) : output(where, own, of)];
    }),
  );
}

type Of = (lane?: OfLane) => LaneQueue;

function input(name: string, own: readonly LaneQueue[], of: Of): InputStream<AnyMessage> {
  return {
    ...{ name, lanes: own.length },
    send: (messages, { pauses = [], ...lane } = {}) => {
      const to = of(lane);
      const wrong = pauses.find(
        (pause) => !Number.isInteger(pause) || pause < 0 || pause >= 2 ** 32,
      );
      if (wrong !== undefined) throw inputError(name, `${String(wrong)} is no number of cycles.`);
      // Of messages without payload only their number counts.
      const counted = widthOf(to.fields) === 0 ? messages.map((_, i) => pauses[i] ?? 0) : pauses;
      to.send(packMessages(name, to.fields, messages), counted);
    },
    sendWords: (words, lane) => {
      const to = of(lane);
      const width = widthOf(to.fields);
      if (width === 0 || words.length % width !== 0) {
        const message = `${String(words.length)} words are no messages of ${String(width)} each.`;
        throw inputError(name, message);
      }
      to.send(words, []);
    },
    pause: (pauses) => {
      checkPauses(name, pauses.probability);
      for (const lane of own) lane.pause(pauses);
    },
    waiting: (lane) => of(lane).waiting(),
    movedAt: (lane) => of(lane).moved(),
  };
}

function output(name: string, own: readonly LaneQueue[], of: Of): OutputStream<AnyMessage> {
  return {
    ...{ name, lanes: own.length },
    taken: (lane) => {
      const from = of(lane);
      return readMessages(from.fields, from.words(), from.count());
    },
    takenWords: (lane) => of(lane).words(),
    movedAt: (lane) => of(lane).moved(),
    pause: (pauses) => {
      checkPauses(name, pauses.probability);
      for (const lane of own) lane.pause(pauses);
    },
  };
}

function checkPauses(name: string, probability: number): void {
  if (probability >= 0 && probability < 1) return;
  throw inputError(name, `${String(probability)} is no probability from 0 to below 1.`);
}
