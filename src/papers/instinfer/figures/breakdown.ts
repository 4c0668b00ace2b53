// SPDX-License-Identifier: Apache-2.0
// InstInfer: a decode step by its parts, dense and sparse (figures 14 and 15).

import { present } from "../../../base/present.ts";
import type { StepTime } from "../model/steps.ts";
import {
  publishedSetting,
  runSystem,
  type InstInferSetting,
  type InstInferSystem,
} from "../model/systems.ts";
import { stacks, type StackedDatum } from "../../experiment/chart.ts";
import type { Experiment, Outcome } from "../../experiment/experiment.ts";
import { explained, fitted, compareNumber, type Finding } from "../../experiment/finding.ts";
import { stepSpans } from "./timeline.ts";
import { shareExplanations } from "./explanations.ts";

const batches = [4, 64, 256];

function step(setting: InstInferSetting, [, system, devices]: Bar, batch: number): StepTime | null {
  return runSystem(system, { ...setting, devices }, batch).step;
}

/** Name of a bar, system and devices. */
type Bar = readonly [name: string, system: InstInferSystem, devices: number];
const dense: readonly Bar[] = [
  ["FlexGen", "FlexGen", 1],
  ["InstI", "InstI-Dense", 1],
  ["InstI-2", "InstI-Dense", 2],
];
const sparse: readonly Bar[] = [
  ["FlexGen-SparQ", "FlexGen-SparQ", 1],
  ["InstI-SparF", "InstI-SparF", 1],
  ["InstI-SparF-2", "InstI-SparF", 2],
];

/** Parts of each step, over the longest step of its batch. */
function parts(setting: InstInferSetting, list: readonly Bar[]): readonly StackedDatum[] {
  return batches.flatMap((batch) => {
    const steps = list.map((bar) => ({ bar: bar[0], time: step(setting, bar, batch) }));
    const longest = Math.max(...steps.map((s) => s.time?.total ?? 0));
    return steps.flatMap(({ bar, time }): readonly StackedDatum[] => [
      { x: `batch ${batch}`, bar, series: "cache", y: (time?.cache ?? 0) / longest },
      { x: `batch ${batch}`, bar, series: "other", y: (time?.other ?? 0) / longest },
    ]);
  });
}

function shares(setting: InstInferSetting, list: readonly Bar[]): readonly number[] {
  return list.map((bar) => {
    const time = step(setting, bar, 64);
    return time === null ? NaN : time.cache / time.total;
  });
}

function cacheTime(setting: InstInferSetting, bar: Bar | undefined): number {
  return bar === undefined ? NaN : present(step(setting, bar, 64)?.cache);
}

export const figure14: Experiment = {
  id: "instinfer/figure-14",
  paper: "instinfer",
  title: "Latency by parts, dense",
  run: () => outcome14(publishedSetting),
};

/** Figure 14 of a setting. */
export function outcome14(setting: InstInferSetting): Outcome {
  const [flexGen = NaN, one = NaN, two = NaN] = shares(setting, dense);
  const cut = (devices: number): number =>
    1 - cacheTime(setting, dense[devices]) / cacheTime(setting, dense[0]);
  return {
    findings: [
      fitted(
        "cache share of InstI",
        "80.7",
        100 * one,
        "%",
        "this number sets the time outside of the cache; the model then predicts the reduction with two devices and FlexGen's share",
      ),
      fitted(
        "cut of the cache time, one device",
        "88.1",
        100 * cut(1),
        "%",
        "this number sets the rate of FlexGen's path to the disk; the model then predicts the reduction with two devices",
      ),
      compareNumber("cut of the cache time, two devices", {
        published: "94.0",
        ours: 100 * cut(2),
        unit: "%",
        kind: "C",
        note: "predicted",
      }),
      compareNumber("cache share of FlexGen", {
        published: "98.9",
        ours: 100 * flexGen,
        unit: "%",
        kind: "C",
        note: "predicted",
      }),
      explained(
        compareNumber("cache share of InstI-2", {
          published: "76.4",
          ours: 100 * two,
          unit: "%",
          kind: "S",
          note: "no model that adds the times of the parts fits both rows of batch 64",
        }),
        shareExplanations({ ...setting, devices: 2 }, "InstI-Dense"),
      ),
    ],
    blocks: [
      stacks(
        {
          id: "figure-14",
          caption: "Dense decode steps by parts, over FlexGen's.",
          xTitle: "batch",
          yTitle: "time over FlexGen's",
          unit: "1",
        },
        parts(setting, dense),
      ),
    ],
    timeline: stepSpans(setting, 64, ["dense"]),
  };
}

export const figure15: Experiment = {
  id: "instinfer/figure-15",
  paper: "instinfer",
  title: "Latency by parts, sparse (1/8)",
  run: () => outcome15(publishedSetting),
};

/** Figure 15 of a setting. */
export function outcome15(setting: InstInferSetting): Outcome {
  const published = ["92.4", "82.3", "74.0"];
  const ours = shares(setting, sparse);
  return {
    findings: sparse.map(([name, system, devices], i): Finding =>
      explained(
        compareNumber(`cache share of ${name}, batch 64`, {
          published: present(published[i]),
          ours: 100 * present(ours[i]),
          unit: "%",
          kind: "S",
          note: "no model that adds the times of the parts fits both figures at batch 64: 1.72 s is the time of the dense steps",
        }),
        shareExplanations({ ...setting, devices }, system),
      ),
    ),
    blocks: [
      stacks(
        {
          id: "figure-15",
          caption: "Sparse decode steps by parts, over FlexGen-SparQ's.",
          xTitle: "batch",
          yTitle: "time over FlexGen-SparQ's",
          unit: "1",
        },
        parts(setting, sparse),
      ),
    ],
    timeline: stepSpans(setting, 64, ["SparF"]),
  };
}
