// SPDX-License-Identifier: Apache-2.0
// Rates of batched work on LIA's machines. Section 4.2's products are of one vector. Batched attention on the CPU, and
// batched products on both, run far slower: table 5 prints the seconds of CPU and GPU at B = 900, which set four rates.
// They apply to every batch above one, on every host in proportion to its rates.

import { bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import type { LiaMachine, LiaMachineName } from "../../experiment/machines.ts";
import type { LiaJob } from "../policy/run.ts";
import type { LiaSystem } from "../policy/systems.ts";
import { job, labOf, paperLab, type Lab } from "./lab.ts";

/** Seconds of table 5 at B = 900: CPU of LIA, IPEX and FlexGen, GPU of LIA. */
export const batchedSeconds = { LIA: 168.8, IPEX: 1216.5, FlexGen: 505, gpu: 110.8 } as const;

const measured: LiaJob = job("opt-30b", 900, 256, 32);

type RateKey = "cpuCacheBandwidth" | "cpuRate" | "gpuRate" | "cacheStore";

/**
 * The rate at which a part of table 5's run has this time; times are linear in the inverse rate.
 */
function rateOf(
  seconds: number,
  key: RateKey,
  usual: number,
  timeOfPart: (lab: Lab) => number,
  rest: Partial<LiaMachine> = {},
): number {
  const at = (rate: number): number =>
    timeOfPart(
      labOf({ rates: (rates) => ({ ...rates, ...rest, [key]: rate }), chosenBy: paperLab }),
    );
  const [whole, half] = [at(usual), at(usual / 2)];
  const perInverse = (half - whole) * usual;
  return perInverse / (seconds - whole + perInverse / usual);
}

const spr = paperLab.machine("spr-a100");
const cpuTime =
  (run: "lia" | "ipex" | "flexGen") =>
  (lab: Lab): number =>
    lab[run]("spr-a100", measured).busy.cpu;

/** After so many both rates are exact to a double's last digits. */
const alternations = 8;

/** Caches and products of the CPU that make LIA's and IPEX' seconds: each depends on the other, weakly. */
function cpuRates(): { readonly caches: number; readonly products: number } {
  let products: number = spr.cpuRate;
  let caches: number = spr.cpuBandwidth;
  for (let i = 0; i < alternations; i += 1) {
    const others = { cpuRate: flopsPerSecond(products) };
    caches = rateOf(
      batchedSeconds.LIA,
      "cpuCacheBandwidth",
      spr.cpuBandwidth,
      cpuTime("lia"),
      others,
    );
    const read = { cpuCacheBandwidth: bytesPerSecond(caches) };
    products = rateOf(batchedSeconds.IPEX, "cpuRate", spr.cpuRate, cpuTime("ipex"), read);
  }
  return { caches, products };
}
const { caches: liaCaches, products } = cpuRates();

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

/**
 * Rate of new caches to the host, if LIA's transfers of 118.8 s at B = 900 consist of new caches
 * and weights.
 */
export const storeRate: number = rateOf(
  118.8,
  "cacheStore",
  spr.pcie,
  (lab) => lab.lia("spr-a100", measured).busy.transfer,
);

/** The CPU's rate that makes IPEX' 1216.5 s, its caches read as LIA's. */
export const batchedCpuRate: number = products;

/** A host's rate over that of SPR-A100, where table 5 was measured. */
function share(name: LiaMachineName, of: "cpuBandwidth" | "cpuRate" | "gpuRate"): number {
  return paperLab.machine(name)[of] / spr[of];
}

/** Caches alone: attention of a batch on the CPU. */
export function batchedCaches(
  rates: LiaMachine,
  system: LiaSystem,
  name: LiaMachineName,
  batch: number,
): LiaMachine {
  if (batch === 1) return rates;
  const cpuCacheBandwidth = batchedCacheRates[system] * share(name, "cpuBandwidth");
  return { ...rates, cpuCacheBandwidth: bytesPerSecond(cpuCacheBandwidth) };
}

/**
 * Rates of caches and products of a batch. FlexGen's CPU computes with another unit, for which
 * table 5 has no products.
 */
export function batchedRates(
  rates: LiaMachine,
  system: LiaSystem,
  name: LiaMachineName,
  batch: number,
): LiaMachine {
  if (batch === 1) return rates;
  return {
    ...batchedCaches(rates, system, name, batch),
    gpuRate: flopsPerSecond(batchedGpuRate * share(name, "gpuRate")),
    cpuRate:
      system === "FlexGen"
        ? rates.cpuRate
        : flopsPerSecond(batchedCpuRate * share(name, "cpuRate")),
  };
}
