// SPDX-License-Identifier: Apache-2.0
// FlexGen: ratios that follow from printed operands, and results of the cost model where the paper
// and its release contradict each other.

import { fittedT4, releasedDiskRead } from "../../experiment/machines.ts";
import { evaluate } from "../model/evaluate.ts";
import { flexGenModel, placed, run175b } from "./published.ts";
import { scheduleCost } from "../model/schedule.ts";
import { bytes } from "../../../base/units.ts";
import { fact, type Fact } from "../../experiment/fact.ts";
import { gib } from "../../experiment/sizes.ts";

type Row = readonly [
  name: string,
  where: string,
  what: string,
  printed: readonly [number | null, string, number],
  value: () => number,
];

/** OPT-175B's run of table 2 with the disk at another rate. */
function atDisk(rate: number): number {
  const { load, placement } = run175b;
  const model = flexGenModel("opt-175b");
  return evaluate({ variant: "runtime", machine: fittedT4(rate), model, load, placement })
    .throughput;
}

/** OPT-6.7B all on the GPU in one batch of two: the model lacks the launches that bind it. */
export function smallOnGpu(prompt: number): number {
  const load = { prompt, output: 32, gpuBatch: 2, batches: 1 };
  const placement = { ...placed(1, 0, "gpu"), hg: 1, hc: 0 };
  const machine = fittedT4(releasedDiskRead);
  return evaluate({ variant: "runtime", machine, model: flexGenModel("opt-6.7b"), load, placement })
    .throughput;
}

const scaling = [
  ["6.7B generation", 201.12, 25.26],
  ["30B generation", 23.61, 7.32],
  ["175B generation", 2.33, 0.69],
  ["6.7B decode", 764.65, 38.28],
  ["30B decode", 48.94, 11.52],
] as const;

const compressed = [
  ["30B prompt 512", 8.38, 7.32],
  ["6.7B prompt 512", 29.12, 25.26],
  ["30B prompt 1024", 3.98, 3.5],
  ["175B prompt 1024", 0.42, 0.35],
] as const;

const rows: readonly Row[] = [
  [
    "petals",
    "table 2",
    "effective throughput of Petals a GPU: 0.68 / 14",
    [0.05, "token/s", 0.03],
    () => 0.68 / 14,
  ],
  ["t4-tokens", "section 6.3", "tokens of the T4 in an hour", [2484, "1", 1e-9], () => 3600 * 0.69],
  [
    "t4-cost",
    "section 6.3",
    "electricity of the T4 for an hour: 250 W at 0.2 $/kWh",
    [0.05, "$", 1e-9],
    () => 0.25 * 0.2,
  ],
  [
    "cpu-attention",
    "section 4.2",
    "I/O saved by attention on the CPU at s=512",
    [512, "1", 1e-9],
    () => (512 * 4) / 4,
  ],
  [
    "quantised",
    "section 5",
    "16-bit over 4-bit storage in groups of 64",
    [null, "1", 0],
    () => (64 * 2) / (64 / 2 + 4),
  ],
  [
    "disk-2",
    "section 6",
    "175B prompt 512 with the disk read of the text, 2 GB/s",
    [null, "token/s", 0],
    () => atDisk(2e9),
  ],
  [
    "disk-release",
    "release",
    "175B prompt 512 with the released fit of the disk, 0.473 GiB/s",
    [null, "token/s", 0],
    () => atDisk(releasedDiskRead),
  ],
  [
    "small-512",
    "table 2",
    "6.7B prompt 512 by the cost model, launches not counted",
    [null, "token/s", 0],
    () => smallOnGpu(512),
  ],
  [
    "small-1024",
    "table 2",
    "6.7B prompt 1024 by the cost model, launches not counted",
    [null, "token/s", 0],
    () => smallOnGpu(1024),
  ],
  [
    "diagonal-exact",
    "appendix A.2",
    "diagonal over zig-zag batch, OPT-175B, s=512, n=32",
    [null, "1", 0],
    () => scheduleCost(flexGenModel("opt-175b"), 512, 32, 1, bytes(200 * gib)).gain,
  ],
  ...scaling.map(([what, four, one]): Row => [
    `scaling-${what.replaceAll(/[ .]/g, "-").toLowerCase()}`,
    "table 3",
    `${what} throughput of 4 GPUs over 1`,
    [null, "1", 0],
    () => four / one,
  ]),
  ...compressed.map(([what, with4, plain]): Row => [
    `compression-${what.replaceAll(/[ .]/g, "-").toLowerCase()}`,
    "table 2",
    `compression gain, ${what}`,
    [null, "1", 0],
    () => with4 / plain,
  ]),
];

export const flexGenRatios: readonly Fact[] = rows.map(
  ([name, where, what, [published, unit, tolerance], value]) =>
    fact("flexgen", name, { where, what, published, unit, tolerance, value }),
);
