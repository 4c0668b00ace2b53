// SPDX-License-Identifier: Apache-2.0
// A decode step of a mixture of experts as tasks of one machine in one time: projections, router,
// shared expert and sums on the host, attention on storage devices, routed experts on NDP DIMMs, vectors
// over the host's link in between. A task starts when what it needs is there and its place is free;
// places serve who is ready first. Sequences of a batch so overlap as their data allow.

import { runTasks, type Task, type TaskRun } from "../../base/timeline.ts";
import { bytes, seconds, type Bytes, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import type { Architecture } from "../moe/architecture.ts";

/** Categories of a decode step's tasks, over which times are summed. */
export const taskSubjects = [
  "projections",
  "attention",
  "router",
  "dispatch",
  "experts",
  "relayout",
  "shared expert",
  "collect",
  "sum",
  "output",
] as const;
/** Further categories for a step of a batch with prompts. */
export const promptParts = ["prompt attention", "storing"] as const;
export type Part = (typeof taskSubjects)[number] | (typeof promptParts)[number];

/** Simulated times of one layer of one step of one sequence, or of one batch of them. */
export interface LayerTimes {
  /** By storage device: from the first job sent to the last answer received. */
  readonly attention: readonly Seconds[];
  /** Routed experts, with the time of each on its DIMM, from the host and back to it. */
  readonly experts: readonly {
    readonly expert: number;
    readonly time: Seconds;
    /** 1 when absent. */
    readonly tokens?: number;
  }[];
  /** Tokens of the step; 1 when absent. */
  readonly tokens?: number;
  /** Attention of prompts on the host. */
  readonly prompts?: Seconds;
  /** By storage device: keys and values of prompts, after its attention, for which no task waits. */
  readonly storing?: readonly Seconds[];
  /** Host times of this layer that differ from those of the other layers. */
  readonly host?: Partial<HostTimes>;
}

/** [sequence][step][layer]. */
export type StepTimes = readonly (readonly (readonly LayerTimes[])[])[];

/** Times of the host's parts; the times of absent parts are ignored. */
export interface HostTimes {
  readonly projections: Seconds;
  readonly router: Seconds;
  readonly shared: Seconds;
  readonly sum: Seconds;
  readonly output: Seconds;
  /** Of attention, where no storage device has it. */
  readonly attention?: Seconds;
  /** One token's vector to the DIMMs, and one expert's output back. */
  readonly vector: Bytes;
  readonly transfer: (amount: Bytes) => Seconds;
}

/** A task with its category and layer. */
interface PlanTask extends Task {
  readonly part: Part;
  readonly layer: number;
}

/** The DIMM of each expert, and the moves of experts between steps. */
export interface ExpertPlaces {
  /** The DIMM that stores an expert in a step. */
  readonly homeOf: (layer: number, expert: number, step: number) => number;
  /** Absent: none moves. */
  readonly movesBefore?: (layer: number, step: number) => readonly ExpertMove[];
}

/** A move of an expert, which occupies both DIMMs for its whole time. */
export interface ExpertMove {
  readonly expert: number;
  readonly from: number;
  readonly to: number;
  readonly time: Seconds;
}

/** The tasks of all steps. */
export function planTasks(
  times: StepTimes,
  host: HostTimes,
  places: ExpertPlaces,
): readonly PlanTask[] {
  return [...moveTasks(times, places), ...stepTasks(times, host, places)];
}

/** Begin when all sequences have done with the layer in the step before. */
function moveTasks(times: StepTimes, { movesBefore }: ExpertPlaces): readonly PlanTask[] {
  if (movesBefore === undefined) return [];
  const steps = times[0] ?? [];
  return steps.flatMap((layers, step) =>
    layers.flatMap((_, layer) => {
      const after = times.map((__, sequence) => `${sequence}.${step - 1}.${layer}.sum`);
      return movesBefore(layer, step).flatMap(({ expert, from, to, time }) =>
        ([from, to] as const).map((dimm, i): PlanTask => ({
          id: moveId(step, layer, expert, i),
          device: `DIMM ${dimm}`,
          time,
          after,
          part: "relayout",
          layer,
        })),
      );
    }),
  );
}

function moveId(step: number, layer: number, expert: number, end: number): string {
  return `all.${step}.${layer}.relayout.${expert}.${end === 0 ? "from" : "to"}`;
}

function stepTasks(
  times: StepTimes,
  host: HostTimes,
  { homeOf, movesBefore }: ExpertPlaces,
): readonly PlanTask[] {
  return times.flatMap((steps, sequence) => {
    let before: readonly string[] = [];
    return steps.flatMap((layers, step) => {
      const name = `${sequence}.${step}`;
      const tasks = layers.flatMap((layerTimes, layer) => {
        const moved = new Set((movesBefore?.(layer, step) ?? []).map(({ expert }) => expert));
        const part = layerTasks({ ...layerTimes, layer, name: `${name}.${layer}`, before }, host, {
          homeOf: (expert) => homeOf(layer, expert, step),
          waitsOf: (expert) =>
            moved.has(expert) ? [0, 1].map((end) => moveId(step, layer, expert, end)) : [],
        });
        before = [`${name}.${layer}.sum`];
        return part;
      });
      const last: PlanTask = {
        id: `${name}.output`,
        device: "host",
        time: host.output,
        after: before,
        part: "output",
        layer: layers.length,
      };
      before = [last.id];
      return [...tasks, last];
    });
  });
}

function layerTasks(
  {
    attention,
    experts,
    layer,
    name,
    before,
    tokens = 1,
    prompts = seconds(0),
    storing = [],
    host: hostTimes,
  }: LayerTimes & {
    readonly layer: number;
    readonly name: string;
    readonly before: readonly string[];
  },
  ofAll: HostTimes,
  {
    homeOf,
    waitsOf,
  }: {
    readonly homeOf: (expert: number) => number;
    readonly waitsOf: (expert: number) => readonly string[];
  },
): readonly PlanTask[] {
  const host = { ...ofAll, ...hostTimes };
  const task = (
    id: string,
    part: Part,
    device: string,
    time: Seconds,
    after: readonly string[],
  ): PlanTask => ({ id: `${name}.${id}`, part, device, time, after, layer });
  const projected = [`${name}.projections`];
  const here = host.attention;
  const attends = [
    ...attention.flatMap((time, d) =>
      time > 0 ? [task(`attention.${d}`, "attention", `storage ${d}`, time, projected)] : [],
    ),
    ...(here === undefined ? [] : [task("attention", "attention", "host", here, projected)]),
  ];
  // Behind its device's attention, if it has any.
  const storesAfter = (device: number): readonly string[] =>
    attention.some((time, d) => d === device && time > 0)
      ? [`${name}.attention.${device}`]
      : projected;
  const hosted =
    prompts > 0 ? [task("prompts", "prompt attention", "host", prompts, projected)] : [];
  const stores = storing.flatMap((time, d) =>
    time > 0 ? [task(`storing.${d}`, "storing", `storage ${d}`, time, storesAfter(d))] : [],
  );
  const asked = experts.reduce((sum, expert) => sum + (expert.tokens ?? 1), 0);
  const [sent, back] = [bytes(host.vector * tokens), bytes(host.vector * asked)];
  const given = experts.map(({ expert, time }) =>
    task(`expert.${expert}`, "experts", `DIMM ${homeOf(expert)}`, time, [
      `${name}.dispatch`,
      ...waitsOf(expert),
    ]),
  );
  const idsOf = (tasks: readonly PlanTask[]): readonly string[] => tasks.map(({ id }) => id);
  const attended = idsOf([...attends, ...hosted]);
  const routedAfter = attended.length > 0 ? attended : [`${name}.projections`];
  const routed =
    experts.length === 0
      ? []
      : [
          task("dispatch", "dispatch", "link", host.transfer(sent), [`${name}.router`]),
          ...given,
          task("collect", "collect", "link", host.transfer(back), idsOf(given)),
        ];
  return [
    task("projections", "projections", "host", host.projections, before),
    ...attends,
    ...hosted,
    ...stores,
    task("router", "router", "host", host.router, routedAfter),
    ...routed,
    task("shared", "shared expert", "host", host.shared, [`${name}.router`]),
    task("sum", "sum", "host", host.sum, [
      `${name}.shared`,
      ...(experts.length === 0 ? [] : [`${name}.collect`]),
    ]),
  ];
}

/** A task that ran. */
export type PlanRun = PlanTask & TaskRun;

/** Runs tasks, each place in the order in which its tasks are ready, ties in the order given. */
export function runPlan(tasks: readonly PlanTask[]): readonly PlanRun[] {
  const waits = new Map(tasks.map(({ id, after }) => [id, after.length]));
  const followers = new Map<string, PlanTask[]>();
  for (const task of tasks) {
    for (const id of task.after) followers.set(id, [...(followers.get(id) ?? []), task]);
  }
  const free = new Map<string, number>();
  const readyAt = new Map<string, number>();
  let ready = tasks.filter(({ after }) => after.length === 0);
  const order: PlanTask[] = [];
  const startOf = ({ id, device }: PlanTask): number =>
    Math.max(readyAt.get(id) ?? 0, free.get(device) ?? 0);
  while (ready.length > 0) {
    // Nothing that gets ready later can start before the earliest start of these.
    const next = ready.reduce((best, task) => {
      const [a, b] = [startOf(task), startOf(best)];
      const sooner = (readyAt.get(task.id) ?? 0) < (readyAt.get(best.id) ?? 0);
      return a < b || (a === b && sooner) ? task : best;
    });
    const end = startOf(next) + next.time;
    free.set(next.device, end);
    order.push(next);
    ready = ready.filter((task) => task !== next);
    for (const follower of followers.get(next.id) ?? []) {
      const left = (waits.get(follower.id) ?? 0) - 1;
      waits.set(follower.id, left);
      readyAt.set(follower.id, Math.max(readyAt.get(follower.id) ?? 0, end));
      if (left === 0) ready.push(follower);
    }
  }
  const about = new Map(order.map(({ id, part, layer }) => [id, { part, layer }]));
  return runTasks(order).map((run) => ({
    ...run,
    ...(about.get(run.id) ?? { part: "sum", layer: 0 }),
  }));
}

/** The critical path of a plan: the chain of tasks that its last task waited for. */
export function criticalChain(runs: readonly PlanRun[]): readonly PlanRun[] {
  const chain: PlanRun[] = [];
  const byId = new Map(runs.map((run) => [run.id, run]));
  let at = runs.reduce<PlanRun | undefined>(
    (last, run) => (last === undefined || run.end > last.end ? run : last),
    undefined,
  );
  while (at !== undefined) {
    const now: PlanRun = at;
    chain.push(now);
    // The predecessor: a dependency, or else the previous task on the same resource.
    const needed = now.after.map((id) => byId.get(id)).find((run) => run?.end === now.start);
    at =
      needed ??
      runs.find((run) => run.device === now.device && run.end === now.start && run !== now);
    if (now.start === 0) break;
  }
  return chain.reverse();
}

/** Experts to DIMMs: the busiest first, each to the DIMM with the least load so far. */
export function placeByLoad(loads: readonly number[], dimms: number): readonly number[] {
  const sums = new Float64Array(dimms);
  const homes = loads.map(() => 0);
  const order = [...loads.keys()].sort((a, b) => present(loads[b]) - present(loads[a]) || a - b);
  for (const expert of order) {
    const home = sums.indexOf(Math.min(...sums));
    homes[expert] = home;
    sums[home] = present(sums[home]) + present(loads[expert]);
  }
  return homes;
}

/** Multiply-accumulates of the host's parts, which are the elements of their matrices. */
export function hostElements(
  { hidden, heads, kvHeads, headWidth, routedExperts, vocabulary }: Architecture,
  shared: number,
): Readonly<Record<"projections" | "router" | "shared" | "sum" | "output", number>> {
  return {
    projections: hidden * headWidth * (heads + 2 * kvHeads),
    router: hidden * headWidth * heads + hidden * routedExperts,
    shared: 3 * hidden * shared,
    sum: hidden,
    output: hidden * vocabulary,
  };
}
