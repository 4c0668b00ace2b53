// SPDX-License-Identifier: Apache-2.0
// How an expert came to its DIMM: metrics, and the machine that brought it.

import type { Metric } from "./metric.ts";
import type { Seconds } from "../base/units.ts";
import type { MachineGraph } from "../machine/machine-graph.ts";

/** How one expert comes to its DIMM. */
export interface Arrival {
  readonly metrics: readonly Metric[];
  /** The DIMMs and links that brought it; null where nothing was simulated. */
  readonly run: { readonly machine: MachineGraph; readonly time: Seconds } | null;
}
