// SPDX-License-Identifier: Apache-2.0
// Constraints of a standard as the numbers that the C++ controller applies (sim/dram/constraints.h): a row per pair of
// commands, in cycles between the first cycles of the two commands.

import { accesses, reads, writes, type Access } from "./rows.ts";
import {
  counted,
  sumOf,
  type Command,
  type Constraint,
  type DataBus,
  type MemoryStandard,
  type Sum,
} from "./table.ts";

/** Levels at which the controller has ready times. */
export type ControllerLevel = "channel" | "rank" | "bank group" | "bank";
const controllerLevels: readonly string[] = ["channel", "rank", "bank group", "bank"];

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
export function levelFor(
  level: Constraint["level"],
  from: Command,
  to: Command,
): Constraint["level"] {
  const isWhole = from.reach === "rank" || to.reach === "rank";
  return isWhole && (level === "bank" || level === "bank group") ? "rank" : level;
}

export interface RowOptions<T extends string, C extends string> {
  readonly commands: readonly C[];
  readonly constraints: readonly Constraint<T>[];
  readonly timing: Readonly<Record<T, number>>;
  /** Intervals count from first cycle to first cycle, also of commands of two cycles. */
  readonly isFirstCycle: boolean;
}

/** The rows of `constraints` and of the command bus for these commands. */
export function controllerRows<T extends string, C extends string>(
  standard: Pick<MemoryStandard<T>, "commands">,
  { commands, constraints, timing, isFirstCycle }: RowOptions<T, C>,
): readonly ControllerRow<C>[] {
  const named = (name: C): Command => {
    const command = standard.commands[name];
    if (command === undefined) throw new Error(`the standard has no command ${name}`);
    return command;
  };
  const known = new Map(commands.map((name) => [name as string, named(name)]));
  const rows: ControllerRow<C>[] = [];
  for (const from of commands) {
    const wait = named(from).cycles;
    if (wait === 1) continue;
    for (const to of commands) {
      rows.push({ from, to, level: "channel", others: false, window: 1, wait });
    }
  }
  // Nested loops, for each memory that is opened waits for its rows.
  for (const { wait: sum, level: node, others = false, window = 1, ...row } of constraints) {
    const cycles = sumOf(sum, timing);
    for (const from of row.from) {
      const first = known.get(from);
      if (first === undefined) continue;
      for (const to of row.to) {
        const second = known.get(to);
        if (second === undefined) continue;
        const level = levelFor(node, first, second);
        if (!isControllerLevel(level)) throw new Error(`the controller has no level ${level}`);
        const wait = cycles + (isFirstCycle ? 0 : counted(first) - counted(second));
        rows.push({ from: from as C, to: to as C, level, others, window, wait });
      }
    }
  }
  return rows;
}

function isControllerLevel(level: string): level is ControllerLevel {
  return controllerLevels.includes(level);
}
