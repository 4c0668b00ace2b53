// SPDX-License-Identifier: Apache-2.0
// LLMShare's comparison of search methods: every method from several seeds on one pool of designs.
// Each run is stored when it ends, so an interrupted study continues.

import { adaBoostSearch, supportVectorSearch } from "../policy/baselines/greedy.ts";
import { boomExplorer } from "../policy/baselines/boom-explorer.ts";
import { fist } from "../policy/baselines/fist.ts";
import { llmShare } from "../../../explore/search/llmshare.ts";
import { scorerOf, type Score } from "../../../explore/search/score.ts";
import { candidatesOf, search, type SearchMethod } from "../../../explore/search/search.ts";
import type { Design } from "../../../explore/search/space.ts";
import { poolMacs } from "../model/space.ts";
import { hashOfValue } from "../../../base/hash.ts";
import { drawServable, type EvaluatedDesign } from "../model/candidates.ts";
import { servingDesign, servingSpace, totalMemory } from "../model/design.ts";
import type { Lengths } from "../model/requests.ts";
import { comparison, saturatedTrace, servedModel } from "./setting.ts";

/** Returns the cached value of this key, or computes and caches it. */
export type Recall = <T>(key: string, make: () => T | Promise<T>) => Promise<T>;

export interface StudySetting {
  readonly seeds: number;
  /** Lengths of requests; those of conversations unless given. */
  readonly lengths?: Lengths | undefined;
  readonly recall: Recall;
  /** Share of the work that is done. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** All seeds of one method. */
export interface MethodRuns {
  readonly name: string;
  /** Candidates in the order of evaluation, a list a seed. */
  readonly evaluated: readonly (readonly number[])[];
  readonly scores: readonly Score[];
}

export interface Study {
  readonly pool: readonly EvaluatedDesign[];
  readonly score: (sampled: readonly number[]) => Score;
  /** The method of each role. */
  readonly runs: Readonly<Record<Role, MethodRuns>>;
}

export type Role = keyof ReturnType<typeof methods>;

function methods(): Readonly<
  Record<
    "svr" | "adaBoost" | "fist" | "boom" | "llmShare" | "withoutTree" | "withoutMemory",
    SearchMethod
  >
> {
  const { initial, iterations } = comparison;
  const capacity = initial + iterations;
  const context = { space: servingSpace, memory: totalMemory, capacity };
  return {
    svr: supportVectorSearch,
    adaBoost: adaBoostSearch,
    fist: fist(iterations),
    boom: boomExplorer(servingSpace.parameters.length, capacity, totalMacs),
    llmShare: llmShare(context),
    withoutTree: llmShare({ ...context, treeKernel: false }),
    withoutMemory: llmShare({ ...context, memoryCentric: false }),
  };
}

function totalMacs(design: Design): number {
  const { decode, prefill } = servingDesign(design);
  return poolMacs(prefill) + poolMacs(decode);
}

/**
 * Makes the pool of designs and runs the methods. For the progress, the pool costs as much as the
 * runs of one seed.
 */
export async function studyOf(setting: StudySetting): Promise<Study> {
  const { onProgress, recall, seeds } = setting;
  const trace = saturatedTrace(setting.lengths);
  const { candidates: count, initial, iterations, poolSeed } = comparison;
  const poolKey = hashOfValue({ trace, count, poolSeed, model: servedModel });
  const pool = await recall(`pool ${poolKey}`, () => {
    const designs: EvaluatedDesign[] = [];
    for (const design of drawServable(count, poolSeed, servedModel, trace)) {
      designs.push(design);
      onProgress?.(designs.length / count / (seeds + 1));
    }
    return designs;
  });
  const candidates = candidatesOf(
    servingSpace,
    pool.map(({ design }) => design),
  );
  const points = pool.map(({ objectives }) => objectives);
  const score = scorerOf(points);
  const poolHash = hashOfValue({ pool, initial, iterations });
  const all = Object.entries(methods());
  const evaluated = all.map((): (readonly number[])[] => []);
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const [at, [role, method]] of all.entries()) {
      const indices = await recall(`run ${poolHash} ${role} ${String(seed)}`, async () => {
        const evaluate = (_: Design, i: number): EvaluatedDesign["objectives"] | null =>
          points[i] ?? null;
        const seen = await search({ method, candidates, evaluate, initial, iterations, seed });
        return seen.map(({ index }) => index);
      });
      evaluated[at]?.push(indices);
      onProgress?.((seed + (at + 1) / all.length) / (seeds + 1));
    }
  }
  const runs = all.map(([role, { name }], i): [string, MethodRuns] => {
    const points = evaluated[i] ?? [];
    return [role, { name, evaluated: points, scores: points.map(score) }];
  });
  return {
    pool,
    score,
    runs: Object.fromEntries(runs) as Record<string, MethodRuns> as Study["runs"],
  };
}
