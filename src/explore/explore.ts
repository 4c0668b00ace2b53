// SPDX-License-Identifier: Apache-2.0
// The search over our own hardware: time from co-simulation at cycle fidelity, area from synthesis.
// Pareto-optimal designs run again on the RTL. Every run is a row of the store, so a killed
// exploration can continue.

import { NeardataError } from "../base/errors.ts";
import type { Band } from "../machine/memories/memory.ts";
import { metricIds } from "../results/metric-ids.ts";
import type { Executor } from "./executor.ts";
import type { ExploreSpec } from "./explore-spec.ts";
import { paretoFront } from "../base/pareto.ts";
import { present } from "../base/present.ts";
import type { PointContext, PointResult } from "./point.ts";
import { bayesian } from "./search/llmshare.ts";
import { scaledFeatures } from "./search/embedding.ts";
import { bySize } from "./search/memory-centric.ts";
import { candidatesOf, search } from "./search/search.ts";
import type { Space } from "./search/space.ts";
import type { Point, Settings } from "./spec.ts";
import type { StoredMetric, SweepStore } from "./store.ts";
import { runSweep, type SweepProgress } from "./sweep.ts";
import { unknownMetrics } from "./table.ts";

export interface DesignArea {
  readonly area: number;
  /** The area with memories at their least, and at their most; null for an FPGA. */
  readonly band: Band | null;
}

/** Inputs of an exploration. */
export interface Exploration {
  readonly spec: ExploreSpec;
  /** Possible designs. The scenario's own design precedes them as number 0. */
  readonly designs: readonly Settings[];
  /** Area of the scenario's own design, then of each of `designs`. */
  readonly areas: readonly DesignArea[];
  readonly areaUnit: string;
  readonly context: PointContext;
  readonly executor: Executor;
  readonly store: SweepStore;
  /** Points that the store has. */
  readonly done: ReadonlySet<number>;
  readonly onProgress: (progress: SweepProgress) => void;
  readonly signal: AbortSignal;
}

/** A design with its results; number 0 is the scenario's own design. */
export interface ExploredDesign extends DesignArea {
  readonly design: number;
  readonly settings: Settings;
  /** Microseconds, all cases of the scenario together. */
  readonly time: number;
}

/** A design of the front on the RTL. */
export interface VerifiedDesign {
  readonly design: number;
  /** The run completed, every check passed, and the time equals that of the cycle model. */
  readonly pass: boolean;
  readonly detail: string;
}

export interface ExploreResult {
  /** Designs that exceed no limit. */
  readonly simulated: readonly ExploredDesign[];
  /** Numbers of designs that were simulated and exceed one. */
  readonly excluded: readonly number[];
  /** Numbers of designs whose run failed. */
  readonly failed: readonly number[];
  readonly front: readonly ExploredDesign[];
  /** Designs that are faster than the scenario's own and not larger. */
  readonly better: readonly ExploredDesign[];
  readonly verified: readonly VerifiedDesign[];
  /** Whether every design was simulated. */
  readonly exhaustive: boolean;
}

/** The name of the metrics that an exploration adds to a point's. */
export const designCase = "design";
/** Names of metrics that an exploration can limit. */
export const limitIds: readonly string[] = [...metricIds, "area"];

/**
 * Runs an exploration; afterwards, the store has all of its points.
 * @throws NeardataError `bad-input` with every limit on a metric that the scenario's own design
 * lacks; only that design has run by then.
 */
export async function explore(exploration: Exploration): Promise<ExploreResult> {
  const { designs, spec, areas } = exploration;
  const known = new Set(exploration.done);
  const all = designs.map((_, i) => i + 1);
  await evaluate(exploration, known, [0], "cycle");
  checkLimits(spec, await exploration.store.metrics());
  const exhaustive = spec.search === undefined || budgetOf(spec) >= designs.length;
  if (exhaustive) await evaluate(exploration, known, all, "cycle");
  else await guided(exploration, known);

  const metrics = await exploration.store.metrics();
  const times = timesOf(metrics);
  const over = exceeding(metrics, spec);
  const numbers = [0, ...all];
  const simulated = numbers.flatMap((design): ExploredDesign[] => {
    const time = times.get(design);
    if (time === undefined || over.has(design)) return [];
    const settings = settingsOf(designs, design);
    return [{ design, settings, time, ...present(areas[design]) }];
  });
  const excluded = numbers.filter((design) => over.has(design));
  const tried = numbers.filter((design) => known.has(design));
  const front = paretoFront(simulated.map(({ time, area }) => [time, area])).flatMap(
    (i) => simulated[i] ?? [],
  );
  const exploredDesign = simulated.find((d) => d.design === 0);
  const better = simulated.filter(
    (d) =>
      exploredDesign !== undefined && d.time < exploredDesign.time && d.area <= exploredDesign.area,
  );
  await evaluate(
    exploration,
    known,
    front.map((d) => d.design),
    "rtl",
  );
  return {
    simulated,
    excluded,
    failed: tried.filter((design) => !times.has(design)),
    front,
    better,
    verified: await verify(exploration, front),
    exhaustive,
  };
}

function budgetOf({ search: asked }: ExploreSpec): number {
  return asked === undefined ? Infinity : asked.initial + asked.iterations;
}

function settingsOf(designs: readonly Settings[], design: number): Settings {
  return design === 0 ? {} : (designs[design - 1] ?? {});
}

