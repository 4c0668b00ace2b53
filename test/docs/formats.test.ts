// SPDX-License-Identifier: Apache-2.0
// docs/results/formats.md has the times, limits and energies of the models: its column of one token, run at cycle
// fidelity for the smaller expert, in formats that are soon made. The rest is of the same sweep.

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { floorOf } from "../../src/tools/area/summary.ts";
import { readCost } from "../../src/tools/synth/record.ts";
import { lowBitFormats } from "../../src/golden/low-bit.ts";
import { roundedFormats } from "../../src/workload/quantise.ts";
import { qualityChange, recordedRun, type RecordedQuality } from "../helpers/recorded.ts";
import { repositoryText, tableRows } from "../helpers/pages.ts";
import { oneToken, sweepPoints } from "../helpers/sweep-points.ts";
import { full } from "../helpers/tier.ts";

const page = repositoryText("docs", "results", "formats.md");
const points = sweepPoints("sweep-formats").filter(
  (settings) =>
    settings["fidelity"] === "cycle" &&
    settings["tokens"] === undefined &&
    settings["expert.model"] === "qwen3-235b-a22b" &&
    ["mxfp4", undefined].includes(settings["expert.storage"] as string | undefined),
);
const tried = full ? points : points.slice(0, 1);

/** The cell of one token in the row of a format and bits per cycle; undefined if no row has both. */
function cellOf(title: string, format: string, bits: string): string | undefined {
  const [, section = ""] = page.split(`### ${title}\n`);
  const [table = ""] = section.split("\n#");
  return tableRows(table).find(
    ([formats = "", own]) => formats.split(", ").includes(format) && own === bits,
  )?.[2];
}

describe("docs/results/formats.md", () => {
  it.each(tried.map((settings) => ({ settings })))("$settings", async ({ settings }) => {
    const of = await oneToken("sweep-formats-expert", settings);
    const format = String(settings["expert.storage"] ?? settings["expert.format"]).toUpperCase();
    const bits = String(settings["ndp.bitsPerCycle"]);
    const bus = Math.abs(of("boundShare") - of("bandwidthShare")) < 1e-6;
    const utilisation = of("boundShare").toFixed(1);
    const found = (title: string): string | undefined =>
      cellOf(`Qwen3-235B: ${title}`, format, bits);
    expect(found("time, us")).toBe(of("time").toFixed(1));
    expect(found("utilisation of the limit, %")).toBe(bus ? `**${utilisation}**` : utilisation);
    const joules = (id: string): string | undefined =>
      Number.isNaN(of(id)) ? undefined : (of(id) / 1000).toPrecision(3);
    expect(found("energy of the DIMM, mJ")).toBe(joules("energy"));
    expect(found("energy of the unit, mJ")).toBe(joules("unitEnergy"));
  });

  it.each(["ndp", "ndp-two-bit", "ndp-low-bit-two-bit"] as const)(
    "has the recorded floor and slowest slice of %s",
    (name) => {
      const area = readCost(name)?.area ?? null;
      if (area === null) throw new Error("no record");
      const slowest = Math.max(...area.slices.map(({ path }) => path?.period ?? 0));
      const bits = area.parameters["BitsPerCycle"] ?? 1;
      const low = area.parameters["LowBitWeights"] === 1;
      const unit = low ? "with MXFP4" : bits === 2 ? "FP16, BF16, two bits" : "TriMoE's: ";
      const row = page.split("\n").find((line) => line.startsWith(`| ${unit}`));
      expect(row).toContain(`| ${floorOf(area).total.toFixed(3)} |`);
      expect(row).toContain(`| ${slowest.toFixed(0)} |`);
    },
  );

  const quality = tableRows(page).filter((cells) =>
    /^`tinymoe-[\w-]+\.json`$/.test(cells[5] ?? ""),
  );

  it("has the quality of every format of the unit and of every recorded one, and of FP16", () => {
    const recorded = new Set(readdirSync(inRepository("data", "recorded")));
    const wanted = ["dense", ...roundedFormats]
      .map((name) => `tinymoe-${name}.json`)
      .filter((name) => recorded.has(name));
    expect(wanted).toEqual(
      expect.arrayContaining(lowBitFormats.map((name) => `tinymoe-${name}.json`)),
    );
    const files = quality.map((cells) => cells[5]);
    expect(files.toSorted()).toEqual(wanted.map((name) => `\`${name}\``).toSorted());
  });

  it.each(quality.map(([format, , ...cells]) => ({ format, cells })))(
    "has the bits per byte of $format, and the difference from FP16",
    ({ cells: [bits, change, error, file = "", date] }) => {
      const recorded = recordedRun(file.replaceAll(/`|\.json/g, ""));
      const quality = recorded.result as RecordedQuality;
      const dense = recordedRun("tinymoe-dense").result as RecordedQuality;
      const from = qualityChange(quality, dense);
      const same = quality.bitsPerByte === dense.bitsPerByte;
      expect({ bits, change, error, date }).toEqual({
        bits: quality.bitsPerByte.toFixed(4),
        change: same ? "" : from.mean.toFixed(4),
        error: same ? "" : from.error.toFixed(4),
        date: recorded.date,
      });
    },
  );
});
