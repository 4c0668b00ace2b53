// SPDX-License-Identifier: Apache-2.0
// Energy of the devices of a channel, from the counts of commands, the time that banks were open, and the currents of
// a data sheet: the form of DRAMPower 5 (RPTU Kaiserslautern) with its factor rho at 0. Of each device and supply,
// V x I x time of
//
//   background  IDD2N, and for each open bank one B-th of IDD3N - IDD2N: of IDD3N all B banks are open
//   activate    the current of a loop of IDD0 in tRAS + tRP above the background of one open bank, and of none
//   read, write IDD4R or IDD4W above IDD3N for a burst
//   refresh     IDD5B above IDD2N for tRFC, IDD5C above IDD2N for tRFCsb: all banks are closed
//   I/O         VDDQ's currents of a burst above its standby, and a read's current in the receiver's termination
//
// Subtracting IDD3N from IDD0, as older notes do, would make an activation negative: IDD0 has one bank open, IDD3N all.
// Currents of bursts are charges of the data sheet's rate, so a burst at another rate costs the same.

import { currentsOf, type EnergyCurrents } from "./currents.ts";
import type { DramOrganization } from "./presets.ts";
import { refreshesAsOne } from "./timing.ts";

/** The devices behind one command bus. */
export interface DramDevices {
  readonly organization: Omit<DramOrganization, "channels">;
  /** Cycles of a burst, of a refresh of all banks, and of a refresh of one bank or of one bank per group. */
  readonly timing: Readonly<Record<"nBL" | "nRFC1" | "nRFCsb", number>>;
  /** Refreshes of the last kind that refresh as many rows as one of all banks; those of DDR5 if absent. */
  readonly singleRefreshes?: number;
  readonly cycleSeconds: number;
  /** Data pins of a device. */
  readonly deviceBits: number;
  /** False: a module without ECC. Else a sub-channel of 32 pins has 8 more, as registered DIMMs have. */
  readonly eccDevices?: boolean | undefined;
  /**
   * True: power-down, with entry and exit in no time, whenever no burst and no refresh is on. This is an upper bound of
   * the savings: the controller does not issue PDE and PDX.
   */
  readonly powerDown?: boolean | undefined;
  /** Of a device; absent: those of DDR5. */
  readonly currents?: EnergyCurrents | undefined;
}

/** Activity of a channel. */
export interface DramWork {
  /** By JEDEC mnemonic: ACT, RD, WR, REFab, and REFsb for a refresh of one bank or of one bank per group. */
  readonly commands: Readonly<Partial<Record<string, number>>>;
  /** Cycles for which the ranks are on; 0 where another's work has the background. */
  readonly cycles: number;
  /** Cycles with a row open, over all banks of all ranks. */
  readonly openBankCycles: number;
}

export const energyTerms = ["activate", "read", "write", "io", "refresh", "background"] as const;
export type EnergyTerm = (typeof energyTerms)[number];

/** Joules by cause, of all devices. */
export interface DramEnergy extends Readonly<Record<EnergyTerm, number>> {
  readonly total: number;
  /** Devices of a rank, and those of them that store ECC. */
  readonly devices: number;
  readonly eccDevices: number;
  /** The source of the currents. */
  readonly source: string;
  /**
   * `published`: the currents are of a device like this; `assumed`: they are of a device of another density;
   * `configuration`: the user gave them.
   */
  readonly basis: "published" | "assumed" | "configuration";
}

/** Share of data bits that are low, and so draw current from VDDQ: assumed. */
const lowShare = 0.5;
const milli = 1e-3;

/** Devices of a rank: with ECC a quarter more pins, where whole devices have them. */
export function devicesOfRank({ organization, deviceBits, eccDevices }: DramDevices): {
  readonly all: number;
  readonly ecc: number;
} {
  const { channelBits } = organization;
  const bits = eccDevices !== false && channelBits % 32 === 0 ? channelBits / 4 : 0;
  const ecc = bits % deviceBits === 0 ? bits / deviceBits : 0;
  return { all: channelBits / deviceBits + ecc, ecc };
}

/** One supply of a device: volts, and mA by state. */
interface Supply {
  readonly volts: number;
  readonly closed: number;
  readonly open: number;
  readonly closedDown: number;
  readonly openDown: number;
  readonly row: number;
  readonly read: number;
  readonly write: number;
  readonly refresh: number;
  /** Of REFsb; null if no data sheet has it: a REFsb then costs its share of a REFab. */
  readonly refreshSame: number | null;
}

function suppliesOf(c: EnergyCurrents): readonly Supply[] {
  return [
    {
      volts: c.vdd,
      closed: c.idd2n,
      open: c.idd3n,
      closedDown: c.idd2p,
      openDown: c.idd3p,
      row: c.idd0,
      read: c.idd4r,
      write: c.idd4w,
      refresh: c.idd5b,
      refreshSame: c.idd5c,
    },
    {
      volts: c.vpp,
      closed: c.ipp2n,
      open: c.ipp3n,
      closedDown: c.ipp2n,
      openDown: c.ipp3n,
      row: c.ipp0,
      read: c.ipp4r,
      write: c.ipp4w,
      refresh: c.ipp5b,
      refreshSame: null,
    },
  ];
}

