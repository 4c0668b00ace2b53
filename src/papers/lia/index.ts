// SPDX-License-Identifier: Apache-2.0
// LIA: which sublayers of a large model the CPU computes. Read this file first: which file holds which equation, table and figure of the paper,
// what is not reproduced, and what was fitted.

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
    ["layers resident in GPU memory (optimisation 1)", "policy/room.ts"],
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
  notReproduced: [
    "Figures 2, 6 and 7 are drawings without numbers (ours of 7 is a timeline that is checked); tables 1 and 2 (sublayers, machines) are inputs. The curves of figures 5 and 8, and the bars of 10 to 14, are judged by the numbers and ranges of the text: their points are not printed.",
    "Section 7.9 and figure 15 (PowerInfer): its times are not derivable. Section 7.6's ratio of system prices needs that of SPR-H100, which is not printed.",
    "Figure 14: a roofline of eight GPUs is several times faster than the serving system that the paper simulated. 800 us a reduction stand for its launches and scheduling; one number of the figure sets them.",
    "Figure 12 (energy) in absolute terms: measured with ipmitool; design powers and an assumed base power of 300 W take its place.",
    "Time between kernels and of the frameworks: no equation has it. IPEX and FlexGen at B = 64 are slower here than in table 5, for their batched rates are those of B = 900.",
  ],
  calibrations: [
    "PCIe 4.0 at 23.19 GB/s: fitted on the decode switch at B = 858, with CPU and GPU at the products of section 4.2 (199 and 1047 GB/s), which are those of every figure; predicts the prefill switch and table 4 at B = 1. With the bandwidths of section 4.2 (260 and 1300) it would be 23.75: figure 9 has both.",
    "PCIe 5.0 and 3.0 keep that share of their nominal rates; predicts the earlier switches of the H100 (figure 9) and its gains (figures 10 and 11).",
    "Rates of CPU and GPU: the shares of section 4.1 and 4.2 (figure 5, fitted there).",
    "Four rates of batched work (B above 1): the CPU's caches under LIA and IPEX, and under FlexGen, and products on CPU and GPU, each fitted on a number of table 5 at B = 900 that counts as fitted. They predict LIA's CPU (17.1 s of 16.9) and GPU (8.3 s of 7.7) at B = 64, table 4 at B = 64 (25.4 s of 24.0) and the least energy gains of figure 12. Policies are chosen by equation 8, whose rates are the same for every batch.",
    "800 us for a reduction over eight GPUs: set by the throughput a GPU at B = 1 (figure 14, fitted there); predicts four of the five other numbers of the figure.",
    "Assumed, not fitted: an idle GPU at 30 % of its design power, a CPU that spins while it waits and 300 W of boards, memory and fans (figure 12).",
  ],
};
