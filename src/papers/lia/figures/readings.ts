// SPDX-License-Identifier: Apache-2.0
// Possible explanations of differences from LIA: other readings of its machine, each run instead of
// ours.

import { liaMachines, type LiaMachine } from "../../experiment/machines.ts";
import {
  explained,
  compareNumber,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import {
  batchedCacheRates,
  batchedCaches,
  batchedCpuRate,
  batchedGpuRate,
  batchedRates,
  storeRate,
} from "./batched.ts";
import { bytesPerSecond, flopsPerSecond, scale } from "../../../base/units.ts";
import type { LiaSystem } from "../policy/systems.ts";
import type { Adjust } from "./lab.ts";
import { labOf, paperLab, type Lab, type LabReading } from "./lab.ts";
import { ownLab } from "./run.ts";

/** Equation 8 with the bandwidths that section 4.2 prints, as devices.ts has them. */
const withBandwidths: Adjust = (rates, system, name, batch) => {
  const { cpuBandwidth, gpuBandwidth, pcie } = liaMachines[name];
  return batchedRates({ ...rates, cpuBandwidth, gpuBandwidth, pcie }, system, name, batch);
};

/** New caches at the rate that table 5's transfers at B = 900 leave for them, on every host in proportion to its link. */
function slowed(rates: LiaMachine, batch: number): LiaMachine {
  if (batch === 1) return rates;
  const share = rates.pcie / paperLab.machine("spr-a100").pcie;
  return { ...rates, cacheStore: bytesPerSecond(storeRate * share) };
}
const slowStores: Adjust = (rates, system, name, batch) =>
  slowed(batchedRates(rates, system, name, batch), batch);

/** FlexGen's weights through a buffer of the driver: half of the rate of pinned memory, assumed. */
const pageable: Adjust = (rates, system, name, batch) => {
  const batched = batchedRates(rates, system, name, batch);
  return system === "FlexGen" ? { ...batched, pcie: scale(batched.pcie, 1 / 2) } : batched;
};

/** Granite Rapids with the rates of Sapphire Rapids for batched caches. */
const sameCaches: Adjust = (rates, system, name, batch) => ({
  ...batchedRates(rates, system, name, batch),
  ...(batch === 1 ? {} : { cpuCacheBandwidth: bytesPerSecond(batchedCacheRates[system]) }),
});

/** Granite Rapids as section 4.2 has it in words: its channels double the bandwidth. */
const doubledMemory: Adjust = (rates, system, name, batch) => {
  const batched = batchedRates(rates, system, name, batch);
  if (!name.startsWith("gnr")) return batched;
  return { ...batched, cpuBandwidth: scale(paperLab.machine("spr-a100").cpuBandwidth, 2) };
};

/** The largest batch of table 5, from which the four rates of batched work follow. */
const fittedBatch = 900;

/**
 * Rates that fall with the logarithm of the batch, from those of one sequence to those of table 5
 * at B = 900, in place of one step between them. Figure 5 shows rates that depend on the size of a
 * product; the paper prints no points of its curves.
 */
const gradual: Adjust = (rates, system, name, batch) => {
  const batched = batchedRates(rates, system, name, batch);
  const part = Math.min(1, Math.log(batch) / Math.log(fittedBatch));
  const between = (one: number, many: number): number => one ** (1 - part) * many ** part;
  const caches = batched.cpuCacheBandwidth ?? rates.cpuBandwidth;
  return {
    ...batched,
    cpuCacheBandwidth: bytesPerSecond(between(rates.cpuBandwidth, caches)),
    cpuRate: flopsPerSecond(between(rates.cpuRate, batched.cpuRate)),
    gpuRate: flopsPerSecond(between(rates.gpuRate, batched.gpuRate)),
  };
};

const noWeights = (system: LiaSystem): number => (system === "FlexGen" ? 0 : 1);
const noLayers = (system: LiaSystem): number => (system === "LIA" ? 0 : 1);

const teraflops = (rate: number): string => (rate / 1e12).toPrecision(3);
const gigabytes = (rate: number): string => (rate / 1e9).toPrecision(2);

const readings: readonly (readonly [what: string, reading: LabReading])[] = [
  ["rates of equation 8 for every batch: caches at 199 GB/s, products at 20 and 285 TFLOPS", {}],
  [
    `batched caches alone at table 5's rates, products at 20 and 285 TFLOPS in place of ${teraflops(batchedCpuRate)} and ${teraflops(batchedGpuRate)}`,
    { rates: batchedCaches },
  ],
  [
    "rates of products and caches fall with the logarithm of the batch, from equation 8 at B = 1 to table 5 at B = 900",
    { rates: gradual },
  ],
  [
    "LIA's policies are chosen with the rates of batched work, not with those of equation 8",
    { rates: batchedRates, chosenBy: labOf({ rates: batchedRates }) },
  ],
  ["FlexGen stores no weights on the GPU (section 3)", { rates: batchedRates, room: noWeights }],
  [
    `FlexGen stores no weights on the GPU, and new caches of a batch move to the host at ${gigabytes(storeRate)} GB/s`,
    { rates: slowStores, room: noWeights },
  ],
  ["FlexGen copies weights from pageable memory at half of the link's rate", { rates: pageable }],
  [
    "FlexGen stores no weights on the GPU and copies them from pageable memory",
    { rates: pageable, room: noWeights },
  ],
  [
    `new caches of a batch move to the host at ${gigabytes(storeRate)} GB/s (118.8 s of table 5)`,
    { rates: slowStores },
  ],
  [
    "GPU memory stores layers without their caches, and the caches need no memory (LIA, section 5.2: 62 % of OPT-30B)",
    { rates: batchedRates, residentCaches: "left out" },
  ],
  [
    "LIA uses half of the GPU's memory",
    { rates: batchedRates, room: (system) => (system === "LIA" ? 0.5 : 1) },
  ],
  ["LIA stores no layers in GPU memory", { rates: batchedRates, room: noLayers }],
  [
    `LIA stores no layers in GPU memory, and new caches of a batch move to the host at ${gigabytes(storeRate)} GB/s`,
    { rates: slowStores, room: noLayers },
  ],
  [
    "rates of equation 8 for every batch, and GPU memory stores layers without their caches",
    { residentCaches: "left out" },
  ],
  [
    "layers do not use one eighth of the GPU's memory: 10 of 80 GB, like 5 of 40 GB",
    { rates: batchedRates, freeShare: 1 / 8 },
  ],
  [
    "Granite Rapids reads the caches of a batch at the rate of Sapphire Rapids",
    { rates: sameCaches },
  ],
  [
    `Granite Rapids reads the caches of a batch at the rate of Sapphire Rapids, and new caches move to the host at ${gigabytes(storeRate)} GB/s`,
    { rates: (rates, ...of) => slowed(sameCaches(rates, ...of), of[2]) },
  ],
  [
    "Granite Rapids has twice the memory bandwidth of Sapphire Rapids (section 4.2), not 1.7 times",
    { rates: doubledMemory },
  ],
  [
    "Granite Rapids has twice the memory bandwidth, and LIA stores no layers in GPU memory",
    { rates: doubledMemory, room: noLayers },
  ],
  [
    "bandwidths of section 4.2: CPU 260 GB/s, A100 1300 GB/s; the switch at 858 then sets the link to 23.75 GB/s",
    { rates: withBandwidths },
  ],
];

/** Alternative readings, by their change; LIA's policies are those of the equations unless the reading has others. */
export const otherLabs: readonly (readonly [what: string, lab: Lab])[] = readings.map(
  ([what, reading]) => [what, labOf({ chosenBy: paperLab, ...reading })],
);

/** A reading explains nothing if it changes the number by less than this. */
const noticeable = 0.005;

/** The same number under the other readings, those left out that do not move it. */
export function explanationsWith(value: (lab: Lab) => number): readonly Explanation[] {
  const ours = value(ownLab);
  return otherLabs.flatMap(([what, lab]) => {
    const other = value(lab);
    return Math.abs(other - ours) <= noticeable * Math.abs(ours) ? [] : [{ what, value: other }];
  });
}

interface ReadingComparison {
  /** As printed: a number or a range, in `unit`. */
  readonly published: string | number;
  readonly value: (lab: Lab) => number;
  readonly unit: string;
  /** Empty unless given. */
  readonly note?: string;
  /** Further readings; none unless given. */
  readonly more?: readonly Explanation[] | undefined;
}

/** Ours against a printed number or range, with the other readings where it differs. */
export function compareReadings(
  what: string,
  { published, value, unit, note = "", more = [] }: ReadingComparison,
): Finding {
  const finding = compareNumber(what, { published, ours: value(ownLab), unit, kind: "C", note });
  if (finding.verdict !== "differs") return finding;
  return explained(finding, [
    ...explanationsWith(value),
    ...more.filter(({ value: other }) => other !== finding.ours),
  ]);
}

/** Printed ends of a range, as printed. */
export type Range = readonly [low: string | number, high: string | number];

/** Either end of a printed range. */
export type Pick = (...values: readonly number[]) => number;

interface RangeComparison {
  /** The printed ends, in `unit`. */
  readonly range: Range;
  readonly values: (lab: Lab) => readonly number[];
  /** `x` unless given. */
  readonly unit?: string;
  /** Empty unless given. */
  readonly note?: string;
  /** Further readings of one end; none unless given. */
  readonly more?: (pick: Pick) => readonly Explanation[];
}

/** Both ends of a printed range against the least and the greatest of ours, with further readings of each end. */
export function compareRangeEnds(
  what: string,
  { range: [low, high], values, unit = "x", note = "", more = () => [] }: RangeComparison,
): readonly Finding[] {
  const end = (name: string, published: string | number, pick: Pick): Finding =>
    compareReadings(`${what}, ${name}`, {
      published,
      value: (lab) => pick(...values(lab)),
      unit,
      note,
      more: more(pick),
    });
  return [end("least", low, Math.min), end("greatest", high, Math.max)];
}
