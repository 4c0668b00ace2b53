// SPDX-License-Identifier: Apache-2.0
// FlexGen: one GPU, its host and its disk. Read this file first: which file holds which equation, table and figure of the paper,
// what is not reproduced, and what was fitted.

import type { PaperIndex } from "../experiment/paper-index.ts";
import { flexGenConstants } from "./figures/constants.ts";
import { flexGenExperiments } from "./figures/experiments.ts";

export const flexGen: PaperIndex = {
  paper: "flexgen",
  experiments: [...flexGenExperiments, flexGenConstants],
  places: [
    ["appendix A.3, the cost model, as printed and as released", "model/cost.ts"],
    ["peak memory of a placement", "model/memory.ts"],
    ["times, throughput and memory of a placement", "model/evaluate.ts"],
    ["parts switched off or on (tables 2, 3, 5)", "model/ablation.ts"],
    ["appendix A.2, the two schedules", "model/schedule.ts"],
    ["figure 4 and algorithm 1 as tasks", "model/timeline.ts"],
    ["the best placement as a linear program", "policy/search.ts"],
    ["published runs: models, blocks and placements", "constants/published.ts"],
    ["numbers that follow from printed numbers", "constants/facts.ts"],
    ["ratios that follow from printed operands", "constants/ratios.ts"],
    ["figures 1, 4, appendix A.2", "figures/experiments.ts"],
    ["table 2", "figures/table2.ts"],
    ["table 2, Accelerate and DeepSpeed; figure 5", "figures/baselines.ts"],
    ["table 3", "figures/pipeline.ts"],
    ["table 4", "figures/ablation.ts"],
    ["table 5", "figures/table5.ts"],
    ["table 6", "figures/table6.ts"],
    ["sensitivity of headline numbers to constants", "figures/constants.ts"],
    ["the paper's machine with devices of the user's own", "figures/own-device.ts"],
  ],
  notReproduced: [
    "Figure 1's points but those that the text names; figures 2, 3, 4 and 6 are drawings without numbers, tables 1, 7 and 8 hardware and notation. Figure 5 (Petals): its points, and the clients' batch, are not printed.",
    "Table 6 (accuracy) needs the models; its question is asked of a small model that was trained for this project.",
    "Table 3 (four GPUs): policies and network times are not printed; ours is the best block of the cost model. A batch of a pipeline loads the weights of its machine again: one that loaded them once for all batches would be twice as fast, and could not run.",
    "Blocks: 64 x 2 and 32 x 8 are table 5's; 20 x 4 and 12 x 12 at 1024 tokens are the release's, and so is 48 x 3, which the table of misses tries in place of 64 x 2.",
    "Table 4's writes of one token in decode: the released fit's rate of writes is six times faster than they imply.",
    "Table 2 with compression: the cost model has no time for packing and unpacking, so it is an upper bound.",
  ],
  calibrations: [
    "Disk read 2.806 GB/s: from table 4's 7046 s; predicts four rows of 175B. All else is the released T4 fit, but for the next two.",
    "Copies of caches by the CPU, 4 GB/s: from table 5's 30B without CPU compute (fitted there). New caches on their way to the disk cross PCIe and are copied into the page cache at this rate: predicts table 4's 261 s of writes and 175B without overlapping.",
    "Copies of weights from memory that is not pinned: from Accelerate's 30B with prompts of 512 tokens (fitted there); predicts the three other rows of 30B of Accelerate and DeepSpeed.",
    "The T4 as a device that plans name: 20.54 TFLOPS from table 4's prefill, PCIe at the release's 12.89 GiB/s; in no experiment.",
  ],
};
