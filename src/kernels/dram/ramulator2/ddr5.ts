// SPDX-License-Identifier: Apache-2.0
// DDR5 as Ramulator 2.0 (tag v2.0a, src/dram/impl/DDR5.cpp) has it: its presets, and what it computes from
// rate, density and width of a device. Figures of that file, under its names.

import { timingNames } from "../../../machine/dram/timing.ts";
import type { Group } from "./group.ts";

/** Counts of one device and of a channel; columns are those of a device. */
interface Organization {
  /** Mb of a device. */
  readonly density: number;
  /** Data pins of a device. */
  readonly dq: number;
  readonly channel: number;
  readonly rank: number;
  readonly bankgroup: number;
  readonly bank: number;
  readonly row: number;
  readonly column: number;
}

function device(gigabits: number, dq: number): Organization {
  return {
    density: gigabits * 1024,
    dq,
    channel: 1,
    rank: 1,
    bankgroup: dq === 16 ? 4 : 8,
    bank: gigabits === 8 ? 2 : 4,
    row: gigabits === 32 ? 2 ** 17 : 2 ** 16,
    column: dq === 4 ? 2 ** 11 : 2 ** 10,
  };
}

const organizations: Readonly<Record<string, Organization>> = Object.fromEntries(
  [8, 16, 32].flatMap((gigabits) =>
    [4, 8, 16].map((dq) => [`DDR5_${gigabits}Gb_x${dq}`, device(gigabits, dq)]),
  ),
);

const levelNames = ["channel", "rank", "bankgroup", "bank", "row", "column"] as const;

/** The one rate that has presets. */
const presetRate = 3200;
/** nCL = nRCD = nRP of a speed bin; all else is the same or follows. */
const bins: Readonly<Record<string, number>> = {
  DDR5_3200AN: 24,
  DDR5_3200BN: 26,
  DDR5_3200C: 28,
};

function binTimings(latency: number): Readonly<Record<string, number>> {
  const nCWL = latency - 2;
  return {
    nBL: 8,
    nCL: latency,
    nRCD: latency,
    nRP: latency,
    nRAS: 52,
    nRC: 51 + latency,
    nWR: 48,
    nRTP: 12,
    nCWL,
    nPPD: 2,
    nCCDS: 8,
    nCCDS_WR: 8,
    nCCDS_WTR: nCWL + 8 + 4,
    nCCDL: 8,
    nCCDL_WR: 16,
    nCCDL_WTR: nCWL + 8 + 16,
    nRRDS: 8,
    nREFSBRD: 30,
    nCS: 2,
  };
}

/** Nanoseconds by density; RFC1 and RFCsb. */
const refreshTimes: Readonly<Record<number, readonly [all: number, same: number]>> = {
  8192: [195, 115],
  16384: [295, 130],
  32768: [410, 190],
};
const refreshInterval = 3900;

/** Ramulator's rounding for DDR5: truncated picoseconds in single precision, and a factor of 0.997. */
function rounded(nanoseconds: number, tckPs: number): number {
  const ps = Math.trunc(Math.fround(Math.fround(nanoseconds) * 1000));
  return Math.floor((Math.floor((ps * 997) / tckPs) + 1000) / 1000);
}

/**
 * Keys of `timing` that Ramulator knows and that have no effect here: their commands are not
 * issued.
 */
const unused = ["nRFC2", "nRFM1", "nRFM2", "nRFMsb", "nDRFMab", "nDRFMsb"];

/** The organization of `DRAM.org`, in the terms of a replay config. */
export function organizationOf(org: Group): Readonly<Record<string, number>> {
  const preset = org.optional("preset", Object.keys(organizations));
  const base = organizations[preset ?? ""];
  const value = (key: keyof Organization): number => {
    const value = org.whole(key) ?? base?.[key];
    if (value === undefined && preset !== null) org.problem(key, "must be given, or a preset.");
    return value ?? 1;
  };
  const [channels = 1, ranks = 1, groups = 1, banks = 1, rows = 1, columns = 1] =
    levelNames.map(value);
  return {
    channels,
    ranks_per_channel: ranks,
    bankgroups: groups,
    banks_per_bankgroup: banks,
    rows,
    device_columns: columns,
    device_width: value("dq"),
    device_density_Mb: value("density"),
    channel_width_bits: org.whole("channel_width") ?? 32,
    prefetch: 16,
  };
}

/** Rate and timings of `DRAM.timing` for a device. */
export function timingsOf(
  timing: Group,
  { device_density_Mb: density = 0, device_width: dq = 0 }: Readonly<Record<string, number>>,
): { readonly rate: number; readonly timings: Readonly<Record<string, number>> } {
  const preset = timing.optional("preset", Object.keys(bins));
  const latency = bins[preset ?? ""];
  const statedRate = timing.whole("rate");
  if (latency !== undefined && statedRate !== undefined) {
    timing.problem("rate", "the preset has the rate: Ramulator refuses one beside it.");
  }
  if (preset === undefined && statedRate === undefined)
    timing.problem("rate", "must be given, or a preset.");
  const rate = latency === undefined ? (statedRate ?? presetRate) : presetRate;
  const tckPs = Math.max(1, Math.trunc(1e6 / Math.max(1, Math.trunc(rate / 2))));
  const refresh = refreshTimes[density];
  const derived: Readonly<Record<string, number>> = {
    ...(latency === undefined ? {} : binTimings(latency)),
    ...(rate === presetRate ? { nRRDL: 5, nFAW: dq === 4 ? 40 : 32 } : {}),
    ...(rate === presetRate && dq === 4 ? { nCCDL_WR: 32 } : {}),
    ...(refresh === undefined
      ? {}
      : { nRFC1: rounded(refresh[0], tckPs), nRFCsb: rounded(refresh[1], tckPs) }),
    nREFI: rounded(refreshInterval, tckPs),
  };
  const timings: Record<string, number> = {};
  const missing: string[] = [];
  for (const name of timingNames) {
    const inNanoseconds = timing.number(name.replace(/^n/, "t"));
    const cycles =
      timing.whole(name) ??
      (inNanoseconds === undefined ? derived[name] : rounded(inNanoseconds, tckPs));
    if (cycles === undefined) missing.push(name);
    else timings[name] = cycles;
  }
  if (missing.length > 0 && preset !== null) {
    timing.problem("", `${missing.join(", ")} must be given: no preset or table has them.`);
  }
  for (const name of unused) {
    timing.whole(name);
    timing.number(name.replace(/^n/, "t"));
  }
  return { rate, timings };
}
