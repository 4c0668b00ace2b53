// SPDX-License-Identifier: Apache-2.0
// The part of a standard for the C++ controller: its commands, the constraints between them, and a few times. The
// controller has no list of commands or constraints of its own (sim/dram/commands.h, sim/dram/constraints.h).

import type { ChannelRefresh } from "../refresh-kind.ts";
import type { DramSemantics } from "../semantics.ts";
import {
  controllerRows,
  dataBusConstraints,
  isAccess,
  minus,
  type ControllerRow,
} from "./controller-rows.ts";
import {
  counted,
  sumOf,
  type Command,
  type Constraint,
  type MemoryStandard,
  type Reach,
  type Simulator,
} from "./table.ts";

/** The action of a command: it opens a row, closes a row, transfers a burst, or refreshes. */
type Action = "open" | "close" | "read" | "write" | "refresh";

interface ControllerCommand {
  readonly name: string;
  readonly action: Action;
  readonly reach: Reach;
  /** On the command bus. */
  readonly cycles: number;
  readonly bus: number;
  /** It starts in odd cycles only, the rising edges where a cycle is half a clock. */
  readonly oddCycles: boolean;
}

/** Undefined for a command that the controller does not send: it closes rows with precharges. */
function actionOf({ access, refreshes, needs, leaves }: Command): Action | undefined {
  if (access !== undefined) return leaves === undefined ? access : undefined;
  if (refreshes !== undefined) return "refresh";
  if (leaves === "closed") return "close";
  return needs === "closed" && leaves === "open" ? "open" : undefined;
}

/** Why the controller cannot work with the standard; undefined where it can. */
export function controllerLacks(standard: MemoryStandard): string | undefined {
  const { name, split, dataClock } = standard;
  const lacks = [
    ...(split === undefined ? [] : ["activations of two commands"]),
    ...(dataClock === undefined ? [] : [`the data clock ${dataClock.name}`]),
  ];
  if (lacks.length === 0) return undefined;
  return `the simulated controller does not have ${lacks.join(" and ")} of ${name}; dram check reads its traces.`;
}

/** Commands of the standard that the controller sends, in the order of their numbers. */
export function controllerCommandsOf(
  standard: Pick<MemoryStandard, "commands" | "cyclesPerClock">,
): readonly ControllerCommand[] {
  return Object.entries(standard.commands).flatMap(([name, command]) => {
    const action = actionOf(command);
    if (action === undefined) return [];
    const { reach, cycles, bus = 0, bothEdges = false } = command;
    return [
      { name, action, reach, cycles, bus, oddCycles: standard.cyclesPerClock === 2 && !bothEdges },
    ];
  });
}

const reachOf: Readonly<Record<Exclude<ChannelRefresh, "None">, Reach>> = {
  AllBank: "rank",
  SameBank: "same bank",
  PerBank: "bank",
};

/** The command of the standard that refreshes; undefined where it has no refresh of this kind. */
export function refreshCommandOf(
  standard: Pick<MemoryStandard, "commands" | "cyclesPerClock">,
  refresh: ChannelRefresh,
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
  refresh: ChannelRefresh,
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
  // Without ranks there is no other rank on the data bus.
  const bus = dataBusConstraints(standard.dataBus).filter(
    ({ others }) => others !== true || standard.levels.includes("rank"),
  );
  return [...standard.constraints, ...bus];
}

/** A constraint as a simulator has it; undefined where it has none. */
function simulated<T extends string>(
  row: Constraint<T>,
  simulator: Simulator<T> | undefined,
): Constraint<T> | undefined {
  const departure = simulator?.constraints.find(({ rule }) => rule === row.rule);
  if (departure === undefined) return row;
  if ("isAbsent" in departure) return undefined;
  return { ...row, ...departure };
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

/** The rows of a channel without the constraints of timings that it lacks, as `simulator` has them. */
export function channelRows<T extends string>(
  standard: MemoryStandard<T>,
  timing: Readonly<Record<T, number>>,
  semantics: DramSemantics,
  simulator?: Simulator<T>,
): readonly ControllerRow[] {
  const lacks = (standard.optional ?? []).filter((name) => !(name in timing));
  const countedOf = (command: Command): number => {
    if (semantics.firstCycleIntervals) return 0;
    return simulator?.countsLastCycles === true ? command.cycles - 1 : counted(command);
  };
  return controllerRows(standard, {
    commands: controllerCommandsOf(standard).map(({ name }) => name),
    constraints: channelConstraints(standard).flatMap((row) => {
      if (row.wait.some((term) => lacks.includes(term as T))) return [];
      const rowOfSemantics = departed(standard, row, semantics);
      return rowOfSemantics === undefined ? [] : (simulated(rowOfSemantics, simulator) ?? []);
    }),
    timing,
    counted: countedOf,
  });
}
