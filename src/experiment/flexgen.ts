// SPDX-License-Identifier: Apache-2.0
// FlexGen: throughput of published blocks (table 2), latency against throughput (figure 1), the block
// schedule as it runs (figure 4), zig-zag against diagonal (appendix A.2); and the list of its
// experiments.

import { deviceUse, endOf } from "../host/timeline.ts";
import {
  allFeatures,
  compressedMachine,
  featureTerms,
  layerTimes,
  sparseRead,
} from "../policy/flexgen/ablation.ts";
import { capacityOf, memoryRows } from "../policy/flexgen/memory.ts";
import {
  flexGenModel,
  machineOf,
  placed,
  publishedRun,
  run175b,
  run30b,
  type PublishedRun,
} from "../policy/flexgen/published.ts";
import { scheduleCost } from "../policy/flexgen/schedule.ts";
import { smallOnGpu } from "../policy/facts/flexgen-ratios.ts";
import type { Table } from "../report/page.ts";
import { bytes } from "../units.ts";
import { gantt, spansOf } from "./chart-map.ts";
import { bars, lines } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { notComparable, printed, stated } from "./finding.ts";
import { table3, table4, table5 } from "./flexgen-ablation.ts";
import { runOf } from "./flexgen-run.ts";
import { blockRuns, blockSpans } from "./flexgen-timeline.ts";
import { between } from "./own-check.ts";

/** Peak memory of the tiers: what a block needs and what there is. */
function memoryTable(runs: readonly PublishedRun[]): Table {
  const gib = 2 ** 30;
  return {
    kind: "table",
    id: "peak-memory",
    caption: "Peak memory of each tier and phase in the released cost model.",
    columns: [
      { key: "run", title: "block" },
      { key: "row", title: "tier and phase" },
      { key: "used", title: "used", unit: "GiB", source: "derived", digits: 3 },
      { key: "has", title: "capacity", unit: "GiB", source: "published", digits: 3 },
    ],
    rows: runs.flatMap((run) =>
      memoryRows("runtime", flexGenModel(run.model), run.load, run.placement).map((row) => ({
        run: run.name,
        row: row.name,
        used: row.bytes / gib,
        has: capacityOf(machineOf(run), row.tier) / gib,
      })),
    ),
  };
}

const table2: Experiment = {
  id: "flexgen/table-2",
  paper: "flexgen",
  title: "Throughput on one T4",
  run: () => {
    const rows = [
      [7.32, run30b],
      ["3.50", publishedRun("opt-30b", 1024, [20, 4], placed(0.04, 0.96, "cpu"))],
      [0.69, run175b],
      [0.35, publishedRun("opt-175b", 1024, [12, 12], placed(0, 0.5, "disk"))],
    ] as const;
    const compressed = publishedRun("opt-175b", 512, [32, 4], placed(0, 1, "cpu"));
    const small = runOf(compressed, { machine: compressedMachine(machineOf(compressed)) });
    return {
      findings: [
        ...rows.map(([published, run]) =>
          printed(
            run.name,
            published,
            runOf(run).generation,
            "token/s",
            "C",
            run.model === "opt-30b" ? "the released fit of a T4" : "disk read of table 4",
          ),
        ),
        printed(
          "175B with 4-bit weights and caches",
          1.12,
          small.generation,
          "token/s",
          "S",
          "the cost model has no time for packing and unpacking",
        ),
        notComparable(
          "6.7B, prompt 512",
          25.26,
          smallOnGpu(512),
          "token/s",
          "all on the GPU with small batches: bound by kernel launches, which the cost model lacks",
        ),
      ],
      checks: [
        between(
          "cache read that 10 % of the values leave (sparse attention)",
          sparseRead(0.1),
          "1",
          [0.55, 0.55],
        ),
      ],
      blocks: [
        bars(
          {
            id: "table-2",
            caption: "Throughput, published and by the released cost model.",
            xTitle: "model, prompt and block",
            yTitle: "throughput",
            unit: "token/s",
            logY: true,
          },
          rows.flatMap(([published, run]) => [
            { x: run.name, series: "published", y: Number(published) },
            { x: run.name, series: "ours", y: runOf(run).generation },
          ]),
        ),
        memoryTable(rows.map(([, run]) => run)),
      ],
      timeline: rows.flatMap(([, run]) => blockSpans(run)),
    };
  },
};

const figure1: Experiment = {
  id: "flexgen/figure-1",
  paper: "flexgen",
  title: "Latency against throughput, OPT-175B",
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
    const latencyOf = (size: number): number => points.find((p) => p.size === size)?.latency ?? NaN;
    return {
      findings: [
        printed("latency of a block of 256", 12000, latencyOf(256), "s", "C", "table 4's disk"),
        printed(
          "latency of a block of 64",
          5000,
          latencyOf(64),
          "s",
          "S",
          "the point's placement is not printed",
        ),
        stated(
          "throughput of a block of 256 over one of 4",
          "grows",
          (points.at(-1)?.generation ?? NaN) / (points[0]?.generation ?? NaN),
          "x",
          [1, Infinity],
        ),
      ],
      blocks: [
        lines(
          {
            id: "figure-1",
            caption: "Blocks of 4 to 256 prompts of 512 tokens, 32 made of each.",
            xTitle: "latency (s)",
            yTitle: "throughput",
            unit: "token/s",
            logX: true,
            logY: true,
          },
          points.map(({ latency, generation }) => ({
            x: latency,
            series: "FlexGen, half of the weights and all caches on disk",
            y: generation,
          })),
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
          ({ id }) => id.split(" ")[0] ?? "",
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
        stated(
          `gain of the diagonal at ${n} tokens`,
          "theorem 4.1: 1 to 2n / (n - 1)",
          cost(n).gain,
          "x",
          [1, (2 * n) / (n - 1)],
        ),
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
  table3,
  table4,
  table5,
  figure4,
  schedules,
];
