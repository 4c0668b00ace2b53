// SPDX-License-Identifier: Apache-2.0
// The edges of DDR5: every constraint of JESD79-5 between commands of requests and refreshes, with the
// requests that make it binding. Waits are cycles between the first cycles of commands.

import { defined } from "../../../base/defined.ts";
import { ddr5Constraints } from "../../../machine/dram/standards/ddr5-rows.ts";
import { sumOf, sumText, type Sum } from "../../../machine/dram/standards/table.ts";
import { refreshInterval, type DramTiming, type TimingName } from "../../../machine/dram/timing.ts";
import {
  betweenFirstCycles,
  busCycles,
  type Edge,
  type EdgeCommand,
  type EdgePlace,
  type EdgeStep,
} from "./edge.ts";
import { rowOf } from "./pairs.ts";

/** Timings that an edge does not name: a few cycles. */
/* prettier-ignore */
export const shortTiming: Readonly<Record<TimingName, number>> = {
  nBL: 4, nCL: 6, nRCD: 3, nRP: 3, nRAS: 3, nRC: 3, nWR: 3, nRTP: 3, nCWL: 5, nPPD: 1,
  nCCDS: 3, nCCDS_WR: 3, nCCDS_WTR: 10, nCCDL: 3, nCCDL_WR: 3, nCCDL_WTR: 10, nRRDS: 3, nRRDL: 3,
  nFAW: 3, nRFC1: 4, nRFCsb: 4, nREFSBRD: 3, nREFI: 1_000_000, nCS: 2,
};
export const banksPerGroup = 4;

/** A rule whose edge is tested: its name, the timings that are long, the minimum distance. */
interface Rule {
  readonly rule: string;
  readonly minimum: string;
  readonly long: readonly TimingName[];
  readonly wait: (t: DramTiming) => number;
}

const positive = (wait: Sum<TimingName>): readonly TimingName[] =>
  wait.filter((term) => typeof term === "string" && !term.startsWith("-")) as TimingName[];

/** The timing of a sum that the fewest other constraints have. */
function rarest(wait: Sum<TimingName>): TimingName {
  const uses = (name: TimingName): number =>
    ddr5Constraints.filter((row) => row.wait.includes(name)).length;
  const [first] = positive(wait).toSorted((a, b) => uses(a) - uses(b));
  if (first === undefined) throw new Error(`${sumText(wait)} has no timing`);
  return first;
}

/** The rule of a pair by its name; without a name the only one of the table. */
function ruleOf(from: EdgeCommand, to: EdgeCommand, near: Edge["near"], name?: string): Rule {
  const { rule, wait } = rowOf({ from, to, near }, name);
  return {
    rule,
    minimum: sumText(wait),
    long: [rarest(wait)],
    wait: (t) => sumOf(wait, t) + betweenFirstCycles(from, to),
  };
}

const commandBus = (from: EdgeCommand): Rule => ({
  rule: "command bus",
  minimum: String(busCycles(from)),
  long: [],
  wait: () => busCycles(from),
});

const refreshRule = (refresh: "AllBank" | "SameBank"): Rule => ({
  rule: refresh === "AllBank" ? "tREFI" : "tREFI2 / banks",
  minimum: refresh === "AllBank" ? "nREFI" : "nREFI / 2 / banks per group",
  long: [],
  wait: (t) => refreshInterval(refresh, t.nREFI, banksPerGroup),
});

const long = 200;
const interval = 2000;
/** When the pair of an edge is offered: all earlier commands are complete. */
const pair = 1000;

const at = (rank: number, group: number, bank: number, row = 0): EdgePlace => ({
  rank,
  group,
  bank,
  row,
});
const here = at(0, 0, 0);
const otherRow = at(0, 0, 0, 1);
/** The place of the second request. */
const places = {
  bank: here,
  "bank group": at(0, 0, 1),
  rank: at(0, 1, 1),
  "other rank": at(1, 0, 0),
} as const;
type Near = keyof typeof places;
const conflict = (place: EdgePlace): EdgePlace => ({ ...place, row: 1 });

const step = (cycle: number, op: "R" | "W", place: EdgePlace): EdgeStep => ({
  at: cycle,
  op,
  place,
});
/** Opens the row of a place long before the pair. */
const open = (place: EdgePlace, cycle = 20): EdgeStep => step(cycle, "R", place);

function edge(
  rule: Rule,
  from: EdgeCommand,
  to: EdgeCommand,
  rest: Omit<Edge, "rule" | "minimum" | "wait" | "timing" | "ranks" | "refresh" | "from" | "to"> & {
    readonly refresh?: Edge["refresh"];
    readonly first?: number;
    readonly second?: number;
    readonly timing?: Edge["timing"];
  },
): Edge {
  const { first, second, timing, ...others } = rest;
  return {
    rule: rule.rule,
    minimum: rule.minimum,
    refresh: "None",
    ranks: rest.near === "other rank" ? 2 : 1,
    ...others,
    from: { command: from, ...defined({ step: first }) },
    to: { command: to, ...defined({ step: second }) },
    timing: { ...Object.fromEntries(rule.long.map((name) => [name, long])), ...timing },
    wait: rule.wait,
  };
}

