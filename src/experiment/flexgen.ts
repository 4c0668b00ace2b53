// SPDX-License-Identifier: Apache-2.0
// FlexGen: throughput against the block's shape (tables 2 and 5) and the schedules (appendix A.2).

import { bytes } from "../units.ts";
import { flexGenModel, publishedRun } from "../policy/facts/flexgen.ts";
import { scheduleCost } from "../policy/flexgen/schedule.ts";
import { bars, lines } from "./chart.ts";
import { contradicted, shape, type Experiment } from "./experiment.ts";

const table2: Experiment = {
  id: "flexgen/table-2",
  paper: "flexgen",
  title: "Throughput on one T4",
  run: () => {
    const rows = [
      ["30B 512", 7.32, publishedRun("opt-30b", 512, [48, 3], [0.2, 0.8])],
      ["30B 1024", 3.5, publishedRun("opt-30b", 1024, [20, 4], [0.04, 0.96])],
      ["175B 512", 0.69, publishedRun("opt-175b", 512, [32, 8], [0, 0.5])],
      ["175B 1024", 0.35, publishedRun("opt-175b", 1024, [12, 12], [0, 0.5])],
    ] as const;
    const tuned = rows[2][2] / publishedRun("opt-175b", 512, [32, 1], [0, 0.5]);
    return {
      findings: [
        shape(
          "a block of 8 GPU batches over one, 175B",
          2.56,
          tuned,
          "x",
          [2, 3.2],
          "0.69 over 0.27 in table 5",
        ),
        contradicted(
          "6.7B, prompt 512",
          25.26,
          60.8,
          "token/s",
          "all on the GPU with small batches: bound by kernel launches, which the cost model lacks",
        ),
      ],
      blocks: [
        bars(
          {
            id: "table-2",
            caption: "Throughput, published and by the released cost model.",
            xTitle: "model and prompt",
            yTitle: "throughput",
            unit: "token/s",
            logY: true,
          },
          rows.flatMap(([x, published, ours]) => [
            { x, series: "published", y: published },
            { x, series: "ours", y: ours },
          ]),
        ),
      ],
      timeline: [],
    };
  },
};

const schedules: Experiment = {
  id: "flexgen/appendix-a2",
  paper: "flexgen",
  title: "Zig-zag against diagonal",
  run: () => {
    const outputs = [2, 8, 32, 128, 512, 1024];
    const gain = (n: number): number =>
      scheduleCost(flexGenModel("opt-175b"), 512, n, 1, bytes(200 * 2 ** 30)).gain;
    return {
      findings: outputs.map((n) =>
        shape(`theorem 4.1 at ${n} tokens: gain in 1 .. 2n/(n-1)`, "holds", gain(n), "x", [
          1,
          (2 * n) / (n - 1),
        ]),
      ),
      blocks: [
        lines(
          {
            id: "diagonal",
            caption: "Sequences that fit, diagonal over zig-zag.",
            xTitle: "tokens made",
            yTitle: "gain",
            unit: "x",
          },
          outputs.map((x) => ({ x, series: "OPT-175B, prompt 512", y: gain(x) })),
        ),
      ],
      timeline: [],
    };
  },
};

export const flexGenExperiments: readonly Experiment[] = [table2, schedules];
