// SPDX-License-Identifier: Apache-2.0
// FIST (Xie et al., ASP-DAC 2020): parameters that matter make clusters of candidates; samples are
// from different clusters and represent their neighbours; boosted trees grow deeper with the number
// of samples, and the search first explores unknown regions, then exploits the predictions. The
// paper uses importances from earlier designs; here they follow from the first half of the initial
// samples.

import { draws, type Draws } from "../../../../base/draws.ts";
import { present } from "../../../../base/present.ts";
import { anyOf } from "../../../../explore/search/memory-centric.ts";
import {
  unevaluated,
  type Candidates,
  type Observation,
  type SearchMethod,
} from "../../../../explore/search/search.ts";
import { targetsOf } from "../../../../explore/search/targets.ts";
import { gradientBoosting } from "./ensembles.ts";
import { mostPromising } from "./greedy.ts";
import { evenly, type Training } from "./regression-tree.ts";

/** Number of parameters that define clusters, and number of levels of each. */
const telling = 3;
const levels = 2;
/** How much a sample counts for the others of its cluster, and how many of them borrow it. */
const borrowed = { weight: 0.3, count: 2 };
/** Depth of the trees at the beginning and at the end, and samples for one more. */
const depths = { least: 2, most: 5, samples: 8 };
/** Share of the steps that explore designs far from the evaluated ones. */
const exploring = 0.3;

/** @param iterations number of candidates after the initial ones */
export function fist(iterations: number): SearchMethod {
  return {
    name: "FIST",
    begin: (candidates, seed) => {
      const source = draws(seed, "search");
      let clusters: readonly string[] = [];
      let initial = 0;
      return {
        first: (count) => {
          initial = count;
          return anyOf(candidates, Math.ceil(count / 2), source);
        },
        next: (seen) => {
          if (clusters.length === 0) clusters = clustersOf(candidates, seen);
          const fresh = unvisited(candidates, seen, clusters);
          if (seen.length < initial) return present(fresh[source.integer(fresh.length)]);
          const explores = seen.length - initial < exploring * iterations;
          const depth = Math.min(
            depths.most,
            depths.least + Math.floor(seen.length / depths.samples),
          );
          const among = explores ? fresh : unevaluated(candidates, seen);
          return mostPromising(candidates, seen, among, (values, rows) => {
            const samples = evenly(rows, values);
            const training = explores
              ? withBorrowed(candidates, seen, clusters, samples, source)
              : samples;
            return gradientBoosting(training, depth).predict;
          });
        },
      };
    },
  };
}

/** The cluster of each candidate: its levels in the parameters that mattered most so far. */
function clustersOf(candidates: Candidates, seen: readonly Observation[]): readonly string[] {
  const { rows, values } = targetsOf(seen);
  const features = rows.map((i) => candidates.features[i] ?? []);
  const importances = [0, 1].map((k) => {
    const column = values.map((v) => present(v[k]));
    return gradientBoosting(evenly(features, column), depths.least).importance;
  });
  const total = (candidates.features[0] ?? []).map((_, k) =>
    importances.reduce((sum, list) => sum + present(list[k]), 0),
  );
  const order = total.map((_, k) => k).sort((a, b) => present(total[b]) - present(total[a]));
  return candidates.features.map((row) =>
    order
      .slice(0, telling)
      .map((k) => Math.min(levels - 1, Math.floor(present(row[k]) * levels)))
      .join(),
  );
}

/** Unseen candidates of the clusters that were looked into least. */
function unvisited(
  candidates: Candidates,
  seen: readonly Observation[],
  clusters: readonly string[],
): readonly number[] {
  const left = unevaluated(candidates, seen);
  const visits = new Map<string, number>();
  for (const { index } of seen) {
    const cluster = present(clusters[index]);
    visits.set(cluster, (visits.get(cluster) ?? 0) + 1);
  }
  const of = (i: number): number => visits.get(present(clusters[i])) ?? 0;
  const least = left.reduce((fewest, i) => Math.min(fewest, of(i)), Infinity);
  return left.filter((i) => of(i) === least);
}

/** The samples, and for each some unseen candidates of its cluster with its value. */
function withBorrowed(
  candidates: Candidates,
  seen: readonly Observation[],
  clusters: readonly string[],
  samples: Training,
  { integer }: Draws,
): Training {
  const left = unevaluated(candidates, seen);
  const worked = seen.filter(({ objectives }) => objectives !== null);
  const loans = worked.flatMap(({ index }, i) => {
    const others = left.filter((j) => clusters[j] === clusters[index]);
    return Array.from({ length: others.length > 0 ? borrowed.count : 0 }, () => ({
      row: candidates.features[present(others[integer(others.length)])] ?? [],
      value: present(samples.values[i]),
    }));
  });
  return {
    rows: [...samples.rows, ...loans.map(({ row }) => row)],
    values: [...samples.values, ...loans.map(({ value }) => value)],
    weights: [...samples.weights, ...loans.map(() => borrowed.weight)],
  };
}
