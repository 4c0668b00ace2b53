// SPDX-License-Identifier: Apache-2.0
// The form of a memory standard as a table. One file describes one standard: its levels, commands, timings and
// constraints. The checker of command traces (src/kernels/dram/check) has no rules of its own: it reads these rows.
//
// Five mechanisms cover the differences between standards:
// - Levels. A standard lists the levels that it has, so GDDR6 lists no rank and HBM3 lists stack identifiers.
// - Buses. A command occupies its bus for its cycles. HBM has two command buses.
// - States. A command needs a state of its banks and leaves a state. LPDDR5's ACT1 leaves `activating`, which only its
//   ACT2 needs, within `split.within` cycles.
// - Clocks. A standard with `dataClock` (LPDDR5's WCK) needs a synchronisation before an access. A standard of two
//   cycles per clock (HBM3) accepts most commands at the first of the two cycles only.
// - The data bus. Bursts occupy it for `burst` cycles, and bursts of two ranks are `gap` cycles apart.
//
// The controller in C++ (sim/dram) receives the commands and rows of a table as numbers (controller.ts,
// controller-rows.ts): a wait in cycles for each pair of commands. It has no list of commands or constraints of its
// own.

import type { EnergyCurrents } from "../currents.ts";
import type { SimulatorFiles } from "./files.ts";

/** Levels below the channel, from the top. A trace has `stack id` in the column of `rank`. */
export const levelNames = ["pseudo channel", "rank", "stack id", "bank group", "bank"] as const;
export type LevelName = (typeof levelNames)[number];

/** A number of cycles as a sum: timings by name, some of them subtracted, and constants. */
export type Sum<T extends string = string> = readonly (T | `-${T}` | number)[];

/** State of a bank. */
export type BankState = "closed" | "activating" | "open";

/** The banks that a command addresses: one, the bank of this number in every bank group, or all below a level. */
export type Reach = "bank" | "same bank" | "rank";

export interface Command {
  readonly reach: Reach;
  /** Cycles on the command bus. */
  readonly cycles: number;
  /** Index of the command bus; 0 where a channel has one. */
  readonly bus?: number;
  /** The cycle from which and to which intervals count; the first where it is absent. */
  readonly counted?: "last";
  /** State that every addressed bank must have. Without it each state is legal. */
  readonly needs?: BankState;
  /** State of every addressed bank after the command; without it the state stays. */
  readonly leaves?: BankState;
  /** The command transfers a burst. */
  readonly access?: "read" | "write";
  /** The command starts the data clock for an access of this kind, which must follow in the next cycle. */
  readonly synchronises?: "read" | "write";
  /** Share of a refresh of all rows that the command does, by the banks of the standard. */
  readonly refreshes?: "all banks" | "one bank" | "half a bank of each group";
  /** The command refreshes because of activations (RFM); it does no share of a refresh of all rows. */
  readonly manages?: true;
  /** The command may start in the second half of a clock, too. */
  readonly bothEdges?: true;
}

/**
 * How sure a constraint is: JEDEC's document has it; it is believed, without the document at hand; or the document does
 * not have it, because two ranks on one bus need it.
 */
export type Basis = "sure" | "probable" | "system";

/** After `from`, `to` is legal on the same node of `level` only after `wait` cycles. */
export interface Constraint<T extends string = string, C extends string = string> {
  readonly rule: string;
  readonly level: LevelName | "channel";
  readonly from: readonly C[];
  readonly to: readonly C[];
  readonly wait: Sum<T>;
  /** Counted from this many `from` commands ago; 1 where it is absent. */
  readonly window?: number;
  /** Between different nodes of the level below one parent. */
  readonly others?: true;
  readonly basis?: Basis;
}

export interface DataBus<T extends string = string> {
  /** One bus for each node of this level. */
  readonly level: "channel" | "pseudo channel";
  readonly read: Sum<T>;
  readonly write: Sum<T>;
  readonly burst: Sum<T>;
  /** Between bursts of two ranks. */
  readonly gap?: Sum<T>;
}

/** An activation in two commands: `second` follows `first` within `within` cycles. */
export interface Split<T extends string = string, C extends string = string> {
  readonly first: C;
  readonly second: C;
  readonly within: Sum<T>;
  /** Commands that are legal between the two. */
  readonly between: readonly C[];
}

/** A clock of the data that stops some cycles after an access, for each rank. */
export interface DataClock<T extends string = string> {
  readonly name: string;
  /** From a read or write to the stop of the clock, beyond the latency of the access. */
  readonly after: Sum<T>;
}

export interface Refresh<T extends string = string> {
  /** Average time between refreshes of all banks of a rank. */
  readonly interval: T;
  /** Refreshes that a rank may postpone. */
  readonly postponed: number;
  /** Whether the debt of refreshes of one bank is sure. */
  readonly basis: Basis;
  /** Average time between refreshes of one bank, among those of a node of `level`. */
  readonly perBank?: { readonly interval: T; readonly level: LevelName | "channel" };
}

