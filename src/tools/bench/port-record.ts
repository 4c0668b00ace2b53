// SPDX-License-Identifier: Apache-2.0
// The messages that a C++ testbench recorded on the streams of a unit (testbench/port_record.h). This module reads the
// record, enqueues the messages at the same unit so that the unit accepts each message in its recorded cycle, and
// compares the messages of the unit with the record.

import { inputError } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import type { Unit } from "../../rtl/types.ts";

/** The messages of one lane of a stream. */
export interface RecordedLane {
  readonly stream: string;
  readonly lane: number;
  /** Whether the messages are inputs of the unit. */
  readonly into: boolean;
  /** Words of a message. */
  readonly width: number;
  /** The cycle in which each message was transferred; 0 is the first cycle after the reset. */
  readonly cycles: Uint32Array;
  readonly words: Uint32Array;
}

export interface PortRecord {
  /** Cycles of the run, from the reset on. */
  readonly cycles: number;
  readonly lanes: readonly RecordedLane[];
}

const magic = "NDPR";
const version = 1;
const headerBytes = 16;
const laneBytes = 32;
const nameBytes = 16;

/** @throws NeardataError `bad-input` with `where` and the problem of the bytes */
export function readPortRecord(bytes: Uint8Array, where: string): PortRecord {
  const broken = (message: string): never => {
    throw inputError(where, message);
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number): number => view.getUint32(at, true);
  const text = (from: number, length: number): string =>
    String.fromCharCode(...bytes.subarray(from, from + length)).replace(/\0*$/, "");
  if (bytes.length < headerBytes || text(0, magic.length) !== magic) {
    broken("this is no record of a unit's messages.");
  }
  if (word(4) !== version) {
    broken(`records have version ${String(version)}, this one has ${String(word(4))}.`);
  }
  const [cycles, count] = [word(8), word(12)];
  let at = headerBytes + count * laneBytes;
  if (at > bytes.length) broken(`it announces ${String(count)} lanes and ends before them.`);
  const lanes = Array.from({ length: count }, (_, i): RecordedLane => {
    const head = headerBytes + i * laneBytes;
    const [lane, into, width, messages] = [16, 20, 24, 28].map((offset) => word(head + offset)) as [
      number,
      number,
      number,
      number,
    ];
    const stream = text(head, nameBytes);
    const name = `lane ${String(lane)} of ${stream}`;
    const size = 4 * messages * (1 + width);
    if (at + size > bytes.length) {
      broken(`it ends inside the ${String(messages)} messages of ${name}.`);
    }
    const take = (length: number): Uint32Array => {
      // A copy, for words may begin anywhere in the bytes.
      const values = new Uint32Array(new Uint8Array(bytes.subarray(at, at + 4 * length)).buffer);
      at += 4 * length;
      return values;
    };
    const taken = take(messages);
    if (!taken.every((cycle, m) => cycle < cycles && (m === 0 || cycle > present(taken[m - 1])))) {
      broken(`cycles of ${name} do not grow, or lie beyond the run's ${String(cycles)}.`);
    }
    return {
      stream,
      lane,
      width,
      into: into === 1,
      cycles: taken,
      words: take(messages * width),
    };
  });
  if (at !== bytes.length) broken(`${String(bytes.length - at)} bytes follow the last message.`);
  return { cycles, lanes };
}

/**
 * Enqueues the messages at the unit's streams, so that each is offered in the cycle in which it was
 * transferred; can be called repeatedly.
 */
export function recordedSender({ streams }: Unit, { lanes }: PortRecord): () => void {
  const sends = lanes
    .filter(({ into, cycles }) => into && cycles.length > 0)
    .map(({ cycles, ...lane }) => {
      const pauses = cycles.map((cycle, i) => cycle - 1 - (cycles[i - 1] ?? -1));
      return { ...lane, pauses };
    });
  return () => {
    for (const { stream, lane, words, pauses } of sends) {
      streams[stream]?.sendWords(words, { lane, pauses });
    }
  };
}

/** The words of all messages out of the unit, lane by lane. */
export function takeRecorded({ streams }: Unit, { lanes }: PortRecord): readonly Uint32Array[] {
  return lanes.flatMap(({ stream, lane, into }) => {
    const of = streams[stream];
    return into || of === undefined ? [] : [of.takenWords({ lane })];
  });
}

/**
 * Differences between the unit's transfers since its reset and the record; empty if there are none.
 */
export function recordDifferences(
  { top, streams }: Unit,
  { lanes }: PortRecord,
): readonly string[] {
  const names = new Set(lanes.map(({ stream }) => stream));
  const unknown = Object.keys(streams).filter((name) => !names.has(name));
  return [
    ...unknown.map((name) => `the record has no stream ${name} of ${top}.`),
    ...lanes.flatMap(({ stream, lane, into, cycles, words }) => {
      const of = streams[stream];
      const name = `lane ${String(lane)} of ${stream}`;
      if (of === undefined || lane >= of.lanes) return [`${top} has no ${name}.`];
      const moved = of.movedAt({ lane });
      if (moved.length !== cycles.length) {
        return [
          `${name} moved ${String(moved.length)} messages, ${String(cycles.length)} recorded.`,
        ];
      }
      const late = cycles.findIndex((cycle, i) => cycle !== moved[i]);
      if (late >= 0) {
        const [is, was] = [moved[late], cycles[late]].map(String);
        return [
          `message ${String(late)} of ${name} moved in cycle ${is ?? ""}, ${was ?? ""} recorded.`,
        ];
      }
      const other = into ? undefined : of.takenWords({ lane });
      return other === undefined || sameWords(other, words)
        ? []
        : [`${name} has other words than recorded.`];
    }),
  ];
}

function sameWords(one: Uint32Array, other: Uint32Array): boolean {
  return one.length === other.length && one.every((word, i) => word === other[i]);
}
