// SPDX-License-Identifier: Apache-2.0
// Minimum distances between commands: the constraints of a standard as rows, each with the times of its nodes.

import {
  sumOf,
  type Basis,
  type Constraint,
  type LevelName,
} from "../../../machine/dram/standards/table.ts";
import { banksBelow, type CheckedMemory } from "./memory.ts";
import type { Placed, Report, TraceCommand } from "./violation.ts";

interface Seen {
  readonly counted: number;
  readonly command: TraceCommand;
}

/** The smallest margin of a trace to one constraint. */
export interface Margin {
  readonly constraint: Constraint;
  /** Pairs of commands that the constraint applies to. */
  pairs: number;
  /** The least distance beyond the minimum, and the later command of that pair. */
  least: number;
  tightest: TraceCommand | undefined;
}

interface Row {
  readonly constraint: Constraint;
  readonly basis: Basis;
  readonly window: number;
  readonly wait: number;
  readonly banks: number;
  /** Banks below a parent of the nodes. */
  readonly parent: number;
  /** The last `window` commands of a node, oldest first. */
  readonly seen: Map<number, Seen[]>;
  readonly margin: Margin;
}

const above: Readonly<Record<LevelName, LevelName | "channel">> = {
  bank: "bank group",
  "bank group": "rank",
  rank: "pseudo channel",
  "stack id": "pseudo channel",
  "pseudo channel": "channel",
};

/** Timings of a constraint that a memory does not have. */
function lacks(memory: CheckedMemory, constraint: Constraint): readonly string[] {
  return constraint.wait
    .filter((term) => typeof term === "string")
    .map((term) => term.replace(/^-/, ""))
    .filter((name) => memory.timing[name] === undefined);
}

/** The timings that a memory lacks for the constraints that count from a command. */
export function lackingFor(memory: CheckedMemory, name: string): readonly string[] {
  const rows = memory.standard.constraints.filter(({ from }) => from.includes(name));
  return [...new Set(rows.flatMap((constraint) => lacks(memory, constraint)))];
}

export class Intervals {
  readonly #byTo = new Map<string, Row[]>();
  readonly #byFrom = new Map<string, Row[]>();
  readonly #report: Report;
  readonly margins: readonly Margin[];

  constructor(memory: CheckedMemory, report: Report) {
    this.#report = report;
    const rows = memory.standard.constraints
      .filter((constraint) => lacks(memory, constraint).length === 0)
      .map((constraint) => rowOf(memory, constraint));
    for (const row of rows) {
      for (const name of row.constraint.to) listOf(this.#byTo, name).push(row);
      for (const name of row.constraint.from) listOf(this.#byFrom, name).push(row);
    }
    this.margins = rows.map(({ margin }) => margin);
  }

  take(placed: Placed): void {
    const { name } = placed.command;
    for (const row of this.#byTo.get(name) ?? []) this.#check(row, placed);
    for (const row of this.#byFrom.get(name) ?? []) remember(row, placed);
  }

  #check(row: Row, { command, banks, counted }: Placed): void {
    const last = latest(
      row,
      row.constraint.others === true ? others(row, banks) : nodes(row, banks),
    );
    if (last === undefined) return;
    const gap = counted - last.counted;
    const slack = gap - row.wait;
    const { margin, constraint } = row;
    margin.pairs += 1;
    if (slack < margin.least) {
      margin.least = slack;
      margin.tightest = command;
    }
    if (slack >= 0) return;
    const ordinal = row.window === 1 ? "" : `, ${row.window} commands earlier`;
    this.#report({
      rule: constraint.rule,
      basis: row.basis,
      command,
      earlier: last.command,
      slack,
      message:
        `${gap} cycles after ${last.command.name} in cycle ${last.command.cycle}${ordinal}; ` +
        `the minimum is ${row.wait} (${constraint.level})`,
    });
  }
}

function rowOf(memory: CheckedMemory, constraint: Constraint): Row {
  const { level } = constraint;
  return {
    constraint,
    basis: constraint.basis ?? "sure",
    window: constraint.window ?? 1,
    wait: sumOf(constraint.wait, memory.timing),
    banks: banksBelow(memory, level),
    parent: banksBelow(memory, level === "channel" ? "channel" : above[level]),
    seen: new Map(),
    margin: { constraint, pairs: 0, least: Infinity, tightest: undefined },
  };
}

function listOf<K, V>(map: Map<K, V[]>, key: K): V[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

/** The nodes of a row's level that contain these banks. */
function nodes(row: Row, banks: readonly number[]): ReadonlySet<number> {
  return new Set(banks.map((bank) => Math.floor(bank / row.banks)));
}

/** The other nodes below the parents of these banks. */
function others(row: Row, banks: readonly number[]): ReadonlySet<number> {
  const rowNodes = nodes(row, banks);
  const perParent = row.parent / row.banks;
  const siblings = [...rowNodes].flatMap((node) => {
    const first = Math.floor(node / perParent) * perParent;
    return Array.from({ length: perParent }, (_, i) => first + i);
  });
  return new Set(siblings.filter((node) => !rowNodes.has(node)));
}

/** The latest of the commands that the row counts from. */
function latest(row: Row, among: ReadonlySet<number>): Seen | undefined {
  let previous: Seen | undefined;
  for (const node of among) {
    const seen = row.seen.get(node);
    const first = seen?.length === row.window ? seen[0] : undefined;
    if (first !== undefined && (previous === undefined || first.counted > previous.counted)) {
      previous = first;
    }
  }
  return previous;
}

function remember(row: Row, { command, banks, counted }: Placed): void {
  for (const node of nodes(row, banks)) {
    const seen = listOf(row.seen, node);
    seen.push({ counted, command });
    if (seen.length > row.window) seen.shift();
  }
}
