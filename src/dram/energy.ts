// SPDX-License-Identifier: Apache-2.0
// An estimate of the energy of a channel from what was on its command bus: the usual method of
// adding to the standby current, for every command, what its current is above standby for as long
// as it lasts (Micron TN-40-07). It knows nothing of data toggling or termination.

import type { DramOrganization } from "./presets.ts";
import { refreshesAsOne, type DramTiming } from "./timing.ts";

/** Currents of one device in mA, voltages in V, under their JEDEC names. */
export interface DramCurrents {
  readonly vdd: number;
  readonly vpp: number;
  readonly idd0: number;
  readonly idd2n: number;
  readonly idd3n: number;
  readonly idd4r: number;
  readonly idd4w: number;
  readonly idd5b: number;
  readonly ipp0: number;
  readonly ipp5b: number;
  readonly source: string;
}

/** The generic DDR5 set of Ramulator 2.0's power model; no device's data sheet. */
export const genericDdr5Currents: DramCurrents = {
  vdd: 1.1,
  vpp: 1.8,
  idd0: 60,
  idd2n: 50,
  idd3n: 55,
  idd4r: 145,
  idd4w: 145,
  idd5b: 362,
  ipp0: 3,
  ipp5b: 48,
  source: 'Ramulator 2.0, DDR5 voltage and current preset "Default"',
};

/** Joules by what they were spent on. */
export interface DramEnergy {
  readonly activate: number;
  readonly read: number;
  readonly write: number;
  readonly refresh: number;
  readonly background: number;
  readonly total: number;
  readonly source: string;
}

/** The energy of all devices of a channel over `totalCycles`. */
export function dramEnergy(
  organization: DramOrganization,
  timing: DramTiming,
  cycleSeconds: number,
  deviceBits: number,
  commands: Readonly<Record<string, number>>,
  totalCycles: number,
  currents: DramCurrents = genericDdr5Currents,
): DramEnergy {
  const devices = organization.channelBits / deviceBits;
  const issued = (name: string): number => commands[name] ?? 0;
  const milliampCycles = (current: number, cycles: number): number =>
    current * 1e-3 * currents.vdd * cycles * cycleSeconds * devices;
  const pumpCycles = (current: number, cycles: number): number =>
    current * 1e-3 * currents.vpp * cycles * cycleSeconds * devices;
  const { idd0, idd2n, idd3n, idd4r, idd4w, idd5b, ipp0, ipp5b } = currents;
  // IDD0 cycles ACT and PRE at nRC; what active and precharge standby account for is background.
  const activeStandby = idd3n * timing.nRAS + idd2n * (timing.nRC - timing.nRAS);
  const activate =
    issued("ACT") *
    (milliampCycles(idd0 * timing.nRC - activeStandby, 1) + pumpCycles(ipp0, timing.nRC));
  const read = issued("RD") * milliampCycles(idd4r - idd3n, timing.nBL);
  const write = issued("WR") * milliampCycles(idd4w - idd3n, timing.nBL);
  const refresh =
    issued("REFab") *
      (milliampCycles(idd5b - idd2n, timing.nRFC1) + pumpCycles(ipp5b, timing.nRFC1)) +
    (issued("REFsb") / refreshesAsOne("SameBank", organization.banksPerGroup)) *
      (milliampCycles(idd5b - idd2n, timing.nRFC1) + pumpCycles(ipp5b, timing.nRFC1));
  const background = milliampCycles(idd3n, totalCycles) * organization.ranks;
  const total = activate + read + write + refresh + background;
  return { activate, read, write, refresh, background, total, source: currents.source };
}
