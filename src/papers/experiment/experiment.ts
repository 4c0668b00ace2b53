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
  /** What our own models must agree on; no paper prints it. */
  readonly checks?: readonly InternalCheck[];
  readonly blocks: readonly (Figure | Table | Prose)[];
  /** Blocks behind `blocks` that take seconds and that a page alone shows. */
  readonly pageBlocks?: () => readonly (Figure | Table | Prose)[];
  /** Numbers beside which nothing is published, for `--json` and the terminal; they stand in blocks too. */
  readonly rows?: Table["rows"];
  /** Which device ran what when; empty where nothing runs. */
  readonly timeline: readonly Span[];
}

export interface Experiment {
  /** Such as `trimoe/figure-6`. */
  readonly id: string;
  readonly paper: Paper;
  readonly title: string;
  readonly run: () => Outcome;
}

/** An experiment on the simulated machine instead of the equations. It takes seconds to minutes. */
export interface SimulatedExperiment extends Omit<Experiment, "run"> {
  readonly run: () => Promise<Outcome>;
}
