// SPDX-License-Identifier: Apache-2.0
// Injects violations into a command trace, one rule at a time: the pair of commands with the least slack is one
// cycle too close; other commands are missing, or have another row, kind or order.

import type { CheckResult } from "../../../../src/kernels/dram/check/check.ts";
import { checkCommands } from "../../../../src/kernels/dram/check/check.ts";
import type { Request } from "../../../../src/kernels/dram/check/requests.ts";
import type { CheckedMemory } from "../../../../src/kernels/dram/check/memory.ts";
import type { TraceCommand } from "../../../../src/kernels/dram/check/violation.ts";

export interface Injected {
  readonly rule: string;
  readonly isFound: boolean;
}

type Commands = readonly TraceCommand[];

const inOrder = (commands: Commands): Commands =>
  commands.toSorted((a, b) => a.cycle - b.cycle || a.channel - b.channel);

/** All rules that a trace exercises and does not break at its tightest pair. */
export function injectAll(
  memory: CheckedMemory,
  commands: Commands,
  clean: CheckResult,
  requests?: ReadonlyMap<number, Request>,
): readonly Injected[] {
  const count = (result: CheckResult, rule: string, line?: number): number =>
    result.violations.filter(
      (v) => v.rule === rule && (line === undefined || v.command.line === line),
    ).length;
  const isFound = (rule: string, changed: Commands, line?: number): boolean =>
    count(checkCommands(memory, inOrder(changed), requests), rule, line) > count(clean, rule, line);
  const inject = (rule: string, changed: Commands, line?: number): Injected => ({
    rule,
    isFound: isFound(rule, changed, line),
  });
  const change = (line: number, fields: Partial<TraceCommand>): Commands =>
    commands.map((command) => (command.line === line ? { ...command, ...fields } : command));
  const without = (line: number): Commands => commands.filter((command) => command.line !== line);
  return [
    ...intervals(memory, commands, clean).map(({ rule, line, cycle }) =>
      inject(rule, change(line, { cycle }), line),
    ),
    ...states(memory, commands).map(({ rule, line, fields }) =>
      inject(rule, fields === undefined ? without(line) : change(line, fields)),
    ),
    ...bursts(memory, commands, clean).map(({ line, cycle }) =>
      inject("burst overlap", change(line, { cycle })),
    ),
    ...leftOut(memory, commands, (line) => isFound("bank state", without(line))),
    ...refreshes(memory, commands, inject),
    ...(requests === undefined
      ? []
      : services(memory, commands, (rule, line, fields) => {
          return inject(rule, change(line, fields), line);
        })),
    ...clocks(memory, commands, (rule, line, fields) =>
      isFound(rule, fields === undefined ? without(line) : change(line, fields)),
    ),
  ];
}

/** The tightest pair of each constraint, one cycle too close. */
function intervals(
  memory: CheckedMemory,
  commands: Commands,
  clean: CheckResult,
): readonly { readonly rule: string; readonly line: number; readonly cycle: number }[] {
  return clean.margins.flatMap(({ constraint, tightest, least }) => {
    if (tightest === undefined || least < 0) return [];
    const { rule, window = 1, from } = constraint;
    const { bothEdges } = memory.standard.commands[tightest.name] ?? {};
    const isHalf = memory.standard.cyclesPerClock === 2 && bothEdges !== true;
    const move = least + 1 + (isHalf && least % 2 === 0 ? 1 : 0);
    const cycle = tightest.cycle - move;
    // A command that passes another of its window is in another window.
    const passes = commands.some(
      (command) =>
        command.line < tightest.line &&
        from.includes(command.name) &&
        command.cycle >= cycle &&
        command.channel === tightest.channel &&
        command.pseudoChannel === tightest.pseudoChannel &&
        (command.rank === tightest.rank || memory.standard.levels.includes("stack id")),
    );
    if (cycle < 0 || (window > 1 && passes)) return [];
    return [{ rule, line: tightest.line, cycle }];
  });
}

/** An access whose burst begins one cycle before the end of another one of its kind. */
function bursts(
  memory: CheckedMemory,
  commands: Commands,
  clean: CheckResult,
): readonly { readonly line: number; readonly cycle: number }[] {
  const { standard, timing } = memory;
  const broken = new Set(
    clean.violations.filter((v) => v.rule === "burst overlap").map((v) => v.command.line),
  );
  const [burst = ""] = standard.dataBus.burst;
  const cycles = timing[String(burst)] ?? 1;
  const all = commands.filter(({ name }) => standard.commands[name]?.access !== undefined);
  for (const [i, second] of all.entries()) {
    const first = all[i - 1];
    if (first === undefined || broken.has(second.line)) continue;
    const isOneBus =
      first.channel === second.channel && first.pseudoChannel === second.pseudoChannel;
    const isOneKind =
      standard.commands[first.name]?.access === standard.commands[second.name]?.access;
    if (isOneBus && isOneKind) return [{ line: second.line, cycle: first.cycle + cycles - 1 }];
  }
  return [];
}

interface Change {
  readonly rule: string;
  readonly line: number;
  /** Without fields, the command is omitted. */
  readonly fields?: Partial<TraceCommand>;
}

const middle = <T>(list: readonly T[]): T | undefined => list[Math.floor(list.length / 2)];

