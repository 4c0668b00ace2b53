// SPDX-License-Identifier: Apache-2.0
// LIA: which sublayers of a large model the CPU computes. Read this file first: it lists the file of each equation,
// table and figure of the paper, the parts that are not reproduced, and the fitted constants.

import type { PaperIndex } from "../experiment/paper-index.ts";
import { liaConstants } from "./figures/constants.ts";
import { liaExperiments } from "./figures/experiments.ts";

export const lia: PaperIndex = {
  paper: "lia",
  experiments: [...liaExperiments, liaConstants],
  places: [
    ["table 1, a decoder layer: sublayers, their bytes and their work", "model/layer.ts"],
    ["equations 2 to 9, time of a layer under a policy", "model/cost.ts"],
    ["section 6, data in DDR and in CXL memory", "model/memory.ts"],
    ["figure 7, tasks of a layer", "model/timeline.ts"],
    ["models by name", "model/shape.ts"],
    ["equation 3, the best policy and where it changes", "policy/optimum.ts"],
    ["layers resident in GPU memory (optimisation 1)", "policy/gpu-memory.ts"],
    ["prompts and decode of a whole batch (optimisations 1 and 2)", "policy/run.ts"],
    ["LIA, IPEX, FlexGen and several GPUs on one host", "policy/systems.ts"],
    ["a job and the memory that it needs", "policy/plan.ts"],
    ["readings of equations 5, 8 and 9", "policy/readings.ts"],
    ["numbers that follow from printed numbers", "constants/facts.ts"],
    ["ratios and shares that follow from printed operands", "constants/ratios.ts"],
    ["figures 1, 3, 4", "figures/transfers.ts"],
    ["figure 5", "figures/throughput.ts"],
    ["figure 7", "figures/experiments.ts"],
    ["figure 8", "figures/cxl.ts"],
    ["figure 9, section 7.1", "figures/policies.ts"],
    ["figures 10, 11", "figures/end-to-end.ts"],
    ["figures 12, 14", "figures/cost.ts"],
    ["figure 13, table 6", "figures/granite.ts"],
    ["tables 3, 4, 5", "figures/tables.ts"],
    ["sections 7.7, 8", "figures/other.ts"],
    ["section 8, several GPUs", "figures/several-gpus.ts"],
    ["rates of batched work (table 5)", "figures/batched.ts"],
    ["section 4.2", "figures/streamed.ts"],
    ["sensitivity of headline numbers to constants", "figures/constants.ts"],
    ["the paper's machine with devices of the user's own", "figures/own-device.ts"],
  ],
  learned: [
    "Arithmetic: numbers that follow from other published numbers agree. The best policies of figure 9 are the published ones, except for Grace-Hopper in decode at batch 900.",
    "Times: LIA publishes measured times. Our model is equation 8, which has no time for kernel launches, for the software framework and for NUMA. Gains over IPEX and FlexGen therefore differ in both directions.",
    "One sign is reversed: with Llama2-70B offline on GNR-H100, LIA is slower than FlexGen in two of eight jobs with B = 900 (0.84 and 0.94; published: at least 1.4). Equation 8 has one rate for all batches. It assigns all sublayers of these decodes to the CPU, whose rate for batched work is lower. If the rates of batched work choose the policies, the CPU computes attention alone, and LIA is faster in every job (at least 1.12). This is one of the tried readings.",
  ],
  notReproduced: [
    "Figures 2, 6 and 7 are drawings without numbers; our version of figure 7 is a timeline with a check. Tables 1 and 2 (sublayers, machines) are inputs. The points of figures 5, 8 and 10 to 14 are not published as numbers. The page compares the numbers and ranges of the text.",
    "Section 7.9 and figure 15 (PowerInfer): the times do not follow from published numbers. The ratio of system prices of section 7.6 needs the price of SPR-H100, which is not published.",
    "Figure 14: a roofline of eight GPUs is several times faster than the serving system that the paper simulated. 800 us per all-reduce replace its launches and its scheduling. One number of the figure sets them.",
    "Figure 12 (energy) in absolute terms: the paper measured with ipmitool. The model uses design powers and an assumed base power of 300 W.",
    "Time between kernels and time of the frameworks: no equation has it. IPEX and FlexGen at B = 64 are slower in our model than in table 5, because their batched rates are those of B = 900.",
    "Rates that depend on the size of a product (figure 5): the paper prints the ends of its curves, and no points. Our rates have two values, for B = 1 and for every larger batch. One tried reading lets the rates fall with the logarithm of the batch between B = 1 and B = 900. At B = 64 the CPU of IPEX then needs 83.1 s (ours 95.3, published 75.7), and the run of LIA 20.7 s (ours 25.4, published 24.0): one number is closer, the other is not.",
  ],
  calibrations: [
    "PCIe 4.0, 23.19 GB/s: fitted on the switch of the decode policy at B = 858, with the CPU at 199 GB/s and the GPU at 1047 GB/s (products of section 4.2), as in all figures. It predicts the switch of the prefill policy, and table 4 at B = 1. With the bandwidths of section 4.2 (260 and 1300 GB/s) it would be 23.75 GB/s. Figure 9 has both.",
    "PCIe 5.0 and 3.0 have the same share of their nominal rates. This predicts the earlier switches of the H100 (figure 9) and its gains (figures 10 and 11).",
    "Rates of CPU and GPU: the shares of sections 4.1 and 4.2 (figure 5, fitted there).",
    "Four rates of batched work (B above 1): caches on the CPU under LIA and IPEX, caches on the CPU under FlexGen, products on the CPU, and products on the GPU. Each is fitted on a number of table 5 at B = 900. They predict LIA's CPU (17.1 s, published 16.9) and GPU (8.3 s, published 7.7) at B = 64, table 4 at B = 64 (25.4 s, published 24.0) and the smallest energy gains of figure 12. Equation 8, whose rates are the same for every batch, chooses the policies.",
    "800 us per all-reduce over eight GPUs: fitted on the throughput of a GPU at B = 1 (figure 14). It predicts four of the five other numbers of the figure.",
    "Assumed, not fitted: an idle GPU at 30 % of its design power, a CPU at full power while it waits, and 300 W for boards, memory and fans (figure 12).",
    "GPU memory that layers do not use: 5 GiB on every card. Section 5.2 prints 35 of 40 GB, and the paper prints no such number for 80 GB. 10 of 80 GB is a tried reading: some numbers of the H100 are closer to the published numbers with it, others are farther away.",
  ],
};
