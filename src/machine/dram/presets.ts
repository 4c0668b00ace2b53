// SPDX-License-Identifier: Apache-2.0
// DDR5 memories by name: a speed bin, and the device where it is not 16 Gb x4. A name without a row is an error, never
// a guess.

import { inputError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { formatValue } from "../../base/format-value.ts";
import { cycles } from "../../base/units.ts";
import {
  coreTimes,
  densities,
  fastWriteToReadCycles,
  fastWriteToReadFrom,
  speedBins,
  widths,
  type Density,
  type SpeedBin,
  type Width,
} from "./bins.ts";
import { cyclesOf, timingNames, type DramTiming, type TimingName } from "./timing.ts";

/** The organization of a channel; all counts except that of the rows are powers of two. */
export interface DramOrganization {
  readonly channels: number;
  readonly ranks: number;
  readonly bankGroups: number;
  readonly banksPerGroup: number;
  readonly rows: number;
  /** Whole accesses per row. */
  readonly columnsPerRow: number;
  readonly channelBits: number;
  readonly burstLength: number;
  /** Logical ranks of a rank, such as the stack identifiers of a pseudo-channel; 1 if absent. */
  readonly logicalRanks?: number;
  /** A rank, all banks that one command refreshes, is a pseudo-channel. */
  readonly ranksArePseudoChannels?: boolean;
  /** The bits of the channel are the lowest ones of an address above the offset, for every mapping. */
  readonly channelIsLowest?: boolean;
}

export interface DramPreset {
  readonly name: string;
  readonly megatransfersPerSecond: number;
  readonly timing: DramTiming;
  readonly organization: DramOrganization;
  /** Data pins of a device. */
  readonly deviceBits: number;
  readonly source: string;
}

/** A device by the words of its name. */
interface Device {
  readonly density: Density;
  readonly width: Width;
}

const channelBits = 32;
const burstLength = 16;

/** One sub-channel of 4 ranks of these devices: 16 Gb x4 are a DIMM of 128 GiB with two of them. */
function organizationOf({ density, width }: Device): DramOrganization {
  const devices = channelBits / width.pins;
  return {
    channels: 1,
    ranks: 4,
    bankGroups: width.bankGroups,
    banksPerGroup: density.banksPerGroup,
    rows: density.rows,
    columnsPerRow: (devices * width.pageBytes * 8) / (channelBits * burstLength),
    channelBits,
    burstLength,
  };
}

/** Parameters that a preset states itself; everything else is core timing. */
interface Stated extends SpeedBin {
  readonly nRP: number;
}

function timingOf({ rate, nCL, nRCD, nRP }: Stated, { density, width }: Device): DramTiming {
  const inCycles = (name: keyof typeof coreTimes): number =>
    Math.max(coreTimes[name].least, cyclesOf(coreTimes[name].ns, rate));
  const nBL = burstLength / 2;
  const nRAS = inCycles("tRAS");
  const nCWL = nCL - 2;
  const turn = rate < fastWriteToReadFrom ? inCycles("tWTR_S") : fastWriteToReadCycles;
  const numbers: Readonly<Record<TimingName, number>> = {
    nBL,
    nCL,
    nRCD,
    nRP,
    nRAS,
    nRC: nRAS + nRP,
    nWR: inCycles("tWR"),
    nRTP: inCycles("tRTP"),
    nCWL,
    nPPD: 2,
    nCCDS: 8,
    nCCDS_WR: 8,
    nCCDS_WTR: nCWL + nBL + turn,
    nCCDL: inCycles("tCCD_L"),
    nCCDL_WR: inCycles(width.writes),
    nCCDL_WTR: nCWL + nBL + inCycles("tWTR_L"),
    nRRDS: 8,
    nRRDL: inCycles("tRRD_L"),
    nFAW: width.nFAW,
    nRFC1: cyclesOf(density.tRFC1, rate),
    nRFCsb: cyclesOf(density.tRFCsb, rate),
    nREFSBRD: inCycles("tREFSBRD"),
    nREFI: inCycles("tREFI"),
    nCS: 2,
  };
  return Object.fromEntries(timingNames.map((name) => [name, cycles(numbers[name])])) as DramTiming;
}

/** The device of TriMoE's DIMMs, and of a bin whose name states no device. */
const usual: Device = { density: densities["16Gb"], width: widths.x4 };

/**
 * TriMoE's Table 1 at 4800 MT/s states nBL 8, nCL 40, nRP 34, nWR 72, nCCDS 8, nCCDL 12, nRRDS 8, nRRDL 12 and nFAW 32.
 * The other parameters are core timing; nRCD is equal to nRP.
 */
const trimoe: DramPreset = {
  name: "TriMoE",
  megatransfersPerSecond: 4800,
  organization: organizationOf(usual),
  deviceBits: usual.width.pins,
  source: "TriMoE, Table 1; what it leaves out by JESD79-5",
  timing: timingOf({ rate: 4800, nCL: 40, nRCD: 34, nRP: 34 }, usual),
};

/** The names that `dramPreset` accepts; a device may follow the name of a bin. */
export const dramPresetNames: readonly string[] = [trimoe.name, ...speedBins.keys()];

/**
 * The preset of this name, such as `TriMoE`, `DDR5-4800B` (16 Gb x4) or `DDR5-4800B 24Gb x8`.
 * @throws NeardataError `bad-input` with the location `where`.
 */
export function dramPreset(name: string, where: string): DramPreset {
  if (name === trimoe.name) return trimoe;
  const [word = "", ...words] = name.split(" ");
  const bin = speedBins.get(word);
  if (bin === undefined) {
    throw inputError(
      where,
      `there is no DRAM preset ${formatValue(name)}; "neardata list presets" prints all.` +
        didYouMean(name, dramPresetNames),
    );
  }
  const device = words.length === 0 ? usual : deviceOf(words);
  if (device === undefined) {
    const known = [densities, widths].map((table) => Object.keys(table).join(", ")).join(" and ");
    const message =
      `there is no device ${formatValue(words.join(" "))}: after ${word} stand a density and a width, ` +
      `such as "24Gb x8"; known are ${known}.`;
    throw inputError(where, message);
  }
  return {
    name,
    megatransfersPerSecond: bin.rate,
    organization: organizationOf(device),
    deviceBits: device.width.pins,
    source: "JESD79-5: the bins, core timing and devices of src/machine/dram/bins.ts",
    timing: timingOf({ ...bin, nRP: bin.nRCD }, device),
  };
}

/** A device with this density and width; undefined if a word is not a row of their tables. */
function deviceOf([density = "", width = "", ...more]: readonly string[]): Device | undefined {
  if (!hasRow(densities, density) || !hasRow(widths, width) || more.length > 0) return undefined;
  return { density: densities[density], width: widths[width] };
}

function hasRow<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}
