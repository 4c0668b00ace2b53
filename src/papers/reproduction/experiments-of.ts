// SPDX-License-Identifier: Apache-2.0
// The experiments of some papers. A paper's modules are loaded for this paper alone.

import type { Experiment } from "../experiment/experiment.ts";
import type { Paper } from "../experiment/fact.ts";
import type { PaperIndex } from "../experiment/paper-index.ts";
import { arithmeticOf } from "./arithmetic.ts";

/** The index of each paper. */
export const indexOf: Readonly<Record<Paper, () => Promise<PaperIndex>>> = {
  lia: async () => (await import("../lia/index.ts")).lia,
  trimoe: async () => (await import("../trimoe/index.ts")).triMoe,
  instinfer: async () => (await import("../instinfer/index.ts")).instInfer,
  flexgen: async () => (await import("../flexgen/index.ts")).flexGen,
  llmshare: async () => (await import("../llmshare/index.ts")).llmShare,
};

/** Experiments of these papers, in the order of the registry. */
export async function experimentsOf(papers: readonly Paper[]): Promise<readonly Experiment[]> {
  const ofPapers = await Promise.all(
    papers.map(async (paper) => [arithmeticOf(paper), ...(await indexOf[paper]()).experiments]),
  );
  if (!papers.includes("llmshare")) return ofPapers.flat();
  const { yardstickExperiment } = await import("../yardstick/yardstick.ts");
  return [...ofPapers.flat(), yardstickExperiment()];
}
