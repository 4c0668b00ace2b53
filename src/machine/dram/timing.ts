// SPDX-License-Identifier: Apache-2.0
// The timing parameters of a DDR5 channel in cycles of its command clock, under their JEDEC names.

import type { ChannelRefresh, RefreshKind } from "./refresh-kind.ts";
import { NeardataError, type Issue } from "../../base/errors.ts";
import { cycles, type Cycles } from "../../base/units.ts";

/** Every parameter of the model and the events it separates (see sim/dram/timing.h). */
export const timingMeanings = {
  nBL: "data bus time of one access",
  nCL: "RD to first data",
  nRCD: "ACT to RD or WR",
  nRP: "PRE to ACT",
  nRAS: "ACT to PRE",
  nRC: "ACT to ACT, same bank",
  nWR: "last write data to PRE",
  nRTP: "RD to PRE",
  nCWL: "WR to first data",
  nPPD: "PRE to PRE, same rank",
  nCCDS: "RD to RD, other bank group",
  nCCDS_WR: "WR to WR, other bank group",
  nCCDS_WTR: "WR to RD, other bank group: nCWL + nBL + tWTR_S",
  nCCDL: "RD to RD, same bank group",
  nCCDL_WR: "WR to WR, same bank group",
  nCCDL_WTR: "WR to RD, same bank group: nCWL + nBL + tWTR_L",
  nRRDS: "ACT to ACT, other bank group",
  nRRDL: "ACT to ACT, same bank group",
  nFAW: "first to fifth ACT of a rank",
  nRFC1: "REFab to ACT",
  nRFCsb: "REFsb to ACT, same bank",
  nREFSBRD: "REFsb to ACT, other bank",
  nREFI: "average time between REFab of a rank",
  nCS: "gap on the data bus when the rank changes",
} as const;

export type TimingName = keyof typeof timingMeanings;

export const timingNames = Object.keys(timingMeanings) as readonly TimingName[];

/** Cycles that a parameter may have (sim/dram/config.cc); the interval between refreshes is longer. */
export const minTiming = 1;
const maxTiming = 1_000_000;
const maxInterval = 1_000_000_000_000;
export function mostOfTiming(name: TimingName): number {
  return name === "nREFI" ? maxInterval : maxTiming;
}
/** Requests that a queue of a channel admits, at most (sim/dram/config.cc). */
export const maxQueueEntries = 4096;

/** A burst of 64 bytes on the 32 pins of a sub-channel, two transfers per cycle (JESD79-5). */
export const burstCycles = 8;

/** The command that refreshes. */
export function refreshCommand(refresh: ChannelRefresh): "REFab" | "REFsb" | "REFpb" {
  if (refresh === "PerBank") return "REFpb";
  return refresh === "SameBank" ? "REFsb" : "REFab";
}

/**
 * Refreshes equivalent to one REFab in normal mode. REFsb refreshes one bank of each group, and as a command of the
 * fine granularity mode half of its rows (JESD79-5, 4.13: tREFI / 2 / banks of a group).
 */
export function refreshesAsOne(refresh: RefreshKind, banksPerGroup: number): number {
  return refresh === "SameBank" ? 2 * banksPerGroup : 1;
}

/** Cycles from one refresh command of a rank to the next; 0 without refresh. */
export function refreshInterval(
  refresh: RefreshKind,
  interval: number,
  banksPerGroup: number,
): number {
  if (refresh === "None") return 0;
  // No bank in a group is an error that the addon names.
  return Math.floor(interval / Math.max(1, refreshesAsOne(refresh, banksPerGroup)));
}

/** Rules between the parameters of a sub-channel; those of refresh apply only with refresh. */
export function timingIssues(
  timing: Readonly<Partial<Record<string, number>>>,
  refresh: RefreshKind,
  banksPerGroup: number,
): readonly Issue[] {
  const of = (name: TimingName): number => timing[name] ?? 0;
  const issues: Issue[] = [];
  const atLeast = (name: TimingName, least: number, why: string): void => {
    if (of(name) >= least) return;
    issues.push({ where: name, message: `${of(name)} is less than ${why}.` });
  };
  atLeast("nBL", burstCycles, `the ${burstCycles} cycles that 64 bytes take on 32 pins`);
  for (const name of ["nCCDS", "nCCDS_WR", "nCCDL", "nCCDL_WR"] as const) {
    atLeast(name, of("nBL"), `nBL, ${of("nBL")}: two bursts would be on the pins at once`);
  }
  // The rest of a row cycle after its open time would be negative.
  atLeast("nRC", of("nRAS"), `nRAS, ${of("nRAS")}: a row is open that long before it closes`);
  const idle = "nothing but refreshes would happen";
  if (refresh === "AllBank") {
    const busy = of("nRFC1") + of("nRP") + 1;
    atLeast("nREFI", busy, `nRFC1 + nRP + 1, ${busy}: ${idle}`);
  } else if (refresh === "SameBank") {
    const times = refreshesAsOne(refresh, banksPerGroup);
    const busy = (of("nRFCsb") + of("nRP") + 1) * times;
    atLeast("nREFI", busy, `${times} times nRFCsb + nRP + 1, ${busy}: ${idle}`);
  }
  return issues;
}

/** Parameters that the model does not use, such as times of RFMs, which take as long as refreshes; read and ignored. */
export const unusedTimingNames = [
  "nRFC2",
  "nRFM1",
  "nRFM2",
  "nRFMsb",
  "nDRFMab",
  "nDRFMsb",
] as const;

export type DramTiming = Readonly<Record<TimingName, Cycles>>;

/** @throws NeardataError `misuse` for a timing that lacks a name. */
export function completeTiming(timing: Readonly<Record<string, Cycles>>): DramTiming {
  const missing = timingNames.filter((name) => timing[name] === undefined);
  if (missing.length === 0) return timing;
  throw new NeardataError("misuse", `the timing of the memory lacks ${missing.join(", ")}`);
}

/**
 * The same for a memory that may lack REFsb: the timings of REFsb are then those of REFab, and no command uses them.
 * @throws NeardataError `misuse` for a timing that lacks another name.
 */
export function timingWithoutRefsb(timing: Readonly<Record<string, Cycles>>): DramTiming {
  const { nRFC1 } = timing;
  return completeTiming({
    ...(nRFC1 !== undefined && { nRFCsb: nRFC1, nREFSBRD: nRFC1 }),
    ...timing,
  });
}

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
