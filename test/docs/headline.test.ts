// SPDX-License-Identifier: Apache-2.0
// docs/results/headline.md has the recorded results, the recorded area and the figures of the README, which a test of
// the full set compares with a run.

import { describe, expect, it } from "vitest";

import { floorOf } from "../../src/tools/area/summary.ts";
import { readCost } from "../../src/tools/synth/record.ts";
import { repositoryText, sectionRows } from "../helpers/pages.ts";
import { recordedRun, type RecordedQuality } from "../helpers/recorded.ts";

const page = repositoryText("docs", "results", "headline.md");

describe("docs/results/headline.md", () => {
  const rows = [
    ...page.matchAll(/^\| [^|]+ \| (\d\.\d{4}) \| `([\w-]+\.json)` \| [\d.]+ \| ([\d-]+) \|$/gm),
  ];

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

  it("has the recorded results of several storage devices, with time and date", () => {
    interface Experiments {
      readonly experiments: readonly {
        readonly findings: readonly { readonly what: string; readonly ours: number }[];
        readonly rows: readonly { readonly what: string; readonly overlapped: number }[];
      }[];
    }
    const resultOf = (name: string): Experiments["experiments"] =>
      (recordedRun(name).result as Experiments).experiments;
    const gains = resultOf("instinfer-devices").flatMap(({ findings }) =>
      findings.map(({ ours }) => `${ours.toFixed(3)} x`),
    );
    const prefills = resultOf("instinfer-prefill").flatMap(({ rows: own }) =>
      ["Z-NAND, 1 device", "Z-NAND, 4 devices", "Z-NAND, 20 devices"].map((name) => {
        const time = own.find(({ what }) => what === name)?.overlapped ?? Number.NaN;
        return `${time.toFixed(2)} ms`;
      }),
    );
    const expected = [
      ...gains.map((value) => [value, "instinfer-devices"]),
      ...prefills.map((value) => [value, "instinfer-prefill"]),
    ].map(([value = "", name = ""]) => {
      const { command, date, processor, processorSeconds = 0 } = recordedRun(name);
      expect(page).toContain(`npx ${command}`);
      expect(processor).toContain("Intel(R) Xeon(R)");
      return [value, `\`${name}.json\``, `${String(processorSeconds)} s of processor time`, date];
    });
    expect(gains).toHaveLength(2);
    expect(sectionRows(page, "### Several storage devices").map(([, ...cells]) => cells)).toEqual(
      expected,
    );
  });

  it("has the recorded floor and clock of the DIMM-NDP unit", () => {
    const area = readCost("ndp")?.area ?? null;
    if (area === null) throw new Error("no record");
    const { total, band } = floorOf(area);
    const range = `(${band.low.toFixed(3)} to ${band.high.toFixed(3)} for the range`;
    expect(page).toContain(`| ${total.toFixed(3)} mm2 ${range}`);
    const [slowest] = area.timing?.worst ?? [];
    expect(page).toContain(`(slowest path ${slowest?.period.toFixed(0) ?? ""} ps)`);
  });

  it("has the figures of the README", () => {
    const readme = repositoryText("README.md");
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
