// SPDX-License-Identifier: Apache-2.0
// The part of a standard for the C++ controller: its commands, the constraints between them, and a few times. The
// controller has no list of commands or constraints of its own (sim/dram/commands.h, sim/dram/constraints.h).

import type { RefreshKind } from "../refresh-kind.ts";
import type { DramSemantics } from "../semantics.ts";
import {
  controllerRows,
  dataBusConstraints,
  isAccess,
  minus,
  type ControllerRow,
} from "./controller-rows.ts";
import { sumOf, type Command, type Constraint, type MemoryStandard, type Reach } from "./table.ts";

/** The action of a command: it opens a row, closes a row, transfers a burst, or refreshes. */
type Action = "open" | "close" | "read" | "write" | "refresh";

interface ControllerCommand {
  readonly name: string;
  readonly action: Action;
  readonly reach: Reach;
  /** On the command bus. */
  readonly cycles: number;
}

/** Undefined for a command that the controller does not send: it closes rows with precharges. */
function actionOf({ access, refreshes, needs, leaves }: Command): Action | undefined {
  if (access !== undefined) return leaves === undefined ? access : undefined;
  if (refreshes !== undefined) return "refresh";
  if (leaves === "closed") return "close";
  return needs === "closed" && leaves === "open" ? "open" : undefined;
}

const controllerLevels: readonly string[] = ["rank", "bank group", "bank"];

/** Why the controller cannot work with the standard; undefined where it can. */
export function controllerLacks(standard: MemoryStandard): string | undefined {
  const { name, split, dataClock, buses, cyclesPerClock, levels } = standard;
  const lacks = [
    ...(split === undefined ? [] : ["activations of two commands"]),
    ...(dataClock === undefined ? [] : [`the data clock ${dataClock.name}`]),
    ...(buses.length === 1 ? [] : [`${buses.length} command buses`]),
    ...(cyclesPerClock === 1 ? [] : ["timings in half clocks"]),
    ...levels.filter((level) => !controllerLevels.includes(level)).map((level) => `a ${level}`),
    ...(levels.includes("rank") ? [] : ["channels without ranks"]),
  ];
  if (lacks.length === 0) return undefined;
  return `the simulated controller does not have ${lacks.join(" and ")} of ${name}; dram check reads its traces.`;
}

/** Commands of the standard that the controller sends, in the order of their numbers. */
export function controllerCommandsOf(
  standard: Pick<MemoryStandard, "commands">,
): readonly ControllerCommand[] {
  return Object.entries(standard.commands).flatMap(([name, command]) => {
    const action = actionOf(command);
    if (action === undefined) return [];
    return [{ name, action, reach: command.reach, cycles: command.cycles }];
  });
}

const reachOf: Readonly<Record<Exclude<RefreshKind, "None">, Reach>> = {
  AllBank: "rank",
  SameBank: "same bank",
};

/** The command of the standard that refreshes; undefined where it has no refresh of this kind. */
function refreshCommandOf(
  standard: Pick<MemoryStandard, "commands">,
  refresh: RefreshKind,
): string | undefined {
  if (refresh === "None") return undefined;
  const reach = reachOf[refresh];
  const commands = controllerCommandsOf(standard);
  return commands.find((command) => command.action === "refresh" && command.reach === reach)?.name;
}

/** Cycles that a refresh keeps its banks; 1 without refresh. */
export function refreshTime<T extends string>(
  standard: MemoryStandard<T>,
  timing: Readonly<Record<T, number>>,
  refresh: RefreshKind,
): number {
  const name = refreshCommandOf(standard, refresh);
  if (name === undefined) return 1;
  const opens = controllerCommandsOf(standard).find(({ action }) => action === "open");
  const waits = standard.constraints
    .filter(({ from, to, level }) => {
      return level === "bank" && from.includes(name) && to.includes(opens?.name ?? "");
    })
    .map(({ wait }) => sumOf(wait, timing));
  return Math.max(1, ...waits);
}

/** Every constraint of the standard, and those of the data bus. */
export function channelConstraints<T extends string>(
  standard: MemoryStandard<T>,
): readonly Constraint<T>[] {
  return [...standard.constraints, ...dataBusConstraints(standard.dataBus)];
}

/** The constraint as Ramulator 2.0 has it, where it differs; undefined where Ramulator 2.0 has none. */
function departed<T extends string>(
  { dataBus }: MemoryStandard<T>,
  row: Constraint<T>,
  semantics: DramSemantics,
): Constraint<T> | undefined {
  const { read, write, burst, gap = [] } = dataBus;
  switch (row.rule) {
    case "tPPD":
      return semantics.noPrechargeGap ? undefined : row;
    case "tRFCab": {
      if (!semantics.refreshIgnoresOpenCommands) return row;
      const ignored = (name: string): boolean =>
        name === "PRE" || name === "PREsb" || isAccess(name);
      return { ...row, to: row.to.filter((name) => !ignored(name)) };
    }
    case "rank switch (WR to WR)":
      return semantics.noWriteRankGap ? { ...row, wait: burst } : row;
    case "rank switch (RD to WR)":
      return semantics.swappedRankSwitch ? { ...row, wait: [...burst, ...gap] } : row;
    case "rank switch (WR to RD)":
      return semantics.swappedRankSwitch
        ? { ...row, wait: [...read, ...burst, ...gap, ...minus(write)] }
        : row;
    default:
      return row;
  }
}

/** The rows of a channel. */
export function channelRows<T extends string>(
  standard: MemoryStandard<T>,
  timing: Readonly<Record<T, number>>,
  semantics: DramSemantics,
): readonly ControllerRow[] {
  return controllerRows(standard, {
    commands: controllerCommandsOf(standard).map(({ name }) => name),
    constraints: channelConstraints(standard).flatMap(
      (row) => departed(standard, row, semantics) ?? [],
    ),
    timing,
    isFirstCycle: semantics.firstCycleIntervals,
  });
}
