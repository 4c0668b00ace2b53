// SPDX-License-Identifier: Apache-2.0
// How times of many alike things are spread: by nearest rank, so each is the time of one of them.

import { seconds, type Seconds } from "../base/units.ts";
import { present } from "../base/present.ts";

export interface Spread {
  readonly count: number;
  readonly mean: Seconds;
  readonly p50: Seconds;
  readonly p90: Seconds;
  readonly p99: Seconds;
  readonly most: Seconds;
}

/** All zero for an empty list. */
export function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): Seconds =>
    seconds(
      sorted.length === 0 ? 0 : present(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]),
    );
  const sum = sorted.reduce((a, b) => a + b, 0);
  return {
    count: sorted.length,
    mean: seconds(sum / Math.max(1, sorted.length)),
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    most: at(1),
  };
}
