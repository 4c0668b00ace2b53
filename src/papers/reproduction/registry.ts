// SPDX-License-Identifier: Apache-2.0
// Every experiment, by paper.

import type { Paper } from "../experiment/fact.ts";
import { arithmeticOf } from "./arithmetic.ts";
import { flexGenConstants } from "../flexgen/figures/constants.ts";
import { instInferConstants } from "../instinfer/figures/constants.ts";
import { liaConstants } from "../lia/figures/constants.ts";
import { triMoeConstants } from "../trimoe/figures/constants.ts";
import type { Experiment } from "../experiment/experiment.ts";
import { flexGenExperiments } from "../flexgen/figures/experiments.ts";
import { instInferExperiments } from "../instinfer/figures/experiments.ts";
import { motivation } from "../llmshare/figures/motivation.ts";
import { liaExperiments } from "../lia/figures/experiments.ts";
import { triMoeExperiments } from "../trimoe/figures/experiments.ts";
import { yardstickExperiment } from "../yardstick/yardstick.ts";

export const papers: readonly Paper[] = ["lia", "trimoe", "instinfer", "flexgen", "llmshare"];

export const experiments: readonly Experiment[] = [
  arithmeticOf("lia"),
  ...liaExperiments,
  liaConstants,
  arithmeticOf("trimoe"),
  ...triMoeExperiments,
  triMoeConstants,
  arithmeticOf("instinfer"),
  ...instInferExperiments,
  instInferConstants,
  arithmeticOf("flexgen"),
  ...flexGenExperiments,
  flexGenConstants,
  arithmeticOf("llmshare"),
  motivation,
  yardstickExperiment(),
];

/** What cannot be redone from what the papers print, and why. */
export const notReproduced: Readonly<Record<Paper, readonly string[]>> = {
  lia: [
    "Figures 2, 6 and 7 are drawings without numbers (ours of 7 is a timeline that is checked); tables 1 and 2 (sublayers, machines) are inputs. The curves of figures 5 and 8, and the bars of 10 to 14, are judged by the numbers and ranges of the text: their points are not printed.",
    "Section 7.9 and figure 15 (PowerInfer): its times are not derivable. Section 7.6's ratio of system prices needs that of SPR-H100, which is not printed.",
    "Figure 14: a roofline of eight GPUs is several times faster than the serving system that the paper simulated; it would fit if the eight took turns (tried there).",
    "Figure 12 (energy) in absolute terms: measured with ipmitool; design powers take its place.",
    "Batched CPU work: equation 8 has the CPU at 199 GB/s and 20 TFLOPS whatever the batch; table 5's seconds at B = 900 are three times as long. Each miss is tried with the rates that they give.",
  ],
  trimoe: [
    "Figure 7 (end to end) in absolute terms: attention and MLP take the 0.68 ms a layer of section 5.5 on every system.",
    "Figures 1, 2 and 4 are drawings without numbers; ours of 1 are timelines.",
    "62x over CPU-driven moves: what the CPU does for a move is not printed.",
    "The LMSys and CodeAlpaca traces: synthetic ones with the published shares take their place.",
    "The points of figures 3, 5, 6 and 9: drawn, not printed; the text's numbers of them are judged. $200K for seven H100s: no price is printed. 1.13 mm2: `neardata area`.",
  ],
  instinfer: [
    "Figures 14 and 15 together: no additive model fits both rows at batch 64; 1.72 s is of the dense step.",
    "Figures 1 to 3 and 7 to 10 are drawings without numbers. Table I is judged by `neardata area`; its percentages follow by arithmetic.",
    "Figures 4 to 6: their points are drawn, not printed; the text's statements are judged. 97.01 % of figure 4 is the 32.6x of figure 12, 98.94 % of figure 5 the 98.9 % of figure 14.",
    "Figure 16 in numbers: the parts are drawn, not printed; ours are closed forms of the engine.",
    "DeepSpeed's drop by 32.6x in full: how the kernel swaps is not in the paper's inputs.",
    "Figure 11's accuracies need its models; the order of the methods is judged on two byte models that were trained for this project, dense and a mixture of experts.",
  ],
  flexgen: [
    "Figure 1's points but those that the text names; figures 2, 3, 4 and 6 are drawings without numbers, tables 1, 7 and 8 hardware and notation. Figure 5 (Petals): its points, and the clients' batch, are not printed.",
    "Table 6 (accuracy) needs the models; its question is asked of a small model that was trained for this project.",
    "Table 3 (four GPUs): policies and network times are not printed; ours is the best block of the cost model. A batch of a pipeline loads the weights of its machine again: one that loaded them once for all batches would be twice as fast, and could not run.",
    "Blocks: 64 x 2 and 32 x 8 are table 5's; 20 x 4 and 12 x 12 at 1024 tokens are the release's, and so is 48 x 3, which the table of misses tries in place of 64 x 2.",
    "Table 4's cache writes and table 5 without CPU compute: the released fit has other rates for both than these tables imply.",
    "Table 2 with compression: the cost model has no time for packing and unpacking, so it is an upper bound.",
  ],
  llmshare: [
    "HILOS' 85 % less energy: no power of its drives is in the abstract.",
    "Dollars and serving times in absolute terms: LLMCompass' wafer tables are not public.",
    "The 1055 configurations: which ones were drawn is not printed; ours are drawn from all that can serve the trace.",
    "Figures of the motivation and of its verification: their values are not printed; ours of the first stand beside.",
    "Hypervolume in units of 1e8: the reference point is not printed; ours is a share of the pool's own.",
  ],
};

