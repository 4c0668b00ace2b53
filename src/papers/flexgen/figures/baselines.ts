// SPDX-License-Identifier: Apache-2.0
// FlexGen's rivals: Accelerate and DeepSpeed on one GPU (table 2), Petals (figure 5).

import { allFeatures } from "../model/ablation.ts";
import { machineOf, placed, publishedRun, type PublishedRun } from "../constants/published.ts";
import { bytesPerSecond, type BytesPerSecond } from "../../../base/units.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { smallOnGpu } from "../constants/ratios.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  notComparable,
  compareNumber,
  type Finding,
} from "../../experiment/finding.ts";
import { fits, runOf } from "./run.ts";
import { blockSpans } from "./timeline.ts";

/** Row by row, caches on the GPU, weights on the CPU or (175B) on disk: one batch, as large as fits. */
export function rowByRow(
  model: PublishedRun["model"],
  prompt: number,
  batch?: number,
): PublishedRun {
  const at = (size: number): PublishedRun =>
    publishedRun(model, prompt, [size, 1], placed(0, model === "opt-175b" ? 0 : 1, "gpu"));
  if (batch !== undefined) return at(batch);
  let largest = 1;
  while (fits(at(largest + 1))) largest += 1;
  return at(largest);
}

/** Token/s of table 2 that set the rate of pageable copies. */
const setsPageable = 0.62;

interface Cell {
  readonly system: string;
  readonly model: PublishedRun["model"];
  readonly prompt: number;
  readonly printed: string;
}

const cells: readonly Cell[] = (
  [
    ["DeepSpeed", "opt-6.7b", 512, "9.28"],
    ["DeepSpeed", "opt-6.7b", 1024, "4.59"],
    ["Accelerate", "opt-30b", 512, "0.62"],
    ["Accelerate", "opt-30b", 1024, "0.31"],
    ["DeepSpeed", "opt-30b", 512, "0.60"],
    ["DeepSpeed", "opt-30b", 1024, "0.29"],
    ["Accelerate", "opt-175b", 512, "0.01"],
    ["Accelerate", "opt-175b", 1024, "0.01"],
    ["DeepSpeed", "opt-175b", 512, "0.01"],
  ] as const
).map(([system, model, prompt, text]) => ({ system, model, prompt, printed: text }));

/**
 * Accelerate and DeepSpeed copy weights from memory that is not pinned, through a buffer of the driver. The rate of such
 * copies is set by Accelerate's 30B with prompts of 512 tokens: the time of a block is linear in its inverse.
 */
function pageableRate(): BytesPerSecond {
  const run = rowByRow("opt-30b", 512);
  const { gpuBatch, output } = run.load;
  const machine = machineOf(run);
  const at = (cpuToGpu: BytesPerSecond): number =>
    (gpuBatch * output) / runOf(run, { machine: { ...machine, cpuToGpu } }).generation;
  // Both rates are below the one at which loads end under the compute of prompts.
  const [fast, slow] = [bytesPerSecond(2e9), bytesPerSecond(1e9)];
  const perInverse = (at(slow) - at(fast)) / (1 / slow - 1 / fast);
  const rest = at(fast) - perInverse / fast;
  return bytesPerSecond(perInverse / ((gpuBatch * output) / setsPageable - rest));
}

/** The machine with copies of weights from memory that is not pinned. */
export function pageableMachine(run: PublishedRun): FlexGenMachine {
  return { ...machineOf(run), cpuToGpu: pageable };
}

function baseline({ system, model, prompt, printed: text }: Cell): Finding {
  // Section 6.1: at most two sequences of 175B.
  const limit = model === "opt-175b" ? 2 : undefined;
  const run = rowByRow(model, prompt, limit);
  const { gpuBatch } = run.load;
  const machine = pageableMachine(run);
  const what = `${system}, ${run.model.slice(4).toUpperCase()}, prompt ${prompt}`;
  const { generation } = runOf(run, { machine });
  if (Number(text) === setsPageable) {
    return fitted(
      what,
      text,
      generation,
      "token/s",
      "sets the rate of copies from memory that is not pinned (page-locked)",
    );
  }
  const finding = compareNumber(what, {
    published: text,
    ours: generation,
    unit: "token/s",
    kind: "C",
    note:
      limit === undefined
        ? `the batch is not published; our number uses the largest batch that fits the GPU, ${gpuBatch}`
        : "section 6.1 states the batch of 2",
  });
  if (finding.verdict !== "differs") return finding;
  const serial = { features: { ...allFeatures, overlap: false }, machine };
  const half = rowByRow(model, prompt, Math.max(1, Math.floor(gpuBatch / 2)));
  const eighth = rowByRow(model, prompt, Math.max(1, Math.floor(gpuBatch / 8)));
  return explained(finding, [
    { what: "weights from pinned memory, as in FlexGen", value: runOf(run).generation },
    { what: "no overlapping", value: runOf(run, serial).generation },
    {
      what: `half of the batch: ${half.load.gpuBatch}`,
      value: runOf(half, { machine }).generation,
    },
    {
      what: `an eighth of the batch: ${eighth.load.gpuBatch}`,
      value: runOf(eighth, { machine }).generation,
    },
  ]);
}

const pageable = pageableRate();

const launches =
  "everything is on the GPU: kernel launches are the limit, and the cost model does not have them";

export const baselines: Experiment = {
  id: "flexgen/table-2-others",
  paper: "flexgen",
  title: "Accelerate, DeepSpeed and Petals on one T4",
  run: () => ({
    findings: [
      notComparable("Accelerate, 6.7B, prompt 512", 25.12, smallOnGpu(512), "token/s", launches),
      notComparable("Accelerate, 6.7B, prompt 1024", 13.01, smallOnGpu(1024), "token/s", launches),
      ...cells.map(baseline),
      notComparable(
        "DeepSpeed, 175B, prompt 1024",
        "OOM",
        runOf(rowByRow("opt-175b", 1024, 1)).generation,
        "token/s",
        "one sequence fits in the memory model of the released code; the overhead of DeepSpeed is not published",
      ),
      notComparable(
        "Petals on 12 T4 against FlexGen on one (figure 5), OPT-30B: throughput",
        "lower",
        petalsBound(),
        "token/s",
        "the batch of the clients and the points are not published; our number is the throughput of the slowest network, which is not the limit",
      ),
    ],
    blocks: [],
    timeline: blockSpans(rowByRow("opt-30b", 512)),
  }),
};

/** Prompts of 512 and 31 tokens of OPT-30B over 0.1 Gbps a hop: tokens per second of a full pipeline. */
function petalsBound(): number {
  const bytesOfToken = 2 * 7168;
  const rate = 0.1e9 / 8;
  return 32 / (((512 + 31) * bytesOfToken) / rate);
}
