// SPDX-License-Identifier: Apache-2.0
// InstInfer: attention in storage devices. Read this file first: it lists the file of each equation, table and figure
// of the paper, the parts that are not reproduced, and the fitted constants.

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
  learned: [
    "Trends: the orders and trends of figures 5, 6, 11, 13, 16 and 17 hold in our model.",
    "Comparisons: gains over FlexGen at batch 32 are larger than published (figure 13). At batch 64 the shares of the cache are smaller than published (figure 15): no model that adds the times of the parts fits both rows. A page cache of the host explains the first and not the second: it shortens FlexGen's reads, so that FlexGen's share of the cache is even smaller.",
    "Prefill: programs to TLC need longer than the computation of the GPU, so they are not hidden. The paper does not include the time of programs.",
  ],
  notReproduced: [
    "Figures 1 to 3 and 7 to 10 are drawings without numbers. `neardata area` has table I; its percentages follow by arithmetic.",
    "Figures 4 to 6: their points are not published as numbers. The page compares the statements of the text. The 97.01 % of figure 4 is the 32.6x of figure 12, and the 98.94 % of figure 5 is the 98.9 % of figure 14.",
    "Figure 16 in numbers: its parts are not published as numbers. Our numbers are cycles that the engine's counters have in a simulated layer (recorded). The closed forms of the units stand beside them.",
    "The reduction of DeepSpeed by 32.6x: the paper does not describe how the kernel swaps.",
    "The accuracies of figure 11 need its models. The order of the methods is compared on two byte models that were trained for this project, one dense and one with a mixture of experts.",
  ],
  calibrations: [
    "Time outside of the cache, 1.72 s: fitted on 80.7 % at batch 64. It predicts 20 devices (figure 17). With simulated flash the same share gives another time, which the pages of that fidelity state.",
    "Host path, 1.33 GB/s: fitted on the reduction by 88.1 %. It predicts 6.85 (figure 12) and 94.0 %.",
    "Host memory, 10 GB/s: fitted on 1.046 (InstI at batch 256 over DeepSpeed at batch 16, figure 12). It predicts no other published number. With simulated flash the rate is the same, and the ratio is a prediction that figure 12 compares.",
    "Host memory for caches, 50 GB: fitted on the batches at which DeepSpeed swaps, from batch 32 on (figure 12). Every value between the caches of batches 16 and 32 gives the same outcomes.",
    "eta 0.7: fitted on the gains at batches 64 and 256 together. It predicts the sparse gain of 20 devices (figure 17). The page also shows 0.5. Simulated flash has no eta: it counts the pages that were read.",
    "Eight keys or exponentials per cycle in argtopk and softmax: assumed, not fitted. Only the closed forms beside figure 16 use them; its findings use the counters.",
  ],
};
