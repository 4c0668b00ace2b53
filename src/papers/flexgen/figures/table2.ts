// SPDX-License-Identifier: Apache-2.0
// FlexGen: throughput of published blocks on one T4, with and without 4-bit values (table 2).

import { allFeatures, compressedMachine, sparseRead } from "../model/ablation.ts";
import { capacityOf, memoryRows } from "../model/memory.ts";
import {
  flexGenModel,
  machineOf,
  placed,
  publishedRun,
  released30b,
  run175b,
  run30b,
  type PublishedRun,
} from "../constants/published.ts";
import { smallOnGpu } from "../constants/ratios.ts";
import type { Table } from "../../../report/page.ts";
import { bars } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { explained, notComparable, compareNumber, type Finding } from "../../experiment/finding.ts";
import { pageableMachine } from "./baselines.ts";
import { lackNote, runOf } from "./run.ts";
import { blockSpans } from "./timeline.ts";
import { between } from "../../experiment/internal-check.ts";

/** Rows of the released cost model. */
const phaseNames: Readonly<Record<string, string>> = {
  gpu_p: "GPU, prefill",
  gpu_g: "GPU, decode",
  cpu_p: "CPU, prefill",
  cpu_g: "CPU, decode",
};

/** Peak memory of the tiers: required by a block, and available. */
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
        row: phaseNames[row.name] ?? row.name,
        used: row.bytes / gib,
        has: capacityOf(machineOf(run), row.tier) / gib,
      })),
    ),
  };
}

/** Rows with 4-bit weights and caches: printed, and the block. 175B's 144 sequences are printed. */
const compressedRuns: readonly (readonly [published: string, run: PublishedRun, block: string])[] =
  [
    [
      "8.38",
      run30b,
      "block of the run without compression, because the block of this run is not published",
    ],
    [
      "3.98",
      publishedRun("opt-30b", 1024, [20, 4], placed(0.04, 0.96, "cpu")),
      "block of the run without compression, because the block of this run is not published",
    ],
    [
      "1.12",
      publishedRun("opt-175b", 512, [48, 3], placed(0, 1, "cpu")),
      "144 sequences, all weights on the CPU (section 1); their split is not published",
    ],
    [
      "0.42",
      publishedRun("opt-175b", 1024, [12, 12], placed(0, 1, "cpu")),
      "the sequences without compression, weights on the CPU; the block of this run is not published",
    ],
  ];

function compressedFinding([published, run, block]: (typeof compressedRuns)[number]): Finding {
  const machine = compressedMachine(machineOf(run));
  const of = (features: Partial<typeof allFeatures>): number =>
    runOf(run, { machine, features: { ...allFeatures, ...features } }).generation;
  const finding = compareNumber(`${run.name}, with 4 bits`, {
    published,
    ours: of({}),
    unit: "token/s",
    kind: "S",
    note: `${block}; no time for packing and unpacking${lackNote(run, machine)}`,
  });
  if (finding.verdict !== "differs") return finding;
  return explained(finding, [
    {
      what: "attention on the GPU, which unpacks the 4-bit caches",
      value: of({ cpuAttention: false }),
    },
    {
      what: "no overlapping: unpacking needs the time of the loads",
      value: of({ overlap: false }),
    },
    {
      what: "4-bit values in memory that is not pinned, at the rate of Accelerate's weights",
      value: runOf(run, { machine: compressedMachine(pageableMachine(run)) }).generation,
    },
    {
      what: "4-bit values in memory that is not pinned, and attention on the GPU",
      value: runOf(run, {
        machine: compressedMachine(pageableMachine(run)),
        features: { ...allFeatures, cpuAttention: false },
      }).generation,
    },
    {
      what: "4-bit values need the transfer time of 16-bit values (the CPU unpacks them)",
      value: runOf(run).generation,
    },
  ]);
}

export const table2: Experiment = {
  id: "flexgen/table-2",
  paper: "flexgen",
  title: "Throughput on one T4",
  run: () => {
    const printedBlock = "block and placement of table 5";
    const releasedBlock = "block and placement of the released code; the paper states none";
    const fit = "released constants of a T4";
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
      "everything is on the GPU with small batches: kernel launches are the limit, and the cost model does not have them";
    const throughputs = rows.map(([published, run, note]) => {
      const { generation } = runOf(run);
      const description = `${note}${lackNote(run)}`;
      const finding = compareNumber(run.name, {
        published,
        ours: generation,
        unit: "token/s",
        kind: "C",
        note: description,
      });
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
