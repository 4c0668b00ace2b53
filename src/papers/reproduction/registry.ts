// SPDX-License-Identifier: Apache-2.0
// Every experiment, by paper. A figure is registered in the list of its paper.

import type { Paper } from "../experiment/fact.ts";
import type { PaperIndex } from "../experiment/paper-index.ts";
import { arithmeticOf } from "./arithmetic.ts";
import type { Experiment } from "../experiment/experiment.ts";
import { flexGen } from "../flexgen/index.ts";
import { instInfer } from "../instinfer/index.ts";
import { lia } from "../lia/index.ts";
import { llmShare } from "../llmshare/index.ts";
import { triMoe } from "../trimoe/index.ts";
import { yardstickExperiment } from "../yardstick/yardstick.ts";

export const indexes: Readonly<Record<Paper, PaperIndex>> = {
  lia,
  trimoe: triMoe,
  instinfer: instInfer,
  flexgen: flexGen,
  llmshare: llmShare,
};

export const papers: readonly Paper[] = ["lia", "trimoe", "instinfer", "flexgen", "llmshare"];

export const experiments: readonly Experiment[] = [
  ...papers.flatMap((paper) => [arithmeticOf(paper), ...indexes[paper].experiments]),
  yardstickExperiment(),
];
