// SPDX-License-Identifier: Apache-2.0
// LLMShare's search over the pools of a serving file: cost against a rate. Every design is a point of a store, so an
// exploration that was stopped continues.

import { setImmediate as nextTurn } from "node:timers/promises";
import { inFile, NeardataError } from "../../base/errors.ts";
import { paretoFront } from "../../base/pareto.ts";
import { present } from "../../base/present.ts";
import type { Executor } from "../../explore/executor.ts";
import { legalOf } from "../../explore/legal.ts";
import { applySettings, type PointResult } from "../../explore/point.ts";
import { llmShare } from "../../explore/search/llmshare.ts";
import { candidatesOf, search } from "../../explore/search/search.ts";
import type { Part, Space } from "../../explore/search/space.ts";
import type { Point, Settings } from "../../explore/spec.ts";
import type { StoredMetric } from "../../explore/store.ts";
import type { ReadText } from "../../machine/host/reference.ts";
import type { RequestTrace } from "../../workload/request-trace.ts";
import type { ExploreServingSpec } from "./explore-spec.ts";
import type { rateIds } from "./explore-spec.ts";
import { costOfFile, requestsOf, simulateFile } from "./serve.ts";
import { memoryOf, servingOf, type ServingSpec } from "./spec.ts";

/** The serving file of an exploration. */
export interface ServingBase {
  readonly file: string;
  readonly content: unknown;
  readonly read: ReadText;
  readonly spec: ServingSpec;
  readonly trace: RequestTrace | null;
}

export type RateId = (typeof rateIds)[number];

/** The numbers that designs are compared by. */
export interface Compared {
  /** Dollars where every pool has a price, else devices. */
  readonly cost: "cost" | "devices";
  readonly rate: RateId;
}

/** A design that serves the requests. */
export interface PoolDesign {
  readonly design: number;
  readonly settings: Settings;
  readonly cost: number;
  readonly rate: number;
}

export interface PoolSearchResult {
  readonly simulated: readonly PoolDesign[];
  readonly front: readonly PoolDesign[];
  /** Designs that were tried and cannot serve the requests. */
  readonly unfit: readonly number[];
  readonly exhaustive: boolean;
}

/** The name of a design's numbers in the store. */
export const servingCase = "serving";

/**
 * The metrics that an exploration compares. @throws NeardataError `bad-input` if the serving file
 * lacks it
 */
export function comparedOf(
  file: string,
  { objective }: ExploreServingSpec,
  { spec }: ServingBase,
): Compared {
  const { objectives } = spec;
  const rate = objective ?? (objectives === null ? "requestRate" : "goodput");
  const problem = ((): string | null => {
    if (rate === "goodput" && objectives === null) return "the serving file has no objectives.";
    if (rate !== "highestRate") return null;
    if ((objectives?.share ?? null) === null) return "the serving file has no objectives.share.";
    return spec.requests.rate === "waiting" ? "requests that all wait have no rate." : null;
  })();
  if (problem !== null) throw inFile(file, [{ where: "objective", message: problem }]);
  return { cost: costOfFile(spec) === null ? "devices" : "cost", rate };
}

/**
 * Leaves out designs that break a rule of serving files.
 * @throws NeardataError `bad-input` where none is left, with the problems of the first
 */
export function legalDesigns(
  base: ServingBase,
  designs: readonly Settings[],
): { readonly designs: readonly Settings[]; readonly refused: number } {
  return legalOf(designs, (settings) => specOf(base, settings));
}

function specOf({ file, content, read }: ServingBase, settings: Settings): ServingSpec {
  return servingOf(file, applySettings(content, settings), read);
}

/** Runs designs in this process, one after the other. */
export function servingExecutor(base: ServingBase, { rate }: Compared): Executor {
  return {
    width: 1,
    status: () => "",
    settle: () => undefined,
    run: async (points, _context, onResult, signal) => {
      for (const point of points) {
        // Signals are handled and results are stored between two designs.
        await nextTurn();
        if (signal.aborted) return;
        onResult(resultOf(base, rate, point));
      }
    },
  };
}

function resultOf(base: ServingBase, rate: RateId, { index, settings }: Point): PointResult {
  const begin = performance.now();
  const none = { configHash: null, seed: null, expectedSeconds: 0, metrics: [] };
  const ended = (
    outcome: Pick<PointResult, "outcome" | "reason"> & Partial<PointResult>,
  ): PointResult => {
    const seconds = (performance.now() - begin) / 1000;
    return { index, settings, ...none, ...outcome, seconds, simulationSeconds: seconds };
  };
  try {
    const spec = specOf(base, settings);
    const { objectives } = spec;
    const search = rate === "highestRate" ? objectives?.share : null;
    const pointSpec = {
      ...spec,
      objectives: objectives === null ? null : { ...objectives, share: search ?? null },
    };
    const { numbers, checks } = simulateFile(pointSpec, requestsOf(pointSpec, base.trace));
    const failed = checks.filter(({ pass }) => !pass);
    return ended({
      outcome: failed.length === 0 ? "completed" : "check failed",
      reason: failed.map(({ title, detail }) => `${title}: ${detail}`).join("; "),
      metrics: numbers.map((number) => ({ ...number, case: servingCase })),
    });
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    return ended({ outcome: "bad input", reason: error.message });
  }
}

