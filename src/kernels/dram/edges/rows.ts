// SPDX-License-Identifier: Apache-2.0
// The edges of DDR5: every constraint of JESD79-5 between the commands that requests and refreshes bring
// about, with the requests that bring it to its edge. A wait is in cycles between first cycles.

import {
  betweenFirstCycles,
  type Edge,
  type EdgeCommand,
  type EdgePlace,
  type EdgeStep,
} from "./edge.ts";
import { rules as r, type Rule } from "./rules.ts";

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
/** Where the second request goes. */
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
  rest: Omit<Edge, "rule" | "says" | "wait" | "timing" | "ranks" | "refresh" | "from" | "to"> & {
    readonly refresh?: Edge["refresh"];
    readonly first?: number;
    readonly second?: number;
    readonly timing?: Edge["timing"];
    readonly asItIs?: boolean;
  },
): Edge {
  const { first, second, timing, asItIs, ...others } = rest;
  const added = asItIs === true ? 0 : betweenFirstCycles(from, to);
  return {
    rule: rule.rule,
    says: rule.says,
    refresh: "None",
    ranks: rest.near === "other rank" ? 2 : 1,
    ...others,
    from: { command: from, ...(first === undefined ? {} : { step: first }) },
    to: { command: to, ...(second === undefined ? {} : { step: second }) },
    timing: { ...Object.fromEntries(rule.long.map((name) => [name, long])), ...timing },
    wait: (t) => rule.wait(t) + added,
  };
}

