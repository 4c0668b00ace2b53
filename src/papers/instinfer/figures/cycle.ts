// SPDX-License-Identifier: Apache-2.0
// InstInfer with the engine simulated on all heads of a layer: the layer itself beside the closed form,
// and figures 12 to 17 with its times. The two constants from figure 14's shares are fitted on the same
// shares here; no other constant is fitted.

import { flashTime, type Sparsity } from "../model/steps.ts";
import { calibrated, publishedSetting } from "../model/systems.ts";
import type { InstInferSetting } from "../model/systems.ts";
import type { Table } from "../../../report/page.ts";
import type { Outcome, SimulatedExperiment } from "../../experiment/experiment.ts";
import { notComparable } from "../../experiment/finding.ts";
import { outcome14, outcome15 } from "./breakdown.ts";
import { engineSpans, flashTitles, nameOf, type LabFlash } from "./engine-spans.ts";
import { countedFigure16 } from "./figure-16.ts";
import type { EngineLab, EngineLayer, EngineRun } from "./lab.ts";
import { outcome17, outcomeOfDecode } from "./scaling.ts";
import { outcome12, outcome13 } from "./experiments.ts";
import { between, every, type InternalCheck } from "../../experiment/internal-check.ts";

/** The closed form of the same layer: all channels at their rate. */
function closedForm(lab: EngineLab, { ratio, devices }: EngineRun): number {
  const sparsity: Sparsity | null =
    ratio === null ? null : { ...calibrated, dims: ratio, tokens: ratio / 2 };
  const heads = Math.ceil(lab.heads / devices);
  return flashTime({ sequences: 1, tokens: lab.length, heads, headDim: 128, sparsity });
}

/** A run on the given engine; dense and sparse, both kinds of flash, two devices. */
export function layerOnEngine(lab: EngineLab, list: readonly EngineLayer[]): SimulatedExperiment {
  return {
    id: "instinfer/layer",
    paper: "instinfer",
    title: "Attention of all 40 heads of an OPT-13B layer on the simulated device",
    run: async () => {
      const runs = await Promise.all(list.map(lab.run));
      const time = (ratio: number | null, flash: LabFlash, devices = 1): number =>
        runs.find((r) => r.ratio === ratio && r.flash === flash && r.devices === devices)?.time ??
        NaN;
      const gains = (Object.keys(flashTitles) as LabFlash[])
        .filter((flash) => runs.some((r) => r.flash === flash))
        .map((flash) =>
          notComparable(
            `SparF at 1/8 over dense, ${flashTitles[flash]}`,
            "2.08",
            time(null, flash) / time(1 / 8, flash),
            "x",
            "16 heads in flight at the mean length; the paper's is of whole steps at batch 256",
          ),
        );
      return {
        findings: gains,
        checks: [
          ...runs.map((one) =>
            every(
              `${nameOf(one)}: values as in the golden model`,
              one.values - one.different,
              one.values,
              "values",
            ),
          ),
          ...runs
            .filter(({ ratio, flash }) => ratio === null && flash === "znand4k")
            .map((one) =>
              between(
                `${nameOf(one)}: time over all channels at their rate`,
                one.time / closedForm(lab, one),
                "x",
                [1, 1.25],
                "commands, the first sensing and the last page are not in the closed form",
              ),
            ),
          ...twoDevices(runs),
        ],
        blocks: [table(lab, runs)],
        timeline: runs.flatMap(engineSpans),
      };
    },
  };
}

function twoDevices(runs: readonly EngineRun[]): readonly InternalCheck[] {
  const two = runs.find(({ devices }) => devices === 2);
  const one = runs.find((r) => r.devices === 1 && r.ratio === two?.ratio && r.flash === two.flash);
  if (one === undefined || two === undefined) return [];
  return [
    between(
      "two devices over one, 20 heads each",
      one.time / two.time,
      "x",
      [1.7, 2.05],
      "a device with fewer heads fills and drains for a larger share of its time",
    ),
  ];
}

function table(lab: EngineLab, runs: readonly EngineRun[]): Table {
  return {
    kind: "table",
    id: "engine-layers",
    caption: `${lab.heads} heads of ${lab.length} tokens, 16 in flight per device; busy shares are of the first device. On TLC the dies are the bound, not the channels.`,
    columns: [
      { key: "what", title: "layer" },
      { key: "time", title: "simulated", unit: "us", source: "measured", digits: 4 },
      { key: "closed", title: "closed form, eta 0.7", unit: "us", source: "derived", digits: 4 },
      { key: "pages", title: "pages read", source: "measured" },
      { key: "busy", title: "channels busy", unit: "%", source: "measured", digits: 3 },
      { key: "kept", title: "beats kept by the filter", unit: "%", source: "measured", digits: 3 },
      { key: "different", title: "values unlike golden", source: "measured" },
    ],
    rows: runs.map((one) => {
      const { device } = one;
      const all = (f: (c: (typeof device.channels)[number]) => number): number =>
        device.channels.reduce((t, c) => t + f(c), 0);
      return {
        what: nameOf(one),
        time: 1e6 * one.time,
        closed: 1e6 * closedForm(lab, one),
        pages: device.pagesRead,
        busy: (100 * all((c) => c.command + c.data)) / (device.channels.length * device.time),
        kept: (100 * all((c) => c.beatsKept)) / all((c) => c.beats),
        different: one.different,
      };
    }),
  };
}

/** The runs of the lab's engine for the layer experiment. */
export const cycleLayers: readonly EngineLayer[] = [
  ...(["znand4k", "tlc4k"] as const).flatMap((flash) =>
    [null, 1 / 8].map((ratio) => ({ ratio, flash, devices: 1 })),
  ),
  { ratio: 1 / 8, flash: "znand4k", devices: 2 },
];

/** Figures that differ only in the time of a device for a layer. */
const figures: readonly (readonly [string, string, (setting: InstInferSetting) => Outcome])[] = [
  ["figure-12", "Throughput with one device", outcome12],
  ["figure-13", "Throughput with two devices", outcome13],
  ["figure-14", "Latency by parts, dense", outcome14],
  ["figure-15", "Latency by parts, sparse (1/8)", outcome15],
  ["figure-17", "Number of devices and sparsity", outcome17],
  ["decode", "Decode: mini-batches between GPU and devices (section IV-D)", outcomeOfDecode],
];

export function cycleFigures(lab: EngineLab): readonly SimulatedExperiment[] {
  const timed = figures.map(([name, title, outcome]): SimulatedExperiment => ({
    id: `instinfer/${name}`,
    paper: "instinfer",
    title: `${title}, the layer simulated`,
    run: async () => withConstants(outcome, await lab.setting()),
  }));
  return [...timed, countedFigure16(lab)];
}

/**
 * The outcome, and the constants that follow from its shares, compared with those of the closed
 * form.
 */
function withConstants(
  outcome: (setting: InstInferSetting) => Outcome,
  setting: InstInferSetting,
): Outcome {
  const { blocks, ...rest } = outcome(setting);
  const digits = (x: number): string => String(Number(x.toPrecision(3)));
  const text =
    `From figure 14's shares with simulated layers: ${digits(setting.other)} s outside the cache ` +
    `(${digits(publishedSetting.other)} s in closed form), ${digits(setting.hostPath / 1e9)} GB/s ` +
    `through the host (${digits(publishedSetting.hostPath / 1e9)} GB/s).`;
  return { ...rest, blocks: [{ kind: "prose", text }, ...blocks] };
}
