// SPDX-License-Identifier: Apache-2.0
// DDR4 as Ramulator 2.0 (tag v2.0a, src/dram/impl/DDR4.cpp) has it: its presets, and the timings that follow from rate,
// density and width of a device. Figures of that file, under its names.

import { rounded } from "./ddr5.ts";

/** A device; columns are those of a device. */
export interface Device {
  /** Mb. */
  readonly density: number;
  /** Data pins. */
  readonly dq: number;
  readonly bankgroup: number;
  readonly bank: number;
  readonly row: number;
  readonly column: number;
}

const device = (gigabits: number, dq: number): Device => ({
  density: gigabits * 1024,
  dq,
  bankgroup: dq === 16 ? 2 : 4,
  bank: 4,
  row: gigabits * (dq === 4 ? 2 ** 14 : 2 ** 13),
  column: 1024,
});

export const devices: Readonly<Record<string, Device>> = Object.fromEntries(
  [2, 4, 8, 16].flatMap((gigabits) =>
    [4, 8, 16].map((dq) => [`DDR4_${gigabits}Gb_x${dq}`, device(gigabits, dq)] as const),
  ),
);

/** Timings of a rate in cycles; those by width are of x4, x8 and x16. */
interface Rate {
  readonly rate: number;
  readonly nRAS: number;
  readonly nWR: number;
  readonly nCWL: number;
  readonly nCCDL: number;
  readonly nWTRS: number;
  readonly nRRDS: readonly [number, number, number];
  readonly nRRDL: readonly [number, number, number];
  readonly nFAW: readonly [number, number, number];
  /** nCL = nRCD = nRP of the bins. */
  readonly bins: Readonly<Record<string, number>>;
}

/* prettier-ignore */
const rates: readonly Rate[] = [
  { rate: 1600, nRAS: 28, nWR: 12, nCWL: 9, nCCDL: 5, nWTRS: 2, nRRDS: [4, 4, 5], nRRDL: [5, 5, 6], nFAW: [16, 20, 28], bins: { J: 10, K: 11, L: 12 } },
  { rate: 1866, nRAS: 32, nWR: 14, nCWL: 10, nCCDL: 5, nWTRS: 3, nRRDS: [4, 4, 5], nRRDL: [5, 5, 6], nFAW: [16, 22, 28], bins: { L: 12, M: 13, N: 14 } },
  { rate: 2133, nRAS: 36, nWR: 16, nCWL: 11, nCCDL: 6, nWTRS: 3, nRRDS: [4, 4, 6], nRRDL: [6, 6, 7], nFAW: [16, 23, 32], bins: { N: 14, P: 15, R: 16 } },
  { rate: 2400, nRAS: 39, nWR: 18, nCWL: 12, nCCDL: 6, nWTRS: 3, nRRDS: [4, 4, 7], nRRDL: [6, 6, 8], nFAW: [16, 26, 36], bins: { P: 15, R: 16, U: 17, T: 18 } },
  { rate: 2666, nRAS: 43, nWR: 20, nCWL: 14, nCCDL: 7, nWTRS: 4, nRRDS: [4, 4, 8], nRRDL: [7, 7, 9], nFAW: [16, 28, 40], bins: { T: 17, U: 18, V: 19, W: 20 } },
  { rate: 2933, nRAS: 47, nWR: 22, nCWL: 16, nCCDL: 8, nWTRS: 4, nRRDS: [4, 4, 8], nRRDL: [8, 8, 10], nFAW: [16, 31, 44], bins: { V: 19, W: 20, Y: 21, AA: 22 } },
  { rate: 3200, nRAS: 52, nWR: 24, nCWL: 16, nCCDL: 8, nWTRS: 4, nRRDS: [4, 4, 9], nRRDL: [8, 8, 11], nFAW: [16, 34, 48], bins: { W: 20, AA: 22, AC: 24 } },
];

const bins = new Map<string, { readonly rate: Rate; readonly nCL: number }>(
  rates.flatMap((rate) =>
    Object.entries(rate.bins).map(
      ([bin, nCL]) => [`DDR4_${rate.rate}${bin}`, { rate, nCL }] as const,
    ),
  ),
);
export const timingPresets: readonly string[] = [...bins.keys()];

/** Nanoseconds of nRFC by Mb of a device. */
const refreshTimes: Readonly<Record<number, number>> = {
  2048: 160,
  4096: 260,
  8192: 360,
  16_384: 550,
};
const refreshInterval = 7800;

/** Rate of a preset. */
export function presetRate(preset: string): number | undefined {
  return bins.get(preset)?.rate.rate;
}

/** Timings of a preset, and those that follow from rate and device, under the names of the table. */
export function timingsOfDevice(
  preset: string | undefined,
  rate: number,
  tckPs: number,
  { density, dq }: { readonly density?: number | undefined; readonly dq?: number | undefined },
): Readonly<Record<string, number>> {
  const bin = bins.get(preset ?? "");
  const known = rates.find((one) => one.rate === rate);
  const width = [4, 8, 16].indexOf(dq ?? 0);
  const [nRRDS, nRRDL, nFAW] = [known?.nRRDS[width], known?.nRRDL[width], known?.nFAW[width]];
  const refresh = refreshTimes[density ?? 0];
  return {
    ...(bin !== undefined && {
      nBL: 4,
      nCL: bin.nCL,
      nRCD: bin.nCL,
      nRP: bin.nCL,
      nRAS: bin.rate.nRAS,
      nRC: bin.rate.nRAS + bin.nCL,
      nWR: bin.rate.nWR,
      nRTP: bin.rate.nWR / 2,
      nCWL: bin.rate.nCWL,
      nCCDS: 4,
      nCCDL: bin.rate.nCCDL,
      nWTRS: bin.rate.nWTRS,
      nWTRL: bin.rate.nWR / 2,
      nCS: 2,
    }),
    ...(nRRDS !== undefined && nRRDL !== undefined && nFAW !== undefined && { nRRDS, nRRDL, nFAW }),
    ...(refresh !== undefined && { nRFCab: rounded(refresh, tckPs) }),
    nREFI: rounded(refreshInterval, tckPs),
  };
}
