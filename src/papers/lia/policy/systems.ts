// SPDX-License-Identifier: Apache-2.0
// LIA and the compared systems on one host: IPEX (CPU only), FlexGen in LIA's equations (attention on the
// CPU, with AVX), and several GPUs with all data resident.

import { effective, idlePower, type Processor } from "../../../machine/host/devices.ts";
import {
  gpuCount,
  liaMachineOf,
  liaMachines,
  type GpuLinks,
  type Host,
  type LiaMachine,
} from "../../experiment/machines.ts";
import {
  bytes,
  bytesPerSecond,
  computeTime,
  flopsPerSecond,
  ratio,
  seconds,
  sum,
  transferTime,
  type Seconds,
} from "../../../base/units.ts";
import { policyOf, reductionTime, type PolicyBits } from "../model/cost.ts";
import { layerOf, weightBytes, type Stage } from "../model/layer.ts";
import { workingSet } from "./gpu-memory.ts";
import { energyPerToken, type LiaJob, type LiaRun } from "./run.ts";

export const allCpu: PolicyBits = policyOf("111111");
export const attentionOnCpu: PolicyBits = policyOf("011000");
export const allGpu: PolicyBits = policyOf("000000");

/** Share of the CPU's bandwidth that products with one vector reach: 199 of 260 GB/s (section 4.2). */
const streamedShare = 199 / 260;

/** A host at the rate at which its CPU streams parameters and caches. */
export function streamingMachine(host: Host): LiaMachine {
  const machine = liaMachineOf(host);
  return { ...machine, cpuBandwidth: bytesPerSecond(machine.cpuBandwidth * streamedShare) };
}

export type LiaSystem = "LIA" | "IPEX" | "FlexGen";
export const liaSystems: readonly LiaSystem[] = ["LIA", "IPEX", "FlexGen"];

/** The host's rates as a system uses them: FlexGen computes on the CPU with AVX. */
export function machineUnder(system: LiaSystem, host: Host): LiaMachine {
  const machine = streamingMachine(host);
  if (system !== "FlexGen") return machine;
  return { ...machine, cpuRate: liaMachines["avx512-a100"].cpuRate };
}

/** Joules per token, with the design power of the host's devices. */
export function systemEnergy(host: Host, run: LiaRun, job: LiaJob): number {
  return energyPerToken(run, job, {
    cpuWatts: host.cpu.watts.value,
    gpuWatts: gpuCount(host) * host.gpu.watts.value,
    idle: ratio(idlePower.value),
  });
}

/** GPUs joined by links, with every layer split over all of them and no CPU. */
export interface GpuGroup extends GpuLinks {
  readonly gpu: Processor;
}

/** Tensor parallelism; null when weights and caches do not fit the GPUs' memories. */
export function runGroup(group: GpuGroup, job: LiaJob): Seconds | null {
  const { shape, layers, batch, input, output } = job;
  const cache = 4 * batch * (input + output) * shape.cacheWidth;
  const memory = layers * (weightBytes(shape) + cache);
  if (memory > group.count * (group.gpu.memory - workingSet)) return null;
  const step = (stage: Stage, length: number): Seconds => {
    const { sublayers, residual } = layerOf(shape, { stage, batch, length });
    const compute = sublayers.map(({ x, y, work }) =>
      sum(
        transferTime(bytes((x + y) / group.count), bytesPerSecond(effective(group.gpu.bandwidth))),
        computeTime(work, flopsPerSecond(effective(group.gpu.compute) * group.count)),
      ),
    );
    // After attention and after the feed-forward part each GPU sends and gets nearly all sums.
    const reduce = reductionTime({ group }, residual);
    return sum(...compute, reduce, reduce);
  };
  const decode = (output - 1) * step("decode", input + output / 2);
  return seconds(layers * (step("prefill", input) + decode));
}
