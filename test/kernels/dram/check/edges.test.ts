// SPDX-License-Identifier: Apache-2.0
// Edges from the table of each standard: rejected at t - 1, accepted at t. The table of DDR5 has the minimum distances
// of the edges that the C++ controller is tested at.

import { describe, expect, it } from "vitest";

import { edgeMemory, tableEdges } from "../../../../src/kernels/dram/check/edges.ts";
import { commandPairs } from "../../../../src/kernels/dram/edges/pairs.ts";
import { dramPreset } from "../../../../src/machine/dram/presets.ts";
import { memoryStandard, standardNames } from "../../../../src/machine/dram/standards/standards.ts";
import type { MemoryStandard } from "../../../../src/machine/dram/standards/table.ts";

function named(name: string): MemoryStandard {
  const found = memoryStandard(name);
  if (found === undefined) throw new Error(`no standard ${name}`);
  return found;
}

describe.each(standardNames)("%s", (name) => {
  const standard = named(name);
  const memory = edgeMemory(standard, standard.defaultPreset, "test");

  it("rejects every pair of commands at t - 1 and accepts it at t", () => {
    const results = tableEdges(memory);
    const wrong = results.filter(({ verdict }) => verdict !== "right");
    expect(wrong).toEqual([]);
    const rules = new Set(results.map(({ edge }) => edge.rule));
    expect(rules.size).toBeGreaterThan(10);
  });

  it("finds a timing of the checker that is one cycle short or long", () => {
    const timing = { ...memory.timing, nRAS: (memory.timing["nRAS"] ?? 0) + 1 };
    const long = tableEdges(memory, { ...memory, timing });
    expect(long.filter(({ verdict }) => verdict === "late").length).toBeGreaterThan(0);
    const short = tableEdges({ ...memory, timing }, memory);
    expect(short.filter(({ verdict }) => verdict === "early").length).toBeGreaterThan(0);
  });
});

it.each(["LPDDR5-3200 16B", "LPDDR5-6400 8B"])("%s: every pair is right at t - 1 and t", (name) => {
  const results = tableEdges(edgeMemory(named("LPDDR5"), name, "test"));
  expect(results.filter(({ verdict }) => verdict !== "right")).toEqual([]);
  // The only bank group of a rank is the lowest level that two of its banks have in common.
  const pairs = results.filter(({ edge }) => edge.commands === 2).map(({ edge }) => edge.near);
  expect(new Set(pairs)).toEqual(new Set(["bank", "bank group", "channel"]));
});

describe("the table of DDR5", () => {
  const memory = edgeMemory(named("DDR5"), "TriMoE", "test");
  const { timing } = dramPreset("TriMoE", "test");
  const waits = new Map(
    tableEdges(memory)
      .filter(({ edge }) => edge.commands === 2)
      .map(({ edge }) => [`${edge.from} to ${edge.to}, ${edge.near}`, edge.wait]),
  );

  /** The level that the places of a pair have in common. */
  const levels: Readonly<Record<string, string>> = {
    bank: "bank",
    "bank group": "bank group",
    rank: "rank",
    "other rank": "channel",
    "same banks": "bank",
    "other banks": "bank group",
  };
  const isWhole = (command: string): boolean => command === "PREA" || command === "REFab";

  it("has the minimum distance of every pair of commands of the C++ controller", () => {
    const different = commandPairs.flatMap((pair) => {
      const isInside = pair.near === "rank" && (isWhole(pair.from) || isWhole(pair.to));
      const level = isInside ? "bank" : (levels[pair.near] ?? "");
      const found = waits.get(`${pair.from} to ${pair.to}, ${level}`);
      const wanted = pair.wait(timing);
      return found === wanted
        ? []
        : [`${pair.from} to ${pair.to}, ${pair.near}: ${found}, ${wanted}`];
    });
    expect(different).toEqual([]);
  });
});
