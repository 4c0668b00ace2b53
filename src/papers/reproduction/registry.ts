// SPDX-License-Identifier: Apache-2.0
// Every experiment, by paper, with all modules loaded. A figure is registered in the list of its paper.

import type { Experiment } from "../experiment/experiment.ts";
import { papers, type Paper } from "../experiment/fact.ts";
import type { PaperIndex } from "../experiment/paper-index.ts";
import { experimentsOf, indexOf } from "./experiments-of.ts";

export { papers };

export const indexes = Object.fromEntries(
  await Promise.all(papers.map(async (paper) => [paper, await indexOf[paper]()] as const)),
) as Readonly<Record<Paper, PaperIndex>>;

export const experiments: readonly Experiment[] = await experimentsOf(papers);
