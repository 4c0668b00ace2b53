// SPDX-License-Identifier: Apache-2.0
// A command of a trace, and a rule of the standard that it breaks.

import type { Basis } from "../../../machine/dram/standards/table.ts";

/** One line of a command trace; -1 for all nodes of a level. */
export interface TraceCommand {
  readonly line: number;
  readonly cycle: number;
  readonly channel: number;
  readonly name: string;
  readonly pseudoChannel: number;
  /** The stack identifier where the standard has one. */
  readonly rank: number;
  readonly bankGroup: number;
  readonly bank: number;
  readonly row: number;
  readonly column: number;
  readonly request: number;
}

/** A command with the banks that it addresses, by their index in the channel. */
export interface Placed {
  readonly command: TraceCommand;
  readonly banks: readonly number[];
  /** The cycle from and to which intervals count. */
  readonly counted: number;
}

export interface Violation {
  readonly rule: string;
  readonly basis: Basis;
  readonly command: TraceCommand;
  /** The command that the rule counts from. */
  readonly earlier?: TraceCommand;
  /** Cycles beyond the minimum distance; negative. */
  readonly slack?: number;
  readonly message: string;
}

export type Report = (violation: Violation) => void;
