// SPDX-License-Identifier: Apache-2.0
// Constraints of a standard as the numbers that the C++ controller applies (sim/dram/constraints.h): a row per pair of
// commands, in cycles between the first cycles of the two commands.

import { accesses, reads, writes, type Access } from "./rows.ts";
import {
  sumOf,
  type Command,
  type Constraint,
  type DataBus,
  type LevelName,
  type MemoryStandard,
  type Sum,
} from "./table.ts";

/** Levels at which the controller has ready times. */
export type ControllerLevel = "channel" | "rank" | "logical rank" | "bank group" | "bank";

/** The level of the controller's ranks: a rank has all banks that one command refreshes or precharges. */
export function rankLevel(levels: readonly LevelName[]): LevelName | "channel" {
  return levels.find((level) => level === "rank" || level === "pseudo channel") ?? "channel";
}

/** The level of the controller for a level of a standard. */
function controllerLevel(
  levels: readonly LevelName[],
  level: LevelName | "channel",
): ControllerLevel {
  if (level === rankLevel(levels)) return "rank";
  if (level === "stack id") return "logical rank";
  if (level === "pseudo channel") throw new Error("the controller has no pseudo-channels of ranks");
  return level;
}

/** `to` issues no earlier than `wait` cycles after `from`, on the same node of `level` or on the others. */
export interface ControllerRow<C extends string = string> {
  readonly from: C;
  readonly to: C;
  readonly level: ControllerLevel;
  readonly others: boolean;
  readonly window: number;
  readonly wait: number;
}

/** The sum with every sign exchanged. */
export const minus = <T extends string>(sum: Sum<T>): Sum<T> =>
  sum.map((term) => {
    if (typeof term === "number") return -term;
    return term.startsWith("-") ? (term.slice(1) as T) : (`-${term}` as `-${T}`);
  });

/**
 * The data bus as constraints: two bursts of one kind do not overlap, and bursts of two ranks have a gap between them. A
 * read and a write of one rank have rows of their own in every standard.
 */
export function dataBusConstraints<T extends string>(
  bus: DataBus<T>,
): readonly Constraint<T, Access>[] {
  const spaced = [...bus.burst, ...(bus.gap ?? [])];
  const overlap = (rule: string, kind: readonly Access[]): Constraint<T, Access> => ({
    rule,
    level: bus.level,
    from: kind,
    to: kind,
    wait: bus.burst,
    basis: "sure",
  });
  const ranks = (
    rule: string,
    from: readonly Access[],
    to: readonly Access[],
    wait: Sum<T>,
  ): Constraint<T, Access> => ({
    rule,
    level: "rank",
    others: true,
    from,
    to,
    wait,
    basis: "system",
  });
  return [
    overlap("burst overlap (read)", reads),
    overlap("burst overlap (write)", writes),
    ranks("rank switch (RD to RD)", reads, reads, spaced),
    ranks("rank switch (WR to WR)", writes, writes, spaced),
    ranks("rank switch (RD to WR)", reads, writes, [...bus.read, ...spaced, ...minus(bus.write)]),
    ranks("rank switch (WR to RD)", writes, reads, [...bus.write, ...spaced, ...minus(bus.read)]),
  ];
}

/** Whether the command transfers a burst. */
export const isAccess = (name: string): name is Access =>
  (accesses as readonly string[]).includes(name);

/** The level at which a constraint applies to a pair: a command to a rank addresses all banks of the rank. */
export function levelFor<Level extends string>(
  level: Level,
  from: Command,
  to: Command,
): Level | "rank" {
  const isWhole = from.reach === "rank" || to.reach === "rank";
  return isWhole && below.includes(level) ? "rank" : level;
}
const below: readonly string[] = ["logical rank", "bank group", "bank"];

export interface RowOptions<T extends string, C extends string> {
  readonly commands: readonly C[];
  readonly constraints: readonly Constraint<T>[];
  readonly timing: Readonly<Record<T, number>>;
  /** Cycles from the first cycle of a command to the cycle from which its intervals count. */
  readonly counted: (command: Command) => number;
}

/** The rows of `constraints` and of the command bus for these commands. */
export function controllerRows<T extends string, C extends string>(
  standard: Pick<MemoryStandard<T>, "buses" | "commands" | "levels">,
  { commands, constraints, timing, counted }: RowOptions<T, C>,
): readonly ControllerRow<C>[] {
  const named = (name: C): Command => {
    const command = standard.commands[name];
    if (command === undefined) throw new Error(`the standard has no command ${name}`);
    return command;
  };
  const known = new Map(commands.map((name) => [name as string, named(name)]));
  const rows: ControllerRow<C>[] = [];
  for (const from of commands) {
    const { bus, cycles: wait } = named(from);
    // A controller with one bus sends one command in a cycle.
    if (wait === 1 && standard.buses.length === 1) continue;
    for (const to of commands) {
      if (named(to).bus !== bus) continue;
      rows.push({ from, to, level: "channel", others: false, window: 1, wait });
    }
  }
  // Nested loops, for each memory that is opened waits for its rows.
  for (const { wait: sum, level, others = false, window = 1, ...row } of constraints) {
    const node = controllerLevel(standard.levels, level);
    const cycles = sumOf(sum, timing);
    for (const from of row.from) {
      const first = known.get(from);
      if (first === undefined) continue;
      for (const to of row.to) {
        const second = known.get(to);
        if (second === undefined) continue;
        const level = levelFor(node, first, second);
        const wait = cycles + counted(first) - counted(second);
        rows.push({ from: from as C, to: to as C, level, others, window, wait });
      }
    }
  }
  return rows;
}
