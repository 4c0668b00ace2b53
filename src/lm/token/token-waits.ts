// SPDX-License-Identifier: Apache-2.0
// The waits in a plan that ran: a task whose data are available waits for the tasks that occupy its place, an
// idle place waits for the tasks on which its next task depends. Also the time of a token by layer.

import { taskSubjects, type Part, type PlanRun } from "./token-plan.ts";

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
export function resourceWaits(runs: readonly PlanRun[]): readonly Wait[] {
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

/** How a place spent the time of a plan, a mean over the places of its kind. */
export interface ResourceTime {
  /** Such as `host`, `link`, `storage`, `DIMM`. */
  readonly place: string;
  readonly workUs: number;
  /** Idle time: the time of each part on the chain to the resource's next task, or to the end. */
  readonly waitUs: ReadonlyMap<Part, number>;
}

/** Places in the order in which they had their first task; work and waits add up to the plan's time. */
export function resourceTimes(runs: readonly PlanRun[]): readonly ResourceTime[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const lanes = new Map<string, PlanRun[]>();
  const ends = new Map<string, PlanRun>();
  const endOn = (device: string, time: number): string => `${String(time)} ${device}`;
  for (const run of runs) {
    lanes.set(run.device, [...(lanes.get(run.device) ?? []), run]);
    if (run.time > 0) ends.set(endOn(run.device, run.end), run);
  }
  // The predecessor of a task: a dependency, or else the previous task on the same resource.
  const before = (run: PlanRun): PlanRun | undefined =>
    run.after.map((id) => byId.get(id)).find((one) => one?.end === run.start) ??
    ends.get(endOn(run.device, run.start));
  const last = runs.reduce<PlanRun | undefined>(
    (latest, run) => (latest === undefined || run.end > latest.end ? run : latest),
    undefined,
  );
  const kinds = new Map<string, { count: number; work: number; waits: Map<Part, number> }>();
  for (const [device, lane] of lanes) {
    const place = device.replace(/ \d+$/, "");
    const kind = kinds.get(place) ?? { count: 0, work: 0, waits: new Map<Part, number>() };
    kinds.set(place, kind);
    kind.count += 1;
    const waitFrom = (free: number, chain: PlanRun | undefined): void => {
      for (let at = chain; at !== undefined && at.end > free; at = before(at)) {
        const time = at.end - Math.max(at.start, free);
        kind.waits.set(at.part, (kind.waits.get(at.part) ?? 0) + time);
      }
    };
    let free = 0;
    for (const run of [...lane].sort((a, b) => a.start - b.start || a.end - b.end)) {
      if (run.start > free) waitFrom(free, before(run));
      kind.work += run.time;
      free = run.end;
    }
    waitFrom(free, last);
  }
  return [...kinds].map(([place, { count, work, waits }]) => ({
    place,
    workUs: (work * micro) / count,
    waitUs: new Map([...waits].map(([part, time]) => [part, (time * micro) / count])),
  }));
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
    const planRuns = chain.filter((run) => run.layer === layer);
    const of = (part: Part): number =>
      planRuns.reduce((sum, run) => sum + (run.part === part ? run.time * micro : 0), 0) / steps;
    const us = Object.fromEntries(taskSubjects.map((part) => [part, of(part)])) as Record<
      Part,
      number
    >;
    return { layer, us };
  });
}
