// SPDX-License-Identifier: Apache-2.0
// Every pair of commands at every distance that DDR5 distinguishes, with the rule of the standard. The
// list is derived from the table of the standard, so it contains every pair without a rule, and every
// rule without an edge.

import { levelFor } from "../../../machine/dram/standards/controller-rows.ts";
import {
  controllerCommands,
  ddr5Constraints,
  ddr5DataBus,
} from "../../../machine/dram/standards/ddr5-rows.ts";
import { ddr5 } from "../../../machine/dram/standards/ddr5.ts";
import { sumOf, type Constraint } from "../../../machine/dram/standards/table.ts";
import type { DramTiming } from "../../../machine/dram/timing.ts";
import { betweenFirstCycles, busCycles, type Edge, type EdgeCommand, type Near } from "./edge.ts";

/** A row of the table of DDR5, or of its data bus. */
export type StandardRow = (typeof ddr5Constraints)[number];

export interface CommandPair {
  readonly from: EdgeCommand;
  readonly to: EdgeCommand;
  readonly near: Near;
  /**
   * Constraints that an edge of the pair can test; empty if only the command bus separates the two.
   */
  readonly rows: readonly StandardRow[];
  /** The command without which the second is not allowed in its bank. */
  readonly between: "ACT" | "PRE" | undefined;
  /** Cycles between first cycles by every row and by the command bus; windows count more commands. */
  readonly wait: (t: DramTiming) => number;
}

const isWhole = (command: EdgeCommand): boolean => command === "PREA" || command === "REFab";
const isSame = (command: EdgeCommand): boolean => command === "PREsb" || command === "REFsb";

/** How near two commands can be to each other. */
function distances(from: EdgeCommand, to: EdgeCommand): readonly Near[] {
  if (isWhole(from) || isWhole(to)) return ["rank", "other rank"];
  if (isSame(from) || isSame(to)) return ["same banks", "other banks", "other rank"];
  return ["bank", "bank group", "rank", "other rank"];
}

const leavesOpen = (command: EdgeCommand): boolean => ["ACT", "RD", "WR"].includes(command);

/** The command that is necessary between two commands of one bank. */
function stateBetween(from: EdgeCommand, to: EdgeCommand): CommandPair["between"] {
  if (to === "RD" || to === "WR") return leavesOpen(from) ? undefined : "ACT";
  if (to.startsWith("PRE")) return undefined;
  return leavesOpen(from) ? "PRE" : undefined;
}

const meet = (from: EdgeCommand, to: EdgeCommand, near: Near): boolean =>
  near === "bank" || near === "same banks" || (near === "rank" && (isWhole(from) || isWhole(to)));

const depths: Readonly<Partial<Record<Constraint["level"], number>>> = {
  channel: 0,
  rank: 1,
  "bank group": 2,
  bank: 3,
};
const depthOf = (level: Constraint["level"]): number => {
  const depth = depths[level];
  if (depth === undefined) throw new Error(`DDR5 has no level ${level}`);
  return depth;
};

/** The lowest level at which the commands of the pair share a node. */
const common: Readonly<Record<Near, Constraint["level"]>> = {
  bank: "bank",
  "bank group": "bank group",
  rank: "rank",
  "other rank": "channel",
  "same banks": "bank",
  "other banks": "bank group",
};

function applies(row: StandardRow, from: EdgeCommand, to: EdgeCommand, near: Near): boolean {
  if (!row.from.includes(from) || !row.to.includes(to)) return false;
  if (row.others === true) return near === "other rank";
  const level = levelFor(row.level, ddr5.commands[from], ddr5.commands[to]);
  return depthOf(level) <= depthOf(common[near]);
}

/** Whether a test of the row at this distance is not possible, because a longer wait applies too. */
function isHidden(row: StandardRow, all: readonly StandardRow[], near: Near): boolean {
  // Five activations are of five bank groups.
  if (row.window !== undefined) return near !== "rank";
  if (isOfDataBus(row)) return near === "other rank" && row.others !== true;
  return all.some((other) => !isOfDataBus(other) && depthOf(other.level) > depthOf(row.level));
}

