// SPDX-License-Identifier: Apache-2.0
// InstInfer's throughput on OPT-13B, prompts and outputs of 1024 tokens (figures 12 and 13), and
// the list of its experiments.

import {
  instInferSystems,
  publishedSetting,
  runSystem,
  stated,
  type InstInferSetting,
  type InstInferSystem,
} from "../policy/instinfer/systems.ts";
import { bars, type Datum } from "./chart.ts";
import { shape, within, type Experiment } from "./experiment.ts";
import { figure14, figure15, figure16 } from "./instinfer-breakdown.ts";
import { devicesExperiment } from "./instinfer-devices.ts";
import { flashExperiment } from "./instinfer-flash.ts";
import { qualityExperiment } from "./instinfer-quality.ts";
import { prefillFlash } from "./instinfer-prefill.ts";
import { decodePipeline, figure17, prefillPipeline } from "./instinfer-scaling.ts";

const batches = [4, 8, 16, 32, 64, 128, 256];
const two: InstInferSetting = { ...publishedSetting, devices: 2 };
const asStated: InstInferSetting = { ...publishedSetting, sparsity: stated };

function rate(
  system: InstInferSystem,
  batch: number,
  setting: InstInferSetting = publishedSetting,
): number {
  return runSystem(system, setting, batch).throughput;
}

function picture(id: string, caption: string, setting: InstInferSetting): ReturnType<typeof bars> {
  const half: InstInferSetting = { ...setting, sparsity: stated };
  return bars(
    {
      id,
      caption,
      xTitle: "batch",
      yTitle: "throughput",
      unit: "token/s",
      zero: "out of memory",
    },
    batches.flatMap((x): readonly Datum[] => [
      ...instInferSystems.map((series) => ({
        x: String(x),
        series: series === "InstI-SparF" ? "InstI-SparF, eta 0.7" : series,
        y: rate(series, x, setting),
      })),
      { x: String(x), series: "InstI-SparF, eta 0.5", y: rate("InstI-SparF", x, half) },
    ]),
  );
}

/** Batches of a system that end as `kind`. */
function outcomes(system: InstInferSystem, kind: string): string {
  const found = batches.filter((b) => runSystem(system, publishedSetting, b).fit.kind === kind);
  return found.join(", ");
}

const figure12: Experiment = {
  id: "instinfer/figure-12",
  paper: "instinfer",
  title: "Throughput with one device",
  run: () => ({
    findings: [
      within(
        "InstI over FlexGen at batch 64",
        6.85,
        rate("InstI-Dense", 64) / rate("FlexGen", 64),
        "x",
        "C",
        0.05,
        "calibrated on figure 14",
      ),
      within(
        "InstI at 256 over DeepSpeed at 16",
        1.046,
        rate("InstI-Dense", 256) / rate("DeepSpeed", 16),
        "x",
        "C",
        0.03,
        "the rate of host memory, a round 10 GB/s, was taken from it",
      ),
      shape(
        "drop of DeepSpeed from batch 16 to 32",
        32.6,
        rate("DeepSpeed", 16) / rate("DeepSpeed", 32),
        "x",
        [16, 65],
        "swapping to disk is slower than the path of FlexGen that we take for it",
      ),
      shape(
        `DeepSpeed swaps at batches ${outcomes("DeepSpeed", "swaps")}`,
        "from 32",
        Number(outcomes("DeepSpeed", "swaps").split(",")[0]),
        "batch",
        [32, 32],
      ),
      shape(
        `FlexGen is out of memory at batches ${outcomes("FlexGen", "out of memory")}`,
        "from 128",
        Number(outcomes("FlexGen", "out of memory").split(",")[0]),
        "batch",
        [128, 128],
        "the working set of all prompts in one layer; InstI sends a layer's cache away",
      ),
      shape(
        "SparF over dense at 256, half of the sparsity in pages",
        2.08,
        rate("InstI-SparF", 256, asStated) / rate("InstI-Dense", 256),
        "x",
        [1.1, 2.2],
        "the text's 'about half' gives 1.2; see the next line",
      ),
      shape(
        "SparF over dense at 256, eta 0.7",
        2.08,
        rate("InstI-SparF", 256) / rate("InstI-Dense", 256),
        "x",
        [1.5, 2.2],
        "0.7 is calibrated on both batches together",
      ),
      shape(
        "SparF over FlexGen at 64",
        11.1,
        rate("InstI-SparF", 64) / rate("FlexGen", 64),
        "x",
        [9, 12.5],
        "0.7 is calibrated on both batches together",
      ),
    ],
    blocks: [picture("figure-12", "Throughput, one device.", publishedSetting)],
    timeline: [],
  }),
};

const figure13: Experiment = {
  id: "instinfer/figure-13",
  paper: "instinfer",
  title: "Throughput with two devices",
  run: () => ({
    findings: [
      shape(
        "InstI at 256 over FlexGen at 32",
        10.5,
        rate("InstI-Dense", 256, two) / rate("FlexGen", 32, two),
        "x",
        [7, 16],
        "FlexGen does not gain from a second disk",
      ),
      shape(
        "InstI-SparF at 256 over FlexGen-SparQ at 32",
        3.11,
        rate("InstI-SparF", 256, two) / rate("FlexGen-SparQ", 32, two),
        "x",
        [2, 6],
        "SparQ's rows are smaller than a page of the disk; ours reads no more than the rows",
      ),
      shape(
        "FlexGen with two disks over one, batch 64",
        "negligible",
        rate("FlexGen", 64, two) / rate("FlexGen", 64),
        "x",
        [0.95, 1.1],
      ),
    ],
    blocks: [picture("figure-13", "Throughput, two devices.", two)],
    timeline: [],
  }),
};

export const instInferExperiments: readonly Experiment[] = [
  figure12,
  figure13,
  figure14,
  figure15,
  figure16,
  figure17,
  qualityExperiment,
  flashExperiment,
  devicesExperiment,
  prefillPipeline,
  prefillFlash,
  decodePipeline,
];
