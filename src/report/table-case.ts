// SPDX-License-Identifier: Apache-2.0
// The columns of a case in a table.

import type { Accuracy, Bottleneck, Metric } from "../results/metric.ts";

/** The fields of a case in a table; only experts have a bound. */
export interface TableCase {
  readonly id: string;
  readonly title: string;
  readonly metrics: readonly Metric<string>[];
  readonly accuracy: Accuracy | null;
  readonly bottleneck?: Bottleneck;
}