/** A constraint as another simulator has it: with another wait, for fewer commands, or not at all. */
export type Departure<T extends string = string, C extends string = string> =
  | { readonly rule: string; readonly isAbsent: true }
  | { readonly rule: string; readonly wait: Sum<T> }
  | { readonly rule: string; readonly to: readonly C[] };

/** Departures from the standard of a simulator whose traces the controller reproduces. */
export interface Simulator<T extends string = string, C extends string = string> {
  readonly constraints: readonly Departure<T, C>[];
  /** Intervals count from and to the last cycle of every command, also where the standard counts otherwise. */
  readonly countsLastCycles?: true;
  /** Constraints that the standard does not have. */
  readonly added?: readonly Constraint<T, C>[];
  /**
   * Refreshes of one bank: all banks of a rank and then those of the next one, or each rank some cycles after the one
   * before it. Without it the simulator has none.
   */
  readonly perBank?: "rank by rank" | { readonly spacing: number };
  /** The time between these refreshes, where the standard's `refresh.perBank` does not have it. */
  readonly perBankInterval?: T;
  /** Commands between the two commands of an activation, where they are not those of the standard. */
  readonly betweenActivation?: readonly C[];
  /** One data clock for all ranks, which stops `after` cycles after the latency of an access. */
  readonly sharedDataClock?: { readonly after: Sum<T> };
}

/** Counts of one channel. */
export interface Organization {
  readonly channels: number;
  readonly levels: Readonly<Partial<Record<LevelName, number>>>;
  readonly rows: number;
  /** Accesses of a row. */
  readonly columns: number;
  readonly bytesPerAccess: number;
}

/** A device at a speed: every timing of the standard in cycles. */
export interface StandardPreset<T extends string = string> {
  readonly name: string;
  readonly megatransfersPerSecond: number;
  readonly timing: Readonly<Record<T, number>>;
  readonly organization: Organization;
  /** Data pins of a device, where the preset is of one. */
  readonly deviceBits?: number;
  /** Currents of the device, where they are public. */
  readonly currents?: EnergyCurrents;
  /** The document or the public place that has the numbers. */
  readonly source: string;
}

/** A timing name of other programs' files for a timing of the table: equal, or shorter by a sum. */
export interface Alias<T extends string = string> {
  readonly timing: T;
  readonly plus?: Sum<T>;
}

export interface MemoryStandard<T extends string = string, C extends string = string> {
  readonly name: string;
  /** JEDEC's number. */
  readonly document: string;
  readonly levels: readonly LevelName[];
  /** Cycles of the table in a cycle of the clock CK: 2 where timings are in half clocks. */
  readonly cyclesPerClock: 1 | 2;
  /** Transfers of a data pin in a cycle of the table. */
  readonly transfersPerCycle: number;
  /** Names of the command buses. In one cycle commands are sent from the last one to the first. */
  readonly buses: readonly string[];
  readonly timings: Readonly<Record<T, string>>;
  readonly aliases: Readonly<Record<string, Alias<T>>>;
  readonly commands: Readonly<Record<C, Command>>;
  readonly constraints: readonly Constraint<T, C>[];
  readonly dataBus: DataBus<T>;
  readonly refresh: Refresh<T>;
  readonly split?: Split<T, C>;
  readonly dataClock?: DataClock<T>;
  readonly ramulator21?: Simulator<T, C>;
  readonly files: SimulatorFiles<T, C>;
  /** Timings that a memory may lack, with the rows that they are of. */
  readonly optional?: readonly T[];
  /** Timings of which 0 cycles are legal. */
  readonly zero?: readonly T[];
  readonly defaultPreset: string;
  readonly presetNames: readonly string[];
  /** @throws NeardataError `bad-input` with the location `where` for a name without a preset. */
  readonly preset: (name: string, where: string) => StandardPreset<T>;
}

/** Checks the names of a table at compile time: every wait is of its timings, every row of its commands. */
export function standard<T extends string, C extends string>(
  table: MemoryStandard<T, C>,
): MemoryStandard<T, C> {
  return table;
}

/** A sum in cycles. A name without a timing is an error of the table. */
export function sumOf(sum: Sum, timing: Readonly<Record<string, number>>): number {
  return sum.reduce<number>((total, term) => {
    if (typeof term === "number") return total + term;
    const isNegative = term.startsWith("-");
    const value = timing[isNegative ? term.slice(1) : term];
    if (value === undefined) throw new Error(`there is no timing ${term}`);
    return isNegative ? total - value : total + value;
  }, 0);
}

/** A sum as text, such as `nCL + nBL + 2 - nCWL`. */
export function sumText(sum: Sum): string {
  const text = sum.map((term) => {
    const word = String(term);
    return word.startsWith("-") ? ` - ${word.slice(1)}` : ` + ${word}`;
  });
  return text.join("").replace(/^ \+ /, "").replace(/^ - /, "-");
}

/** Cycles from the first cycle of a command to the cycle from which intervals count. */
export function counted(command: Command, cycles = command.cycles): number {
  return command.counted === "last" ? cycles - 1 : 0;
}
