// SPDX-License-Identifier: Apache-2.0
// The machines of LIA's paper under one reading of their rates, and a job of the three systems on them. As in the
// equations, CPU and GPU have the rates that section 4 measured, and the link the rate that the switch at B = 858
// determines.

import { defined } from "../../../base/defined.ts";
import { gpus } from "../../../machine/host/devices.ts";
import { liaHosts, type LiaMachineName as MachineName } from "../../experiment/machines.ts";
import type { LiaMachine } from "../../experiment/machines.ts";
import type { LiaJob, LiaRun } from "../policy/run.ts";
import { liaModel } from "../model/shape.ts";
import { planSystem, runSystem, type HostReading } from "../policy/plan.ts";
import { machineUnder, type LiaSystem } from "../policy/systems.ts";
import { bytesPerSecond } from "../../../base/units.ts";

/**
 * Effective rate of the CPU in products with one vector, in bytes/s (section 4.2, an operation per
 * byte).
 */
export const cpuVectorRate = 199e9;
/** The CPU's share of each GPU's rate in the same products (section 4.2). */
export const vectorShare: { readonly a100: number; readonly h100: number } = {
  a100: 0.19,
  h100: 0.15,
};
/** Effective rate of PCIe 4.0 x16: set by the decode switch at B = 858 with the rates above. */
export const calibratedPcie4 = 23.19e9;
const nominalPcie4 = 32e9;

/** The rate of a host's link: PCIe at its share of the nominal rate, C2C as printed. */
function linkRate(name: MachineName): number {
  const { title, rate } = liaHosts[name].link;
  const calibrated = (rate.peak.value * calibratedPcie4) / nominalPcie4;
  return title.startsWith("PCIe") ? calibrated : rate.effective.value;
}

function gpuVectorRate(name: MachineName): number {
  const share = liaHosts[name].gpu === gpus["a100-40"] ? vectorShare.a100 : vectorShare.h100;
  return cpuVectorRate / share;
}

export type Runner = (name: MachineName, j: LiaJob) => LiaRun;

/** The machines under one reading, and the runs of the three systems on them. */
export interface Lab {
  readonly machine: (name: MachineName, system?: LiaSystem, batch?: number) => LiaMachine;
  /** Layers that LIA stores in GPU memory. */
  readonly resident: (name: MachineName, j: LiaJob) => number;
  readonly lia: Runner;
  readonly ipex: Runner;
  readonly flexGen: Runner;
}

/** The rates of a host under a system, for a batch. */
export type Adjust = (
  rates: LiaMachine,
  system: LiaSystem,
  name: MachineName,
  batch: number,
) => LiaMachine;

/** A change of the actual rates, or of the part of GPU memory that a system fills. */
export interface LabReading {
  readonly rates?: Adjust;
  readonly room?: (system: LiaSystem) => number;
  /** Whether layers stay on the GPU without their caches. */
  readonly residentCaches?: HostReading["residentCaches"];
  readonly freeShare?: number;
  /** The lab that chose LIA's policies; by default this one. */
  readonly chosenBy?: Lab;
}

/**
 * The systems under a reading. The GPU's memory is limited. The host's memory is as large as a job
 * needs, as in the paper's latency model for jobs beyond its 512 GB (section 7, starred results).
 */
export function labOf({
  rates = (m) => m,
  room = () => 1,
  residentCaches,
  freeShare,
  chosenBy,
}: LabReading = {}): Lab {
  const adjusted = (
    name: MachineName,
    given: LiaMachine,
    system: LiaSystem,
    batch: number,
  ): LiaMachine => {
    const pcie = bytesPerSecond(linkRate(name));
    const withPublishedLinks = {
      ...given,
      pcie,
      gpuBandwidth: bytesPerSecond(gpuVectorRate(name)),
    };
    return rates(withPublishedLinks, system, name, batch);
  };
  const known = new Map<string, LiaRun>();
  const readingOf = (name: MachineName, j: LiaJob, system: LiaSystem): HostReading => {
    const chosen = chosenBy?.lia(name, j);
    return {
      rates: (m: LiaMachine) => adjusted(name, m, system, j.batch),
      room,
      hostMemory: "as large as needed",
      ...defined({ residentCaches, freeShare }),
      ...(chosen === undefined
        ? {}
        : { policies: { prefill: chosen.prefill.policy, decode: chosen.decode.policy } }),
    };
  };
  const runner =
    (system: LiaSystem): Runner =>
    (name, j) => {
      const key = JSON.stringify([system, name, j]);
      const before = known.get(key);
      if (before !== undefined) return before;
      const run = runSystem(system, liaHosts[name], j, readingOf(name, j, system));
      known.set(key, run);
      return run;
    };
  return {
    machine: (name, system = "LIA", batch = 1) =>
      adjusted(name, machineUnder(system, liaHosts[name]), system, batch),
    resident: (name, j) => planSystem("LIA", liaHosts[name], j, readingOf(name, j, "LIA")).resident,
    lia: runner("LIA"),
    ipex: runner("IPEX"),
    flexGen: runner("FlexGen"),
  };
}

/**
 * The paper's equations with the paper's rates, which do not depend on the batch: LIA chooses its
 * policies with them.
 */
export const paperLab: Lab = labOf();

export function job(model: string, batch: number, input: number, output: number): LiaJob {
  return { ...liaModel(model, "the experiment"), batch, input, output };
}
