// SPDX-License-Identifier: Apache-2.0
// Cases of LLMShare: its design space, its first designs, and two-objective improvement.

import { z } from "zod";
import type { Issue } from "../../../base/errors.ts";
import { paretoFront } from "../../../base/pareto.ts";
import {
  expectedImprovement,
  frontDistance,
  frontInsideBox,
  hypervolume,
  improvement,
  type Point,
} from "../../../explore/search/front.ts";
import { memoryGroups, transductiveDesign } from "../../../explore/search/initial.ts";
import { poolCount, poolMacs, poolMemory, poolParameters, type Pool } from "../model/space.ts";
import { draws } from "../../../base/draws.ts";
import { present } from "../../../base/present.ts";
import { family, kind, type ReadFamily } from "../../cases/family.ts";
import { count, minObjective, maxComparedEntries, objective } from "../../cases/limits.ts";

const point = z.tuple([objective, objective]);
const points = z.array(point).max(maxComparedEntries);
const prediction = z.object({ mean: point, std: z.tuple([objective.min(0), objective.min(0)]) });
const samples = 400_000;
/** A parameter of a pool of servers. */
const parameter = z.number().min(0).max(1e9);
/** Each choice of a design looks at all pairs of them. */
const maxDesigns = 512;

/** The mean and its standard error by sampling: a check of the closed form. */
function sampledImprovement(
  front: readonly Point[],
  reference: Point,
  { mean, std }: z.infer<typeof prediction>,
): { readonly mean: number; readonly error: number } {
  const source = draws(1, "improvement");
  const inside = frontInsideBox(front, reference);
  let total = 0;
  let squares = 0;
  for (let i = 0; i < samples; i += 1) {
    const y: Point = [mean[0] + std[0] * source.normal(), mean[1] + std[1] * source.normal()];
    const gain = gainOf(inside, reference, y);
    total += gain;
    squares += gain * gain;
  }
  const average = total / samples;
  return {
    mean: average,
    error: Math.sqrt(Math.max(0, squares / samples - average ** 2) / samples),
  };
}

/** Area that `y` adds above a sorted front. */
function gainOf(front: readonly Point[], reference: Point, [x, y]: Point): number {
  let gain = 0;
  let left = x;
  let ceiling = reference[1];
  for (const [fx, fy] of front) {
    if (fx > left && ceiling > y) gain += (fx - left) * (ceiling - y);
    left = Math.max(left, fx);
    ceiling = fy;
  }
  if (reference[0] > left && ceiling > y) gain += (reference[0] - left) * (ceiling - y);
  return gain;
}

function poolOf(x: readonly number[]): Pool {
  return Object.fromEntries(poolParameters.map((name, i) => [name, present(x[i])])) as Pool;
}

function checkSquare({ kernel, select }: { kernel: number[][]; select: number }): readonly Issue[] {
  const size = kernel.length;
  const ragged = kernel.flatMap((row, i) =>
    row.length === size
      ? []
      : [
          {
            where: `kernel[${i}]`,
            message: `has ${row.length} values; the kernel has ${size} rows.`,
          },
        ],
  );
  if (select <= size) return ragged;
  return [...ragged, { where: "select", message: `cannot be ${select} of ${size} designs.` }];
}

export const designCases: ReadFamily = family(z.object({}), {
  space: kind(
    z.object({ space: z.record(z.string(), z.array(z.number()).max(maxComparedEntries)) }),
    ({ space }) => ({
      per_pool: poolCount(space),
      both_pools: poolCount(space) ** 2,
    }),
  ),
  memory: kind(z.object({ x: z.array(parameter).length(20) }), ({ x }) => {
    const prefill = poolOf(x.slice(0, 10));
    const decode = poolOf(x.slice(10));
    return {
      total_memory_gb: poolMemory(prefill) + poolMemory(decode),
      peak_mac_per_cycle_prefill: poolMacs(prefill),
      peak_mac_per_cycle_decode: poolMacs(decode),
    };
  }),
  mci_groups: kind(
    z.object({
      t: count,
      u: z.int().min(1).max(maxComparedEntries),
      configs: z.array(z.array(parameter).length(6)).min(1).max(maxComparedEntries),
    }),
    ({ t, u, configs }) => {
      const c = configs.map(
        ([ps = 0, pd = 0, pm = 0, ds = 0, dd = 0, dm = 0]) =>
          poolMemory({ sc: ps, dc: pd, mm: pm }) + poolMemory({ sc: ds, dc: dd, mm: dm }),
      );
      const { edges, groups, samples: perGroup } = memoryGroups(c, t, u);
      return { c, edges, groups, samples_per_group: perGroup };
    },
  ),
  ted: kind(
    z.object({
      kernel: z
        .array(z.array(z.number().min(-1e30).max(1e30)))
        .min(1)
        .max(maxDesigns),
      mu: z.number().min(0).max(1e30),
      select: count,
    }),
    ({ kernel, mu, select }) => ({ order: transductiveDesign(kernel, mu, select) }),
    checkSquare,
  ),
});

/** Distances are relative to the reference front. */
const front = points
  .min(1)
  .refine(
    (list) => list.flat().every((x) => Math.abs(x) >= minObjective),
    `distances are relative: no objective of the reference front is nearer to 0 than ${minObjective}.`,
  );

export const improvementCases: ReadFamily = family(z.object({}), {
  hypervolume: kind(z.object({ points, reference: point }), (c) => ({
    hypervolume: hypervolume(c.points, c.reference),
    front_inside_box: frontInsideBox(c.points, c.reference),
    non_dominated_indices: paretoFront(c.points),
  })),
  ehvi: kind(z.object({ points, reference: point, ...prediction.shape }), (c) => {
    const sampled = sampledImprovement(c.points, c.reference, c);
    return {
      ehvi: expectedImprovement(c.points, c.reference, c),
      hypervolume: hypervolume(c.points, c.reference),
      hvi_at_mean: improvement(c.points, c.reference, c.mean),
      monte_carlo: sampled.mean,
      monte_carlo_standard_error: sampled.error,
      monte_carlo_samples: samples,
    };
  }),
  argmax: kind(
    z.object({
      points,
      reference: point,
      candidates: z.array(prediction).min(1).max(maxComparedEntries),
    }),
    (c) => {
      const ehvi = c.candidates.map((p) => expectedImprovement(c.points, c.reference, p));
      return { ehvi, argmax: ehvi.indexOf(Math.max(...ehvi)) };
    },
  ),
  adrs: kind(z.object({ reference_front: front, approximate_set: points.min(1) }), (c) => {
    const { maxRelative, euclidean } = frontDistance(c.reference_front, c.approximate_set);
    return { adrs_max_relative: maxRelative, adrs_euclidean: euclidean };
  }),
});
