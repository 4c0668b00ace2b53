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
  released30b,
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
import { explained, notComparable, printed, stated, type Finding } from "./finding.ts";
import { table4, table5 } from "./flexgen-ablation.ts";
import { baselines, rowByRow, table6 } from "./flexgen-baselines.ts";
import { table3 } from "./flexgen-pipeline.ts";
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

/** Rows with 4-bit weights and caches: printed, and the block. 175B's 144 sequences are printed. */
const compressedRuns: readonly (readonly [published: string, run: PublishedRun, block: string])[] =
  [
    ["8.38", run30b, "the block without compression: its own is not printed"],
    [
      "3.98",
      publishedRun("opt-30b", 1024, [20, 4], placed(0.04, 0.96, "cpu")),
      "the block without compression: its own is not printed",
    ],
    [
      "1.12",
      publishedRun("opt-175b", 512, [48, 3], placed(0, 1, "cpu")),
      "144 sequences, all weights on the CPU (section 1); how they are split is not printed",
    ],
    [
      "0.42",
      publishedRun("opt-175b", 1024, [12, 12], placed(0, 1, "cpu")),
      "the sequences without compression, weights on the CPU: its own block is not printed",
    ],
  ];

function compressedFinding([published, run, block]: (typeof compressedRuns)[number]): Finding {
  const machine = compressedMachine(machineOf(run));
  const of = (features: Partial<typeof allFeatures>): number =>
    runOf(run, { machine, features: { ...allFeatures, ...features } }).generation;
  const finding = printed(
    `${run.name}, with 4 bits`,
    published,
    of({}),
    "token/s",
    "S",
    `${block}; no time for packing and unpacking`,
  );
  if (finding.verdict !== "differs") return finding;
  return explained(finding, [
    {
      what: "attention on the GPU, where 4-bit caches are unpacked",
      value: of({ cpuAttention: false }),
    },
    {
      what: "no overlapping, as if unpacking took the time of the loads",
      value: of({ overlap: false }),
    },
    {
      what: "4-bit values that cross no faster than 16-bit ones (unpacked by the CPU)",
      value: runOf(run).generation,
    },
  ]);
}

const table2: Experiment = {
  id: "flexgen/table-2",
  paper: "flexgen",
  title: "Throughput on one T4",
  run: () => {
    const printedBlock = "block and placement of table 5";
    const releasedBlock = "block and placement of the release: the paper prints none";
    const fit = "the released fit of a T4";
    const rows = [
      ["7.32", run30b, `${fit}; ${printedBlock}`],
      [
        "3.50",
        publishedRun("opt-30b", 1024, [20, 4], placed(0.04, 0.96, "cpu")),
        `${fit}; ${releasedBlock}`,
      ],
      ["0.69", run175b, `disk read of table 4; ${printedBlock}`],
      [
        "0.35",
        publishedRun("opt-175b", 1024, [12, 12], placed(0, 0.5, "disk")),
        `disk read of table 4; ${releasedBlock}`,
      ],
    ] as const;
    const launches =
      "all on the GPU with small batches: bound by kernel launches, which the cost model lacks";
    const throughputs = rows.map(([published, run, note]) => {
      const finding = printed(run.name, published, runOf(run).generation, "token/s", "C", note);
      const others = [
        { what: "the release's block of 48 x 3", value: runOf(released30b).generation },
        {
          what: "no overlapping",
          value: runOf(run, { features: { ...allFeatures, overlap: false } }).generation,
        },
      ];
      return finding.verdict === "differs" || run === run30b
        ? explained(finding, run === run30b ? others.slice(0, 1) : others)
        : finding;
    });
    return {
      findings: [
        ...throughputs,
        ...compressedRuns.map(compressedFinding),
        notComparable("6.7B, prompt 512", 25.26, smallOnGpu(512), "token/s", launches),
        notComparable("6.7B, prompt 1024", 13.72, smallOnGpu(1024), "token/s", launches),
        notComparable("6.7B with 4 bits, prompt 512", 29.12, smallOnGpu(512), "token/s", launches),
        notComparable(
          "6.7B with 4 bits, prompt 1024",
          13.18,
          smallOnGpu(1024),
          "token/s",
          launches,
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
    const latencyOf = (size: number): number => points.find((p) => p.size === size)?.latency ?? NaN;
    return {
      findings: [
        printed("latency of a block of 256", 12000, latencyOf(256), "s", "C", "table 4's disk"),
        printed(
          "throughput of a block of 64 over the baselines' one sequence",
          "above 40",
          (points.find((p) => p.size === 64)?.generation ?? NaN) / one,
          "x",
          "C",
          "one sequence with all weights on disk, row by row",
        ),
        notComparable(
          "throughput at the baselines' latency over theirs",
          65,
          (points.find((p) => p.latency >= 5000)?.generation ?? NaN) / one,
          "x",
          "the latency is not printed; ours is at 5000 s",
        ),
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
  baselines,
  table3,
  table4,
  table5,
  table6,
  figure4,
  schedules,
];