/** Constants that were fitted, on what, and what they then predict. */
export const calibrations: Readonly<Record<Paper, readonly string[]>> = {
  lia: [
    "PCIe 4.0 at 23.19 GB/s: fitted on the decode switch at B = 858, with CPU and GPU at the products of section 4.2 (199 and 1047 GB/s), which are those of every figure; predicts the prefill switch and table 4 at B = 1. With the bandwidths of section 4.2 (260 and 1300) it would be 23.75: figure 9 has both.",
    "PCIe 5.0 and 3.0 keep that share of their nominal rates; predicts the earlier switches of the H100 (figure 9) and its gains (figures 10 and 11).",
    "Rates of CPU and GPU: the shares of section 4.1 and 4.2 (figure 5, fitted there).",
    "Rates from table 5 at B = 900 (of caches and products) are in nothing but what misses were tried with.",
    "Assumed, not fitted: an idle device at 30 % of its design power (figure 12), 20 us for a reduction over eight GPUs (figure 14).",
  ],
  trimoe: [
    "Skew of the traces (lam 8.5): fitted on the 8 % of tokens of the coldest 70 % of experts (figure 3); predicts the 70 % of the next 27 %.",
    "Drift of the traces (0.97, 0.20, 0.56): fitted on 78 % accuracy and the best alpha 0.3; it predicts no printed number.",
    "One generator with this skew and this drift makes every trace: figures 1, 3, 6 to 9, table 3, sections 3 and 5.5.",
    "Hot experts: the hottest 3 % that figure 3 leaves beside 70 % cold and 27 % warm ones, at every batch. With 256 tokens (section 3.1) no expert is hot at batch 512.",
    "f_gpu and f_cpu: assumed once from the ranges in the text, the same for all figures; figures 6 to 9 and table 3 follow from them.",
  ],
  instinfer: [
    "1.72 s outside the cache: fitted on 80.7 % at batch 64; predicts 20 devices (figure 17). With simulated flash the same share gives another time, which its pages name.",
    "Host path 1.33 GB/s: fitted on the 88.1 % cut; predicts 6.85 (figure 12) and 94.0 %.",
    "Host memory 10 GB/s: fitted on 1.046 (InstI at 256 over DeepSpeed at 16, figure 12). It predicts no other printed number; with simulated flash it stays, and the same ratio is a prediction, which figure 12 judges.",
    "Host memory for caches, 50 GB: between the caches of batches 16 and 32; any value there gives the same outcomes, DeepSpeed swapping from 32 on.",
    "eta 0.7: fitted on the gains at batch 64 and 256 together; predicts the sparse gain of 20 devices (figure 17). 0.5 is shown beside it; with simulated flash there is no eta, pages are those that were read.",
    "Eight keys or exponentials a cycle in argtopk and softmax (figure 16 in closed form): assumed, not fitted.",
  ],
  flexgen: [
    "Disk read 2.806 GB/s: from table 4's 7046 s; predicts four rows of 175B. All else is the released T4 fit.",
    "The T4 as a device that plans name: 20.54 TFLOPS from table 4's prefill, PCIe at the release's 12.89 GiB/s; in no experiment.",
  ],
  llmshare: [
    "Nothing is fitted. Open in the paper and chosen here: memory rate with capacity (3.35 TB/s for 80 GB), clock, links and launches of LLMCompass' A100, all requests waiting from the beginning.",
  ],
};