function states(memory: CheckedMemory, commands: Commands): readonly Change[] {
  const { commands: table, split, cyclesPerClock, buses } = memory.standard;
  const of = (name: string): (typeof table)[string] | undefined => table[name];
  const access = middle(commands.filter(({ name }) => of(name)?.access !== undefined));
  const open = middle(commands.filter(({ name }) => of(name)?.leaves === "open"));
  const changes: Change[] = [];
  if (access !== undefined) {
    changes.push({ rule: "bank state", line: access.line, fields: { row: access.row + 1 } });
    const bus = of(access.name)?.bus ?? 0;
    const next = commands.find(
      (command) =>
        command.line > access.line &&
        command.channel === access.channel &&
        (of(command.name)?.bus ?? 0) === bus,
    );
    const cycle = access.cycle + (memory.busCycles[access.name] ?? 1) - 1;
    if (next !== undefined && buses.length > 0) {
      changes.push({ rule: "command bus", line: next.line, fields: { cycle } });
    }
    if (cyclesPerClock === 2) {
      changes.push({ rule: "rising edge", line: access.line, fields: { cycle: access.cycle + 1 } });
    }
  }
  if (open !== undefined && split !== undefined) {
    const rule = `${split.first} to ${split.second}`;
    const first = commands.findLast(
      (command) => command.line < open.line && command.name === split.first,
    );
    const within = memory.timing[String(split.within[0])] ?? 0;
    const late = (first?.cycle ?? 0) + within + 1;
    changes.push(
      { rule, line: open.line },
      { rule, line: open.line, fields: { row: open.row + 1 } },
      { rule, line: open.line, fields: { cycle: late } },
    );
  }
  return changes;
}

/** Omitted precharges and activations; not each precharge closes a bank, and not each opened row is accessed. */
function leftOut(
  memory: CheckedMemory,
  commands: Commands,
  isFoundWithout: (line: number) => boolean,
): readonly Injected[] {
  const { commands: table, split } = memory.standard;
  const precharges = commands.filter(
    ({ name }) => table[name]?.leaves === "closed" && table[name].access === undefined,
  );
  const activations = commands.filter(
    ({ name }) => table[name]?.leaves === "open" && split === undefined,
  );
  return [precharges, activations].flatMap((all) => {
    const some = all.slice(Math.floor(all.length / 2)).slice(0, 20);
    if (some.length === 0) return [];
    return [{ rule: "bank state", isFound: some.some(({ line }) => isFoundWithout(line)) }];
  });
}

function refreshes(
  memory: CheckedMemory,
  commands: Commands,
  inject: (rule: string, changed: Commands) => Injected,
): readonly Injected[] {
  const { standard, timing, end } = memory;
  const isRefresh = ({ name }: TraceCommand): boolean =>
    standard.commands[name]?.refreshes !== undefined;
  const injected: Injected[] = [];
  const interval = timing[standard.refresh.interval] ?? Infinity;
  const last = end ?? commands.at(-1)?.cycle ?? 0;
  if (
    memory.refreshes &&
    commands.some(isRefresh) &&
    last > (standard.refresh.postponed + 1.5) * interval
  ) {
    injected.push(
      inject(
        "refresh debt",
        commands.filter((command) => !isRefresh(command)),
      ),
    );
  }
  const single = commands.filter(({ name }) => standard.commands[name]?.refreshes === "one bank");
  const first = middle(single);
  const second = single.find(
    (command) =>
      first !== undefined &&
      command.line > first.line &&
      command.pseudoChannel === first.pseudoChannel &&
      command.rank === first.rank,
  );
  if (first !== undefined && second !== undefined) {
    const { bankGroup, bank } = first;
    const changed = commands.map((command) =>
      command === second ? { ...command, bankGroup, bank } : command,
    );
    injected.push(inject(`${first.name} order`, changed));
  }
  return injected;
}

/** An access of another column, and one of another kind. */
function services(
  memory: CheckedMemory,
  commands: Commands,
  inject: (rule: string, line: number, fields: Partial<TraceCommand>) => Injected,
): readonly Injected[] {
  const access = middle(
    commands.filter(({ name, request }) => {
      return memory.standard.commands[name]?.access !== undefined && request >= 0;
    }),
  );
  if (access === undefined) return [];
  const { line, name, column } = access;
  return [
    inject("request", line, { column: column + 1 }),
    inject("request", line, { name: name.startsWith("RD") ? "WR" : "RD" }),
    inject("request", line, { cycle: 0 }),
  ];
}

/** Synchronisations of the data clock that are omitted, early, or of the wrong kind. */
function clocks(
  memory: CheckedMemory,
  commands: Commands,
  isFound: (rule: string, line: number, fields?: Partial<TraceCommand>) => boolean,
): readonly Injected[] {
  const { standard } = memory;
  const { dataClock } = standard;
  const starts = commands.filter(({ name }) => standard.commands[name]?.synchronises !== undefined);
  const one = middle(starts);
  if (dataClock === undefined || one === undefined) return [];
  const other = Object.entries(standard.commands).find(
    ([name, { synchronises }]) => synchronises !== undefined && name !== one.name,
  );
  return [
    // One whose clock had stopped: not each is needed.
    {
      rule: `${dataClock.name} sync`,
      isFound: starts.some(({ line }) => isFound(`${dataClock.name} sync`, line)),
    },
    {
      rule: "CAS then access",
      isFound: isFound("CAS then access", one.line, { cycle: one.cycle - 1 }),
    },
    {
      rule: "CAS then access (kind)",
      isFound: isFound("CAS then access", one.line, { name: other?.[0] ?? "" }),
    },
  ];
}
