// SPDX-License-Identifier: Apache-2.0
// Effective rates of the papers' machines. A rate says where it comes from; peaks and rates of single
// devices are in devices.ts.

import type { FlexGenMachine } from "../policy/flexgen/cost.ts";
import type { LiaMachine } from "../policy/lia/cost.ts";
import { bytes, bytesPerSecond, flopsPerSecond } from "../units.ts";
import { cpus, effective, gpus, links, memories } from "./devices.ts";
import type { CpuName, GpuName, LinkName } from "./devices.ts";

/** A CPU and a GPU of LIA. */
function liaMachine(cpu: CpuName, gpu: GpuName, link: LinkName): LiaMachine {
  return {
    pcie: bytesPerSecond(effective(links[link].rate)),
    cpuBandwidth: bytesPerSecond(effective(cpus[cpu].bandwidth)),
    gpuBandwidth: bytesPerSecond(effective(gpus[gpu].bandwidth)),
    cpuRate: flopsPerSecond(effective(cpus[cpu].compute)),
    gpuRate: flopsPerSecond(effective(gpus[gpu].compute)),
  };
}

export type LiaMachineName =
  "spr-a100" | "spr-h100" | "gnr-a100" | "gnr-h100" | "avx512-a100" | "grace-hopper";

export const liaMachines: Readonly<Record<LiaMachineName, LiaMachine>> = {
  "spr-a100": liaMachine("spr-amx", "a100-40", "pcie4"),
  "spr-h100": liaMachine("spr-amx", "h100-80", "pcie5"),
  "gnr-a100": liaMachine("gnr-amx", "a100-40", "pcie4"),
  "gnr-h100": liaMachine("gnr-amx", "h100-80", "pcie5"),
  "avx512-a100": liaMachine("spr-avx512", "a100-40", "pcie4"),
  "grace-hopper": liaMachine("grace", "h100-80", "nvlink-c2c"),
};

const gib = 2 ** 30;

/**
 * The T4 instance of FlexGen with the rates that its released cost model was fitted to
 * (GiB and TFLOPS of that program); the disk's read rate is given by the caller.
 */
export function fittedT4(diskRead: number): FlexGenMachine {
  return {
    gpuMemory: bytes(16 * gib),
    cpuMemory: bytes(memories["t4-host"].capacity),
    diskMemory: bytes(memories["t4-disk"].capacity),
    cpuToGpu: bytesPerSecond(12.89 * gib),
    gpuToCpuCache: bytesPerSecond(0.97 * gib),
    gpuToCpuHidden: bytesPerSecond(4.82 * gib),
    diskToCpu: bytesPerSecond(diskRead),
    cpuToDiskCachePrefill: bytesPerSecond(0.746 * gib),
    cpuToDiskHiddenPrefill: bytesPerSecond(2.015 * gib),
    cpuToDiskDecode: bytesPerSecond(2.015 * gib),
    matmulPrefill: flopsPerSecond(21.24e12),
    matmulDecode: flopsPerSecond(4.3e12),
    batchedPrefill: flopsPerSecond(9.97e12),
    batchedDecode: flopsPerSecond(0.079e12),
    cpu: flopsPerSecond(0.0123e12),
    cpuFit: [0.0168, 0.0328, 0.0621],
  };
}

/** Disk read rate behind FlexGen's table 4: the cache read in decode over its 7046 s. */
export const table4DiskRead: number = 2.806e9;
/** The released fit of the same rate; it contradicts table 2 for 175B. */
export const releasedDiskRead: number = 0.473 * gib;
