// SPDX-License-Identifier: Apache-2.0
// DDR5 devices by name. A name without a row is an error, never a guess.

import { inputError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { shown } from "../shown.ts";
import { cycles } from "../units.ts";
import { cyclesOf, timingNames, type DramTiming, type TimingName } from "./timing.ts";

/** What one channel is made of; all counts are powers of two. */
export interface DramOrganization {
  readonly channels: number;
  readonly ranks: number;
  readonly bankGroups: number;
  readonly banksPerGroup: number;
  readonly rows: number;
  /** Whole accesses a row holds. */
  readonly columnsPerRow: number;
  readonly channelBits: number;
  readonly burstLength: number;
}

export interface DramPreset {
  readonly name: string;
  readonly megatransfersPerSecond: number;
  readonly timing: DramTiming;
  readonly organization: DramOrganization;
  readonly source: string;
}

/**
 * One DDR5 sub-channel of 4 ranks, each 8 devices of 16 Gb x4: 8 bank groups of 4 banks, 2^16 rows
 * of 2^11 columns, BL16 (JESD79-5, addressing of 16 Gb devices). Two of them are a 128 GiB DIMM.
 */
const sixteenGigabitBy4: DramOrganization = {
  channels: 1,
  ranks: 4,
  bankGroups: 8,
  banksPerGroup: 4,
  rows: 65536,
  columnsPerRow: 128,
  channelBits: 32,
  burstLength: 16,
};

/**
 * Core timing that every speed shares: nanoseconds, and the least number of cycles where there is
 * one (JESD79-5, core timing for 16 Gb x4; refresh parameters by density).
 */
const core = {
  tRAS: { ns: 32, least: 0 },
  tWR: { ns: 30, least: 0 },
  tRTP: { ns: 7.5, least: 12 },
  tCCD_L: { ns: 5, least: 8 },
  tCCD_L_WR: { ns: 20, least: 32 },
  tWTR_S: { ns: 2.5, least: 4 },
  tWTR_L: { ns: 10, least: 16 },
  tRRD_L: { ns: 5, least: 8 },
  tFAW: { ns: 20, least: 32 },
  tRFC1: { ns: 295, least: 0 },
  tRFCsb: { ns: 130, least: 0 },
  tREFSBRD: { ns: 30, least: 0 },
  tREFI: { ns: 3900, least: 0 },
} as const;

/** Rate and nCL = nRCD = nRP of the bins whose rows are known; 5600 and 6400 BN and C are not. */
const bins: Readonly<Record<string, readonly [megatransfersPerSecond: number, latency: number]>> = {
  "DDR5-3200AN": [3200, 24],
  "DDR5-3200BN": [3200, 26],
  "DDR5-3200C": [3200, 28],
  "DDR5-4800AN": [4800, 34],
  "DDR5-4800BN": [4800, 36],
  "DDR5-4800C": [4800, 38],
  "DDR5-5600AN": [5600, 40],
  "DDR5-6400AN": [6400, 46],
};

/** What a preset states itself; everything else is core timing. */
interface Stated {
  readonly nCL: number;
  readonly nRP: number;
  readonly nRCD: number;
  readonly nFAW?: number;
}

function timingOf(rate: number, stated: Stated): DramTiming {
  const inCycles = (name: keyof typeof core): number =>
    Math.max(core[name].least, cyclesOf(core[name].ns, rate));
  const nBL = 8;
  const nRAS = inCycles("tRAS");
  const nCWL = stated.nCL - 2;
  const numbers: Readonly<Record<TimingName, number>> = {
    nBL,
    nCL: stated.nCL,
    nRCD: stated.nRCD,
    nRP: stated.nRP,
    nRAS,
    nRC: nRAS + stated.nRP,
    nWR: inCycles("tWR"),
    nRTP: inCycles("tRTP"),
    nCWL,
    nPPD: 2,
    nCCDS: 8,
    nCCDS_WR: 8,
    nCCDS_WTR: nCWL + nBL + inCycles("tWTR_S"),
    nCCDL: inCycles("tCCD_L"),
    nCCDL_WR: inCycles("tCCD_L_WR"),
    nCCDL_WTR: nCWL + nBL + inCycles("tWTR_L"),
    nRRDS: 8,
    nRRDL: inCycles("tRRD_L"),
    nFAW: stated.nFAW ?? inCycles("tFAW"),
    nRFC1: inCycles("tRFC1"),
    nRFCsb: inCycles("tRFCsb"),
    nREFSBRD: inCycles("tREFSBRD"),
    nREFI: inCycles("tREFI"),
    nCS: 2,
  };
  return Object.fromEntries(timingNames.map((name) => [name, cycles(numbers[name])])) as DramTiming;
}

/**
 * TriMoE's Table 1 at 4800 MT/s gives nBL 8, nCL 40, nRP 34, nWR 72, nCCDS 8, nCCDL 12, nRRDS 8,
 * nRRDL 12 and nFAW 32. What it leaves out is core timing; nRCD is taken as nRP.
 */
const trimoe: DramPreset = {
  name: "TriMoE",
  megatransfersPerSecond: 4800,
  organization: sixteenGigabitBy4,
  source: "TriMoE, Table 1; what it leaves out by JESD79-5",
  timing: timingOf(4800, { nCL: 40, nRCD: 34, nRP: 34, nFAW: 32 }),
};

/** The names that `dramPreset` knows. */
export const dramPresetNames: readonly string[] = [trimoe.name, ...Object.keys(bins)];

/**
 * The preset of this name.
 * @throws NeardataError `bad-input`, naming `where` it was asked for.
 */
export function dramPreset(name: string, where: string): DramPreset {
  if (name === trimoe.name) return trimoe;
  const row = Object.hasOwn(bins, name) ? bins[name] : undefined;
  if (row === undefined) {
    throw inputError(
      where,
      `there is no DRAM preset ${shown(name)}; known are ${dramPresetNames.join(", ")}.` +
        didYouMean(name, dramPresetNames),
    );
  }
  const [megatransfersPerSecond, latency] = row;
  return {
    name,
    megatransfersPerSecond,
    organization: sixteenGigabitBy4,
    source: "JESD79-5: speed bins as tabulated by Ramulator 2.1, core timing of 16 Gb x4",
    timing: timingOf(megatransfersPerSecond, { nCL: latency, nRCD: latency, nRP: latency }),
  };
}
