// SPDX-License-Identifier: Apache-2.0
// The edges of a memory standard, from its table: every pair of commands at every level, with the minimum distance of
// the table, tested on the checker at t - 1 and at t.

import {
  counted,
  sumOf,
  type Command,
  type Constraint,
  type LevelName,
  type MemoryStandard,
} from "../../../machine/dram/standards/table.ts";
import { textTable } from "../edges/text-table.ts";
import { checkCommands } from "./check.ts";
import { presetMemory, type CheckedMemory } from "./memory.ts";
import type { TraceCommand } from "./violation.ts";

export interface TableEdge {
  readonly from: string;
  readonly to: string;
  /** The lowest level that both commands have in common. */
  readonly near: LevelName | "channel";
  /** The rule with the longest wait; the first of equals. */
  readonly rule: string;
  /** Cycles between the first cycles of the commands. */
  readonly wait: number;
  /** Commands of the window from the first to the last; 2 without one. */
  readonly commands: number;
}

/** `right`: the checker rejects t - 1 by the rule of the edge, and accepts t. */
export type EdgeVerdict = "right" | "early" | "late";

interface Place {
  readonly pseudoChannel: number;
  readonly rank: number;
  readonly bankGroup: number;
  readonly bank: number;
}

const fieldOf: Readonly<Record<LevelName, keyof Place>> = {
  "pseudo channel": "pseudoChannel",
  rank: "rank",
  "stack id": "rank",
  "bank group": "bankGroup",
  bank: "bank",
};

/** The place of a command: fields of levels that it addresses as a whole are -1. */
function masked(memory: CheckedMemory, { reach }: Command, place: Place): Place {
  if (reach === "bank") return place;
  if (reach === "same bank") return { ...place, bankGroup: -1 };
  const rank = memory.standard.levels.includes("stack id") ? -1 : place.rank;
  return { ...place, rank, bankGroup: -1, bank: -1 };
}

const meet = (a: number, b: number): boolean => a === b || a === -1 || b === -1;

/** Whether two places have a node of a level in common. */
function share(memory: CheckedMemory, a: Place, b: Place, level: LevelName | "channel"): boolean {
  const { levels } = memory.standard;
  const names = level === "channel" ? [] : levels.slice(0, levels.indexOf(level) + 1);
  return names.every((name) => meet(a[fieldOf[name]], b[fieldOf[name]]));
}

/** Whether a constraint applies to commands in these places. */
function applies(memory: CheckedMemory, row: Constraint, a: Place, b: Place): boolean {
  if (row.others !== true) return share(memory, a, b, row.level);
  if (row.level === "channel") return false;
  const { levels } = memory.standard;
  const parent = levels[levels.indexOf(row.level) - 1] ?? "channel";
  return share(memory, a, b, parent) && !share(memory, a, b, row.level);
}

interface Wait {
  readonly rule: string;
  readonly wait: number;
}

/**
 * The waits between the first cycles of two commands in two places. Windows are not among them:
 * their edges are derived separately.
 */
function waitsOf(memory: CheckedMemory, from: string, to: string, a: Place, b: Place): Wait[] {
  const { standard, timing, busCycles } = memory;
  const first = standard.commands[from];
  const second = standard.commands[to];
  if (first === undefined || second === undefined) return [];
  const added = counted(first, busCycles[from]) - counted(second, busCycles[to]);
  const waits: Wait[] = standard.constraints
    .filter((row) => row.window === undefined && row.from.includes(from) && row.to.includes(to))
    .filter((row) => applies(memory, row, a, b))
    .map((row) => ({ rule: row.rule, wait: sumOf(row.wait, timing) + added }));
  if ((first.bus ?? 0) === (second.bus ?? 0)) {
    waits.push({ rule: "command bus", wait: busCycles[from] ?? 1 });
  }
  const { dataBus } = standard;
  if (first.access !== undefined && second.access !== undefined) {
    if (share(memory, a, b, dataBus.level)) {
      const latencies =
        sumOf(dataBus[first.access], timing) - sumOf(dataBus[second.access], timing);
      const bursts = latencies + sumOf(dataBus.burst, timing) + added;
      const gap = a.rank === b.rank ? 0 : sumOf(dataBus.gap ?? [], timing);
      const rule = gap > 0 ? "rank switch gap" : "burst overlap";
      waits.push({ rule, wait: bursts + gap });
    }
  }
  return waits;
}

interface Pair {
  readonly edge: TableEdge;
  readonly places: readonly Place[];
}

const origin: Place = { pseudoChannel: 0, rank: 0, bankGroup: 0, bank: 0 };

/** Second places: the same bank, and for each level the nearest place in another node of it. */
function secondPlaces(memory: CheckedMemory): readonly Place[] {
  const { standard, counts } = memory;
  const changed = standard.levels.map((level, i) => {
    if (counts[level] < 2) return undefined;
    const below = standard.levels.slice(i).filter((name) => counts[name] > 1);
    return { ...origin, ...Object.fromEntries(below.map((name) => [fieldOf[name], 1])) };
  });
  return [origin, ...changed.filter((place) => place !== undefined)];
}

