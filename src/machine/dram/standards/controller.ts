// SPDX-License-Identifier: Apache-2.0
// The part of a standard for the C++ controller: its commands, the constraints between them, and a few times. The
// controller has no list of commands or constraints of its own (sim/dram/commands.h, sim/dram/constraints.h).

import type { ChannelRefresh } from "../refresh-kind.ts";
import { departuresFromRamulator, type DramSemantics } from "../semantics.ts";
import {
  controllerRows,
  dataBusConstraints,
  isAccess,
  minus,
  rankLevel,
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

/** The action of a command, as sim/dram/types.h describes it. */
type Action =
  | "startOpen"
  | "open"
  | "close"
  | "syncRead"
  | "syncWrite"
  | "read"
  | "write"
  | "refresh"
  | "manage";

interface ControllerCommand {
  readonly name: string;
  readonly action: Action;
  readonly reach: Reach;
  /** On the command bus. */
  readonly cycles: number;
  readonly bus: number;
  /** Whether the command starts in odd cycles only, the rising edges if a cycle is half a clock. */
  readonly oddCycles: boolean;
  /** An access with auto-precharge. */
  readonly closes: boolean;
  /** Whether the command may issue between the two commands of an activation. */
  readonly betweenActivation: boolean;
}

/** Undefined for a command that the controller does not issue, such as RFMab without refresh management. */
function actionOf(
  { access, synchronises, refreshes, manages, needs, leaves }: Command,
  { refreshManagement }: CommandUse,
): Action | undefined {
  if (manages === true) return refreshManagement === undefined ? undefined : "manage";
  if (access !== undefined) return access;
  if (synchronises !== undefined) return synchronises === "read" ? "syncRead" : "syncWrite";
  if (refreshes !== undefined) return "refresh";
  if (leaves === "closed") return "close";
  if (leaves === "activating") return "startOpen";
  return needs !== undefined && leaves === "open" ? "open" : undefined;
}

/** How a controller uses the commands of a standard. */
export interface CommandUse {
  /** Whether the controller closes rows with RDA and WRA, too. */
  readonly autoPrecharge?: boolean | undefined;
  /** The controller issues RFMs if this is present. */
  readonly refreshManagement?: object | undefined;
  /** Whose rules it follows, where they are not those of the standard. */
  readonly simulator?: Simulator | undefined;
}

/** Commands of the standard that the controller sends, in the order of their numbers. */
export function controllerCommandsOf(
  standard: Pick<MemoryStandard, "commands" | "cyclesPerClock" | "split">,
  use: CommandUse = {},
): readonly ControllerCommand[] {
  const { autoPrecharge = false, simulator } = use;
  const between = simulator?.betweenActivation ?? standard.split?.between ?? [];
  return Object.entries(standard.commands).flatMap(([name, command]) => {
    const action = actionOf(command, use);
    const closes = command.access !== undefined && command.leaves === "closed";
    if (action === undefined || (closes && !autoPrecharge)) return [];
    const { reach, cycles, bus = 0, bothEdges = false } = command;
    const oddCycles = standard.cyclesPerClock === 2 && !bothEdges;
    // A channel has at most one such activation at a time.
    const betweenActivation = action !== "startOpen" && between.includes(name);
    return [{ name, action, reach, cycles, bus, oddCycles, closes, betweenActivation }];
  });
}

const reachOf: Readonly<Record<Exclude<ChannelRefresh, "None">, Reach>> = {
  AllBank: "rank",
  SameBank: "same bank",
  PerBank: "bank",
};

/** The refresh command of this kind; undefined if the standard has none. */
export function refreshCommandOf(
  standard: Pick<MemoryStandard, "commands" | "cyclesPerClock" | "split">,
  refresh: ChannelRefresh,
): string | undefined {
  if (refresh === "None") return undefined;
  const reach = reachOf[refresh];
  const commands = controllerCommandsOf(standard);
  return commands.find((command) => command.action === "refresh" && command.reach === reach)?.name;
}

/** The RFM of the banks of a refresh of this kind; undefined if the standard has none. */
export function managementCommandOf(
  { commands }: Pick<MemoryStandard, "commands">,
  refresh: ChannelRefresh,
): string | undefined {
  if (refresh === "None") return undefined;
  const reach = reachOf[refresh];
  return Object.keys(commands).find((name) => {
    const command = commands[name];
    return command?.manages === true && command.reach === reach;
  });
}

/** Cycles for which a refresh blocks its banks; 1 without refresh. */
export function refreshTime<T extends string>(
  standard: MemoryStandard<T>,
  timing: Readonly<Record<T, number>>,
  refresh: ChannelRefresh,
): number {
  const name = refreshCommandOf(standard, refresh);
  if (name === undefined) return 1;
  const opens = controllerCommandsOf(standard).find(
    ({ action }) => action === "open" || action === "startOpen",
  );
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

/** Whether the rules of Ramulator 2.0 for the standard are known. */
export function hasRamulator20({
  levels,
  split,
}: Pick<MemoryStandard, "levels" | "split">): boolean {
  return rankLevel(levels) === "rank" && split === undefined;
}

/** The departures from Ramulator 2.0 that the semantics have in the standard; none if its rules there are not known. */
export function departuresOf(
  standard: Pick<MemoryStandard, "levels" | "split" | "commands" | "constraints">,
  semantics: DramSemantics,
): readonly string[] {
  if (!hasRamulator20(standard)) return [];
  const hasLongCommands = Object.values(standard.commands).some((one) => counted(one) > 0);
  const hasPrechargeGap = standard.constraints.some(({ rule }) => rule === "tPPD");
  return departuresFromRamulator(semantics, (name) => {
    if (name === "noPrechargeGap") return hasPrechargeGap;
    return name === "firstCycleIntervals" ? hasLongCommands : true;
  });
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

/** The rows of a channel without the constraints of timings that it lacks, as the simulator of `use` has them. */
export function channelRows<T extends string>(
  standard: MemoryStandard<T>,
  timing: Readonly<Record<T, number>>,
  semantics: DramSemantics,
  use: CommandUse = {},
): readonly ControllerRow[] {
  const simulator = use.simulator as Simulator<T> | undefined;
  const lacks = (standard.optional ?? []).filter((name) => !(name in timing));
  const countedOf = (command: Command): number => {
    if (semantics.firstCycleIntervals) return 0;
    return simulator?.countsLastCycles === true ? command.cycles - 1 : counted(command);
  };
  return controllerRows(standard, {
    commands: controllerCommandsOf(standard, use).map(({ name }) => name),
    constraints: [...channelConstraints(standard), ...(simulator?.added ?? [])].flatMap((row) => {
      if (row.wait.some((term) => lacks.includes(term as T))) return [];
      const rowOfSemantics = departed(standard, row, semantics);
      return rowOfSemantics === undefined ? [] : (simulated(rowOfSemantics, simulator) ?? []);
    }),
    timing,
    counted: countedOf,
  });
}

/** Cycles from an access to the stop of the data clock; undefined if the standard has no clock that stops. */
export function dataClockOf<T extends string>(
  { dataBus, dataClock }: MemoryStandard<T>,
  timing: Readonly<Record<T, number>>,
  simulator?: Simulator<T>,
):
  | { readonly afterRead: number; readonly afterWrite: number; readonly shared: boolean }
  | undefined {
  if (dataClock === undefined) return undefined;
  const { after } = simulator?.sharedDataClock ?? dataClock;
  return {
    afterRead: sumOf([...dataBus.read, ...after], timing),
    afterWrite: sumOf([...dataBus.write, ...after], timing),
    shared: simulator?.sharedDataClock !== undefined,
  };
}
