// SPDX-License-Identifier: Apache-2.0
// What would explain LIA's misses: other readings of its machine, each run in place of ours.

import { liaMachines } from "../../experiment/machines.ts";
import { explained, printed, type Finding, type Tried } from "../../experiment/finding.ts";
import { batchedCaches, batchedCpuRate, batchedGpuRate, batchedRates } from "./batched.ts";
import type { Adjust } from "./lab.ts";
import { labOf, paperLab, type Lab, type LabReading } from "./lab.ts";
import { ownLab } from "./run.ts";

/** Equation 8 with the bandwidths that section 4.2 prints, as devices.ts has them. */
const withBandwidths: Adjust = (rates, system, name, batch) => {
  const { cpuBandwidth, gpuBandwidth, pcie } = liaMachines[name];
  return batchedRates({ ...rates, cpuBandwidth, gpuBandwidth, pcie }, system, name, batch);
};

const teraflops = (rate: number): string => (rate / 1e12).toPrecision(3);

const readings: readonly (readonly [what: string, reading: LabReading])[] = [
  ["equation 8's rates for every batch: caches at 199 GB/s, products at 20 and 285 TFLOPS", {}],
  [
    `batched caches alone at table 5's rates, products at 20 and 285 TFLOPS in place of ${teraflops(batchedCpuRate)} and ${teraflops(batchedGpuRate)}`,
    { rates: batchedCaches },
  ],
  [
    "FlexGen keeps no weights on the GPU (section 3)",
    { rates: batchedRates, room: (system) => (system === "FlexGen" ? 0 : 1) },
  ],
  [
    "layers stay in GPU memory without their caches, which lie nowhere (LIA, section 5.2: 62 % of OPT-30B's)",
    { rates: batchedRates, residentCaches: "left out" },
  ],
  [
    "LIA fills half of the GPU's room",
    { rates: batchedRates, room: (system) => (system === "LIA" ? 0.5 : 1) },
  ],
  [
    "bandwidths of section 4.2: CPU 260 GB/s, A100 1300, and the link of 23.75 that 858 sets then",
    { rates: withBandwidths },
  ],
];

/** Readings other than ours, by what they change; LIA's policies stay those of the equations. */
export const otherLabs: readonly (readonly [what: string, lab: Lab])[] = readings.map(
  ([what, reading]) => [what, labOf({ ...reading, chosenBy: paperLab })],
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
