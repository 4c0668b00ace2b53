// SPDX-License-Identifier: Apache-2.0
// The papers' machines: which CPU, GPU and link they join, and the rates that a policy's model reads
// of them. Rates of single devices, with their sources, are in devices.ts.

import { bytes, bytesPerSecond, flopsPerSecond } from "../../base/units.ts";
import type { Bytes, BytesPerSecond, FlopsPerSecond, Seconds } from "../../base/units.ts";
import {
  cpus,
  effective,
  gpus,
  links,
  memories,
  type Link,
  type Processor,
} from "../../machine/host/devices.ts";

/** Equal CXL type 3 expanders behind the CPU, interleaved page by page (LIA, section 6). */
export interface CxlMemory {
  readonly title: string;
  readonly expanders: number;
  /** Capacity of one expander. */
  readonly capacity: Bytes;
  readonly rate: BytesPerSecond;
}

/** A CPU and a GPU that share a link. */
export interface Host {
  readonly cpu: Processor;
  readonly gpu: Processor;
  readonly link: Link;
  readonly cxl?: CxlMemory;
  /** Equal GPUs, each with a separate link to the CPU; absent: one. */
  readonly group?: GpuLinks;
}

/** Several GPUs of a host that split every sublayer (tensor parallelism). */
export interface GpuLinks {
  readonly count: number;
  /** From a GPU to the others, in one direction. */
  readonly link: BytesPerSecond;
  /** Fixed time of a reduction over all GPUs, in addition to its bytes. */
  readonly reduction: Seconds;
}

export function gpuCount({ group }: Pick<Host, "group">): number {
  return group?.count ?? 1;
}

/**
 * A host in LIA's equations. Several GPUs compute, read and load like one GPU with multiple rates
 * (section 8), but load no faster than the CPU reads its memory.
 */
export function liaMachineOf({ cpu, gpu, link, group }: Host): LiaMachine {
  const count = group?.count ?? 1;
  const cpuBandwidth = bytesPerSecond(effective(cpu.bandwidth));
  const pcie = effective(link.rate);
  return {
    pcie: bytesPerSecond(count === 1 ? pcie : Math.min(count * pcie, cpuBandwidth)),
    cpuBandwidth,
    gpuBandwidth: bytesPerSecond(count * effective(gpu.bandwidth)),
    cpuRate: flopsPerSecond(effective(cpu.compute)),
    gpuRate: flopsPerSecond(count * effective(gpu.compute)),
    ...(group === undefined || count === 1 ? {} : { group }),
  };
}

export type LiaMachineName =
  "spr-a100" | "spr-h100" | "gnr-a100" | "gnr-h100" | "avx512-a100" | "grace-hopper";

export const liaHosts: Readonly<Record<LiaMachineName, Host>> = {
  "spr-a100": { cpu: cpus["spr-amx"], gpu: gpus["a100-40"], link: links.pcie4 },
  "spr-h100": { cpu: cpus["spr-amx"], gpu: gpus["h100-80"], link: links.pcie5 },
  "gnr-a100": { cpu: cpus["gnr-amx"], gpu: gpus["a100-40"], link: links.pcie4 },
  "gnr-h100": { cpu: cpus["gnr-amx"], gpu: gpus["h100-80"], link: links.pcie5 },
  "avx512-a100": { cpu: cpus["spr-avx512"], gpu: gpus["a100-40"], link: links.pcie4 },
  // LIA's table 2 has no other H100; that of a GH200 has 990 TFLOPS and 4 TB/s (NVIDIA's data sheet).
  "grace-hopper": { cpu: cpus.grace, gpu: gpus["h100-80"], link: links["nvlink-c2c"] },
};

export const liaMachines: Readonly<Record<LiaMachineName, LiaMachine>> = {
  "spr-a100": liaMachineOf(liaHosts["spr-a100"]),
  "spr-h100": liaMachineOf(liaHosts["spr-h100"]),
  "gnr-a100": liaMachineOf(liaHosts["gnr-a100"]),
  "gnr-h100": liaMachineOf(liaHosts["gnr-h100"]),
  "avx512-a100": liaMachineOf(liaHosts["avx512-a100"]),
  "grace-hopper": liaMachineOf(liaHosts["grace-hopper"]),
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

/** Effective rates of a CPU, a GPU and the links between them. */
export interface LiaMachine {
  readonly pcie: BytesPerSecond;
  readonly cpuBandwidth: BytesPerSecond;
  readonly gpuBandwidth: BytesPerSecond;
  readonly cpuRate: FlopsPerSecond;
  readonly gpuRate: FlopsPerSecond;
  /** Rate of cached keys and values that the CPU reads, if a reading has another rate for them. */
  readonly cpuCacheBandwidth?: BytesPerSecond;
  /** Rate of new keys and values from the GPU to the host; by default that of the link. */
  readonly cacheStore?: BytesPerSecond;
  /** Rates of parameters, and of keys and values, in CXL memory: over the link, and to the CPU. */
  readonly parameters?: MemoryRates;
  readonly caches?: MemoryRates;
  /** GPUs that add their sums after the output projection and after FC2; a single GPU when absent. */
  readonly group?: GpuLinks;
}

/** Rates at which a memory of the host serves the link and the CPU. */
export interface MemoryRates {
  readonly link: BytesPerSecond;
  readonly cpu: BytesPerSecond;
}

/** Capacities and rates. The `paper` variant has the same rate in each of a kind's entries. */
export interface FlexGenMachine {
  readonly gpuMemory: Bytes;
  readonly cpuMemory: Bytes;
  readonly diskMemory: Bytes;
  readonly cpuToGpu: BytesPerSecond;
  readonly gpuToCpuCache: BytesPerSecond;
  readonly gpuToCpuHidden: BytesPerSecond;
  readonly diskToCpu: BytesPerSecond;
  readonly cpuToDiskCachePrefill: BytesPerSecond;
  readonly cpuToDiskHiddenPrefill: BytesPerSecond;
  readonly cpuToDiskDecode: BytesPerSecond;
  readonly matmulPrefill: FlopsPerSecond;
  readonly matmulDecode: FlopsPerSecond;
  readonly batchedPrefill: FlopsPerSecond;
  readonly batchedDecode: FlopsPerSecond;
  readonly cpu: FlopsPerSecond;
  /** Rate of caches in CPU memory that the CPU copies for the GPU, if slower than the link. */
  readonly cacheCopy?: BytesPerSecond;
  /** Share of the disk's rate that reads of weights in decode reach (`runtime`); 0.95 when absent. */
  readonly weightReadShare?: number;
  /** How the CPU's rate falls with small batches and narrow models (`runtime`). */
  readonly cpuFit: readonly [c1: number, c2: number, c3: number];
}
