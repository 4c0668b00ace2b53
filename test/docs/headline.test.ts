// SPDX-License-Identifier: Apache-2.0
// docs/results/headline.md has the recorded results, the recorded area and the figures of the README, which a test of
// the full set compares with a run.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { floorOf } from "../../src/tools/area/summary.ts";
import { readCost } from "../../src/tools/synth/record.ts";
import { recordedRun, type RecordedQuality } from "../helpers/recorded.ts";

const read = (...path: readonly string[]): string => readFileSync(inRepository(...path), "utf8");
const page = read("docs", "results", "headline.md");

describe("docs/results/headline.md", () => {
  const rows = [...page.matchAll(/^\| [^|]+ \| (\d\.\d{4}) \| `([\w-]+\.json)` \| ([\d-]+) \|$/gm)];

  it("names recorded files", () => {
    expect(rows.length).toBeGreaterThan(8);
  });

  it.each(rows.map(([, bits, file = "", date]) => ({ file, bits, date })))(
    "has the bits per byte and the date of $file",
    ({ file, bits, date }) => {
      const recorded = recordedRun(file.replace(/\.json$/, ""));
      const { bitsPerByte } = recorded.result as RecordedQuality;
      expect({ bits, date }).toEqual({
        bits: bitsPerByte.toFixed(4),
        date: recorded.date,
      });
    },
  );

  it("has the recorded floor of the DIMM-NDP unit", () => {
    const area = readCost("ndp")?.area ?? null;
    if (area === null) throw new Error("no record");
    expect(page).toContain(`| ${floorOf(area).total.toFixed(3)} mm2 (`);
  });

  it("has the figures of the README", () => {
    const readme = read("README.md");
    const figures = [
      "336.0 us",
      "140.5 GB/s",
      "98.96 %",
      "99.83 %",
      "4,394 us",
      "2,249",
      "1.953 x",
      "387.9 us",
    ];
    expect(figures.filter((one) => !page.includes(one) || !readme.includes(one))).toEqual([]);
  });
});
