// SPDX-License-Identifier: Apache-2.0
// LLMShare: a search for serving systems. Read this file first: it lists the file of each equation, table and figure of
// the paper, the parts that are not reproduced, and the fitted constants.

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
  learned: [
    "The search: over 24 recorded seeds, LLMShare's search is better than the four other methods in both scores, as published (table of recorded seeds).",
    "The found design: in our simulation it costs less and serves more requests per second than the H100 cluster if all requests arrive at the start, as published. The published ratio of requests per second is much larger than ours, and no tried assumption explains the difference.",
  ],
  notReproduced: [
    "85 % less energy of HILOS: the abstract has no power of its drives.",
    "Costs in dollars and serving times in seconds: the wafer tables of LLMCompass are not public.",
    "The 1,055 configurations of the paper: the sample is not published. Ours is a random sample of all configurations that can serve the trace.",
    "Figures of the motivation and of its verification: the paper has no numbers. The page shows our numbers of the first.",
    "Hypervolume in units of 1e8: the reference point is not published. Our number is a share of the hypervolume of all candidates.",
  ],
  calibrations: [
    "No constant is fitted. The paper does not state these assumptions: memory bandwidth in proportion to the capacity (3.35 TB/s for 80 GB); clock, links and kernel launches of LLMCompass' A100; all requests arrive at the start.",
  ],
};
