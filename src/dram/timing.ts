// SPDX-License-Identifier: Apache-2.0
// The timing parameters of a DDR5 channel in cycles of its command clock, under their JEDEC names.

import { cycles, type Cycles } from "../units.ts";

/** Every parameter that the model knows; sim/dram/timing.h says what each one separates. */
export const timingNames = [
  "nBL",
  "nCL",
  "nRCD",
  "nRP",
  "nRAS",
  "nRC",
  "nWR",
  "nRTP",
  "nCWL",
  "nPPD",
  "nCCDS",
  "nCCDS_WR",
  "nCCDS_WTR",
  "nCCDL",
  "nCCDL_WR",
  "nCCDL_WTR",
  "nRRDS",
  "nRRDL",
  "nFAW",
  "nRFC1",
  "nRFCsb",
  "nREFSBRD",
  "nREFI",
  "nCS",
] as const;

/** Parameters of features that the model does not have; read and ignored. */
export const unusedTimingNames = [
  "nRFC2",
  "nRFM1",
  "nRFM2",
  "nRFMsb",
  "nDRFMab",
  "nDRFMsb",
] as const;

export type TimingName = (typeof timingNames)[number];
export type DramTiming = Readonly<Record<TimingName, Cycles>>;

/** The length of a cycle in picoseconds, rounded down as JESD79-5 has it in its speed tables. */
export function cyclePicoseconds(megatransfersPerSecond: number): number {
  return Math.floor(2_000_000 / megatransfersPerSecond);
}

/**
 * Cycles that cover `nanoseconds`: the rounding of JESD79-5, which forgives 0.3 % so that a time
 * that is a whole number of cycles but for the rounding of the clock stays that number.
 */
export function cyclesOf(nanoseconds: number, megatransfersPerSecond: number): Cycles {
  const thousandths = Math.floor(
    (nanoseconds * 1000 * 997) / cyclePicoseconds(megatransfersPerSecond),
  );
  return cycles(Math.floor((thousandths + 1000) / 1000));
}
