// SPDX-License-Identifier: Apache-2.0
// One constraint of JESD79-5 as requests that make it the only constraint of a command: the command
// must be issued t cycles after another command, not t - 1.

import type { SemanticsName } from "../../../machine/dram/semantics.ts";
import type { ControllerCommand } from "../../../machine/dram/standards/ddr5-rows.ts";
import { ddr5 } from "../../../machine/dram/standards/ddr5.ts";
import { counted, type Command } from "../../../machine/dram/standards/table.ts";
import type { DramTiming, TimingName } from "../../../machine/dram/timing.ts";

/** Commands by the names that a replay writes. */
export type EdgeCommand = ControllerCommand;

export interface EdgePlace {
  readonly rank: number;
  readonly group: number;
  readonly bank: number;
  readonly row: number;
}

/**
 * The target of the second command, relative to the first: `rank` is another bank group, or the
 * rank as a whole. `same banks` are the banks with the number of a command to one bank of each
 * group, `other banks` are the rest of the rank.
 */
export type Near = "bank" | "bank group" | "rank" | "other rank" | "same banks" | "other banks";

/**
 * A request that is offered at a clock: its first command is issued one cycle later at the
 * earliest.
 */
export interface EdgeStep {
  readonly at: number;
  readonly op: "R" | "W";
  readonly place: EdgePlace;
}

/** A command for the request with this number, or one for no request, of rank 0. */
export interface EdgeEvent {
  readonly command: EdgeCommand;
  readonly step?: number;
}

export type EdgeRefresh = "None" | "AllBank" | "SameBank";

export interface Edge {
  /** The name of the constraint in the table of DDR5. */
  readonly rule: string;
  /** The minimum distance as a sum of timings. */
  readonly minimum: string;
  readonly from: EdgeEvent;
  readonly to: EdgeEvent;
  readonly near: Near;
  /** Timings that are long; all others are short. */
  readonly timing: Readonly<Partial<Record<TimingName, number>>>;
  readonly refresh: EdgeRefresh;
  readonly ranks: number;
  readonly closedRows?: boolean;
  /** The second command is optional: if it is not issued, the constraint is satisfied. */
  readonly mayNotCome?: boolean;
  /** Cycles from the one to the other. */
  readonly wait: (t: DramTiming) => number;
  /** The requests, given the cycle of the first refresh of an idle memory. */
  readonly steps: (refresh: number) => readonly EdgeStep[];
}

/**
 * Early: not rejected at t - 1. Late: rejected at t. Absent: the backend does not have the command.
 */
export type EdgeVerdict = "right" | "early" | "late" | "never" | "absent";

export interface EdgeResult {
  readonly rule: string;
  readonly minimum: string;
  readonly commands: string;
  readonly near: Near;
  /** Cycles by the standard, with the timings of the edge. */
  readonly expected: number;
  readonly measured: number | undefined;
  readonly verdict: EdgeVerdict;
}

const commandOf = (name: EdgeCommand): Command => ddr5.commands[name];

/** Cycles of a command on the command bus. */
export const busCycles = (command: EdgeCommand): number => commandOf(command).cycles;

/** Cycles that an interval between two commands is longer if it counts from first cycle to first cycle. */
export const betweenFirstCycles = (from: EdgeCommand, to: EdgeCommand): number =>
  counted(commandOf(from)) - counted(commandOf(to));

export type EdgeSemantics = SemanticsName;
