// SPDX-License-Identifier: Apache-2.0
// The edges of DDR5 on every available backend: the native one is right at each of them; with Ramulator 2.0's semantics
// it is wrong exactly where Ramulator 2.0 is.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { loadDram } from "../../../src/native/dram-binding.ts";
import type { EdgeResult } from "../../../src/kernels/dram/edges/edge.ts";
import { edges } from "../../../src/kernels/dram/edges/rows.ts";
import { runEdges } from "../../../src/kernels/dram/edges/run.ts";
import { edgeTable } from "../../../src/kernels/dram/edges/table.ts";
import { inRepository } from "../../../src/base/paths.ts";
import { needs } from "../../helpers/needs.ts";
import { tableRows } from "../../helpers/pages.ts";

const textOf = ({ rule, commands, near, verdict }: EdgeResult): string =>
  `${rule}, ${commands}, ${near}: ${verdict}`;
const wrong = (results: readonly EdgeResult[]): readonly string[] =>
  results.filter(({ verdict }) => verdict === "early" || verdict === "late").map(textOf);

/** Departures of Ramulator 2.0 that requests can cause. */
const wrongIn20 = [
  "tRAS, ACT to PRE, bank: early",
  "tRP, PRE to ACT, bank: late",
  "tRTP, RD to PRE, bank: early",
  "tWR, WR to PRE, bank: early",
  "tPPD, PRE to PRE, rank: early",
  "tPPD, PRE to PRE, bank group: early",
  "rank switch (WR to WR), WR to WR, other rank: early",
  "rank switch (RD to WR), RD to WR, other rank: early",
  "rank switch (WR to RD), WR to RD, other rank: early",
  "tRFCab, REFab to ACT, rank: late",
  "tRFCab, REFab to PRE, rank: early",
  "tRC before REFab, ACT to REFab, rank: early",
  "tRAS, ACT to PREA, rank: early",
  "tRTP, RD to PREA, rank: early",
  "tWR, WR to PREA, rank: early",
  "tPPD, PRE to PREA, rank: early",
  "tPPD, PREA to PRE, rank: early",
  "tPPD, PREA to PREA, rank: early",
];
/** Edges of REFsb, which Ramulator does not have. */
const wrongOfSameBank = [
  "tRFCsb, REFsb to ACT, same banks: late",
  "tREFSBRD, REFsb to ACT, other banks: late",
  "tRRD before REFsb, ACT to REFsb, other banks: early",
  "tRC before REFsb, ACT to REFsb, same banks: early",
  "tRAS, ACT to PREsb, same banks: early",
  "tRTP, RD to PREsb, same banks: early",
  "tWR, WR to PREsb, same banks: early",
  "tPPD, PRE to PREsb, same banks: early",
  "tPPD, PRE to PREsb, other banks: early",
  "tPPD, PREsb to PRE, other banks: early",
  "tPPD, PREsb to PREsb, other banks: early",
];

describe("edges of DDR5", () => {
  it("native: no command at t - 1, each at t", async () => {
    const results = await runEdges(loadDram(), edges);
    expect(results.filter(({ verdict }) => verdict !== "right").map(textOf)).toEqual([]);
  });

  it("native with Ramulator 2.0's semantics departs where Ramulator 2.0 does", async () => {
    const results = await runEdges(loadDram(), edges, "ramulator-2.0");
    expect(wrong(results)).toEqual([...wrongIn20, ...wrongOfSameBank]);
  });

  it("Ramulator 2.0", needs("Ramulator 2.0"), async () => {
    const results = await runEdges(loadDram("ramulator2"), edges, "ramulator-2.0");
    expect(wrong(results)).toEqual(wrongIn20);
  });

  it("Ramulator 2.1", needs("Ramulator 2.1"), async () => {
    const results = await runEdges(loadDram("ramulator2"), edges, "jedec");
    expect(wrong(results)).toEqual([
      "rank switch (WR to WR), WR to WR, other rank: early",
      "rank switch (RD to WR), RD to WR, other rank: early",
      "tRFCab, REFab to REFab, rank: early",
    ]);
  });

  it("docs/results/ddr5.md shows what was found", async () => {
    const [ours, theirs] = await Promise.all([
      runEdges(loadDram(), edges),
      runEdges(loadDram(), edges, "ramulator-2.0"),
    ]);
    const found = tableRows(
      edgeTable([
        { backend: "neardata", results: ours },
        { backend: "2.0", results: theirs },
      ]).join("\n"),
    ).filter(([, , commands, , , , last]) => last !== "t" && !/(REF|PRE)sb/.test(commands ?? ""));
    const page = readFileSync(inRepository("docs", "results", "ddr5.md"), "utf8");
    const from = page.indexOf("## Edges of DDR5");
    const shown = tableRows(page.slice(from, page.indexOf("\n## ", from)))
      .map((row) => row.slice(0, -1))
      // Departures of 2.1 only.
      .filter((row) => row.at(-1) !== "t");
    expect(shown).toEqual(found);
  });

  it("a table has a line for each, and says what came when", async () => {
    const some = edges.slice(0, 3);
    const results = await runEdges(loadDram(), some, "ramulator-2.0");
    const [head, , ...rows] = edgeTable([{ backend: "native", results }]);
    expect(head).toContain("| native");
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/^\| tRCD \(read\) +\| nRCD .* \| 200 +\| t +\|$/);
    expect(rows[2]).toMatch(/\| 201 +\| early \(200\) \|$/);
  });
});
