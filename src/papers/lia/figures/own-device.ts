// SPDX-License-Identifier: Apache-2.0
// LIA's equations on a host with a GPU, a link or a CPU of the user, at the rates of their files; all
// other parts have the rates of the figures.

import { defined } from "../../../base/defined.ts";
import { effective, type Link, type Processor } from "../../../machine/host/devices.ts";
import { liaHosts, type Host, type LiaMachine } from "../../experiment/machines.ts";
import type { Devices } from "../../../machine/host/near-device-file.ts";
import { policyText } from "../model/cost.ts";
import { decoderLayer } from "../model/layer.ts";
import { optimum } from "../policy/optimum.ts";
import { planSystem } from "../policy/plan.ts";
import { liaSystems, systemEnergy, type LiaSystem } from "../policy/systems.ts";
import type { Shortage } from "../../experiment/memory-map.ts";
import { bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import { job } from "./lab.ts";
import { machine } from "./run.ts";
import { switchOf } from "./policies.ts";
import type { DeviceUse, Numbers } from "../../experiment/own-device-rows.ts";

const paperHost = liaHosts["spr-a100"];

interface LiaDevices {
  readonly gpu?: Processor;
  readonly cpu?: Processor;
  readonly link?: Link;
}

function ratesOf({ gpu, cpu, link }: LiaDevices, system: LiaSystem): LiaMachine {
  return {
    ...machine("spr-a100", system),
    ...defined({
      gpuBandwidth: gpu && bytesPerSecond(effective(gpu.bandwidth)),
      gpuRate: gpu && flopsPerSecond(effective(gpu.compute)),
      cpuBandwidth: cpu && bytesPerSecond(effective(cpu.bandwidth)),
      cpuRate: cpu && flopsPerSecond(effective(cpu.compute)),
      pcie: link && bytesPerSecond(effective(link.rate)),
    }),
  };
}

function numbersOf(devices: LiaDevices): Numbers {
  const host: Host = { ...paperHost, ...devices };
  const rates = ratesOf(devices, "LIA");
  const width = 12288;
  const best = (batch: number): string => {
    const layer = decoderLayer({ stage: "decode", width, batch, length: 256 });
    return policyText(optimum(rates, layer, "hidden").best.policy);
  };
  const reading = { rates: (_: LiaMachine, s: LiaSystem) => ratesOf(devices, s), room: () => 1 };
  const work = job("opt-30b", 64, 256, 32);
  const runs = liaSystems.map((name) => ({ name, ...planSystem(name, host, work, reading) }));
  const ifItFits = (
    { shortages }: { readonly shortages: readonly Shortage[] },
    value: number,
  ): number | string => (shortages.length === 0 ? value : "does not fit");
  const never = (batch: number): number | string =>
    Number.isFinite(batch) ? batch : "none to 3000";
  return [
    ["decode leaves the CPU, OPT-175B", "sequences", never(switchOf(rates, "decode", 128))],
    ["prefill leaves the CPU, OPT-175B", "tokens", never(switchOf(rates, "prefill", 32))],
    ...[1, 64, 900].map((b) => [`policy of decode at B = ${b}, OPT-175B`, "", best(b)] as const),
    ...runs.map(
      (one) =>
        [
          `${one.name}, OPT-30B, B = 64, 256 to 32`,
          "token/s",
          ifItFits(one, one.run.throughput),
        ] as const,
    ),
    ...runs.map(
      (one) =>
        [
          `${one.name}, the same`,
          "J/token",
          ifItFits(one, systemEnergy(host, one.run, work)),
        ] as const,
    ),
  ];
}

export const liaDevice: DeviceUse = {
  paper: "lia",
  reads: {
    gpu: "rates of products and of memory, its memory (layers that stay), its link, its power.",
    cpu: "rates of products and of memory in equation 8, its power; FlexGen computes with the same rate.",
  },
  numbers: ({ gpu, cpu }: Devices) => {
    const liaDevices: LiaDevices = defined({
      gpu: gpu?.processor,
      link: gpu?.link ?? undefined,
      cpu: cpu?.processor,
    });
    return Promise.resolve(numbersOf(liaDevices));
  },
};
