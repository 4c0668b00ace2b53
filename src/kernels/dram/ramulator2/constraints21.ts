// SPDX-License-Identifier: Apache-2.0
// `timing_constraints` of a configuration of Ramulator 2.1: the file spells out the rows that Ramulator derives from the
// timings. A replay derives them itself, so that rows which differ are refused. Compared are the distances between
// commands that follow from all rows: a row that another one implies has no influence.

import { formatValue } from "../../../base/format-value.ts";
import { channelRows, controllerCommandsOf } from "../../../machine/dram/standards/controller.ts";
import {
  rankLevel,
  type ControllerLevel,
} from "../../../machine/dram/standards/controller-rows.ts";
import { levelNames } from "../../../machine/dram/standards/table.ts";
import type { DramReplayConfig } from "../replay-config.ts";

interface Row {
  readonly from: string;
  readonly to: string;
  /** 0 is the channel, and the levels of the standard follow. */
  readonly level: number;
  readonly others: boolean;
  readonly window: number;
  readonly wait: number;
}

/** Commands of a file in its order, and counts of its levels from the channel down to the bank. */
export interface FileLists {
  readonly commands: readonly string[];
  readonly counts: readonly number[];
}

/** A sentence for each entry or distance that differs. */
export function constraintProblems(
  list: readonly unknown[],
  lists: FileLists,
  config: DramReplayConfig<string>,
): readonly string[] {
  const bad = list.flatMap((entry, i) =>
    rowsOf(entry, lists) === undefined
      ? [
          `the entry ${i}, ${formatValue(entry)}, must have a level, commands, commands, a latency, and perhaps a window and siblings.`,
        ]
      : [],
  );
  if (bad.length > 0) return bad.slice(0, mostProblems);
  const given = list.flatMap((entry) => rowsOf(entry, lists) ?? []);
  return differences(given, lists, config);
}

/** Problems in one message: one wrong timing changes many distances. */
const mostProblems = 5;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

function rowsOf(entry: unknown, { commands, counts }: FileLists): readonly Row[] | undefined {
  if (!Array.isArray(entry) || entry.length < 4 || entry.length > 6) return undefined;
  const [level, first, second, wait, window = 1, others = false] = entry as readonly unknown[];
  const namesOf = (value: unknown): readonly string[] | undefined => {
    if (!Array.isArray(value)) return undefined;
    const names = value.map((index) => (isWhole(index) ? commands[index] : undefined));
    return names.every((name) => name !== undefined) ? names : undefined;
  };
  const [from, to] = [namesOf(first), namesOf(second)];
  const isRight =
    isWhole(level) &&
    level >= 0 &&
    level < counts.length &&
    isWhole(wait) &&
    isWhole(window) &&
    window >= 1;
  if (!isRight || from === undefined || to === undefined || typeof others !== "boolean") {
    return undefined;
  }
  return from.flatMap((one) =>
    to.map((two) => ({ from: one, to: two, level, others, window, wait })),
  );
}

function differences(
  given: readonly Row[],
  { commands: names, counts }: FileLists,
  config: DramReplayConfig<string>,
): readonly string[] {
  const { standard, timing, semantics, refresh } = config;
  const rank = rankLevel(standard.levels);
  const rankIndex = rank === "channel" ? 0 : standard.levels.indexOf(rank) + 1;
  const indexOf = (level: ControllerLevel): number => {
    if (level === "channel") return 0;
    if (level === "rank") return rankIndex;
    const name = level === "logical rank" ? "stack id" : level;
    return standard.levels.indexOf(levelNames.find((one) => one === name) ?? "bank") + 1;
  };
  const ourRows = channelRows(standard, timing, semantics, config).map(
    ({ level, ...row }): Row => ({
      ...row,
      level: indexOf(level),
    }),
  );
  const reach = refresh === "PerBank" ? "bank" : "rank";
  // REFab alone needs a precharge of a whole rank.
  const commands = controllerCommandsOf(standard, config).filter(({ name, action, ...one }) => {
    if (!names.includes(name)) return false;
    if (action === "refresh") return refresh !== "None" && one.reach === reach;
    return action !== "close" || one.reach === "bank" || refresh === "AllBank";
  });
  const problems: string[] = [];
  for (const from of commands) {
    for (const to of commands) {
      const isOfRank = from.reach === "rank" || to.reach === "rank";
      const least = from.bus === to.bus ? 1 : 0;
      const between = (rows: readonly Row[]): readonly Row[] =>
        rows.filter((row) => row.from === from.name && row.to === to.name);
      const [ours, theirs] = [between(ourRows), between(given)];
      for (let common = 0; common < counts.length; common++) {
        if (isOfRank && common > rankIndex) break;
        // Without another node below there is no such pair.
        const isLast = common === counts.length - 1 || (isOfRank && common === rankIndex);
        if (!isLast && (counts[common + 1] ?? 1) === 1) continue;
        // A refreshed bank is closed: the next command is its activation, and its next refresh is a round later.
        const isOfBank = from.action === "refresh" && from.reach === "bank";
        if (isOfBank && isLast && to.action !== "open" && to.action !== "startOpen") continue;
        const covered = isOfRank && common === rankIndex ? counts.length : common;
        const distance = (rows: readonly Row[]): number =>
          rows
            .filter(
              ({ window, others, level }) =>
                window === 1 && (others ? !isLast && level === common + 1 : level <= covered),
            )
            .reduce((longest, { wait }) => Math.max(longest, wait), least);
        const [our, their] = [distance(ours), distance(theirs)];
        if (our === their) continue;
        const place = common === 0 ? "channel" : (standard.levels[common - 1] ?? "bank");
        problems.push(
          `${from.name} to ${to.name} of one ${place}: ${their} cycles, but ${our} follow from the timings.`,
        );
      }
      for (const row of [...ours, ...theirs].filter(({ window }) => window > 1)) {
        const waitOf = (rows: readonly Row[]): number =>
          rows
            .filter((one) => one.window === row.window && one.level === row.level)
            .reduce((longest, { wait }) => Math.max(longest, wait), 0);
        if (waitOf(ours) === waitOf(theirs)) continue;
        problems.push(
          `${from.name} to ${to.name}, ${row.window} ago: ${waitOf(theirs)} cycles, but ${waitOf(ours)} follow from the timings.`,
        );
      }
    }
  }
  const unique = [...new Set(problems)];
  const more = unique.length - mostProblems;
  return [
    ...unique.slice(0, mostProblems),
    ...(more > 0 ? [`${more} more distances differ.`] : []),
  ];
}
