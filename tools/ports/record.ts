// SPDX-License-Identifier: Apache-2.0
// The waveform of a short run of a unit whose memories answer some cycles after a request. The first run is
// cycle by cycle, to record the requests; the second run has the same messages in the same cycles and records
// the waveform.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readFst, type Waves } from "../../src/rtl/waves/fst.ts";
import {
  openUnit,
  type AnyMessage,
  type Pauses,
  type Unit,
  type UnitOptions,
} from "../../src/rtl/index.ts";

/** A message into a lane of a stream, at a cycle at the earliest. */
export interface Sent {
  readonly stream: string;
  readonly lane?: number;
  readonly at: number;
  readonly message: AnyMessage;
}

/** A message that a unit gave, at its cycle. */
export interface Given {
  readonly stream: string;
  readonly lane: number;
  readonly at: number;
  readonly message: Readonly<Record<string, number | bigint>>;
}

export interface Scenario {
  readonly unit: UnitOptions;
  readonly cycles: number;
  readonly inputs?: Readonly<Record<string, number>>;
  /** Sinks that rest in some cycles. */
  readonly pauses?: Readonly<Record<string, Pauses>>;
  readonly first: readonly Sent[];
  /** What follows from a message of the unit. */
  readonly answer?: (given: Given) => readonly Sent[];
}

export interface Recording {
  readonly waves: Waves;
  /** Cycles in which messages moved, by stream and lane. */
  readonly moved: (stream: string, lane?: number) => readonly number[];
}

/** @throws NeardataError where the unit cannot be built; Error where its two runs differ */
export async function recordScenario(scenario: Scenario): Promise<Recording> {
  const unit = await openUnit(scenario.unit);
  const directory = mkdtempSync(join(tmpdir(), "neardata-ports-"));
  try {
    const sent = await rehearse(unit, scenario);
    const before = movedOf(unit);
    begin(unit, scenario);
    for (const { stream, lane, messages, cycles } of sent) {
      const pauses = cycles.map((cycle, i) => cycle - 1 - (cycles[i - 1] ?? -1));
      input(unit, stream).send(messages, { lane, pauses });
    }
    const path = join(directory, "run.fst");
    await unit.run({ cycles: scenario.cycles, waveform: path });
    const moved = movedOf(unit);
    if (JSON.stringify([...moved]) !== JSON.stringify([...before])) {
      throw new Error(`${unit.top}: two runs of the same messages differ`);
    }
    return {
      waves: readFst(path, readFileSync(path)),
      moved: (stream, lane = 0) => moved.get(`${stream} ${String(lane)}`) ?? [],
    };
  } finally {
    unit.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function begin(unit: Unit, { inputs = {}, pauses = {} }: Scenario): void {
  unit.reset();
  unit.set(inputs);
  for (const [stream, rests] of Object.entries(pauses)) input(unit, stream).pause(rests);
}

interface SentLane {
  readonly stream: string;
  readonly lane: number;
  readonly messages: AnyMessage[];
  cycles: readonly number[];
}

/** The run cycle by cycle: all messages into the unit, lane by lane, with the cycles in which they moved. */
async function rehearse(unit: Unit, scenario: Scenario): Promise<readonly SentLane[]> {
  begin(unit, scenario);
  const lanes = new Map<string, SentLane>();
  let waiting = [...scenario.first];
  const seen = new Map<string, number>();
  for (let cycle = 0; cycle < scenario.cycles; cycle += 1) {
    for (const { stream, lane = 0, message } of waiting.filter(({ at }) => at <= cycle)) {
      const key = `${stream} ${String(lane)}`;
      const sentLane = lanes.get(key) ?? { stream, lane, messages: [], cycles: [] };
      lanes.set(key, sentLane);
      sentLane.messages.push(message);
      input(unit, stream).send([message], { lane });
    }
    waiting = waiting.filter(({ at }) => at > cycle);
    await unit.run({ cycles: 1 });
    for (const given of newlyGiven(unit, seen, cycle))
      waiting.push(...(scenario.answer?.(given) ?? []));
  }
  for (const lane of lanes.values()) {
    lane.cycles = [...input(unit, lane.stream).movedAt({ lane: lane.lane })];
  }
  return [...lanes.values()];
}

function newlyGiven(unit: Unit, seen: Map<string, number>, at: number): readonly Given[] {
  return Object.entries(unit.streams).flatMap(([name, stream]): readonly Given[] => {
    if (!("taken" in stream)) return [];
    return Array.from({ length: stream.lanes }, (_, lane): readonly Given[] => {
      const key = `${name} ${String(lane)}`;
      const taken = stream.taken({ lane });
      const fresh = taken.slice(seen.get(key) ?? 0);
      seen.set(key, taken.length);
      return fresh.map((message) => ({
        stream: name,
        lane,
        at,
        message: (typeof message === "object" ? message : { value: message }) as Given["message"],
      }));
    }).flat();
  });
}

function movedOf(unit: Unit): ReadonlyMap<string, readonly number[]> {
  return new Map(
    Object.entries(unit.streams).flatMap(([name, stream]) =>
      Array.from({ length: stream.lanes }, (_, lane) => [
        `${name} ${String(lane)}`,
        [...stream.movedAt({ lane })],
      ]),
    ),
  );
}

function input(unit: Unit, name: string): Unit["streams"][string] {
  const stream = Object.entries(unit.streams).find(([key]) => key === name)?.[1];
  if (stream === undefined) throw new Error(`${unit.top} has no stream ${name}`);
  return stream;
}
