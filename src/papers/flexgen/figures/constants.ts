// SPDX-License-Identifier: Apache-2.0
// The sensitivity of FlexGen's throughput for 175B and 30B to the rates of the released fit and of
// the disk.

import type { FlexGenMachine } from "../../experiment/machines.ts";
import { machineOf, run175b, run30b, type PublishedRun } from "../constants/published.ts";
import { scale } from "../../../base/units.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { runOf } from "./run.ts";
import {
  assumedQuarter,
  constantsExperiment,
  quarter,
  type Constant,
  type Headline,
} from "../../experiment/headline.ts";

/** Rates of the machine, by name. */
type RateName = Exclude<
  keyof FlexGenMachine,
  "gpuMemory" | "cpuMemory" | "diskMemory" | "cacheCopy" | "cpuFit" | "weightReadShare"
>;

interface Rate {
  readonly name: string;
  readonly of: RateName;
  readonly unit: "GB/s" | "TFLOPS";
  /** 25 % up or down by default. */
  readonly range?: readonly [number, number];
  readonly source?: string;
}

const rates: readonly Rate[] = [
  {
    name: "disk, reads",
    of: "diskToCpu",
    unit: "GB/s",
    range: [2, 3.5],
    source: "section 6 has about 2 GB/s; the upper end is assumed: a quarter above table 4's 2.8",
  },
  {
    name: "CPU to GPU",
    of: "cpuToGpu",
    unit: "GB/s",
    range: [10.4, 16],
    source: "16 is nominal; the lower end is assumed: a quarter below the release's fit",
  },
  { name: "GPU to CPU, caches", of: "gpuToCpuCache", unit: "GB/s" },
  { name: "GPU to CPU, hidden states", of: "gpuToCpuHidden", unit: "GB/s" },
  { name: "caches to disk, prefill", of: "cpuToDiskCachePrefill", unit: "GB/s" },
  { name: "hidden states to disk, prefill", of: "cpuToDiskHiddenPrefill", unit: "GB/s" },
  { name: "stores to disk, decode", of: "cpuToDiskDecode", unit: "GB/s" },
  { name: "T4, products of prefill", of: "matmulPrefill", unit: "TFLOPS" },
  { name: "T4, products of decode", of: "matmulDecode", unit: "TFLOPS" },
  { name: "T4, attention of prefill", of: "batchedPrefill", unit: "TFLOPS" },
  { name: "T4, attention of decode", of: "batchedDecode", unit: "TFLOPS" },
  { name: "CPU, attention", of: "cpu", unit: "TFLOPS" },
];

function weightShare(under: (change: Partial<FlexGenMachine>) => number): Constant {
  return {
    name: "share of the disk's rate for weights",
    unit: "1",
    value: 0.95,
    range: [0.9, 1],
    source: "the release's code; the ends are assumed",
    run: (x) => under({ weightReadShare: x }),
  };
}

/** Rates of a disk only if it stores data. */
function constantsOf(run: PublishedRun): readonly Constant[] {
  const machine = machineOf(run);
  const under = (change: Partial<FlexGenMachine>): number =>
    runOf(run, { machine: { ...machine, ...change } }).generation;
  const units = { "GB/s": 1e9, TFLOPS: 1e12 };
  const onDisk = run.placement.cn + run.placement.wn > 0;
  const used = rates.filter(({ of }) => onDisk || !/disk/i.test(of));
  return [
    ...used.map(({ name, of, unit, range, source }): Constant => {
      const value = machine[of] / units[unit];
      return {
        name,
        unit,
        value,
        range: range ?? quarter(value),
        source: source ?? assumedQuarter,
        run: (x) => under({ [of]: scale(machine[of], x / value) }),
      };
    }),
    ...(onDisk ? [weightShare(under)] : []),
  ];
}

function headlines(): readonly Headline[] {
  return (
    [
      ["175B, prompt 512", 0.69, run175b],
      ["30B, prompt 512", 7.32, run30b],
    ] as const
  ).map(([what, published, run]) => ({
    id: `constants-${run.model}`,
    what: `throughput of ${what}`,
    unit: "token/s",
    published,
    ours: runOf(run).generation,
    constants: constantsOf(run),
  }));
}

export const flexGenConstants: Experiment = constantsExperiment("flexgen", headlines);
