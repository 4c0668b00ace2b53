// SPDX-License-Identifier: Apache-2.0
// docs/results/memories.md has the times and limits of the models: its column of one token, at cycle fidelity. The rest
// is of the same sweep.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { runSweepScenario } from "../../src/cli/explore/sweep-point.ts";
import { applySettings } from "../../src/explore/point.ts";
import { parseSweep, pointsOf } from "../../src/explore/spec.ts";
import {
  busOf,
  rankRefreshInterval,
  rankRefreshTime,
  standardOf,
} from "../../src/machine/rank-memory.ts";
import { standardNames } from "../../src/machine/dram/standards/standards.ts";
import { channelMemory } from "../../src/machine/resolve/systems.ts";
import { full } from "../helpers/tier.ts";

const page = readFileSync(inRepository("docs", "results", "memories.md"), "utf8");
const file = inRepository("scenarios", "memory-standards.yaml");
const scenario = inRepository("scenarios", "memory-standards-expert.yaml");
const more = inRepository("scenarios", "memory-standards-more.yaml");
const points = pointsOf(parseSweep(file, readFileSync(file, "utf8"))).filter(
  ({ settings }) => settings["fidelity"] === "cycle",
);
const names = {
  AllBank: "all banks",
  SameBank: "one bank per group",
  PerBank: "one bank",
} as const;

type Settings = Readonly<Record<string, unknown>>;
const refreshOf = (settings: Settings): string =>
  names[settings["memory.refresh"] as keyof typeof names];
/** As tools/memories-table.mjs names a memory. */
function labelOf(settings: Settings): string {
  const streams = settings["ndp.streams"] as number | undefined;
  const name = String(settings["memory.preset"] ?? settings["memory.standard"]);
  return streams === undefined ? name : `${name}, ${streams} streams`;
}

/** Cells of the row of a memory in the first table after `start`. */
function cellsOf(start: string, memory: string, refresh?: string): readonly string[] | undefined {
  return page
    .slice(page.indexOf(start))
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find(([, first, second]) => first === memory && (refresh ?? second) === second);
}

/** The energies of the memory and of the unit on the page, for one token; undefined if the table has no such row. */
function energyCells(settings: Settings): readonly string[] | undefined {
  return cellsOf("## Energy", labelOf(settings), refreshOf(settings))?.slice(3, 5);
}

/** The same from the metrics of a run; undefined if the run has no energy. */
function energyOf(of: (id: string) => number): readonly string[] | undefined {
  const [all, unit] = [of("energy"), of("unitEnergy")];
  if (Number.isNaN(all)) return undefined;
  return [all - unit, unit].map((value) =>
    value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  );
}

describe("docs/results/memories.md", () => {
  it("has every memory of the sweep, on the RTL too", () => {
    const of = (fidelity: string): readonly string[] =>
      pointsOf(parseSweep(file, readFileSync(file, "utf8")))
        .filter(({ settings }) => settings["fidelity"] === fidelity)
        .map(
          ({ settings }) =>
            `${String(settings["memory.standard"])} ${String(settings["memory.refresh"])}`,
        );
    expect(of("rtl")).toEqual(of("cycle"));
    expect(new Set(of("cycle").map((name) => name.split(" ")[0]))).toEqual(new Set(standardNames));
  });

  it.each(standardNames.filter((name) => name !== "DDR5"))(
    "has pins, rate and refresh of %s",
    (name) => {
      const standard = standardOf({ standard: name });
      const memory = channelMemory(standard, standard.defaultPreset, 32, "a test");
      const { pins, transfersPerCycle } = busOf(memory);
      const rate = (pins * transfersPerCycle * memory.clock) / 8e9;
      expect(cellsOf("| memory | preset |", name)?.slice(2, 9)).toEqual([
        standard.defaultPreset,
        memory.pseudoChannels === undefined ? "channel" : "pseudo-channel",
        String(pins),
        String(memory.accessBytes ?? 64),
        rate.toFixed(1),
        ((1e9 * rankRefreshTime(memory)) / memory.clock).toFixed(0),
        ((1e6 * rankRefreshInterval(memory)) / memory.clock).toFixed(3),
      ]);
    },
  );

  const morePoints = pointsOf(parseSweep(more, readFileSync(more, "utf8"))).filter(
    ({ settings }) => settings["fidelity"] === "cycle",
  );
  it("has every memory of the sweep of other presets", () => {
    const rows = morePoints.map(({ settings }) =>
      cellsOf("Time of other presets", labelOf(settings), refreshOf(settings)),
    );
    expect(rows).not.toContain(undefined);
  });

  it.each((full ? morePoints : morePoints.slice(-1)).map(({ settings }) => ({ settings })))(
    "other presets: $settings",
    async ({ settings }) => {
      const content = applySettings(parseYaml(scenario, readFileSync(scenario, "utf8")), {
        ...settings,
        tokens: [1],
      });
      const { metrics } = await runSweepScenario(scenario, content, null);
      const of = (id: string): number => metrics.find((m) => m.id === id)?.value ?? Number.NaN;
      const row = cellsOf("Time of other presets", labelOf(settings), refreshOf(settings));
      expect(row?.[3]).toBe(of("time").toFixed(1));
      expect(energyCells(settings)).toEqual(energyOf(of));
    },
  );

  const tried = full ? points : points.slice(-1);
  it.each(tried.map(({ settings }) => ({ settings })))("$settings", async ({ settings }) => {
    const content = applySettings(parseYaml(scenario, readFileSync(scenario, "utf8")), {
      ...settings,
      tokens: [1],
    });
    const { failed, metrics } = await runSweepScenario(scenario, content, null);
    expect(failed).toEqual([]);
    const of = (id: string): number => metrics.find((m) => m.id === id)?.value ?? Number.NaN;
    const memory = String(settings["memory.standard"]);
    const refresh = names[settings["memory.refresh"] as keyof typeof names];
    expect(cellsOf("Time, us:", memory, refresh)?.[3]).toBe(of("time").toFixed(1));
    expect(cellsOf("Utilisation of the limit", memory, refresh)?.[3]).toBe(
      `**${of("boundShare").toFixed(1)}**`,
    );
    expect(cellsOf("## One token", memory, refresh)?.slice(3, 6)).toEqual(
      ["bandwidthLimit", "bandwidth", "rowHits"].map((id) => of(id).toFixed(1)),
    );
    expect(energyCells(settings)).toEqual(energyOf(of));
  });
});
