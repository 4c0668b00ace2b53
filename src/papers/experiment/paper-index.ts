// SPDX-License-Identifier: Apache-2.0
// A paper as a whole: its experiments, and which file of its folder holds which equation, table and figure.

import type { Experiment } from "./experiment.ts";
import type { Paper } from "./fact.ts";

/** A part of the paper, and the file that holds it; paths begin in the folder of the paper. */
export type Place = readonly [what: string, file: string];

export interface PaperIndex {
  readonly paper: Paper;
  readonly experiments: readonly Experiment[];
  /** First the model, then the policy, constants and figures. */
  readonly places: readonly Place[];
  /** What cannot be redone from what the paper prints, and why. */
  readonly notReproduced: readonly string[];
  /** Constants that were fitted, on what, and what they then predict. */
  readonly calibrations: readonly string[];
}
