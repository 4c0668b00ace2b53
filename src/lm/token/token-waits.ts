// SPDX-License-Identifier: Apache-2.0
// Who waited for whom in a plan that ran: tasks whose data were there and whose place was not free wait
// for those that had it; and where the time of a token goes, layer by layer.

import { parts, type Part, type PlanRun } from "./token-plan.ts";

/** Time that tasks of one part waited for their place while tasks of another had it. */
export interface Wait {
  readonly waits: Part;
  readonly for: Part;
  /** The place, such as `host`, `link`, `storage`, `DIMM`. */
  readonly place: string;
  readonly us: number;
}

const micro = 1e6;

/** Sums over all tasks, the longest first. */
export function placeWaits(runs: readonly PlanRun[]): readonly Wait[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const places = new Map<string, PlanRun[]>();
  for (const run of runs) places.set(run.device, [...(places.get(run.device) ?? []), run]);
  const sums = new Map<string, { -readonly [Key in keyof Wait]: Wait[Key] }>();
  for (const run of runs) {
    const ready = Math.max(0, ...run.after.map((id) => byId.get(id)?.end ?? 0));
    if (run.start <= ready) continue;
    for (const other of places.get(run.device) ?? []) {
      const shared = Math.min(other.end, run.start) - Math.max(other.start, ready);
      if (shared <= 0) continue;
      const place = run.device.replace(/ \d+$/, "");
      const key = `${run.part}|${other.part}|${place}`;
      const sum = sums.get(key) ?? { waits: run.part, for: other.part, place, us: 0 };
      sum.us += shared * micro;
      sums.set(key, sum);
    }
  }
  return [...sums.values()].sort((a, b) => b.us - a.us);
}

/** One layer: time on the chain that the last token waited for, by part. */
export interface LayerTime {
  readonly layer: number;
  readonly us: Readonly<Record<Part, number>>;
}

/** Layers of `chain`, a mean step each; the last entry is the output matrix. */
export function layerTimes(
  chain: readonly PlanRun[],
  layers: number,
  steps: number,
): readonly LayerTime[] {
  return Array.from({ length: layers + 1 }, (_, layer) => {
    const own = chain.filter((run) => run.layer === layer);
    const of = (part: Part): number =>
      own.reduce((sum, run) => sum + (run.part === part ? run.time * micro : 0), 0) / steps;
    const us = Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, number>;
    return { layer, us };
  });
}
