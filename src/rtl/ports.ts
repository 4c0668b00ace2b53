// SPDX-License-Identifier: Apache-2.0
// Values of fields by their names as words of the plug-in, and the ports of a unit that belong to no
// stream.

import { NeardataError } from "../base/errors.ts";
import type { Native } from "../native/layout.ts";
import type { AnyTables } from "../native/unit/any-unit.ts";
import { didYouMean } from "../base/nearest.ts";
import { present } from "../base/present.ts";
import {
  portFields,
  putField,
  readField,
  widthOf,
  wordPlaces,
  type MessageField,
} from "./messages.ts";
import type { PortValue } from "./types.ts";

/** The ports that belong to no stream. */
export interface PortBank {
  readonly set: (values: object) => void;
  readonly outputs: () => Readonly<Record<string, PortValue>>;
  /** Returns and clears the inputs of the next run. */
  readonly sets: () => readonly Native<"UnitWord">[];
  /** Words of outputs that have these values. */
  readonly expected: (values: object) => readonly Native<"UnitWord">[];
  /** The outputs of the last cycle of a run, and the count of each strobe. */
  readonly see: (words: Uint32Array, strobes: Float64Array) => void;
  readonly events: () => readonly number[];
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
          const words = places.map((place) => present(seen[place]));
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
      events = events.map((count, i) => count + present(counts[i]));
    },
    events: () => events,
    clear: () => {
      waiting = [];
      events = events.map(() => 0);
      seen = new Uint32Array(fields.outputs.words);
    },
  };
}

/**
 * @throws NeardataError `bad-input` with each port that does not exist, or whose value does not fit
 */
export function wordsOfPorts(
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
    return [...wordPlaces([field])].map((word, i) => ({ word, value: present(words[i]) }));
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return all;
}
