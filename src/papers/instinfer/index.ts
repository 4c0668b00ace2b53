// SPDX-License-Identifier: Apache-2.0
// InstInfer: attention in storage devices. Read this file first: which file holds which equation, table and figure of the paper,
// what is not reproduced, and what was fitted.

import type { PaperIndex } from "../experiment/paper-index.ts";
import { instInferConstants } from "./figures/constants.ts";
import { instInferExperiments } from "./figures/experiments.ts";

export const instInfer: PaperIndex = {
  paper: "instinfer",
  experiments: [...instInferExperiments, instInferConstants],
  places: [
    ["a decode step in closed form", "model/steps.ts"],
    ["section VI-A, InstInfer and its rivals", "model/systems.ts"],
    ["section VI-D, one head in the engine by its units", "model/engine.ts"],
    ["what fits into which memory", "model/memory.ts"],
    ["section IV-D, GPU and devices at work together", "model/pipeline.ts"],
    ["times of simulated layers in the model", "model/measured.ts"],
    ["closed forms beside a run's heads", "model/head-estimate.ts"],
    ["numbers that follow from printed numbers", "constants/facts.ts"],
    ["figures 4, 5, 6", "figures/motivation.ts"],
    ["figure 11", "figures/quality.ts"],
    ["figures 12, 13", "figures/experiments.ts"],
    ["figures 14, 15", "figures/breakdown.ts"],
    ["figure 16, counted and in closed form", "figures/figure-16.ts"],
    ["figure 17, section IV-D in closed form", "figures/scaling.ts"],
    ["figures 12 to 15, 17 with simulated layers", "figures/cycle.ts"],
    ["figure 17 on simulated devices", "figures/devices.ts"],
    ["the gain of 2.08 step by step, its steps and claims", "figures/ladder.ts"],
    ["the gain of 2.08 step by step, flash alone", "figures/flash.ts"],
    ["the gain of 2.08 step by step, whole devices", "figures/device-steps.ts"],
    ["section IV-D, prefill on simulated flash", "figures/prefill.ts"],
    ["section IV-D, prefill on simulated devices", "figures/prefill-device.ts"],
    ["a decode by its lengths, simulated", "figures/lengths.ts"],
    ["sensitivity of headline numbers to constants", "figures/constants.ts"],
    ["the paper's machine with devices of the user's own", "figures/own-device.ts"],
  ],
  notReproduced: [
    "Figures 14 and 15 together: no additive model fits both rows at batch 64; 1.72 s is of the dense step.",
    "Figures 1 to 3 and 7 to 10 are drawings without numbers. Table I is judged by `neardata area`; its percentages follow by arithmetic.",
    "Figures 4 to 6: their points are drawn, not printed; the text's statements are judged. 97.01 % of figure 4 is the 32.6x of figure 12, 98.94 % of figure 5 the 98.9 % of figure 14.",
    "Figure 16 in numbers: the parts are drawn, not printed; ours are closed forms of the engine.",
    "DeepSpeed's drop by 32.6x in full: how the kernel swaps is not in the paper's inputs.",
    "Figure 11's accuracies need its models; the order of the methods is judged on two byte models that were trained for this project, dense and a mixture of experts.",
  ],
  calibrations: [
    "1.72 s outside the cache: fitted on 80.7 % at batch 64; predicts 20 devices (figure 17). With simulated flash the same share gives another time, which its pages name.",
    "Host path 1.33 GB/s: fitted on the 88.1 % cut; predicts 6.85 (figure 12) and 94.0 %.",
    "Host memory 10 GB/s: fitted on 1.046 (InstI at 256 over DeepSpeed at 16, figure 12). It predicts no other printed number; with simulated flash it stays, and the same ratio is a prediction, which figure 12 judges.",
    "Host memory for caches, 50 GB: fitted on the batches at which DeepSpeed swaps, from 32 on (figure 12). Any value between the caches of batches 16 and 32 gives the same outcomes.",
    "eta 0.7: fitted on the gains at batch 64 and 256 together; predicts the sparse gain of 20 devices (figure 17). 0.5 is shown beside it; with simulated flash there is no eta, pages are those that were read.",
    "Eight keys or exponentials a cycle in argtopk and softmax (figure 16 in closed form): assumed, not fitted.",
  ],
};