/** The point of a design: its number at cycle fidelity, behind all of those on the RTL. */
function pointOf({ designs }: Exploration, design: number, fidelity: "cycle" | "rtl"): Point {
  const index = fidelity === "cycle" ? design : designs.length + 1 + design;
  return { index, settings: { ...settingsOf(designs, design), fidelity } };
}

/** Runs the designs that are not in the store. */
async function evaluate(
  exploration: Exploration,
  known: Set<number>,
  numbers: readonly number[],
  fidelity: "cycle" | "rtl",
): Promise<void> {
  const { context, executor, store, onProgress, signal, areas, areaUnit, designs } = exploration;
  const points = numbers.map((design) => pointOf(exploration, design, fidelity));
  const add = (results: readonly PointResult[]): Promise<void> =>
    store.add(
      results.map((result) => {
        const design = result.index % (designs.length + 1);
        return withDesign(result, present(areas[design]).area, areaUnit);
      }),
    );
  await runSweep(points, { done: known, context, executor, store: { add }, onProgress, signal });
  for (const { index } of points) known.add(index);
}

/** A result with the metrics of an exploration: the total time of its cases, and the area. */
function withDesign(result: PointResult, area: number, unit: string): PointResult {
  // For an expert that is transferred to its DIMM, the time is that of the transfer plus that of
  // the computation.
  const times = result.metrics.filter((m) => m.id === "time" || m.id === "arrival");
  if (result.outcome !== "completed" || times.length === 0) return result;
  const [first] = times;
  const time = times.reduce((sum, m) => sum + m.value, 0);
  const { source = "measured", unit: timeUnit = "" } = first ?? {};
  const base = { case: designCase } as const;
  return {
    ...result,
    metrics: [
      ...result.metrics,
      { ...base, id: "time", title: "time of all cases", value: time, unit: timeUnit, source },
      { ...base, id: "area", title: "area", value: area, unit, source: "derived" },
    ],
  };
}

function timesOf(metrics: readonly StoredMetric[]): ReadonlyMap<number, number> {
  return new Map(
    metrics.filter((m) => m.case === designCase && m.id === "time").map((m) => [m.point, m.value]),
  );
}

/** Points with a metric above a limit of the exploration. */
function exceeding(
  metrics: readonly StoredMetric[],
  { atMost = {} }: ExploreSpec,
): ReadonlySet<number> {
  const most = (name: string): number => atMost[name] ?? Infinity;
  const over = metrics.filter(
    ({ case: of, id, value }) => value > Math.min(most(id), most(`${of}.${id}`)),
  );
  return new Set(over.map((m) => m.point));
}

function checkLimits({ atMost = {} }: ExploreSpec, metrics: readonly StoredMetric[]): void {
  if (metrics.length === 0) return;
  const unknown = unknownMetrics("atMost", Object.keys(atMost), metrics);
  if (unknown.length > 0) throw new NeardataError("bad-input", unknown);
}

/** Bayesian search for the front: two objectives, the next design by expected improvement. */
async function guided(exploration: Exploration, known: Set<number>): Promise<void> {
  const { designs, areas, spec, store } = exploration;
  const { search: asked } = spec;
  if (asked === undefined) return;
  const names = Object.keys(spec.space);
  const space: Space = {
    parameters: names.map((name) => ({
      name,
      values: (spec.space[name] ?? []).map((_, i) => i),
    })),
    tree: { name: spec.unit, children: names },
  };
  const vectors = designs.map((settings) =>
    names.map((name) => (spec.space[name] ?? []).findIndex((v) => v === settings[name])),
  );
  const capacity = asked.initial + asked.iterations;
  const sizeOf = designs.map((_, i) => present(areas[i + 1]).area);
  const method = bayesian({
    name: "expected improvement",
    embedding: scaledFeatures(names.length),
    capacity,
    // The first designs are spread over all sizes.
    first: (candidates, count, source) => bySize(candidates, sizeOf, 5, count, source),
  });
  await search({
    method,
    candidates: candidatesOf(space, vectors),
    initial: asked.initial,
    iterations: asked.iterations,
    seed: asked.seed,
    evaluate: async (_, index) => {
      await evaluate(exploration, known, [index + 1], "cycle");
      const metrics = await store.metrics();
      const time = timesOf(metrics).get(index + 1);
      if (time === undefined || exceeding(metrics, spec).has(index + 1)) return null;
      return [time, present(areas[index + 1]).area];
    },
  });
}

/** Whether each design of the front has the same results on the RTL as on its cycle model. */
async function verify(
  { designs, store }: Exploration,
  front: readonly ExploredDesign[],
): Promise<readonly VerifiedDesign[]> {
  const times = timesOf(await store.metrics());
  const ended = new Map((await store.points()).map((p) => [p.point, p]));
  return front.map(({ design, time }) => {
    const index = designs.length + 1 + design;
    const row = ended.get(index);
    const rtl = times.get(index);
    if (row === undefined || rtl === undefined) {
      return { design, pass: false, detail: row?.reason ?? "it was not run." };
    }
    const same = rtl === time;
    const detail = same
      ? `RTL and cycle model take the same time, and every value is the golden model's.`
      : `the RTL takes ${String(rtl)}, the cycle model ${String(time)}.`;
    return { design, pass: same, detail };
  });
}