/** Inputs of an exploration. */
export interface PoolSearch {
  readonly spec: ExploreServingSpec;
  readonly base: ServingBase;
  readonly designs: readonly Settings[];
  readonly compared: Compared;
  /** Runs these points unless the store has them. */
  readonly evaluate: (points: readonly Point[]) => Promise<void>;
  readonly metrics: () => Promise<readonly StoredMetric[]>;
}

/** Runs an exploration; the store has every point of it afterwards. */
export async function explorePools(asked: PoolSearch): Promise<PoolSearchResult> {
  const { spec, designs, evaluate, metrics, compared } = asked;
  const points = designs.map((settings, index): Point => ({ index, settings }));
  const budget =
    spec.search === undefined ? Infinity : spec.search.initial + spec.search.iterations;
  const exhaustive = budget >= designs.length;
  let tried = points;
  if (exhaustive) await evaluate(points);
  else tried = await guided(asked, points);
  const objectives = objectivesBy(await metrics(), compared);
  const simulated = tried
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ index, settings }): PoolDesign[] => {
      const values = objectives.get(index);
      return values === undefined ? [] : [{ design: index, settings, ...values }];
    });
  const front = paretoFront(simulated.map(({ cost, rate }) => [cost, -rate]))
    .flatMap((i) => simulated[i] ?? [])
    .toSorted((a, b) => a.cost - b.cost);
  const unfit = tried.flatMap(({ index }) => (objectives.has(index) ? [] : [index]));
  return { simulated, front, unfit, exhaustive };
}

function objectivesBy(
  metrics: readonly StoredMetric[],
  { cost, rate }: Compared,
): ReadonlyMap<number, { readonly cost: number; readonly rate: number }> {
  const valuesOf = (id: string): ReadonlyMap<number, number> =>
    new Map(metrics.filter((m) => m.id === id).map(({ point, value }) => [point, value]));
  const [costs, rates] = [valuesOf(cost), valuesOf(rate)];
  return new Map(
    [...costs].flatMap(([point, cost]) => {
      const its = rates.get(point);
      return its === undefined ? [] : [[point, { cost, rate: its }] as const];
    }),
  );
}

/** LLMShare's search: memory-centric start, a Gaussian process with the tree kernel over both pools. */
async function guided(asked: PoolSearch, points: readonly Point[]): Promise<Point[]> {
  const { spec, base, designs, evaluate, metrics, compared } = asked;
  const { search: plan } = spec;
  if (plan === undefined) return [];
  const names = Object.keys(spec.space);
  const space = spaceOf(spec);
  const vectors = designs.map((settings) =>
    names.map((name) => (spec.space[name] ?? []).findIndex((one) => one === settings[name])),
  );
  const memory = designs.map((settings) => totalMemory(specOf(base, settings)));
  const sizes = new Map(vectors.map((vector, i) => [vector.join(), present(memory[i])]));
  const seen = await search({
    method: llmShare({
      space,
      memory: (design) => sizes.get(design.join()) ?? 0,
      capacity: plan.initial + plan.iterations,
    }),
    candidates: candidatesOf(space, vectors),
    initial: plan.initial,
    iterations: plan.iterations,
    seed: plan.seed,
    evaluate: async (_, index) => {
      await evaluate(points.slice(index, index + 1));
      const objective = objectivesBy(await metrics(), compared).get(index);
      return objective === undefined || objective.rate === 0
        ? null
        : [objective.cost, 1 / objective.rate];
    },
  });
  return seen.flatMap(({ index }) => points.slice(index, index + 1));
}

/** The parameters below their pools, and those of a device below it. */
function spaceOf({ space }: ExploreServingSpec): Space {
  const names = Object.keys(space);
  const below = (prefix: string): readonly string[] =>
    names.filter((name) => name.startsWith(prefix));
  const pools = (["prefill", "decode"] as const).flatMap((pool): Part[] => {
    const [all, device] = [below(`${pool}.`), below(`${pool}.design.`)];
    if (all.length === 0) return [];
    const modelNames = all.filter((name) => !device.includes(name));
    const inner: readonly Part[] =
      device.length === 0 ? [] : [{ name: "device", children: device }];
    return [{ name: pool, children: [...modelNames, ...inner] }];
  });
  return {
    parameters: names.map((name) => ({
      name,
      values: (space[name] ?? []).map((_, i) => i),
    })),
    tree: { name: "system", children: pools },
  };
}

function totalMemory({ prefill, decode }: ServingSpec): number {
  return [prefill, decode].reduce(
    (sum, pool) => sum + (pool === null ? 0 : pool.servers * pool.devices * memoryOf(pool)),
    0,
  );
}
