// SPDX-License-Identifier: Apache-2.0
// What would explain LIA's misses: other readings of its machine, each run in place of ours. Rates of
// batched work come from table 5 at B = 900, where the paper prints the seconds of CPU and GPU apart.

import { liaMachines, type LiaMachineName } from "../../experiment/machines.ts";
import type { LiaMachine } from "../../experiment/machines.ts";
import type { LiaJob } from "../policy/run.ts";
import type { LiaSystem } from "../policy/systems.ts";
import { bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import { explained, printed, type Finding, type Tried } from "../../experiment/finding.ts";
import { job, labOf, machine, ownLab, type Lab, type LabReading } from "./run.ts";

/** Seconds of table 5 at B = 900: CPU of LIA, IPEX and FlexGen, GPU of LIA. */
export const batchedSeconds = { LIA: 168.8, IPEX: 1216.5, FlexGen: 505, gpu: 110.8 } as const;

const measured: LiaJob = job("opt-30b", 900, 256, 32);

type RateKey = "cpuCacheBandwidth" | "cpuRate" | "gpuRate";

/** The rate at which a part of table 5's run takes so many seconds: they are linear in its inverse. */
function rateOf(
  seconds: number,
  key: RateKey,
  usual: number,
  part: (lab: Lab) => number,
  rest: Partial<LiaMachine> = {},
): number {
  const at = (rate: number): number =>
    part(labOf({ rates: (rates) => ({ ...rates, ...rest, [key]: rate }), chosenBy: ownLab }));
  const [whole, half] = [at(usual), at(usual / 2)];
  const perInverse = (half - whole) * usual;
  return perInverse / (seconds - whole + perInverse / usual);
}

const spr = machine("spr-a100");
const cpuTime =
  (run: "lia" | "ipex" | "flexGen") =>
  (lab: Lab): number =>
    lab[run]("spr-a100", measured).busy.cpu;

const liaCaches = rateOf(batchedSeconds.LIA, "cpuCacheBandwidth", spr.cpuBandwidth, cpuTime("lia"));

/** At B = 900 the CPU has attention alone under LIA and FlexGen; IPEX reads as LIA does. */
export const batchedCacheRates: Readonly<Record<LiaSystem, number>> = {
  LIA: liaCaches,
  IPEX: liaCaches,
  FlexGen: rateOf(
    batchedSeconds.FlexGen,
    "cpuCacheBandwidth",
    spr.cpuBandwidth,
    cpuTime("flexGen"),
  ),
};

/** The GPU's rate that makes LIA's 110.8 s. */
export const batchedGpuRate: number = rateOf(
  batchedSeconds.gpu,
  "gpuRate",
  spr.gpuRate,
  (lab) => lab.lia("spr-a100", measured).busy.gpu,
);

/** The CPU's rate that makes IPEX' 1216.5 s, its caches read as LIA's. */
export const batchedCpuRate: number = rateOf(
  batchedSeconds.IPEX,
  "cpuRate",
  spr.cpuRate,
  cpuTime("ipex"),
  { cpuCacheBandwidth: bytesPerSecond(liaCaches) },
);

/** A host's rate over that of SPR-A100, where table 5 was measured. */
function share(rates: LiaMachine, of: "cpuBandwidth" | "cpuRate" | "gpuRate"): number {
  return rates[of] / machine("spr-a100")[of];
}

function slowCaches(rates: LiaMachine, system: LiaSystem): LiaMachine {
  const cpuCacheBandwidth = batchedCacheRates[system] * share(rates, "cpuBandwidth");
  return { ...rates, cpuCacheBandwidth: bytesPerSecond(cpuCacheBandwidth) };
}

/** Equation 8 with the bandwidths that section 4.2 prints, as devices.ts has them. */
function withBandwidths(rates: LiaMachine, _: LiaSystem, name: LiaMachineName): LiaMachine {
  const { cpuBandwidth, gpuBandwidth, pcie } = liaMachines[name];
  return { ...rates, cpuBandwidth, gpuBandwidth, pcie };
}

const gb = (rate: number): string => (rate / 1e9).toPrecision(3);
const teraflops = (rate: number): string => (rate / 1e12).toPrecision(3);

const readings: readonly (readonly [what: string, reading: LabReading])[] = [
  [
    `caches on the CPU at ${gb(batchedCacheRates.LIA)} GB/s, FlexGen's at ${gb(batchedCacheRates.FlexGen)} (table 5, B = 900)`,
    { rates: slowCaches },
  ],
  [
    `caches at table 5's rates (B = 900), and products at ${teraflops(batchedGpuRate)} TFLOPS of the A100, ${teraflops(batchedCpuRate)} of the CPU`,
    {
      rates: (rates, system) => ({
        ...slowCaches(rates, system),
        gpuRate: flopsPerSecond(batchedGpuRate * share(rates, "gpuRate")),
        cpuRate:
          system === "FlexGen"
            ? rates.cpuRate
            : flopsPerSecond(batchedCpuRate * share(rates, "cpuRate")),
      }),
    },
  ],
  [
    "FlexGen keeps no weights on the GPU (section 3)",
    { room: (system) => (system === "FlexGen" ? 0 : 1) },
  ],
  [
    "layers stay in GPU memory without their caches, which lie nowhere (LIA, section 5.2: 62 % of OPT-30B's)",
    { residentCaches: "left out" },
  ],
  ["LIA fills half of the GPU's room", { room: (system) => (system === "LIA" ? 0.5 : 1) }],
  [
    "bandwidths of section 4.2: CPU 260 GB/s, A100 1300, and the link of 23.75 that 858 sets then",
    { rates: withBandwidths },
  ],
];

/** Readings other than ours, by what they change; LIA's policies stay those of our machine. */
export const otherLabs: readonly (readonly [what: string, lab: Lab])[] = readings.map(
  ([what, reading]) => [what, labOf({ ...reading, chosenBy: ownLab })],
);

/** What a reading changes by less than this it does not explain. */
const noticeable = 0.005;

/** The same number under the other readings, those left out that do not move it. */
export function triedWith(value: (lab: Lab) => number): readonly Tried[] {
  const ours = value(ownLab);
  return otherLabs.flatMap(([what, lab]) => {
    const other = value(lab);
    return Math.abs(other - ours) <= noticeable * Math.abs(ours) ? [] : [{ what, value: other }];
  });
}

/** Ours against a printed number or range, with the other readings where it differs. */
export function judged(
  what: string,
  published: string | number,
  value: (lab: Lab) => number,
  unit: string,
  note: string = "",
  more: readonly Tried[] = [],
): Finding {
  const finding = printed(what, published, value(ownLab), unit, "C", note);
  if (finding.verdict !== "differs") return finding;
  return explained(finding, [...triedWith(value), ...more]);
}

/** Printed ends of a range, as printed. */
export type Range = readonly [low: string | number, high: string | number];

/** Both ends of a printed range against the least and the greatest of ours. */
export function judgedEnds(
  what: string,
  [low, high]: Range,
  values: (lab: Lab) => readonly number[],
  unit: string = "x",
  note: string = "",
): readonly Finding[] {
  return [
    judged(`${what}, least`, low, (lab) => Math.min(...values(lab)), unit, note),
    judged(`${what}, greatest`, high, (lab) => Math.max(...values(lab)), unit, note),
  ];
}
