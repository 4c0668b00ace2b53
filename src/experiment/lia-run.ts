// SPDX-License-Identifier: Apache-2.0
// LIA and what it is compared with, on the machines of its paper.

import { liaMachines, type LiaMachineName as MachineName } from "../host/machines.ts";
import { modelShape } from "../model/shapes.ts";
import { policyOf, type LiaMachine, type PolicyBits } from "../policy/lia/cost.ts";
import { residentLayers, runLia, type LiaJob, type LiaRun } from "../policy/lia/run.ts";
import { bytes, bytesPerSecond } from "../units.ts";

export const allCpu: PolicyBits = policyOf("111111");
export const attentionOnCpu: PolicyBits = policyOf("011000");
export const allGpu: PolicyBits = policyOf("000000");
/** GEMV rate of SPR, 199 GFLOPS at an operation a byte: what parameters stream at. */
const streamed = 199e9;
const gib = 2 ** 30;

/** GPU memory that whole layers may fill: 40 GB and 80 GB cards less 5 GB of working set. */
const room: Readonly<Record<string, number>> = { a100: 35 * gib, h100: 75 * gib };

export function machine(name: MachineName): LiaMachine {
  const full = liaMachines[name];
  const factor = streamed / liaMachines["spr-a100"].cpuBandwidth;
  return { ...full, cpuBandwidth: bytesPerSecond(full.cpuBandwidth * factor) };
}

export function job(model: string, batch: number, input: number, output: number): LiaJob {
  const { layers, hidden } = modelShape(model, "the experiment");
  return { width: hidden, layers, batch, input, output };
}

function roomOf(name: MachineName, { batch, width, input }: LiaJob): number {
  const gpu = name.endsWith("h100") ? "h100" : "a100";
  return Math.max(0, (room[gpu] ?? 0) - 2 * 8 * batch * input * width);
}

export const lia = (name: MachineName, j: LiaJob): LiaRun =>
  runLia(machine(name), j, {
    resident: residentLayers(bytes(roomOf(name, j)), j.width),
    overlap: true,
  });
export const ipex = (name: MachineName, j: LiaJob): LiaRun =>
  runLia(machine(name), j, { prefill: allCpu, decode: allCpu, resident: 0, overlap: false });

/**
 * FlexGen: attention on the CPU at the rate of AVX512, weights over PCIe. Where the batch is one it keeps
 * whole kinds of sublayers resident, in twelfths of the weights (58 % of OPT-30B, section 5.2).
 */
export function flexGen(name: MachineName, j: LiaJob): LiaRun {
  const slow = { ...machine(name), cpuRate: liaMachines["avx512-a100"].cpuRate };
  const decode = j.batch === 1 ? allGpu : attentionOnCpu;
  const weights = 24 * j.layers * j.width ** 2;
  const twelfths = Math.min(12, Math.floor((12 * roomOf(name, j)) / weights));
  const resident = (j.layers * twelfths) / 12;
  return runLia(slow, j, { prefill: allGpu, decode, resident, overlap: true });
}
