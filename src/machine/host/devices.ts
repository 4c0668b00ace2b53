// SPDX-License-Identifier: Apache-2.0
// GPUs, CPUs, links and memories of the five papers: peak and effective rates, each with its source.
// `calibrated` rates name the one published figure that fixed them.

import { bytes, type Bytes } from "../../base/units.ts";
import type { TimeCurve } from "./curve.ts";

/** The origin of a number. */
export type RateClass = "published" | "measured" | "calibrated" | "assumed";

/** A rate with its source. */
export interface SourcedRate {
  readonly value: number;
  readonly class: RateClass;
  readonly source: string;
}

/** The peak of a data sheet, and the rate that programs reach. */
export interface Rates {
  readonly peak: SourcedRate;
  readonly effective: SourcedRate;
}

export interface Processor {
  readonly title: string;
  /** FLOP/s in 16-bit formats. */
  readonly compute: Rates;
  /** Bytes/s of the main memory. */
  readonly bandwidth: Rates;
  /** Power under load in watts, for energy. */
  readonly watts: SourcedRate;
  /** Share of that power that the device consumes while it waits. */
  readonly idle: SourcedRate;
  /** Memory of the device itself. */
  readonly memory: Bytes;
  /** Measured time of a mixture's expert; null where it was not measured. */
  readonly expert: ExpertCurve | null;
}

/** Time of one expert of `size` bytes against tokens. */
export interface ExpertCurve {
  readonly size: Bytes;
  readonly times: TimeCurve;
}

export interface Link {
  readonly title: string;
  /** Bytes/s in one direction. */
  readonly rate: Rates;
}

export interface MemoryTier {
  readonly title: string;
  readonly capacity: number;
}

/**
 * Idle power of a whole server (CPU, GPU, memory and fans) as a share of its power under load. LIA
 * measures servers in this way (section 7.1, with ipmitool) and prints no share.
 */
export const idlePower: SourcedRate = {
  value: 0.3,
  class: "assumed",
  source: "share of the design power",
};
/** By itself: reports have 60 of 400 W of an A100, 75 of 700 W of an H200, 15 % over several (nemulai.com, 2026). */
const idleGpu: SourcedRate = {
  value: 0.15,
  class: "measured",
  source: "users' reports of idle A100 and H200",
};
const idleCpu: SourcedRate = { ...idlePower, source: "share of the design power, as of a server" };

export function effective(rates: Rates): number {
  return rates.effective.value;
}

function rate(value: number, kind: RateClass, source: string): SourcedRate {
  return { value, class: kind, source };
}

const gib = 2 ** 30;
/** DDR of LIA's server (table 2); CPUs of other papers override it with the machine. */
const serverMemory = 512;

/** A GPU if it has device memory, else a CPU. */
function processor(
  title: string,
  compute: Rates,
  bandwidth: Rates,
  watts: number,
  memoryGib?: number,
): Processor {
  return {
    title,
    compute,
    bandwidth,
    watts: rate(watts, "published", "thermal design power"),
    idle: memoryGib === undefined ? idleCpu : idleGpu,
    memory: bytes((memoryGib ?? serverMemory) * gib),
    expert: null,
  };
}

const sheet = (value: number): SourcedRate => rate(value, "published", "data sheet");
const lia = (value: number, where: string): SourcedRate => rate(value, "measured", `LIA ${where}`);

/** SPR's measured GEMM rate; every share below is of it. */
const sprGemm = 20e12;
const sprBandwidth = 260e9;

/** 285 TFLOPS on an A100 is 20 TFLOPS over 7 % (section 4.1), rounded down to three digits. */
export type GpuName = "p100" | "v100" | "a100-40" | "h100-80" | "a6000" | "t4";

export const gpus: Readonly<Record<GpuName, Processor>> = {
  p100: processor(
    "P100",
    {
      peak: rate(18.7e12, "published", "data sheet, PCIe card: LIA's 90.1 TFLOPS over 4.7 is 19"),
      effective: lia(sprGemm / 2.4, "section 4.1: SPR is 2.4 times faster"),
    },
    { peak: sheet(732e9), effective: lia(sprBandwidth / 0.41, "section 4.2: SPR has 41 %") },
    250,
    16,
  ),
  v100: processor(
    "V100",
    {
      peak: sheet(125e12),
      effective: rate(125e12, "published", "the peak: LIA section 4.1's 14 % would be 143 TFLOPS"),
    },
    { peak: sheet(900e9), effective: lia(sprBandwidth / 0.34, "section 4.2: SPR has 34 %") },
    300,
    32,
  ),
  "a100-40": processor(
    "A100 40 GB",
    { peak: sheet(312e12), effective: lia(285e12, "section 4.1: SPR reaches 7 %") },
    { peak: sheet(1555e9), effective: lia(sprBandwidth / 0.2, "section 4.2: SPR has 20 %") },
    250,
    40,
  ),
  "h100-80": processor(
    "H100 80 GB PCIe",
    {
      peak: rate(756.5e12, "published", "data sheet, PCIe card, dense; TriMoE's table 1: 819.6"),
      effective: lia(500e12, "section 4.1: SPR reaches 4 %"),
    },
    { peak: sheet(2039e9), effective: lia(1733e9, "section 4.2: SPR has 15 %") },
    350,
    80,
  ),
  a6000: processor(
    "RTX A6000",
    { peak: sheet(155e12), effective: rate(120e12, "assumed", "77 % of peak, as on the A100") },
    { peak: sheet(768e9), effective: rate(640e9, "assumed", "83 % of peak, as on the A100") },
    300,
    48,
  ),
  t4: processor(
    "T4",
    { peak: sheet(65e12), effective: rate(20.54e12, "calibrated", "FlexGen table 4, prefill") },
    {
      peak: rate(300e9, "published", "data sheet; 256 bit at 10 Gb/s would be 320"),
      effective: rate(240e9, "assumed", "80 % of peak"),
    },
    70,
    16,
  ),
};

