// SPDX-License-Identifier: Apache-2.0
// LLMShare's search: memory-centric start, a Gaussian process with the deep tree kernel, and the
// candidate of the largest expected hypervolume improvement. Each of the first two can be left out.

import { expectedImprovement } from "./front.ts";
import { draws } from "../../base/draws.ts";
import { present } from "../../base/present.ts";
import { predict, startKernel, train, type Training } from "./deep-kernel.ts";
import { scaledFeatures, treeLevels, type Embedding } from "./embedding.ts";
import { anyOf, bySize } from "./memory-centric.ts";
import { networkOf } from "./network.ts";
import { unevaluated, type Candidates, type Observation, type SearchMethod } from "./search.ts";
import type { Design, Space } from "./space.ts";
import { targetsOf } from "./targets.ts";

export interface LlmShareOptions {
  readonly space: Space;
  /** The memory size by which the designs are grouped at the beginning. */
  readonly memory: (design: Design) => number;
  /** The most candidates that will ever be known. */
  readonly capacity: number;
  /** False: an ordinary kernel with a length a parameter. */
  readonly treeKernel?: boolean;
  /** False: any candidates to begin with. */
  readonly memoryCentric?: boolean;
}

/** Groups at the beginning. */
const memoryGroupCount = 5;

export function llmShare(options: LlmShareOptions): SearchMethod {
  const { capacity, memory, memoryCentric = true, space, treeKernel = true } = options;
  const embedding = treeKernel ? treeLevels(space) : scaledFeatures(space.parameters.length);
  const without = [...(treeKernel ? [] : ["tree kernel"]), ...(memoryCentric ? [] : ["memory"])];
  return bayesian({
    name: ["LLMShare", ...without].join(" without "),
    embedding,
    capacity,
    first: (candidates, count, source) =>
      memoryCentric
        ? bySize(candidates, candidates.designs.map(memory), memoryGroupCount, count, source)
        : anyOf(candidates, count, source),
  });
}

export interface BayesianOptions {
  readonly name: string;
  readonly embedding: Embedding;
  readonly capacity: number;
  readonly first: (
    candidates: Candidates,
    count: number,
    source: ReturnType<typeof draws>,
  ) => readonly number[];
}

/** The first training begins anywhere; later ones go on from where the last ended. */
const firstTraining: Training = { steps: 60, rate: 0.05 };
const laterTraining: Training = { steps: 15, rate: 0.02 };

/**
 * Bayesian optimisation over an embedding: fit, predict all candidates, choose the most promising.
 */
export function bayesian({ capacity, embedding, first, name }: BayesianOptions): SearchMethod {
  const network = networkOf(embedding, capacity);
  return {
    name,
    begin: (candidates, seed) => {
      const source = draws(seed, "search");
      let kernels = [startKernel(network, source), startKernel(network, source)];
      let training = firstTraining;
      return {
        first: (count) => first(candidates, count, source),
        next: (seen: readonly Observation[]) => {
          const { reference, rows, values } = targetsOf(seen);
          const features = rows.map((i) => candidates.features[i] ?? []);
          const known = [0, 1].map((k) => ({ features, values: values.map((v) => present(v[k])) }));
          kernels = kernels.map((kernel, k) =>
            train(network, kernel, known[k] ?? { features, values: [] }, training),
          );
          training = laterTraining;
          const left = unevaluated(candidates, seen);
          const others = left.map((i) => candidates.features[i] ?? []);
          const [a, b] = kernels.map((kernel, k) =>
            predict(network, kernel, known[k] ?? { features, values: [] }, others),
          );
          const gains = others.map((_, i) =>
            expectedImprovement(values, reference, {
              mean: [a?.mean[i] ?? 0, b?.mean[i] ?? 0],
              std: [a?.std[i] ?? 0, b?.std[i] ?? 0],
            }),
          );
          return present(left[gains.indexOf(Math.max(...gains))]);
        },
      };
    },
  };
}
