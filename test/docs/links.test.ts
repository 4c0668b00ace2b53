// SPDX-License-Identifier: Apache-2.0
// docs/results/links.md has the recorded times of DIMM-Link topologies, and the rates of a stream over CXL as the
// simulator has them.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { loadAddon } from "../../src/native/addon.ts";
import { recordedRun } from "../helpers/recorded.ts";

const page = readFileSync(inRepository("docs", "results", "links.md"), "utf8");

/** Rows of the page's tables with this number of cells. */
function rowsOf(cells: number): readonly (readonly string[])[] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(({ length }) => length === cells);
}

interface Topology {
  readonly topology: string;
  readonly group: number;
  readonly time: number;
  readonly bound: string;
  readonly busy: number;
}

describe("docs/results/links.md", () => {
  it("has the recorded times of topologies, with the date", () => {
    const { date, result } = recordedRun("trimoe-topologies");
    const { experiments } = result as {
      experiments: readonly { rows: readonly Topology[] }[];
    };
    const recorded = experiments.flatMap(({ rows }) => rows);
    expect(recorded).toHaveLength(8);
    const shown = rowsOf(5)
      .filter(([name = ""]) => name.startsWith("`") && !name.includes("."))
      .map(([name = "", group, time, , share]) => [/\w+/.exec(name)?.[0], group, time, share]);
    expect(shown).toEqual(
      recorded.map(({ topology, group, time, busy }) => [
        topology,
        String(group),
        time.toFixed(3),
        busy.toFixed(0),
      ]),
    );
    expect(page).toContain(`--only trimoe/topologies    # ${date}`);
  });

  it("has the rates and latencies of a stream over CXL", () => {
    const { cxlStream } = loadAddon();
    const stream = (lanes: number, flit: "68-bytes" | "256-bytes", rate: number) =>
      cxlStream({
        lanes,
        lines: 20_000,
        inFlight: 256,
        flit,
        latency: 50e6,
        lineTime: Math.round((64 / rate) * 1e15),
      });
    const digits = (rate: number): string => (rate / 1e9).toFixed(2);
    const expected = [4, 8, 16].map((lanes) => {
      const [narrow, wide] = [stream(lanes, "68-bytes", 128e9), stream(lanes, "256-bytes", 128e9)];
      return [
        String(lanes),
        digits(narrow.wires),
        digits(narrow.rate),
        digits(wide.rate),
        (narrow.first * 1e-6).toFixed(1),
        digits(stream(lanes, "68-bytes", 38.4e9).rate),
        digits(stream(lanes, "68-bytes", 19.2e9).rate),
      ];
    });
    expect(rowsOf(7).slice(1)).toEqual(expected);
  });
});