/** Idle shares by kind, for devices that a user describes. */
export const idleOf: Readonly<Record<"gpu" | "cpu", SourcedRate>> = { gpu: idleGpu, cpu: idleCpu };

export type CpuName = "spr-amx" | "spr-avx512" | "gnr-amx" | "grace";

export const cpus: Readonly<Record<CpuName, Processor>> = {
  "spr-amx": processor(
    "Xeon 8460H, AMX",
    {
      peak: rate(90.1e12, "published", "40 cores x 1024 x 2.2 GHz"),
      effective: lia(sprGemm, "section 4.1"),
    },
    {
      peak: rate(307.2e9, "published", "8 x DDR5-4800"),
      effective: lia(sprBandwidth, "section 4.2"),
    },
    330,
  ),
  "spr-avx512": processor(
    "Xeon 8460H, AVX512",
    {
      peak: rate(11.3e12, "published", "an eighth of AMX"),
      effective: lia(4.4e12, "section 4.1: AMX is 4.5 times faster"),
    },
    {
      peak: rate(307.2e9, "published", "8 x DDR5-4800"),
      effective: lia(sprBandwidth, "section 4.2"),
    },
    330,
  ),
  "gnr-amx": processor(
    "Xeon 6, 128 cores, AMX",
    {
      peak: rate(
        262.1e12,
        "published",
        "128 cores x 1024 x 2.0 GHz, the base clock of a Xeon 6980P; LIA section 8 implies 207",
      ),
      effective: lia(2.4 * sprGemm, "section 4.1: up to 2.4 times SPR; the abstract has 40 TFLOPS"),
    },
    {
      peak: rate(537.6e9, "published", "12 x DDR5-5600 (LIA section 4.2); a Xeon 6980P takes 6400"),
      effective: lia(1.7 * sprBandwidth, "section 4.2: 70 % over SPR"),
    },
    500,
  ),
  grace: processor(
    "Grace, SVE2, as LIA has it",
    {
      peak: rate(6.91e12, "published", "LIA section 8: 72 cores x 32 x 3.0 GHz, the rate of FP32"),
      effective: rate(6.91e12, "published", "LIA section 8; the product has twice that in FP16"),
    },
    {
      peak: rate(512e9, "published", "LIA section 8"),
      effective: rate(512e9, "published", "LIA section 8"),
    },
    250,
  ),
};

export type LinkName = "pcie3" | "pcie4" | "pcie5" | "nvlink-c2c" | "cxl";

export const links: Readonly<Record<LinkName, Link>> = {
  pcie3: {
    title: "PCIe 3.0 x16",
    rate: {
      peak: sheet(16e9),
      effective: rate(12.89 * 2 ** 30, "calibrated", "FlexGen's fit on a T4"),
    },
  },
  pcie4: {
    title: "PCIe 4.0 x16",
    rate: {
      peak: sheet(32e9),
      effective: rate(23.75e9, "calibrated", "LIA's decode switch at B = 858"),
    },
  },
  pcie5: {
    title: "PCIe 5.0 x16",
    rate: { peak: sheet(64e9), effective: rate(47.5e9, "calibrated", "twice PCIe 4.0") },
  },
  "nvlink-c2c": {
    title: "NVLink-C2C",
    rate: {
      peak: sheet(450e9),
      effective: rate(450e9, "published", "half of LIA section 8's 900 GB/s, which is both ways"),
    },
  },
  cxl: {
    title: "one CXL type 3 expander",
    rate: { peak: rate(32e9, "published", "PCIe 5.0 x8"), effective: lia(17e9, "section 6") },
  },
};

export type MemoryName = "spr-ddr" | "t4-host" | "t4-disk";

export const memories: Readonly<Record<MemoryName, MemoryTier>> = {
  "spr-ddr": { title: "512 GB DDR5-4800", capacity: 512 * 2 ** 30 },
  "t4-host": { title: "208 GB of the T4 instance, 200 usable", capacity: 200 * 2 ** 30 },
  "t4-disk": { title: "1.5 TB disk of the T4 instance", capacity: 1500 * 2 ** 30 },
};

/** Hosts by name: a GPU behind PCIe, or a CPU at the DIMMs themselves. */
export type HostName = GpuName | CpuName;
export const hostNames: readonly HostName[] = [
  ...(Object.keys(gpus) as GpuName[]),
  ...(Object.keys(cpus) as CpuName[]),
];
