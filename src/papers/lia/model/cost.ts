// SPDX-License-Identifier: Apache-2.0
// Time of a decoder layer under a LIA policy (equations 2 to 9, with 1 = CPU and 0 = GPU; equations
// 5, 8 and 9 are printed for the opposite convention). All parameters and caches are in CPU memory: in DDR, or
// (section 6) in CXL memory, whose rates then limit the link and the CPU.

import {
  bytes,
  computeTime,
  seconds,
  sum,
  transferTime,
  type Bytes,
  type Seconds,
} from "../../../base/units.ts";
import type { Layer } from "./layer.ts";
import type { LiaMachine } from "../../experiment/machines.ts";

/** One bit a sublayer, the first in the highest of six: 1 is the CPU. */
export type PolicyBits = number;

export const policyCount = 64;

/** The cost of a residual at FC2 in equation 6: the residual tensor, or D_X as printed. */
export type ResidualReading = "hidden" | "literal";

/** Of equations 5, 8 and 9, those whose printed `p_i = 1` is read as the GPU. */
export interface FlippedEquations {
  readonly five: boolean;
  readonly eight: boolean;
  readonly nine: boolean;
}

/** The reading that reproduces the paper's named policies; all others are in `readings.ts`. */
export const asInText: FlippedEquations = { five: true, eight: true, nine: true };

/** Terms of one sublayer. */
export interface SublayerTime {
  readonly loadX: Seconds;
  readonly loadY: Seconds;
  readonly loadR: Seconds;
  readonly compute: Seconds;
  readonly store: Seconds;
}

/** Whether sublayer i (0 to 5) is on the CPU; sublayer -1 is the last of the layer before. */
export function onCpu(policy: PolicyBits, i: number): boolean {
  return ((policy >> (5 - ((i + 6) % 6))) & 1) === 1;
}

export function policyText(policy: PolicyBits): string {
  return policy.toString(2).padStart(6, "0");
}

export function policyOf(text: string): PolicyBits {
  return Number.parseInt(text, 2);
}

/** The terms of each sublayer. */
export function sublayerTimes(
  machine: LiaMachine,
  layer: Layer,
  policy: PolicyBits,
  residual: ResidualReading = "hidden",
  flipped: FlippedEquations = asInText,
): readonly SublayerTime[] {
  const none = seconds(0);
  const cross = (amount: Layer["residual"]): Seconds => transferTime(amount, machine.pcie);
  const { parameters, caches } = machine;
  const gpus = machine.group?.count ?? 1;
  return layer.sublayers.map(({ x, y, work }, i) => {
    const cpu = onCpu(policy, i);
    const moved = cpu !== onCpu(policy, i - 1);
    const fresh = layer.stage === "prefill" && (i === 1 || i === 2);
    const fetched = fresh ? cpu !== onCpu(policy, 0) : cpu !== flipped.five;
    const computes = cpu === flipped.eight ? "cpu" : "gpu";
    const ofCache = i === 1 || i === 2;
    // Keys and values that the layer has just computed are outputs of its QKV.
    const home = ofCache ? (fresh ? undefined : caches) : parameters;
    const cached = ofCache ? machine.cpuCacheBandwidth : undefined;
    const memory = { cpu: cached ?? machine.cpuBandwidth, gpu: machine.gpuBandwidth };
    const read =
      computes === "cpu" && home !== undefined
        ? sum(transferTime(x, memory.cpu), transferTime(y, home.cpu))
        : transferTime(sum(x, y), memory[computes]);
    const source = i === 3 ? 0 : i === 5 ? 3 : null;
    const sums = computes === "gpu" && source !== null;
    // QKV and FC1 read the whole hidden state on every GPU, and so does a residual addition.
    const copies = computes === "gpu" ? gpus : 1;
    const copiesOfX = i === 0 || i === 4 ? copies : 1;
    const skipped = source !== null && cpu !== onCpu(policy, source);
    return {
      loadX: moved ? cross(bytes(copiesOfX * x)) : none,
      loadY: fetched ? transferTime(y, home?.link ?? machine.pcie) : none,
      loadR: skipped ? cross(bytes(copies * (residual === "hidden" ? layer.residual : x))) : none,
      compute: sum(
        read,
        computeTime(work, computes === "cpu" ? machine.cpuRate : machine.gpuRate),
        sums ? reductionTime(machine, layer.residual) : none,
      ),
      store:
        i === 0 && cpu !== flipped.nine
          ? transferTime(layer.newCache, caches?.link ?? machine.cacheStore ?? machine.pcie)
          : none,
    };
  });
}

/** Time of a reduction of the hidden state over all GPUs: each sends and receives nearly all sums. */
export function reductionTime({ group }: Pick<LiaMachine, "group">, hidden: Bytes): Seconds {
  if (group === undefined) return seconds(0);
  const share = (2 * (group.count - 1)) / group.count;
  return sum(transferTime(bytes(share * hidden), group.link), group.reduction);
}

/** The time of a layer on the CPU, on the GPU and on the link. */
export interface LayerTime {
  readonly cpu: Seconds;
  readonly gpu: Seconds;
  readonly transfer: Seconds;
}

/** The layer's time by resource. */
export function layerTime(
  machine: LiaMachine,
  layer: Layer,
  policy: PolicyBits,
  residual: ResidualReading = "hidden",
): LayerTime {
  const times = sublayerTimes(machine, layer, policy, residual);
  return {
    cpu: sum(...times.filter((_, i) => onCpu(policy, i)).map((t) => t.compute), seconds(0)),
    gpu: sum(...times.filter((_, i) => !onCpu(policy, i)).map((t) => t.compute), seconds(0)),
    transfer: sum(...times.flatMap((t) => [t.loadX, t.loadY, t.loadR, t.store])),
  };
}

/** Equation 2: everything one after the other. */
export function serialTime(
  machine: LiaMachine,
  layer: Layer,
  policy: PolicyBits,
  residual: ResidualReading = "hidden",
  flipped: FlippedEquations = asInText,
): Seconds {
  const times = sublayerTimes(machine, layer, policy, residual, flipped);
  return sum(...times.map((t) => sum(t.loadX, t.loadY, t.loadR, t.compute, t.store)));
}

/** With transfers under the GPU's compute (optimisation 2). */
export function overlappedTime(machine: LiaMachine, layer: Layer, policy: PolicyBits): Seconds {
  const { cpu, gpu, transfer } = layerTime(machine, layer, policy);
  return sum(cpu, seconds(Math.max(gpu, transfer)));
}