/** Two requests to rows that are open. */
const columns = (
  of: Rule,
  near: Near,
  from: "RD" | "WR",
  to: "RD" | "WR",
  timing: Edge["timing"] = {},
): Edge =>
  edge(of, from, to, {
    near,
    timing,
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
const activates = (of: Rule, near: Near): Edge =>
  edge(of, "ACT", "ACT", {
    near,
    asItIs: of === r.two,
    first: 0,
    second: 1,
    steps: () => [step(pair, "R", here), step(pair, "R", places[near])],
  });

/** Two requests for the rows of a bank: the second closes that of the first. */
const oneBank = (of: Rule, from: EdgeCommand, to: EdgeCommand, op: "R" | "W" = "R"): Edge => {
  const [first, second] = to === "RD" || to === "WR" ? [0, 0] : from === "PRE" ? [1, 1] : [0, 1];
  return edge(of, from, to, {
    near: "bank",
    first,
    second,
    steps: () => [step(pair, op, here), step(pair + 1, "R", otherRow)],
  });
};

/** Two requests that each close another row of their bank. */
const precharges = (near: "bank group" | "rank"): Edge =>
  edge(r.ppd, "PRE", "PRE", {
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

const bus = (
  of: Rule,
  from: EdgeCommand,
  to: EdgeCommand,
  steps: readonly EdgeStep[],
  first: number,
): Edge =>
  edge(of, from, to, {
    near: "other rank",
    asItIs: true,
    first,
    second: first + 1,
    steps: () => steps,
  });

const away = places["other rank"];

/** With refresh of the whole rank; the last request keeps the memory going until it is over. */
const whole = (
  of: Rule,
  from: EdgeCommand,
  to: EdgeCommand,
  rest: {
    readonly first?: number;
    readonly second?: number;
    readonly near?: Edge["near"];
    readonly refresh?: Edge["refresh"];
    readonly timing?: Edge["timing"];
    readonly closedRows?: boolean;
    readonly mayNotCome?: boolean;
  },
  steps: (refresh: number) => readonly EdgeStep[],
): Edge =>
  edge(of, from, to, {
    near: "rank",
    refresh: "AllBank",
    ...rest,
    timing: { nREFI: rest.refresh === "SameBank" ? 8 * interval : interval, ...rest.timing },
    steps: (refresh) => [...steps(refresh), step(refresh + interval + 500, "R", at(0, 5, 3))],
  });

/** With refresh of one bank of each group, of which bank 0 comes first. */
const same = (
  of: Rule,
  from: EdgeCommand,
  to: EdgeCommand,
  rest: { readonly first?: number; readonly second?: number; readonly near?: Edge["near"] },
  steps: (refresh: number) => readonly EdgeStep[],
): Edge => whole(of, from, to, { near: "same banks", ...rest, refresh: "SameBank" }, steps);

const before = 2;
/** A bank that a refresh of bank 0 of each group leaves alone, and one that it refreshes. */
const otherNumber = at(0, 0, 1);
const sameNumber = at(0, 1, 0);
/** A write holds the first refresh up until shortly before the next one falls due. */
const lateRefresh = { nREFI: 300, nWR: 250 } as const;
/** A refresh falls due sooner after another than two precharges may follow each other. */
const closeRefreshes = { nREFI: 300, nPPD: 400 } as const;

export const edges: readonly Edge[] = [
  oneBank(r.rcd, "ACT", "RD"),
  oneBank(r.rcd, "ACT", "WR", "W"),
  oneBank(r.ras, "ACT", "PRE"),
  oneBank(r.rp, "PRE", "ACT"),
  oneBank(r.rc, "ACT", "ACT"),
  oneBank(r.rtp, "RD", "PRE"),
  oneBank(r.wr, "WR", "PRE", "W"),
  activates(r.rrdL, "bank group"),
  activates(r.rrdS, "rank"),
  edge(r.faw, "ACT", "ACT", {
    near: "rank",
    first: 0,
    second: 4,
    steps: () => [0, 1, 2, 3, 4].map((group) => step(pair, "R", at(0, group, 0))),
  }),
  precharges("rank"),
  precharges("bank group"),
  columns(r.ccdS, "rank", "RD", "RD"),
  columns(r.ccdL, "bank group", "RD", "RD"),
  columns(r.ccdL, "bank", "RD", "RD"),
  columns(r.ccdSW, "rank", "WR", "WR"),
  columns(r.ccdLW, "bank group", "WR", "WR"),
  columns(r.ccdLW, "bank", "WR", "WR"),
  columns(r.wtrS, "rank", "WR", "RD"),
  columns(r.wtrL, "bank group", "WR", "RD"),
  columns(r.wtrL, "bank", "WR", "RD"),
  columns(r.rtw, "rank", "RD", "WR"),
  columns(r.rtw, "bank group", "RD", "WR"),
  columns(r.rtw, "bank", "RD", "WR"),
  columns(r.burst, "rank", "RD", "RD"),
  columns(r.burst, "bank group", "RD", "RD"),
  columns(r.burst, "bank", "RD", "RD"),
  columns(r.burst, "rank", "WR", "WR"),
  columns(r.burst, "bank group", "WR", "WR"),
  columns(r.burst, "bank", "WR", "WR"),
  columns(r.readRank, "other rank", "RD", "RD"),
  columns(r.writeRank, "other rank", "WR", "WR"),
  columns(r.readWriteRank, "other rank", "RD", "WR"),
  columns(r.writeReadRank, "other rank", "WR", "RD"),
  activates(r.two, "other rank"),
  bus(r.two, "RD", "ACT", [open(here), step(pair, "R", here), step(pair + 1, "R", away)], 1),
  bus(r.two, "WR", "ACT", [open(here), step(pair, "W", here), step(pair + 1, "R", away)], 1),
  bus(
    r.one,
    "PRE",
    "ACT",
    [open(here), step(pair, "R", conflict(here)), step(pair + 1, "R", away)],
    1,
  ),
  whole(r.refi, "REFab", "REFab", {}, (refresh) => [step(refresh + interval, "R", here)]),
  whole(r.rfc, "REFab", "ACT", { second: 0 }, (refresh) => [step(refresh, "R", here)]),
  whole(r.rfc, "REFab", "REFab", { timing: lateRefresh }, (refresh) => [
    step(refresh - before, "W", here),
  ]),
  whole(r.rfc, "REFab", "PRE", { closedRows: true, mayNotCome: true }, (refresh) => [
    step(refresh - before, "R", here),
  ]),
  whole(r.rp, "PREA", "REFab", {}, () => [open(here)]),
  whole(r.rp, "PRE", "REFab", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "R", otherRow),
  ]),
  whole(r.rc, "ACT", "REFab", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  whole(r.ras, "ACT", "PREA", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  whole(r.rtp, "RD", "PREA", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "R", here),
  ]),
  whole(r.wr, "WR", "PREA", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "W", here),
  ]),
  whole(r.ppd, "PRE", "PREA", { first: 2 }, (refresh) => [
    open(here),
    open(places.rank, 500),
    step(refresh - before, "R", otherRow),
  ]),
  whole(r.ppd, "PREA", "PRE", { second: 2 }, (refresh) => [
    open(here),
    step(refresh + 1, "R", here),
    step(refresh + 30, "R", otherRow),
  ]),
  whole(r.ppd, "PREA", "PREA", { timing: closeRefreshes }, () => [
    open(here),
    step(400, "R", here),
  ]),
  same(r.refiSb, "REFsb", "REFsb", {}, (refresh) => [step(refresh + interval, "R", here)]),
  same(r.rfcSb, "REFsb", "ACT", { second: 0 }, (refresh) => [step(refresh, "R", here)]),
  whole(
    r.rfcSb,
    "REFsb",
    "REFsb",
    { near: "other banks", refresh: "SameBank", timing: { ...lateRefresh, nREFI: 8 * 300 } },
    (refresh) => [step(refresh - before, "W", here)],
  ),
  same(r.refSbRd, "REFsb", "ACT", { near: "other banks", second: 0 }, (refresh) => [
    step(refresh, "R", otherNumber),
  ]),
  same(r.rp, "PREsb", "REFsb", {}, () => [open(here)]),
  same(r.rp, "PRE", "REFsb", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "R", otherRow),
  ]),
  same(r.rrdSb, "ACT", "REFsb", { near: "other banks", first: 0 }, (refresh) => [
    step(refresh - before, "R", otherNumber),
  ]),
  same(r.rc, "ACT", "REFsb", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  same(r.ras, "ACT", "PREsb", { first: 0 }, (refresh) => [step(refresh - before, "R", here)]),
  same(r.rtp, "RD", "PREsb", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "R", here),
  ]),
  same(r.wr, "WR", "PREsb", { first: 1 }, (refresh) => [
    open(here),
    step(refresh - before, "W", here),
  ]),
  same(r.ppd, "PRE", "PREsb", { first: 2 }, (refresh) => [
    open(here),
    open(sameNumber, 500),
    step(refresh - before, "R", otherRow),
  ]),
  same(r.ppd, "PRE", "PREsb", { near: "other banks", first: 2 }, (refresh) => [
    open(here),
    open(otherNumber, 500),
    step(refresh - before, "R", conflict(otherNumber)),
  ]),
  same(r.ppd, "PREsb", "PRE", { near: "other banks", second: 2 }, (refresh) => [
    open(here),
    open(otherNumber, 500),
    step(refresh, "R", conflict(otherNumber)),
  ]),
  whole(
    r.ppd,
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