function pairsOf(memory: CheckedMemory): readonly Pair[] {
  const { standard } = memory;
  const names = Object.entries(standard.commands);
  const levels = [...standard.levels].reverse();
  return names.flatMap(([from, first]) =>
    names.flatMap(([to, second]) => {
      const seen = new Set<string>();
      return secondPlaces(memory).flatMap((place): readonly Pair[] => {
        const a = masked(memory, first, origin);
        const b = masked(memory, second, place);
        const near = levels.find((level) => share(memory, a, b, level)) ?? "channel";
        if (seen.has(near)) return [];
        seen.add(near);
        const waits = waitsOf(memory, from, to, a, b);
        const longest = waits.reduce<Wait | undefined>(
          (longest, wait) => (longest === undefined || wait.wait > longest.wait ? wait : longest),
          undefined,
        );
        if (longest === undefined || longest.wait < 1) return [];
        return [{ edge: { from, to, near, ...longest, commands: 2 }, places: [a, b] }];
      });
    }),
  );
}

/** The edges of windows: `window` commands in a row, and one that follows the first of them. */
function windowsOf(memory: CheckedMemory): readonly Pair[] {
  const { standard, timing, counts, busCycles } = memory;
  return standard.constraints
    .filter((row) => row.window !== undefined)
    .flatMap((row) =>
      row.from.flatMap((from) =>
        row.to.map((to): Pair => {
          const [first, second] = [standard.commands[from], standard.commands[to]];
          const commands = (row.window ?? 1) + 1;
          const places = Array.from({ length: commands }, (_, i) => ({
            ...origin,
            bankGroup: i % counts["bank group"],
            bank: Math.floor(i / counts["bank group"]) % counts.bank,
          }));
          const added =
            (first === undefined ? 0 : counted(first, busCycles[from])) -
            (second === undefined ? 0 : counted(second, busCycles[to]));
          const wait = sumOf(row.wait, timing) + added;
          return { edge: { from, to, near: row.level, rule: row.rule, wait, commands }, places };
        }),
      ),
    );
}

/** The first cycle of the first command, a rising edge. */
const start = 1001;

/** The rules that the last command of an edge breaks after `gap` cycles. */
function brokenAfter(
  memory: CheckedMemory,
  { edge, places }: Pair,
  gap: number,
): readonly string[] {
  const last = places.length - 1;
  const commands = places.map((place, i): TraceCommand => {
    const cycle = i === last ? start + gap : start + i;
    const name = i === last ? edge.to : edge.from;
    return { line: i + 2, cycle, channel: 0, name, ...place, row: 0, column: 0, request: -1 };
  });
  const { violations } = checkCommands({ ...memory, refreshes: false }, commands);
  const atEdge = violations.filter(({ command }) => command.line === last + 2);
  return atEdge.map(({ rule }) => rule);
}

/** Rules of distance; states, clocks and halves of activations are not of a pair of commands alone. */
function distanceRules(memory: CheckedMemory): ReadonlySet<string> {
  const rules = memory.standard.constraints.map(({ rule }) => rule);
  return new Set([...rules, "command bus", "burst overlap", "rank switch gap"]);
}

export interface EdgeResult {
  readonly edge: TableEdge;
  readonly verdict: EdgeVerdict;
}

/** A preset with at least two ranks or stack identifiers, so that edges between them exist. */
export function edgeMemory(standard: MemoryStandard, preset: string, where: string): CheckedMemory {
  const memory = presetMemory(standard, preset, where);
  const ranks = standard.levels.includes("rank") ? Math.max(2, memory.counts.rank) : 1;
  return { ...memory, counts: { ...memory.counts, rank: ranks } };
}

/** Every edge of a memory, and the answers of the checker at t - 1 and t; the checker may have another memory. */
export function tableEdges(memory: CheckedMemory, checked = memory): readonly EdgeResult[] {
  const rules = distanceRules(memory);
  return [...pairsOf(memory), ...windowsOf(memory)].map((pair) => {
    const { edge } = pair;
    const before = brokenAfter(checked, pair, edge.wait - 1);
    const isRejected = before.includes(edge.rule);
    const after = brokenAfter(checked, pair, edge.wait).filter((rule) =>
      edge.commands > 2 ? rule === edge.rule : rules.has(rule),
    );
    const verdict = !isRejected ? "early" : after.length > 0 ? "late" : "right";
    return { edge, verdict };
  });
}

/** Lines of a table in Markdown, and the counts of verdicts. */
export function edgeText(results: readonly EdgeResult[]): readonly string[] {
  const rows = results.map(({ edge, verdict }) => {
    const commands = edge.commands === 2 ? "" : ` (${edge.commands} commands)`;
    const cells = [edge.rule, `${edge.from} to ${edge.to}${commands}`, edge.near];
    return [...cells, String(edge.wait), verdict];
  });
  const count = (verdict: EdgeVerdict): number =>
    results.filter((result) => result.verdict === verdict).length;
  const counts = (["right", "early", "late"] as const).map((name) => `${count(name)} ${name}`);
  return [...textTable(["rule", "commands", "where", "t", "checker"], rows), "", counts.join(", ")];
}
