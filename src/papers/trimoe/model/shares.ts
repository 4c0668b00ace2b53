// SPDX-License-Identifier: Apache-2.0
// Statistics of expert loads: by rank within a step, and by tokens (cold, warm, hot).

import { present } from "../../../base/present.ts";
import { type ExpertClass, coldLimit, hotShare, classOf } from "../../../lm/moe/expert-classes.ts";

/** Fewest tokens of the hottest `share` of experts; Infinity where the share is not a whole expert. */
export function hottest(loads: ArrayLike<number>, share: number = hotShare): number {
  const ascending = new Float64Array(loads).sort();
  return ascending[ascending.length - Math.round(share * ascending.length)] ?? Infinity;
}

/** Means over steps of the fractions of experts that are cold and warm to the scheduler. */
export function scheduledClasses(
  steps: readonly Int32Array[],
): Readonly<Record<"cold" | "warm", number>> {
  const mean = (kind: ExpertClass): number =>
    steps.reduce((total, loads) => {
      const hot = hottest(loads);
      const members = loads.filter((load) => classOf(load, coldLimit, hot) === kind);
      return total + members.length / loads.length;
    }, 0) / steps.length;
  return { cold: mean("cold"), warm: mean("warm") };
}

/** Means over steps. Shares are of token-expert assignments, fractions of experts. */
export interface LoadShares {
  readonly top3: number;
  readonly next27: number;
  readonly rest70: number;
  readonly active: number;
  readonly coldExperts: number;
  readonly coldShare: number;
  readonly warmExperts: number;
  readonly warmShare: number;
  readonly maxLoad: number;
}

/** Shares of the hottest 3 %, the next 27 % and the rest of each step, and by class. */
export function loadShares(steps: readonly Int32Array[]): LoadShares {
  const rows = steps.map(sharesOfStep);
  const mean = (key: keyof LoadShares): number =>
    rows.reduce((total, row) => total + row[key], 0) / rows.length;
  return {
    top3: mean("top3"),
    next27: mean("next27"),
    rest70: mean("rest70"),
    active: mean("active"),
    coldExperts: mean("coldExperts"),
    coldShare: mean("coldShare"),
    warmExperts: mean("warmExperts"),
    warmShare: mean("warmShare"),
    maxLoad: mean("maxLoad"),
  };
}

function sharesOfStep(loads: Int32Array): LoadShares {
  const sorted = loads.toSorted((a, b) => b - a);
  const count = sorted.length;
  const total = sum(sorted);
  const top = Math.round(0.03 * count);
  const upper = Math.round(0.3 * count);
  const cold = sorted.filter((x) => classOf(x) === "cold");
  const warm = sorted.filter((x) => classOf(x) === "warm");
  return {
    top3: sum(sorted.slice(0, top)) / total,
    next27: sum(sorted.slice(top, upper)) / total,
    rest70: sum(sorted.slice(upper)) / total,
    active: sorted.filter((x) => x > 0).length / count,
    coldExperts: cold.length / count,
    coldShare: sum(cold) / total,
    warmExperts: warm.length / count,
    warmShare: sum(warm) / total,
    maxLoad: present(sorted[0]),
  };
}

function sum(values: Int32Array): number {
  return values.reduce((a, b) => a + b, 0);
}
