// SPDX-License-Identifier: Apache-2.0
// TriMoE: experts on GPU, CPU and DIMMs. Read this file first: which file holds which equation, table and figure of the paper,
// what is not reproduced, and what was fitted.

import type { PaperIndex } from "../experiment/paper-index.ts";
import { triMoeConstants } from "./figures/constants.ts";
import { triMoeExperiments } from "./figures/experiments.ts";

export const triMoe: PaperIndex = {
  paper: "trimoe",
  experiments: [...triMoeExperiments, triMoeConstants],
  places: [
    ["equations 1 to 4 and the contention of equation 6", "model/cost.ts"],
    ["table 1, the machine and its time curves", "model/machine.ts"],
    ["synthetic traces: popularity and drift", "model/trace.ts"],
    ["loads by rank and by class (figure 3)", "model/shares.ts"],
    ["recorded activations in every format", "model/recorded.ts"],
    ["choices of a real router", "model/routes.ts"],
    ["loads of a real router", "model/router-load.ts"],
    ["equations 5 to 7 and the bottleneck-aware refinement", "policy/makespan.ts"],
    ["section 4.3, prefetch, relayout and rebalancing", "policy/migration.ts"],
    ["places of experts at first", "policy/placement.ts"],
    ["TriMoE and its baselines on one layer", "policy/baselines.ts"],
    ["the optimum of a layer", "policy/optimum.ts"],
    ["ties of the refinement", "policy/ties.ts"],
    ["tasks of a layer", "policy/timeline.ts"],
    ["table 3, what counts as computing", "policy/use.ts"],
    ["numbers of the evaluation as printed", "constants/published.ts"],
    ["numbers that follow from printed numbers", "constants/facts.ts"],
    ["figures 3, 5, sections 1 to 4", "figures/motivation.ts"],
    ["figure 1, by the equations and simulated", "figures/figure-1.ts"],
    ["figure 6, by the equations and simulated", "figures/figure-6.ts"],
    ["figure 7, by the equations and simulated", "figures/figure-7.ts"],
    ["figure 7, a whole model from one layer", "figures/end-to-end.ts"],
    ["figure 8, by the equations and simulated", "figures/figure-8.ts"],
    ["figure 9, by the equations and simulated", "figures/figure-9.ts"],
    ["table 3, by the equations and simulated", "figures/table-3.ts"],
    ["section 5.5, by the equations and simulated", "figures/small-batches.ts"],
    ["many simulated steps", "figures/steps/steps.ts"],
    ["many simulated steps, recorded", "figures/steps/recorded-steps.ts"],
    ["section 5.5, one expert and four that move, simulated", "figures/relayout.ts"],
    ["links between DIMMs and command buses, simulated", "figures/assumed.ts"],
    ["a layer beside equations 5 to 7", "figures/cycle/cycle.ts"],
    ["a layer with DIMMs on RTL", "figures/rtl.ts"],
    ["premises on the choices of a real router", "figures/router/router.ts"],
    ["sensitivity of headline numbers to constants", "figures/constants.ts"],
    ["the paper's machine with devices of the user's own", "figures/own-device.ts"],
  ],
  notReproduced: [
    "Figure 7 (end to end) in absolute terms: attention and MLP take the 0.68 ms a layer of section 5.5 on every system.",
    "Figures 1, 2 and 4 are drawings without numbers; ours of 1 are timelines.",
    "62x over CPU-driven moves: what the CPU does for a move is not printed.",
    "The LMSys and CodeAlpaca traces: synthetic ones with the published shares take their place.",
    "The points of figures 3, 5, 6 and 9: drawn, not printed; the text's numbers of them are judged. $200K for seven H100s: no price is printed. 1.13 mm2: `neardata area`.",
  ],
  calibrations: [
    "Skew of the traces (lam 8.5): fitted on the 8 % of tokens of the coldest 70 % of experts (figure 3); predicts the 70 % of the next 27 %.",
    "Drift of the traces (0.97, 0.20, 0.56): fitted on 78 % accuracy and the best alpha 0.3; it predicts no printed number.",
    "One generator with this skew and this drift makes every trace: figures 1, 3, 6 to 9, table 3, sections 3 and 5.5.",
    "Hot experts: the hottest 3 % that figure 3 leaves beside 70 % cold and 27 % warm ones, at every batch. With 256 tokens (section 3.1) no expert is hot at batch 512.",
    "f_gpu and f_cpu: assumed once from the ranges in the text, the same for all figures; figures 6 to 9 and table 3 follow from them.",
  ],
};
