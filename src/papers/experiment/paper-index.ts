// SPDX-License-Identifier: Apache-2.0
// A paper as a whole: its experiments, and the file of each equation, table and figure.

import type { Experiment } from "./experiment.ts";
import type { Paper } from "./fact.ts";

/** A part of the paper, and its file; paths are relative to the directory of the paper. */
export type Place = readonly [what: string, file: string];

export interface PaperIndex {
  readonly paper: Paper;
  readonly experiments: readonly Experiment[];
  /** First the model, then the policy, constants and figures. */
  readonly places: readonly Place[];
  /** The conclusions of the comparison, one paragraph per subject; a page begins with them. */
  readonly learned: readonly string[];
  /** Parts of the paper that its published numbers do not allow to reproduce, with the reason. */
  readonly notReproduced: readonly string[];
  /** Fitted constants: the number that each was fitted on, and the numbers that it then predicts. */
  readonly calibrations: readonly string[];
}