/** Two requests to rows that are open. */
const columns = (near: Near, from: "RD" | "WR", to: "RD" | "WR", rule?: string): Edge =>
  edge(ruleOf(from, to, near, rule), from, to, {
    near,
    first: 2,
    second: 3,
    steps: () => [
      open(here),
      open(places[near], 500),
      step(pair, from === "RD" ? "R" : "W", here),
      step(pair + 1, to === "RD" ? "R" : "W", places[near]),
    ],
  });

/** Two requests to banks whose rows are closed. */
const activates = (near: Near, rule = ruleOf("ACT", "ACT", near)): Edge =>
  edge(rule, "ACT", "ACT", {
    near,
    first: 0,
    second: 1,
    steps: () => [step(pair, "R", here), step(pair, "R", places[near])],
  });

/** Two requests for the rows of a bank: the second closes that of the first. */
const oneBank = (from: EdgeCommand, to: EdgeCommand, op: "R" | "W" = "R"): Edge => {
  const [first, second] = to === "RD" || to === "WR" ? [0, 0] : from === "PRE" ? [1, 1] : [0, 1];
  return edge(ruleOf(from, to, "bank"), from, to, {
    near: "bank",
    first,
    second,
    steps: () => [step(pair, op, here), step(pair + 1, "R", otherRow)],
  });
};

/** Two requests that each close another row of their bank. */
const precharges = (near: "bank group" | "rank"): Edge =>
  edge(ruleOf("PRE", "PRE", near), "PRE", "PRE", {
    near,
    first: 2,
    second: 3,
    steps: () => [
      open(here),
      open(places[near], 500),
      step(pair, "R", conflict(here)),
      step(pair, "R", conflict(places[near])),
    ],
  });

const bus = (from: EdgeCommand, to: EdgeCommand, steps: readonly EdgeStep[]): Edge =>
  edge(commandBus(from), from, to, {
    near: "other rank",
    first: 1,
    second: 2,
    steps: () => steps,
  });

const away = places["other rank"];

/**
 * With all-bank refresh. The last request prevents the memory from becoming idle before the edge.
 */
const whole = (
  from: EdgeCommand,
  to: EdgeCommand,
  rest: {
    readonly rule?: Rule;
    readonly first?: number;
    readonly second?: number;
    readonly near?: Edge["near"];
    readonly refresh?: Edge["refresh"];
    readonly timing?: Edge["timing"];
    readonly closedRows?: boolean;
    readonly mayNotCome?: boolean;
  },
  steps: (refresh: number) => readonly EdgeStep[],
): Edge => {
  const { rule, near = "rank", ...others } = rest;
  return edge(rule ?? ruleOf(from, to, near), from, to, {
    near,
    refresh: "AllBank",
    ...others,
    timing: { nREFI: rest.refresh === "SameBank" ? 8 * interval : interval, ...rest.timing },
    steps: (refresh) => [...steps(refresh), step(refresh + interval + 500, "R", at(0, 5, 3))],
  });
};

/** With same-bank refresh, which begins with bank 0 of each group. */
const same = (
  from: EdgeCommand,
  to: EdgeCommand,
  rest: {
    readonly rule?: Rule;
    readonly first?: number;
    readonly second?: number;
    readonly near?: Edge["near"];
  },
  steps: (refresh: number) => readonly EdgeStep[],
): Edge => whole(from, to, { near: "same banks", ...rest, refresh: "SameBank" }, steps);

const before = 2;
/** A bank that a refresh of bank 0 of each group does not affect, and one that it refreshes. */
const otherNumber = at(0, 0, 1);
const sameNumber = at(0, 1, 0);
/** A write delays the first refresh until shortly before the next one is due. */
const lateRefresh = { nREFI: 300, nWR: 250 } as const;
/** A refresh falls due sooner after another than two precharges may follow each other. */
const closeRefreshes = { nREFI: 300, nPPD: 400 } as const;