/** The energy of all devices of a channel. */
export function dramEnergy(channel: DramDevices, work: DramWork): DramEnergy {
  const currents =
    channel.currents ?? currentsOf(channel.deviceBits, Math.round(2e-6 / channel.cycleSeconds));
  const devices = devicesOfRank(channel);
  const terms = termsOf(channel, work, currents);
  const joules = Object.fromEntries(
    energyTerms.map((term) => [term, devices.all * terms[term] * milli]),
  ) as Record<EnergyTerm, number>;
  const io = joules.io + terminated(channel, work, currents, devices.all);
  const { rows, columnsPerRow, burstLength } = channel.organization;
  const banks = banksOf(channel.organization);
  const bits = rows * banks * columnsPerRow * burstLength * channel.deviceBits;
  const total = energyTerms.reduce((sum, term) => sum + (term === "io" ? io : joules[term]), 0);
  return {
    ...joules,
    io,
    total,
    devices: devices.all,
    eccDevices: devices.ecc,
    source: `${currents.source}; ${String(devices.all)} devices a rank, ${String(devices.ecc)} of them ECC`,
    basis: basisOf(currents, bits),
  };
}

function basisOf({ gigabits }: EnergyCurrents, bits: number): DramEnergy["basis"] {
  if (gigabits === null) return "configuration";
  return bits === gigabits * 2 ** 30 ? "published" : "assumed";
}

/** Banks of a rank. */
function banksOf({
  logicalRanks = 1,
  bankGroups,
  banksPerGroup,
}: DramDevices["organization"]): number {
  return logicalRanks * bankGroups * banksPerGroup;
}

/** Energy terms of one device in millijoules: mA x V x s. */
function termsOf(
  { organization, timing, cycleSeconds, powerDown = false, ...devices }: DramDevices,
  { commands, cycles, openBankCycles }: DramWork,
  currents: EnergyCurrents,
): Readonly<Record<EnergyTerm, number>> {
  const { ranks, banksPerGroup, burstLength } = organization;
  const { singleRefreshes = refreshesAsOne("SameBank", banksPerGroup) } = devices;
  const of = (name: string): number => commands[name] ?? 0;
  const banks = banksOf(organization);
  const [rowOpen, rowClosed] = [currents.rowOpen * 1e-9, currents.rowClosed * 1e-9];
  const burst = burstLength / (currents.rate * 1e6);
  const refreshAll = timing.nRFC1 * cycleSeconds;
  const refreshSame = timing.nRFCsb * cycleSeconds;
  const time = ranks * cycles * cycleSeconds;
  const openTime = openBankCycles * cycleSeconds;
  const busy =
    (of("RD") + of("WR")) * timing.nBL * cycleSeconds +
    of("REFab") * refreshAll +
    of("REFsb") * refreshSame;
  const down = powerDown && time > 0 ? Math.max(0, 1 - busy / time) : 0;
  const sum = { activate: 0, read: 0, write: 0, refresh: 0, background: 0 };
  for (const supply of suppliesOf(currents)) {
    const { volts, closed, open, row } = supply;
    const aBank = (open - closed) / banks;
    const downBank = (supply.openDown - supply.closedDown) / banks;
    const loop = row * (rowOpen + rowClosed) - (closed + aBank) * rowOpen - closed * rowClosed;
    sum.activate += volts * of("ACT") * loop;
    sum.read += volts * of("RD") * (supply.read - open) * burst;
    sum.write += volts * of("WR") * (supply.write - open) * burst;
    const whole = (supply.refresh - closed) * refreshAll;
    const refreshSameBank =
      supply.refreshSame === null
        ? whole / singleRefreshes
        : (supply.refreshSame - closed) * refreshSame;
    sum.refresh += volts * (of("REFab") * whole + of("REFsb") * refreshSameBank);
    const up = closed * time + aBank * openTime;
    const low = supply.closedDown * time + downBank * openTime;
    sum.background += volts * ((1 - down) * up + down * low);
  }
  const { vddq, iddq3n, iddq4r, iddq4w } = currents;
  const io = vddq * burst * (of("RD") * (iddq4r - iddq3n) + of("WR") * (iddq4w - iddq3n));
  return { ...sum, io, background: sum.background + vddq * iddq3n * time };
}

/**
 * The current of reads in the termination at their receiver, from its VDDQ: VDDQ^2 / R for each line that is low, of
 * data and of one strobe pair for 4 pins of an x4 device or 8 of another. Writes are terminated in the device: IDDQ4W
 * includes them.
 */
function terminated(
  { organization, deviceBits, cycleSeconds }: DramDevices,
  { commands }: DramWork,
  { vddq, readOhms }: EnergyCurrents,
  devices: number,
): number {
  if (readOhms === null) return 0;
  const pins = devices * deviceBits;
  const low = lowShare * pins + pins / (deviceBits === 4 ? 4 : 8);
  const bitTime = cycleSeconds / 2;
  return ((commands["RD"] ?? 0) * low * organization.burstLength * bitTime * vddq ** 2) / readOhms;
}
