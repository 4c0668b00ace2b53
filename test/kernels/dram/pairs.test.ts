// SPDX-License-Identifier: Apache-2.0
// Every pair of commands at every distance, from the table of the standard: the waits of the controller's own table are
// the same, and each rule has an edge test or the reason why requests cannot cause it.

import { describe, expect, it } from "vitest";

import { loadDram } from "../../../src/native/dram-binding.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { EdgeCommand, Near } from "../../../src/kernels/dram/edges/edge.ts";
import {
  commandPairs,
  hasEdge,
  pairName,
  unreached,
} from "../../../src/kernels/dram/edges/pairs.ts";
import { edges, shortTiming } from "../../../src/kernels/dram/edges/rows.ts";
import { edgeTable, pairTable } from "../../../src/kernels/dram/edges/table.ts";
import {
  controllerCommands,
  ddr5Constraints,
} from "../../../src/machine/dram/standards/ddr5-rows.ts";
import { timingNames } from "../../../src/machine/dram/timing.ts";

/** In the order of sim/dram/types.h. */
const numbered = ["ACT", "PRE", "PREA", "RD", "WR", "REFab", "PREsb", "REFsb"] as const;
const issued = 1000;

/** Rank, bank group and bank of the second command, after one to bank 0 of group 0 of rank 0. */
const places: Readonly<Record<Near, readonly [number, number, number]>> = {
  bank: [0, 0, 0],
  "bank group": [0, 0, 1],
  rank: [0, 1, 1],
  "other rank": [1, 0, 0],
  "same banks": [0, 1, 0],
  "other banks": [0, 1, 1],
};

const configOf = (preset: string, timing: Readonly<Record<string, number>> = {}) =>
  parseDramReplayConfig(
    { preset, semantics: "jedec", timing_nCK: timing, organization: { ranks_per_channel: 2 } },
    "pairs",
  );

const configs = [
  configOf("TriMoE"),
  configOf("DDR5-3200C"),
  configOf("DDR5-8800BN"),
  configOf("TriMoE", shortTiming),
  ...timingNames
    .filter((name) => name !== "nREFI")
    .map((name) => configOf("TriMoE", { ...shortTiming, [name]: 500 })),
];

const kind = (command: EdgeCommand): number => numbered.indexOf(command);

describe("pairs of commands", () => {
  it("are all of the commands at all of their distances, once", () => {
    const names = commandPairs.map(pairName);
    expect(new Set(names).size).toBe(names.length);
    // One bank to one bank: four distances. With a command to one bank of each group three, with one
    // to the whole rank two.
    expect(controllerCommands).toHaveLength(8);
    expect(names).toHaveLength(4 * 4 * 4 + 20 * 3 + 28 * 2);
  });

  it.each(commandPairs.map((pair) => [pairName(pair), pair] as const))("%s", (_, pair) => {
    const dram = loadDram();
    const past = Float64Array.from([issued, kind(pair.from), 0, 0, 0]);
    const next = Float64Array.from([kind(pair.to), ...places[pair.near]]);
    for (const config of configs) {
      const ready = dram.dramReadyAt(config, past, next) - issued;
      expect(Math.max(ready, 1)).toBe(pair.wait(config.timing));
    }
  });

  it("have an edge for each rule, or a reason", () => {
    const missing = commandPairs.flatMap((pair) =>
      pair.rows
        .filter((row) => !hasEdge(edges, pair, row) && unreached[pairName(pair)] === undefined)
        .map(({ rule }) => `${rule}: ${pairName(pair)}`),
    );
    expect(missing).toEqual([]);
    const without = commandPairs
      .filter((pair) => pair.rows.some((row) => !hasEdge(edges, pair, row)))
      .map(pairName);
    expect(Object.keys(unreached).toSorted()).toEqual(without.toSorted());
  });

  it("of edges are all in the list, and all rows of the standard name a pair", () => {
    const listed = new Set(commandPairs.map(pairName));
    const named = edges.map((edge) =>
      pairName({ from: edge.from.command, to: edge.to.command, near: edge.near }),
    );
    expect(named.filter((name) => !listed.has(name))).toEqual([]);
    const used = new Set(commandPairs.flatMap(({ rows }) => rows));
    const issued = ({ from, to }: (typeof ddr5Constraints)[number]): boolean =>
      [from, to].every((names) => controllerCommands.some((name) => names.includes(name)));
    expect(ddr5Constraints.filter((row) => issued(row) && !used.has(row))).toEqual([]);
  });

  it("are a line each, and one without an edge or a reason says so", () => {
    const lines = pairTable(edges, configOf("TriMoE").timing);
    expect(lines).toHaveLength(commandPairs.length + 2);
    expect(lines.join("\n")).toMatch(
      /\| WR to WR +\| other rank +\| rank switch \(WR to WR\) +\| 10 +\| edge/,
    );
    expect(lines.filter((line) => line.includes("missing"))).toEqual([]);
    const fewer = edges.filter(({ rule }) => !rule.startsWith("tRCD"));
    const found = pairTable(fewer, configOf("TriMoE").timing).filter((l) => l.includes("missing"));
    expect(found).toHaveLength(2);
    expect(edgeTable([])).toHaveLength(2);
  });
});
