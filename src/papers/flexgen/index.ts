// SPDX-License-Identifier: Apache-2.0
// FlexGen: one GPU, its host and its disk. Read this file first: it lists the file of each equation, table and figure
// of the paper, the parts that are not reproduced, and the fitted constants.

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
  learned: [
    "Throughput: without compression, the throughput of FlexGen is near the published numbers (table 2). With 4-bit compression our model is faster, because it has no time for packing and unpacking.",
    "Accuracy: table 6 needs the weights of OPT. A small trained model loses more with 4-bit values than OPT does.",
  ],
  notReproduced: [
    "Points of figure 1 that the text does not name. Figures 2, 3, 4 and 6 are drawings without numbers; tables 1, 7 and 8 have hardware and notation. Figure 5 (Petals): its points and the batch of the clients are not published.",
    "Table 6 (accuracy) needs the weights of the models. A small model that was trained for this project has the comparison instead.",
    "Table 3 (four GPUs): policies and network times are not published; our number uses the best block of the cost model. In our pipeline each batch loads the weights again. A pipeline that loads them once for all batches would have twice the throughput, but no batch would end before the last one.",
    "Blocks: 64 x 2 and 32 x 8 are those of table 5; 20 x 4 and 12 x 12 at 1024 tokens, and 48 x 3, are those of the released code. The table of comparisons that differ tries 48 x 3 in place of 64 x 2.",
    "Writes of one token in decode (table 4): the write rate of the released constants is six times the rate that follows from the table.",
    "Table 2 with compression: the cost model has no time for packing and unpacking, so its throughput is an upper bound.",
  ],
  calibrations: [
    "Disk reads, 2.806 GB/s: fitted on the 7046 s of table 4. They predict four rows of 175B. All other constants are released constants of a T4, except the next two.",
    "Copies of caches by the CPU, 4 GB/s: fitted on the row of 30B without CPU computation (table 5). New caches for the disk cross PCIe and are copied into the page cache at this rate. This predicts the 261 s of writes of table 4, and 175B without overlapping.",
    "Copies of weights from memory that is not pinned: fitted on the row of Accelerate with 30B and prompts of 512 tokens. They predict the three other rows of 30B of Accelerate and DeepSpeed.",
    "The T4 as a device of plans: 20.54 TFLOPS from the prefill of table 4, PCIe at 12.89 GiB/s of the released constants. No experiment of this page uses it.",
  ],
};
