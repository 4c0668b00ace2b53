// SPDX-License-Identifier: Apache-2.0
// LLMShare: a search for serving systems. Read this file first: which file holds which equation, table and figure of the paper,
// what is not reproduced, and what was fitted.

import type { PaperIndex } from "../experiment/paper-index.ts";
import { motivation } from "./figures/motivation.ts";
import { recordedSeeds } from "./figures/recorded-seeds.ts";

export const llmShare: PaperIndex = {
  paper: "llmshare",
  experiments: [motivation, recordedSeeds],
  places: [
    ["the design space", "model/space.ts"],
    ["a design as two pools", "model/design.ts"],
    ["rates of a device", "model/device.ts"],
    ["time of a matrix product", "model/matmul.ts"],
    ["time of a pass through a model", "model/iteration.ts"],
    ["a server of known rates", "model/rates.ts"],
    ["a server at work", "model/machine.ts"],
    ["prefill and decode pools that serve requests", "model/cluster.ts"],
    ["requests", "model/requests.ts"],
    ["cost of a device", "model/cost.ts"],
    ["a design served and priced", "model/simulate.ts"],
    ["the pool of candidates", "model/candidates.ts"],
    ["rival method: FIST", "policy/baselines/fist.ts"],
    ["rival method: BOOM-Explorer", "policy/baselines/boom-explorer.ts"],
    ["rival methods: SVR and AdaBoost", "policy/baselines/greedy.ts"],
    ["numbers that follow from printed numbers", "constants/facts.ts"],
    ["motivation: A100 against H100", "figures/motivation.ts"],
    ["the two printed designs", "figures/pair.ts"],
    ["the methods compared, the ablation", "figures/experiments.ts"],
    ["every method from several seeds", "figures/study.ts"],
    ["scores of every seed and paired tests", "figures/seeds.ts"],
    ["scores of every seed and paired tests, recorded", "figures/recorded-seeds.ts"],
    ["the signed-rank test", "model/signed-rank.ts"],
    ["printed scores of five methods", "figures/published-scores.ts"],
    ["what the ratio of the designs hangs on", "figures/assumptions.ts"],
    ["the trace on GPUs of the user's own", "figures/own-device.ts"],
  ],
  notReproduced: [
    "HILOS' 85 % less energy: no power of its drives is in the abstract.",
    "Dollars and serving times in absolute terms: LLMCompass' wafer tables are not public.",
    "The 1055 configurations: which ones were drawn is not printed; ours are drawn from all that can serve the trace.",
    "Figures of the motivation and of its verification: their values are not printed; ours of the first stand beside.",
    "Hypervolume in units of 1e8: the reference point is not printed; ours is a share of the pool's own.",
  ],
  calibrations: [
    "Nothing is fitted. Open in the paper and chosen here: memory rate with capacity (3.35 TB/s for 80 GB), clock, links and launches of LLMCompass' A100, all requests waiting from the beginning.",
  ],
};