export const edges: readonly Edge[] = [
  oneBank("ACT", "RD"),
  oneBank("ACT", "WR", "W"),
  oneBank("ACT", "PRE"),
  oneBank("PRE", "ACT"),
  oneBank("ACT", "ACT"),
  oneBank("RD", "PRE"),
  oneBank("WR", "PRE", "W"),
  activates("bank group"),
  activates("rank"),
  edge(ruleOf("ACT", "ACT", "rank", "tFAW"), "ACT", "ACT", {
    near: "rank",
    first: 0,
    second: 4,
    steps: () => [0, 1, 2, 3, 4].map((group) => step(pair, "R", at(0, group, 0))),
  }),
  precharges("rank"),
  precharges("bank group"),
  columns("rank", "RD", "RD"),
  columns("bank group", "RD", "RD"),
  columns("bank", "RD", "RD"),
  columns("rank", "WR", "WR"),
  columns("bank group", "WR", "WR"),
  columns("bank", "WR", "WR"),
  columns("rank", "WR", "RD"),
  columns("bank group", "WR", "RD"),
  columns("bank", "WR", "RD"),
  columns("rank", "RD", "WR"),
  columns("bank group", "RD", "WR"),
  columns("bank", "RD", "WR"),
  columns("rank", "RD", "RD", "burst overlap (read)"),
  columns("bank group", "RD", "RD", "burst overlap (read)"),
  columns("bank", "RD", "RD", "burst overlap (read)"),
  columns("rank", "WR", "WR", "burst overlap (write)"),
  columns("bank group", "WR", "WR", "burst overlap (write)"),
  columns("bank", "WR", "WR", "burst overlap (write)"),
  columns("other rank", "RD", "RD"),
  columns("other rank", "WR", "WR"),
  columns("other rank", "RD", "WR"),
  columns("other rank", "WR", "RD"),
  activates("other rank", commandBus("ACT")),
  bus("RD", "ACT", [open(here), step(pair, "R", here), step(pair + 1, "R", away)]),
  bus("WR", "ACT", [open(here), step(pair, "W", here), step(pair + 1, "R", away)]),
  bus("PRE", "ACT", [open(here), step(pair, "R", conflict(here)), step(pair + 1, "R", away)]),
  whole("REFab", "REFab", { rule: refreshRule("AllBank") }, (refresh) => [
    step(refresh + interval, "R", here),
  ]),
  whole("REFab", "ACT", { second: 0 }, (refresh) => [step(refresh, "R", here)]),
  whole("REFab", "REFab", { timing: lateRefresh }, (refresh) => [
    step(refresh - before, "W", here),
  ]),
  whole("REFab", "PRE", { closedRows: true, mayNotCome: true }, (refresh) => [
    step(refresh - before, "R", here),
  ]),
  whole("PREA", "REFab", {}, () => [open(here)]),
  whole("PRE", "REFab", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "R", otherRow),
  ]),
  whole("ACT", "REFab", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  whole("ACT", "PREA", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  whole("RD", "PREA", { first: 1 }, (refresh) => [open(here), step(refresh - before, "R", here)]),
  whole("WR", "PREA", { first: 1 }, (refresh) => [open(here), step(refresh - before, "W", here)]),
  whole("PRE", "PREA", { first: 2 }, (refresh) => [
    open(here),
    open(places.rank, 500),
    step(refresh - before, "R", otherRow),
  ]),
  whole("PREA", "PRE", { second: 2 }, (refresh) => [
    open(here),
    step(refresh + 1, "R", here),
    step(refresh + 30, "R", otherRow),
  ]),
  whole("PREA", "PREA", { timing: closeRefreshes }, () => [open(here), step(400, "R", here)]),
  same("REFsb", "REFsb", { rule: refreshRule("SameBank") }, (refresh) => [
    step(refresh + interval, "R", here),
  ]),
  same("REFsb", "ACT", { second: 0 }, (refresh) => [step(refresh, "R", here)]),
  whole(
    "REFsb",
    "REFsb",
    { near: "other banks", refresh: "SameBank", timing: { ...lateRefresh, nREFI: 8 * 300 } },
    (refresh) => [step(refresh - before, "W", here)],
  ),
  same("REFsb", "ACT", { near: "other banks", second: 0 }, (refresh) => [
    step(refresh, "R", otherNumber),
  ]),
  same("PREsb", "REFsb", {}, () => [open(here)]),
  same("PRE", "REFsb", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "R", otherRow),
  ]),
  same("ACT", "REFsb", { near: "other banks", first: 0 }, (refresh) => [
    step(refresh - before, "R", otherNumber),
  ]),
  same("ACT", "REFsb", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  same("ACT", "PREsb", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  same("RD", "PREsb", { first: 1 }, (refresh) => [open(here), step(refresh - before, "R", here)]),
  same("WR", "PREsb", { first: 1 }, (refresh) => [open(here), step(refresh - before, "W", here)]),
  same("PRE", "PREsb", { first: 2 }, (refresh) => [
    open(here),
    open(sameNumber, 500),
    step(refresh - before, "R", otherRow),
  ]),
  same("PRE", "PREsb", { near: "other banks", first: 2 }, (refresh) => [
    open(here),
    open(otherNumber, 500),
    step(refresh - before, "R", conflict(otherNumber)),
  ]),
  same("PREsb", "PRE", { near: "other banks", second: 2 }, (refresh) => [
    open(here),
    open(otherNumber, 500),
    step(refresh, "R", conflict(otherNumber)),
  ]),
  whole(
    "PREsb",
    "PREsb",
    {
      near: "other banks",
      refresh: "SameBank",
      timing: { ...closeRefreshes, nREFI: 8 * closeRefreshes.nREFI },
    },
    () => [open(here), open(otherNumber, 100)],
  ),
];
