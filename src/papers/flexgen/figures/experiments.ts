// SPDX-License-Identifier: Apache-2.0
// FlexGen: latency against throughput (figure 1), the block schedule as it runs (figure 4), zig-zag against
// diagonal (appendix A.2); and the list of its experiments.

import { present } from "../../../base/present.ts";
import { allFeatures, featureTerms, layerTimes } from "../model/ablation.ts";
import {
  flexGenModel,
  machineOf,
  placed,
  publishedRun,
  run175b,
  run30b,
} from "../constants/published.ts";
import { scheduleCost } from "../model/schedule.ts";
import { deviceUse, endOf } from "../../../base/timeline.ts";
import { bytes } from "../../../base/units.ts";
import { gantt, spansOf } from "../../experiment/chart-map.ts";
import { lines } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { notComparable, compareNumber, compareStatement } from "../../experiment/finding.ts";
import { runOf } from "./run.ts";
import { blockRuns, blockSpans } from "./timeline.ts";
import { baselines, rowByRow } from "./baselines.ts";
import { table4 } from "./ablation.ts";
import { table3 } from "./pipeline.ts";
import { table2 } from "./table2.ts";
import { table5 } from "./table5.ts";
import { table6 } from "./table6.ts";
import { between } from "../../experiment/internal-check.ts";

const figure1: Experiment = {
  id: "flexgen/figure-1",
  paper: "flexgen",
  title: "Latency against throughput, OPT-175B and OPT-30B",
  run: () => {
    const blocks = [
      [4, 1],
      [8, 1],
      [16, 1],
      [32, 1],
      [32, 2],
      [32, 4],
      [32, 8],
    ] as const;
    const points = blocks.map((block) => {
      const run = publishedRun("opt-175b", 512, block, placed(0, 0.5, "disk"));
      return { size: block[0] * block[1], ...runOf(run) };
    });
    const one = runOf(rowByRow("opt-175b", 512, 1)).generation;
    const smaller = [
      [8, 1],
      [32, 1],
      [48, 1],
      [64, 1],
      [64, 2],
    ] as const;
    const latencyOf = (size: number): number =>
      present(points.find((p) => p.size === size)?.latency);
    return {
      findings: [
        compareNumber("latency of a block of 256", {
          published: 12000,
          ours: latencyOf(256),
          unit: "s",
          kind: "C",
          note: "rate of the disk from table 4",
        }),
        compareNumber("throughput of a block of 64 over the baselines' one sequence", {
          published: "above 40",
          ours: present(points.find((p) => p.size === 64)?.generation) / one,
          unit: "x",
          kind: "C",
          note: "one sequence with all weights on disk",
        }),
        notComparable(
          "throughput at the baselines' latency over theirs",
          65,
          present(points.find((p) => p.latency >= 5000)?.generation) / one,
          "x",
          "the latency is not published; our number is for 5,000 s",
        ),
        compareNumber("latency of a block of 64", {
          published: 5000,
          ours: latencyOf(64),
          unit: "s",
          kind: "S",
          note: "the placement of this point is not published",
        }),
        compareStatement("throughput of a block of 256 over one of 4", {
          statement: "grows",
          ours: present(points.at(-1)?.generation) / present(points[0]?.generation),
          unit: "x",
          range: [1, Infinity],
        }),
      ],
      blocks: [
        lines(
          {
            id: "figure-1",
            caption:
              "Blocks of prompts of 512 tokens, 32 made of each; the paper draws the same axes.",
            xTitle: "latency (s)",
            yTitle: "throughput",
            unit: "token/s",
            logX: true,
            logY: true,
          },
          [
            ...points.map(({ latency, generation }) => ({
              x: latency,
              series: "FlexGen, 175B, half of the weights and all caches on disk",
              y: generation,
            })),
            ...smaller.map((block) => {
              const run = publishedRun("opt-30b", 512, block, placed(0.2, 0.8, "cpu"));
              const { latency, generation } = runOf(run);
              return { x: latency, series: "FlexGen, 30B, a fifth on the GPU", y: generation };
            }),
            ...[1, 2].map((batch) => {
              const { latency, generation } = runOf(rowByRow("opt-175b", 512, batch));
              return { x: latency, series: "row by row, 175B on disk", y: generation };
            }),
            ...[1, 4, 8].map((batch) => {
              const { latency, generation } = runOf(rowByRow("opt-30b", 512, batch));
              return { x: latency, series: "row by row, 30B", y: generation };
            }),
          ],
        ),
      ],
      timeline: [blocks[0], blocks[6]].flatMap((block) =>
        blockSpans(publishedRun("opt-175b", 512, block, placed(0, 0.5, "disk"))),
      ),
    };
  },
};

const figure4: Experiment = {
  id: "flexgen/figure-4",
  paper: "flexgen",
  title: "The block schedule as it runs",
  run: () => {
    const layers = 3;
    const tracks = [run30b, run175b].map((run) => {
      const terms = featureTerms(
        machineOf(run),
        flexGenModel(run.model),
        run.load,
        run.placement,
        allFeatures,
      );
      return {
        name: run.model,
        runs: blockRuns(run, "decode", layers),
        formula: layers * layerTimes(terms, true).decode,
      };
    });
    return {
      findings: [],
      checks: tracks.map(({ name, runs, formula }) => {
        const busiest = Math.max(...[...deviceUse(runs).values()].map((use) => use.busy));
        return between(
          `${name}: ${layers} layers of a decode step over the cost model`,
          endOf(runs) / formula,
          "1",
          [0.6, 1.4],
          `busiest path ${busiest.toPrecision(3)} s; the model adds the loads, the schedule hides them`,
        );
      }),
      blocks: [
        gantt(
          { id: "figure-4", caption: "Three layers of a decode step, batch after batch." },
          tracks,
          ({ id }) => present(id.split(" ")[0]),
        ),
      ],
      timeline: tracks.flatMap(spansOf),
    };
  },
};

const schedules: Experiment = {
  id: "flexgen/appendix-a2",
  paper: "flexgen",
  title: "Zig-zag against diagonal",
  run: () => {
    const outputs = [2, 8, 32, 128, 512, 1024];
    const cost = (n: number): ReturnType<typeof scheduleCost> =>
      scheduleCost(flexGenModel("opt-175b"), 512, n, 1, bytes(200 * 2 ** 30));
    return {
      findings: outputs.map((n) =>
        compareStatement(`gain of the diagonal at ${n} tokens`, {
          statement: "theorem 4.1: 1 to 2n / (n - 1)",
          ours: cost(n).gain,
          unit: "x",
          range: [1, (2 * n) / (n - 1)],
        }),
      ),
      blocks: [
        lines(
          {
            id: "diagonal",
            caption: "Sequences that fit, diagonal over zig-zag.",
            xTitle: "tokens made",
            yTitle: "gain",
            unit: "x",
            logX: true,
          },
          outputs.flatMap((x) => [
            { x, series: "OPT-175B, prompt 512", y: cost(x).gain },
            { x, series: "limit of deep models", y: cost(x).limit },
          ]),
        ),
      ],
      timeline: [],
    };
  },
};

export const flexGenExperiments: readonly Experiment[] = [
  figure1,
  table2,
  baselines,
  table3,
  table4,
  table5,
  table6,
  figure4,
  schedules,
];
