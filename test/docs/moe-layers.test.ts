// SPDX-License-Identifier: Apache-2.0
// docs/results/moe-layers.md, the layers of headline.md, and the sentences of assumptions.md about them have the numbers
// of the recorded layers.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { sectionRows } from "../helpers/pages.ts";
import { missingSource, recordedExperiment } from "../helpers/recorded.ts";

const pageOf = (...path: readonly string[]): string =>
  readFileSync(inRepository("docs", ...path), "utf8");
const page = pageOf("results", "moe-layers.md");
const headline = pageOf("results", "headline.md");

const models = [
  ["deepseek-v2", "DeepSeek-V2"],
  ["qwen3-235b-a22b", "Qwen3-235B"],
  ["glm-4.5-air", "GLM-4.5-Air"],
] as const;

describe("layers of docs/results/moe-layers.md", () => {
  const layer = recordedExperiment<Readonly<Record<string, string | number>>>("trimoe-layer");
  const checkOf = (model: string, what: string): (typeof layer.checks)[number] => {
    const found = layer.checks.find((check) => check.what === `${model}: ${what}`);
    if (found === undefined) throw new RangeError(`no check ${what} of ${model}`);
    return found;
  };
  const quantities = [
    ["layer", "layer over equation 7"],
    ["CPU", "CPU over equation 5"],
    ["GPU", "GPU over equation 5"],
    ["DIMM that ends last", "slowest DIMM over equation 6"],
  ] as const;

  it("has the ratios, their ranges and the number of failed checks", () => {
    const shown = sectionRows(page, "## Time of a layer, relative to the equations");
    expect(shown).toEqual(
      quantities.map(([name, what]) => {
        const checks = models.map(([model]) => checkOf(model, what));
        const cells = checks.map(
          ({ ours, holds }) => `${ours.toFixed(3)}${holds ? "" : ", outside"}`,
        );
        return [name, checks[0]?.rule, ...cells];
      }),
    );
    const failed = shown.flat().filter((cell) => cell.endsWith(", outside")).length;
    const words = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
    expect(page).toContain(`${words[failed] ?? ""} of the twelve checks of the table fail`);
    expect(missingSource(page, "trimoe-layer")).toEqual([]);
  });

  it("are those of the headline", () => {
    expect(sectionRows(headline, "### MoE layers")).toEqual(
      models.map(([model, name]) => [
        name,
        checkOf(model, "layer over equation 7").ours.toFixed(3),
        `\`${model}: layer over equation 7\``,
      ]),
    );
    expect(missingSource(headline, "trimoe-layer")).toEqual([]);
  });

  it("have the recorded energies", () => {
    /** Parts of the record that a row of the page sums. */
    const groups = [
      ["products", "sums of banks", "accumulation", "activation"],
      ["clock", "buffer and queues"],
      ["DRAM, rows for NDP", "DRAM, reads of NDP", "DRAM, writes of NDP"],
      ["DRAM, rows for the host", "DRAM, reads of the host", "DRAM, writes of the host"],
      ["DRAM, I/O of NDP", "DRAM, I/O of the host"],
      ["DRAM refresh"],
      ["DRAM background"],
      ["host channels"],
      ["DIMM-Link"],
      ["PCIe"],
      ["measured together"],
      ["published together"],
      ["derived together"],
      ["assumed together"],
    ];
    expect(groups.flat()).toHaveLength(layer.rows.length);
    const shown = sectionRows(page, "## Energy of a layer");
    expect(shown).toHaveLength(groups.length);
    shown.forEach(([part, source, , ...cells], i) => {
      const rows = layer.rows.filter(({ energy }) => groups[i]?.includes(String(energy)));
      expect([part, new Set(rows.map((row) => row["source"]))]).toEqual([part, new Set([source])]);
      expect([part, ...cells]).toEqual([
        part,
        ...models.map(([model], m) => {
          const digits = /\.(\d+)/.exec(cells[m] ?? "")?.[1]?.length ?? 0;
          const sum = rows.reduce((total, row) => total + Number(row[model]), 0);
          return sum.toLocaleString("en-US", {
            minimumFractionDigits: digits,
            maximumFractionDigits: digits,
          });
        }),
      ]);
    });
  });
});

interface Changed {
  readonly model: string;
  readonly change: string;
  readonly layer: number;
  readonly layerRatio: number;
  readonly dimmRatio: number;
}

