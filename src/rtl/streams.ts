// SPDX-License-Identifier: Apache-2.0
// The streams of an open unit in the API of tests.

import { checkArguments } from "../base/entry.ts";
import { inputError } from "../base/errors.ts";
import type { AnyTables } from "../native/unit/any-unit.ts";
import type { LaneQueue } from "./lanes.ts";
import { answerOptions, laneOptions, pauseOptions, sendOptions } from "./options.ts";
import { packMessages, readMessages, widthOf } from "./messages.ts";
import type { AnyMessage, InputStream, OfLane, OutputStream, PauseList } from "./types.ts";

type AnyStream = InputStream<AnyMessage> | OutputStream<AnyMessage>;

export function streamsOf(
  { ports }: AnyTables,
  lanes: readonly LaneQueue[],
): Readonly<Record<string, AnyStream>> {
  const outputs: Outputs = (asked, { lane = 0 }) => {
    const of = lanes.filter(
      ({ stream }) => stream.direction === "output" && asked === `${ports.top}.${stream.name}`,
    );
    return of.length === 1 ? of[0] : of[lane];
  };
  return Object.fromEntries(
    ports.streams.map(({ name, direction }): readonly [string, AnyStream] => {
      const matchingLanes = lanes.filter((lane) => lane.stream.name === name);
      const of = (given?: OfLane): LaneQueue => {
        checkArguments(`${ports.top}.${name}`, { options: laneOptions }, [given]);
        const { lane = 0 } = given ?? {};
        const laneQueue = matchingLanes[lane];
        if (laneQueue !== undefined) return laneQueue;
        const message = `there is no lane ${String(lane)} of ${String(matchingLanes.length)}.`;
        throw inputError(`${ports.top}.${name}`, message);
      };
      const where = `${ports.top}.${name}`;
      if (direction === "output") return [name, output(where, matchingLanes, of)];
      return [name, input(where, matchingLanes, of, outputs)];
    }),
  );
}

type Of = (lane?: OfLane) => LaneQueue;

/** That lane of an output stream; the only one of a stream without lanes. */
type Outputs = (stream: string, lane: OfLane) => LaneQueue | undefined;

function input(
  name: string,
  laneQueues: readonly LaneQueue[],
  of: Of,
  outputs: Outputs,
): InputStream<AnyMessage> {
  return {
    name,
    lanes: laneQueues.length,
    send: (messages, options) => {
      checkArguments(`${name}.send`, { options: sendOptions }, [options]);
      const { pauses = [], ...lane } = options ?? {};
      const to = of(lane);
      checkCycles(name, pauses);
      // Of messages without payload only their number counts.
      const counted = widthOf(to.fields) === 0 ? messages.map((_, i) => pauses.at(i) ?? 0) : pauses;
      to.send(packMessages(name, to.fields, messages), counted);
    },
    sendWords: (words, options) => {
      checkArguments(`${name}.sendWords`, { options: sendOptions }, [options]);
      const { pauses = [], ...lane } = options ?? {};
      const to = of(lane);
      checkCycles(name, pauses);
      to.send(wholeMessages(name, to, words), pauses);
    },
    pause: (pauses) => {
      checkArguments(`${name}.pause`, { pauses: pauseOptions }, [pauses]);
      checkPauses(name, pauses.probability);
      for (const lane of laneQueues) lane.pause(pauses);
    },
    answer: (asked, messages, options) => {
      checkArguments(`${name}.answer`, { options: answerOptions }, [options]);
      const { latency = 1, ...lane } = options ?? {};
      if (!Number.isInteger(latency) || latency < 1 || latency >= 2 ** 32) {
        throw inputError(name, `${String(latency)} is no number of cycles from 1 on.`);
      }
      const to = of(lane);
      const from = outputs(asked.name, lane);
      if (from === undefined) throw inputError(name, `there is no output stream ${asked.name}.`);
      if (widthOf(from.fields) === 0 || widthOf(to.fields) === 0) {
        throw inputError(name, "a stream without payload neither asks nor answers.");
      }
      const words =
        messages instanceof Uint32Array
          ? wholeMessages(name, to, messages)
          : packMessages(name, to.fields, messages);
      to.answer(from, words, latency);
    },
    waiting: (lane) => of(lane).waiting(),
    movedAt: (lane) => of(lane).moved(),
  };
}

function output(name: string, laneQueues: readonly LaneQueue[], of: Of): OutputStream<AnyMessage> {
  return {
    name,
    lanes: laneQueues.length,
    taken: (lane) => {
      const from = of(lane);
      return readMessages(from.fields, from.words(), from.count());
    },
    takenWords: (lane) => of(lane).words(),
    movedAt: (lane) => of(lane).moved(),
    pause: (pauses) => {
      checkArguments(`${name}.pause`, { pauses: pauseOptions }, [pauses]);
      checkPauses(name, pauses.probability);
      for (const lane of laneQueues) lane.pause(pauses);
    },
  };
}

function wholeMessages(name: string, { fields }: LaneQueue, words: Uint32Array): Uint32Array {
  const width = widthOf(fields);
  if (width !== 0 && words.length % width === 0) return words;
  const message = `${String(words.length)} words are no messages of ${String(width)} each.`;
  throw inputError(name, message);
}

function checkCycles(name: string, pauses: PauseList): void {
  if (pauses instanceof Uint32Array) return;
  const wrong = pauses.find((pause) => !Number.isInteger(pause) || pause < 0 || pause >= 2 ** 32);
  if (wrong !== undefined) throw inputError(name, `${String(wrong)} is no number of cycles.`);
}

function checkPauses(name: string, probability: number): void {
  if (probability >= 0 && probability < 1) return;
  throw inputError(name, `${String(probability)} is no probability from 0 to below 1.`);
}
