// SPDX-License-Identifier: Apache-2.0
// DDR5's speed bins and devices: one row a bin, one a density, one a width, and the core timing that all bins of a
// rate share. All of it is JESD79-5; the sources beside each group are public places that quote it.

/** CL and tRCD = tRP of a bin in clock cycles. The write latency is CL - 2 (JESD79-5, mode register 0). */
export interface SpeedBin {
  /** MT/s */
  readonly rate: number;
  readonly nCL: number;
  readonly nRCD: number;
}

/**
 * A (tAA near 14 ns), B (16 ns), BN (B with times that are whole cycles) and C (17.5 ns): JESD79-5D's bins as
 * tabulated in ddrxmpeditor-pro; the AN bins also in AnandTech's table of 2024 and, where it has them, Ramulator 2.1;
 * the B bins also in Micron's 16 Gb addenda and in the EEPROMs of modules that are sold.
 */
const latencies: readonly (readonly [
  rate: number,
  ...bins: readonly (readonly [bin: string, nCL: number, nRCD: number])[],
])[] = [
  [3200, ["AN", 24, 24], ["B", 26, 26], ["BN", 26, 26], ["C", 28, 28]],
  [3600, ["AN", 26, 26], ["BN", 30, 30]],
  [4000, ["AN", 28, 28], ["B", 32, 32]],
  [4400, ["AN", 32, 32], ["B", 36, 36], ["BN", 36, 36], ["C", 40, 39]],
  [4800, ["AN", 34, 34], ["B", 40, 39], ["BN", 40, 40], ["C", 42, 42]],
  [5200, ["AN", 38, 38], ["B", 42, 42], ["BN", 42, 42], ["C", 46, 46]],
  [5600, ["AN", 40, 40], ["B", 46, 45], ["BN", 46, 46], ["C", 50, 49]],
  [6000, ["AN", 42, 42], ["B", 48, 48], ["BN", 48, 48], ["C", 54, 53]],
  [6400, ["AN", 46, 46], ["B", 52, 52], ["BN", 52, 52], ["C", 56, 56]],
  [6800, ["AN", 48, 48], ["B", 56, 55]],
  [7200, ["AN", 52, 52], ["B", 58, 58], ["BN", 58, 58]],
  [7600, ["AN", 54, 54], ["B", 62, 61]],
  [8000, ["AN", 56, 56], ["B", 64, 64], ["BN", 64, 64]],
  [8400, ["AN", 60, 60], ["B", 68, 68], ["BN", 68, 68]],
  [8800, ["AN", 62, 62], ["B", 72, 71], ["BN", 72, 72]],
];

/** By name, such as `DDR5-4800B`. */
export const speedBins: ReadonlyMap<string, SpeedBin> = new Map(
  latencies.flatMap(([rate, ...bins]) =>
    bins.map(([bin, nCL, nRCD]) => [`DDR5-${rate}${bin}`, { rate, nCL, nRCD }] as const),
  ),
);

/** A time: nanoseconds, and the least number of cycles where the standard has one. */
export interface CoreTime {
  readonly ns: number;
  readonly least: number;
}

export type CoreTimeName =
  | "tRAS"
  | "tWR"
  | "tRTP"
  | "tCCD_L"
  | "tCCD_L_WR"
  | "tCCD_L_WR2"
  | "tWTR_S"
  | "tWTR_L"
  | "tRRD_L"
  | "tREFSBRD"
  | "tREFI";

/**
 * Core timing that every bin shares: JESD79-5's table 471 as quoted in tests of NVMain, and the EEPROMs of modules
 * of 4800 and 5600 MT/s. tREFI holds up to 85 degrees Celsius.
 */
export const coreTimes: Readonly<Record<CoreTimeName, CoreTime>> = {
  tRAS: { ns: 32, least: 0 },
  tWR: { ns: 30, least: 0 },
  tRTP: { ns: 7.5, least: 12 },
  tCCD_L: { ns: 5, least: 8 },
  tCCD_L_WR: { ns: 20, least: 32 },
  tCCD_L_WR2: { ns: 10, least: 16 },
  tWTR_S: { ns: 2.5, least: 4 },
  tWTR_L: { ns: 10, least: 16 },
  tRRD_L: { ns: 5, least: 8 },
  tREFSBRD: { ns: 30, least: 0 },
  tREFI: { ns: 3900, least: 0 },
};

/** From this rate (MT/s) on tWTR_S is eight cycles: 2.0 ns at 8000, 1.904 at 8400, 1.818 at 8800 (Micron's table 494). */
export const fastWriteToReadFrom = 8000;
export const fastWriteToReadCycles = 8;

/** Refresh of a density: ns of an all-bank and of a same-bank refresh, and rows of a bank. */
export interface Density {
  readonly tRFC1: number;
  readonly tRFCsb: number;
  readonly rows: number;
  readonly banksPerGroup: number;
}

export type DensityName = "8Gb" | "16Gb" | "24Gb" | "32Gb";

/**
 * 8 and 16 Gb by JESD79-5 (2020); 32 Gb as Ramulator 2.1 and DRAMsim3's configurations of the MoPAC artefact have
 * it; 24 Gb, for which no public source states them, with the times of 32 Gb (assumed).
 */
export const densities: Readonly<Record<DensityName, Density>> = {
  "8Gb": { tRFC1: 195, tRFCsb: 115, rows: 65_536, banksPerGroup: 2 },
  "16Gb": { tRFC1: 295, tRFCsb: 130, rows: 65_536, banksPerGroup: 4 },
  "24Gb": { tRFC1: 410, tRFCsb: 190, rows: 98_304, banksPerGroup: 4 },
  "32Gb": { tRFC1: 410, tRFCsb: 190, rows: 131_072, banksPerGroup: 4 },
};

/** Parameters that depend on the pins of a device. */
export interface Width {
  readonly pins: number;
  readonly bankGroups: number;
  readonly pageBytes: number;
  /** Cycles: at every rate 32 with pages of 1 KB, 40 with pages of 2 KB. */
  readonly nFAW: number;
  /** From a write to the next of its bank group. */
  readonly writes: "tCCD_L_WR" | "tCCD_L_WR2";
}

export type WidthName = "x4" | "x8" | "x16";

/**
 * JESD79-5, addressing of 8 to 32 Gb; tFAW as in the EEPROMs of x8 and x16 modules (13,333 ps and 16,666 ps at
 * 4800). A burst of an x4 device is half a word of its on-die ECC, which it reads before it writes: tCCD_L_WR; wider
 * ones write whole words: tCCD_L_WR2.
 */
export const widths: Readonly<Record<WidthName, Width>> = {
  x4: { pins: 4, bankGroups: 8, pageBytes: 1024, nFAW: 32, writes: "tCCD_L_WR" },
  x8: { pins: 8, bankGroups: 8, pageBytes: 1024, nFAW: 32, writes: "tCCD_L_WR2" },
  x16: { pins: 16, bankGroups: 4, pageBytes: 2048, nFAW: 40, writes: "tCCD_L_WR2" },
};
