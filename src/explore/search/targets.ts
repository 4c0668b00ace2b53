// SPDX-License-Identifier: Apache-2.0
// Targets of the surrogates: the logarithms of the objectives, each with mean 0 and variance 1, so
// that small values of an objective that spans decades also have weight.

import { present } from "../../base/present.ts";
import type { Point } from "./front.ts";
import type { Observation } from "./search.ts";

export interface Targets {
  /** Candidates that worked, in the order in which they were evaluated. */
  readonly rows: readonly number[];
  readonly values: readonly Point[];
  /** A corner that every value is below: a tenth of their span beyond the worst. */
  readonly reference: Point;
}

/** @throws RangeError when no candidate worked. */
export function targetsOf(seen: readonly Observation[]): Targets {
  const worked = seen.flatMap(({ index, objectives }) =>
    objectives === null ? [] : [{ index, logs: objectives.map(Math.log) }],
  );
  if (worked.length === 0) throw new RangeError("no candidate worked, so nothing can be learned.");
  const columns = [0, 1].map((k) => standardised(worked.map(({ logs }) => present(logs[k]))));
  const [first = [], second = []] = columns;
  return {
    rows: worked.map(({ index }) => index),
    values: worked.map((_, i): Point => [present(first[i]), present(second[i])]),
    reference: [cornerOf(first), cornerOf(second)],
  };
}

function standardised(values: readonly number[]): readonly number[] {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length;
  const deviation = variance > 0 ? Math.sqrt(variance) : 1;
  return values.map((v) => (v - mean) / deviation);
}

function cornerOf(values: readonly number[]): number {
  const most = Math.max(...values);
  const span = most - Math.min(...values);
  return most + 0.1 * (span > 0 ? span : 1);
}