/** Whether the row is not of the table, but of the bursts on the data bus. */
const isOfDataBus = (row: StandardRow): boolean => ddr5DataBus.includes(row);

function pairOf(from: EdgeCommand, to: EdgeCommand, near: Near): CommandPair {
  const all = ddr5Constraints.filter((row) => applies(row, from, to, near));
  const rows = all.filter((row) => !isHidden(row, all, near));
  const waits = all.filter(({ window }) => window === undefined).map(({ wait }) => wait);
  const added = betweenFirstCycles(from, to);
  return {
    from,
    to,
    near,
    rows,
    between: meet(from, to, near) ? stateBetween(from, to) : undefined,
    wait: (t) => Math.max(busCycles(from), ...waits.map((wait) => sumOf(wait, t) + added)),
  };
}

export const commandPairs: readonly CommandPair[] = controllerCommands.flatMap((from) =>
  controllerCommands.flatMap((to) => distances(from, to).map((near) => pairOf(from, to, near))),
);

/**
 * The row that the edge of a pair tests: the row of this name, or the only row of the table.
 * @throws Error if the number of such rows is not one
 */
export function rowOf(
  pair: Pick<CommandPair, "from" | "to" | "near">,
  rule: string | undefined,
): StandardRow {
  const rowsOfPair = commandPairs.find((one) => pairName(one) === pairName(pair))?.rows ?? [];
  const named = rowsOfPair.filter((row) => row.rule === rule);
  const unnamed = rowsOfPair.filter((row) => row.window === undefined);
  const ofTable = unnamed.filter((row) => !isOfDataBus(row));
  const rows = rule !== undefined ? named : ofTable.length > 0 ? ofTable : unnamed;
  const [row] = rows;
  if (row === undefined || rows.length > 1) {
    throw new Error(`${pairName(pair)}: ${String(rows.length)} rows`);
  }
  return row;
}

/**
 * The reason why requests and refreshes cannot issue two commands at their minimum distance, by
 * `FROM to TO, NEAR`.
 */
export const unreached: Readonly<Record<string, string>> = {
  "PRE to PRE, bank": closed(),
  "PREA to ACT, rank": "a refresh, or another user of the rank, comes between",
  "PREsb to ACT, same banks": "a refresh comes between",
  "PREsb to PRE, same banks": closed(),
  "PREsb to PREsb, same banks": "refreshes of other banks come between",
  "PREA to PREsb, rank": oneKind(),
  "PREsb to PREA, rank": oneKind(),
  "PREsb to REFab, rank": oneKind(),
  "PREA to REFsb, rank": oneKind(),
  "REFab to PREA, rank": "none is sent to a rank whose banks are closed",
  "REFab to PREsb, rank": oneKind(),
  "REFab to RD, rank": closed(),
  "REFab to WR, rank": closed(),
  "REFab to REFsb, rank": oneKind(),
  "REFsb to PRE, same banks": closed(),
  "REFsb to PREsb, same banks": "refreshes of other banks come between",
  "REFsb to REFsb, same banks": "refreshes of other banks come between",
  "REFsb to PREA, rank": oneKind(),
  "REFsb to REFab, rank": oneKind(),
};

function closed(): string {
  return "the bank is closed, and nothing closes it again or reads it";
}

function oneKind(): string {
  return "a memory has refreshes of one kind";
}

export const pairName = ({ from, to, near }: Pick<CommandPair, "from" | "to" | "near">): string =>
  `${from} to ${to}, ${near}`;

/** Whether an edge tests the rule of the pair. */
export const hasEdge = (edges: readonly Edge[], pair: CommandPair, row: StandardRow): boolean =>
  edges.some(
    (edge) =>
      edge.from.command === pair.from &&
      edge.to.command === pair.to &&
      edge.near === pair.near &&
      edge.rule === row.rule,
  );
