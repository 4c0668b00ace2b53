// SPDX-License-Identifier: Apache-2.0
// The runs that FlexGen publishes: models, blocks and placements on the T4 instance.

import { fittedT4, releasedDiskRead, table4DiskRead } from "../../experiment/machines.ts";
import { modelShape } from "../../../workload/shapes.ts";
import type { FlexGenLoad, FlexGenModel, Placement } from "../model/cost.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { bytesPerSecond, type BytesPerSecond } from "../../../base/units.ts";

/** An OPT model in the form of the cost model. */
export function flexGenModel(name: string): FlexGenModel {
  const { layers, hidden } = modelShape(name, "the published runs");
  return { layers, hidden, intermediate: 4 * hidden, heads: hidden / 128 };
}

export type CacheHome = "gpu" | "cpu" | "disk";

/** Weights on the GPU and CPU, the rest on disk; the cache in one place; hidden state on the CPU. */
export function placed(wg: number, wc: number, cache: CacheHome): Placement {
  const at = (home: CacheHome): number => (cache === home ? 1 : 0);
  return {
    wg,
    wc,
    wn: 1 - wg - wc,
    cg: at("gpu"),
    cc: at("cpu"),
    cn: at("disk"),
    hg: 0,
    hc: 1,
    hn: 0,
  };
}

/** One published run. */
export interface PublishedRun {
  readonly name: string;
  readonly model: "opt-6.7b" | "opt-30b" | "opt-175b";
  readonly load: FlexGenLoad;
  readonly placement: Placement;
}

/**
 * Rate at which the CPU copies caches, whose rows are strided. Table 5 determines it: 4.03 token/s
 * of 30B without CPU compute, where every step copies all caches for the GPU.
 */
export const cacheCopyRate: BytesPerSecond = bytesPerSecond(4e9);

/** The fitted instance as released; for data on disk, the read rate is that behind table 4. */
export function releasedMachineOf({ placement }: Pick<PublishedRun, "placement">): FlexGenMachine {
  return fittedT4(placement.cn + placement.wn > 0 ? table4DiskRead : releasedDiskRead);
}

/**
 * The same with a separate rate of cache copies. New caches for the disk cross PCIe, and then the
 * CPU copies them into the page cache: no prompt waits for the disk.
 */
export function machineOf(run: Pick<PublishedRun, "placement">): FlexGenMachine {
  const fit = { ...releasedMachineOf(run), cacheCopy: cacheCopyRate };
  if (run.placement.cn === 0) return fit;
  return { ...fit, gpuToCpuCache: fit.cpuToGpu, cpuToDiskCachePrefill: cacheCopyRate };
}

/** A run with 32 tokens made of each prompt. */
export function publishedRun(
  model: PublishedRun["model"],
  prompt: number,
  [gpuBatch, batches]: readonly [number, number],
  placement: Placement,
): PublishedRun {
  const load = { prompt, output: 32, gpuBatch, batches };
  const size = model.slice("opt-".length).toUpperCase();
  return { name: `${size}, prompt ${prompt}, ${gpuBatch} x ${batches}`, model, load, placement };
}

/** Blocks and placements that table 5 prints; the release runs 30B in blocks of 48 x 3. */
export const run30b: PublishedRun = publishedRun("opt-30b", 512, [64, 2], placed(0.2, 0.8, "cpu"));
export const released30b: PublishedRun = publishedRun(
  "opt-30b",
  512,
  [48, 3],
  placed(0.2, 0.8, "cpu"),
);
export const run175b: PublishedRun = publishedRun("opt-175b", 512, [32, 8], placed(0, 0.5, "disk"));

/** FLOP/s of attention on the CPU in the released fit. */
export const releasedCpu: number = fittedT4(releasedDiskRead).cpu;
