// SPDX-License-Identifier: Apache-2.0
// The sensitivity of InstInfer's gains to two constants that were fitted on figure 14, and to the share
// of the sparsity that saves page reads.

import { transferTime, bytes, bytesPerSecond, ratio, scale, seconds } from "../../../base/units.ts";
import { pagesRead, type LayerTimer } from "../model/steps.ts";
import {
  calibrated,
  publishedSetting,
  runSystem,
  type InstInferSetting,
} from "../model/systems.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  assumedQuarter,
  constantsExperiment,
  quarter,
  type Constant,
} from "../../experiment/headline.ts";

type Number = (setting: InstInferSetting) => number;

const overFlexGen: Number = (setting) =>
  runSystem("InstI-Dense", setting, 64).throughput / runSystem("FlexGen", setting, 64).throughput;
const overDense: Number = (setting) =>
  runSystem("InstI-SparF", setting, 256).throughput /
  runSystem("InstI-Dense", setting, 256).throughput;

/** Times for flash that reaches a share of its nominal rate. */
function timerAt(rate: number): LayerTimer {
  return ({ sequences, tokens, heads, headDim, sparsity }) => {
    const dense = bytes(4 * sequences * tokens * heads * headDim);
    const shareRead = sparsity === null ? ratio(1) : pagesRead(sparsity);
    return transferTime(scale(dense, shareRead), bytesPerSecond(rate));
  };
}

function constantsOf(number: Number): readonly Constant[] {
  const under = (change: Partial<InstInferSetting>): number =>
    number({ ...publishedSetting, ...change });
  return [
    {
      name: "a step outside the cache",
      unit: "s",
      value: 1.72,
      range: [1.3, 2],
      source: "what the rows of figures 12, 14 and 15 imply one by one",
      run: (x) => under({ other: seconds(x) }),
    },
    {
      name: "FlexGen's path through the host",
      unit: "GB/s",
      value: publishedSetting.hostPath / 1e9,
      range: quarter(1.3328),
      source: assumedQuarter,
      run: (x) => under({ hostPath: bytesPerSecond(x * 1e9) }),
    },
    {
      name: "a device's flash",
      unit: "GB/s",
      value: 11.2,
      range: [10, 11.2],
      source: "8 channels of 1.4; the lower end is assumed: what parity and commands may take",
      run: (x) => under({ timer: timerAt(x * 1e9) }),
    },
    {
      name: "share of the sparsity that reaches pages (eta)",
      unit: "1",
      value: calibrated.eta,
      range: [0.5, 0.77],
      source: "about half (section IV-C); what the gains at batch 64 and 256 need",
      run: (x) => under({ sparsity: { ...calibrated, eta: x } }),
    },
    {
      name: "host memory for caches",
      unit: "GB",
      value: 50,
      range: [30, 90],
      source: "assumed; 96 GB less system and weights",
      run: (x) => {
        const capacities = { ...publishedSetting.capacities, host: bytes(x * 1e9) };
        return under({ capacities });
      },
    },
  ];
}

export const instInferConstants: Experiment = constantsExperiment("instinfer", () =>
  (
    [
      ["flexgen", "InstI over FlexGen at batch 64", 6.85, overFlexGen],
      ["sparse", "SparF over dense at batch 256", 2.08, overDense],
    ] as const
  ).map(([id, what, published, number]) => ({
    id: `constants-${id}`,
    what,
    unit: "x",
    published,
    ours: number(publishedSetting),
    constants: constantsOf(number),
  })),
);
