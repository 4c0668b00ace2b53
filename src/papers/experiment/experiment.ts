// SPDX-License-Identifier: Apache-2.0
// An experiment redoes one table or figure of a paper: the published value, ours, and
// the verdict.

import type { Finding } from "./finding.ts";
import type { InternalCheck } from "./internal-check.ts";
import type { Figure, Prose, Table } from "../../report/page.ts";
import type { Span } from "../../results/latency/span.ts";
import type { Paper } from "./fact.ts";

export interface Outcome {
  readonly findings: readonly Finding[];
  /** Checks of our own models; no paper prints them. */
  readonly checks?: readonly InternalCheck[];
  readonly blocks: readonly (Figure | Table | Prose)[];
  /** Blocks after `blocks` that take seconds and that only a page shows. */
  readonly pageBlocks?: () => readonly (Figure | Table | Prose)[];
  /**
   * Numbers without published counterparts, for `--json` and the terminal; blocks contain them,
   * too.
   */
  readonly rows?: Table["rows"];
  /** Timeline of the devices; empty if nothing runs. */
  readonly timeline: readonly Span[];
}

export interface Experiment {
  /** Such as `trimoe/figure-6`. */
  readonly id: string;
  readonly paper: Paper;
  readonly title: string;
  readonly run: () => Outcome;
}

/**
 * An experiment on the simulated machine instead of the equations. It runs for seconds to minutes.
 */
export interface SimulatedExperiment extends Omit<Experiment, "run"> {
  readonly run: () => Promise<Outcome>;
}