describe("changes of docs/results/moe-layers.md", () => {
  const { rows } = recordedExperiment<Changed>("trimoe-overheads");
  const changes = [...new Set(rows.map(({ change }) => change))];
  const ratios = (change: string, key: "layerRatio" | "dimmRatio"): readonly string[] =>
    rows.filter((row) => row.change === change).map((row) => row[key].toFixed(3));

  it.each([
    ["## Why the last DIMM ends earlier than equation 6", "dimmRatio"],
    ["## Effect of the modelled overheads", "layerRatio"],
  ] as const)("%s: has the recorded ratios", (heading, key) => {
    expect(sectionRows(page, heading)).toEqual(
      changes.map((change) => [change, ...ratios(change, key)]),
    );
  });

  /** By model, the ratio with the first change divided by the ratio with the second. */
  const compared = (key: "layerRatio" | "dimmRatio", first: string, second: string): number[] => {
    const of = (change: string): readonly number[] =>
      rows.filter((row) => row.change === change).map((row) => row[key]);
    return of(first).map((ratio, i) => ratio / (of(second)[i] ?? Number.NaN));
  };
  const percentRange = (ratios: readonly number[], digits: number): string => {
    const percents = ratios.map((ratio) => 100 * (ratio - 1));
    return `${Math.min(...percents).toFixed(digits)} to ${Math.max(...percents).toFixed(digits)} %`;
  };
  const all = "links between all pairs of DIMMs";
  const short = "stream queues of 64 bursts";
  const transfers = "no transfers of inputs and outputs";
  const headers = "no headers of PCIe packets";

  it("has the effects on the last DIMM in its sentences", () => {
    const differences = (first: string, second: string): readonly number[] => {
      const of = (change: string): readonly number[] =>
        rows.filter((row) => row.change === change).map((row) => row.dimmRatio);
      return of(first).map((ratio, i) => ratio - (of(second)[i] ?? Number.NaN));
    };
    const range = (values: readonly number[]): string =>
      `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
    const most = (change: string): string =>
      Math.max(...differences(change, "none").map(Math.abs)).toFixed(3);
    expect(page).toContain(`increase the ratios by ${range(differences(short, "none"))}:`);
    expect(page).toContain(`The ratios are ${range(differences("none", all))} smaller.`);
    expect(page).toContain(
      `change a ratio by at most ${most(transfers)}, headers of PCIe packets by at most ${most(headers)}.`,
    );
  });

  it("has the effects on a layer in its sentences", () => {
    const times = rows.filter(({ change }) => change === "none").map(({ layer }) => layer);
    const shown = models.map(([, name], i) => `${times[i]?.toFixed(2) ?? ""} ms (${name})`);
    expect(page).toContain(`need ${shown.slice(0, 2).join(", ")} and ${shown[2] ?? ""}.`);
    const off = percentRange(compared("layerRatio", "none", "overheads off"), 1);
    expect(page).toContain(`together make a layer ${off} slower`);
    const together = `${short}, all ranks refresh at the same time`;
    const refresh = percentRange(compared("layerRatio", short, together), 1);
    expect(page).toContain(`staggered refresh makes a layer ${refresh} slower`);
    const small = [transfers, headers].flatMap((one) => compared("layerRatio", one, "none"));
    const most = Math.max(...small.map((ratio) => Math.abs(100 * (ratio - 1)))).toFixed(1);
    expect(page).toContain(`change the time of a layer by at most ${most} %`);
    const chains = percentRange(compared("layerRatio", "none", all), 0);
    expect(page).toContain(`The default chains make a layer ${chains} slower`);
  });

  it("names its command, date, time and file", () => {
    expect(missingSource(page, "trimoe-overheads")).toEqual([]);
  });

  it("are those of a layer with links between all pairs on other pages", () => {
    const [first, second, third] = ratios(all, "layerRatio");
    expect(pageOf("explanation", "assumptions.md")).toContain(
      `the ratios of a layer become ${first ?? ""}, ${second ?? ""} and ${third ?? ""}`,
    );
  });
});

interface Moved {
  readonly topology: string;
  readonly group: number;
  readonly time: number;
}

it("the relayout of an expert in assumptions.md is the recorded one", () => {
  const moves = recordedExperiment<Moved>("trimoe-topologies").rows;
  const [chains = "", full = ""] = [8, 16].map((group, i) => {
    const links = i === 0 ? "chain" : "full";
    const found = moves.find((row) => row.topology === links && row.group === group);
    return `${(1e3 * (found?.time ?? 0)).toFixed(1)} us`;
  });
  expect(pageOf("explanation", "assumptions.md")).toContain(`takes ${full} in place of ${chains}`);
});
