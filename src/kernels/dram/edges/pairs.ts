// SPDX-License-Identifier: Apache-2.0
// Every pair of commands at every distance that DDR5 tells apart, with what the standard says of it: made
// from its table, so that a pair without a rule, or a rule without an edge, stands in the list.

import type { DramTiming } from "../../../machine/dram/timing.ts";
import { betweenFirstCycles, busCycles, type Edge, type EdgeCommand, type Near } from "./edge.ts";
import { standardRows, type StandardRow } from "./standard.ts";

/** Commands of the model; it closes rows by PRE, so that it has no RDA and WRA. */
export const edgeCommands = ["ACT", "PRE", "PREA", "PREsb", "RD", "WR", "REFab", "REFsb"] as const;

export interface CommandPair {
  readonly from: EdgeCommand;
  readonly to: EdgeCommand;
  readonly near: Near;
  /** Rows of the standard that name the pair; the command bus alone where there is none. */
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

/** What has to come between two commands of one bank. */
function stateBetween(from: EdgeCommand, to: EdgeCommand): CommandPair["between"] {
  if (to === "RD" || to === "WR") return leavesOpen(from) ? undefined : "ACT";
  if (to.startsWith("PRE")) return undefined;
  return leavesOpen(from) ? "PRE" : undefined;
}

const meet = (from: EdgeCommand, to: EdgeCommand, near: Near): boolean =>
  near === "bank" || near === "same banks" || (near === "rank" && (isWhole(from) || isWhole(to)));

function pairOf(from: EdgeCommand, to: EdgeCommand, near: Near): CommandPair {
  const rows = standardRows.filter(
    (row) => row.from.includes(from) && row.to.includes(to) && row.near.includes(near),
  );
  const waits = rows.filter(({ window }) => window === undefined).map(({ rule }) => rule.wait);
  const added = betweenFirstCycles(from, to);
  return {
    from,
    to,
    near,
    rows,
    between: meet(from, to, near) ? stateBetween(from, to) : undefined,
    wait: (t) => Math.max(busCycles(from), ...waits.map((wait) => wait(t) + added)),
  };
}

export const commandPairs: readonly CommandPair[] = edgeCommands.flatMap((from) =>
  edgeCommands.flatMap((to) => distances(from, to).map((near) => pairOf(from, to, near))),
);

/** Why requests and refreshes do not bring two commands to their edge, by `FROM to TO, NEAR`. */
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

/** Whether an edge holds the pair to the rule. */
export const hasEdge = (edges: readonly Edge[], pair: CommandPair, row: StandardRow): boolean =>
  edges.some(
    (edge) =>
      edge.from.command === pair.from &&
      edge.to.command === pair.to &&
      edge.near === pair.near &&
      edge.rule === row.rule.rule,
  );
