// SPDX-License-Identifier: Apache-2.0
// The move of an expert to its DIMM: metrics, and the simulated machine.

import type { Metric } from "./metric.ts";
import type { Seconds } from "../base/units.ts";
import type { MachineGraph } from "../machine/machine-graph.ts";

/** The transfer of one expert to its DIMM. */
export interface Arrival {
  readonly metrics: readonly Metric[];
  /** The DIMMs and links of the transfer; null if nothing was simulated. */
  readonly run: { readonly machine: MachineGraph; readonly time: Seconds } | null;
}
