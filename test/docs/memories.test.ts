// SPDX-License-Identifier: Apache-2.0
// docs/results/memories.md has the times and limits of the models: its column of one token, at cycle fidelity. The rest
// is of the same sweep.

import { describe, expect, it } from "vitest";

import type { Settings } from "../../src/explore/spec.ts";
import {
  busOf,
  rankRefreshInterval,
  rankRefreshTime,
  standardOf,
} from "../../src/machine/rank-memory.ts";
import { standardNames } from "../../src/machine/dram/standards/standards.ts";
import { channelMemory } from "../../src/machine/resolve/systems.ts";
import { repositoryText, tableRows } from "../helpers/pages.ts";
import { oneToken, sweepPoints } from "../helpers/sweep-points.ts";
import { full } from "../helpers/tier.ts";

const page = repositoryText("docs", "results", "memories.md");
const isOnCycleModel = (settings: Settings): boolean => settings["fidelity"] === "cycle";
const points = sweepPoints("memory-standards").filter(isOnCycleModel);
const names = {
  AllBank: "all banks",
  SameBank: "one bank per group",
  PerBank: "one bank",
} as const;

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
  return tableRows(page.slice(page.indexOf(start))).find(
    ([first, second]) => first === memory && (refresh ?? second) === second,
  );
}

/** The energies of the memory and of the unit on the page, for one token; undefined if the table has no such row. */
function energyCells(settings: Settings): readonly string[] | undefined {
  return cellsOf("## Energy", labelOf(settings), refreshOf(settings))?.slice(2, 4);
}

/** The same from the metrics of a run; undefined if the run has no energy. */
function energyOf(of: (id: string) => number): readonly string[] | undefined {
  const [all, unit] = [of("energy"), of("unitEnergy")];
  if (Number.isNaN(all)) return undefined;
  return [all - unit, unit].map((value) =>
    value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  );
}

const metricsOf = async (settings: Settings): Promise<(id: string) => number> =>
  oneToken("memory-standards-expert", settings);

describe("docs/results/memories.md", () => {
  it("has every memory of the sweep, on the RTL too", () => {
    const of = (fidelity: string): readonly string[] =>
      sweepPoints("memory-standards")
        .filter((settings) => settings["fidelity"] === fidelity)
        .map(
          (settings) =>
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
      expect(cellsOf("| memory | preset |", name)?.slice(1, 8)).toEqual([
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

  const morePoints = sweepPoints("memory-standards-more").filter(isOnCycleModel);
  it("has every memory of the sweep of other presets", () => {
    const rows = morePoints.map((settings) =>
      cellsOf("Time of other presets", labelOf(settings), refreshOf(settings)),
    );
    expect(rows).not.toContain(undefined);
  });

  it.each((full ? morePoints : morePoints.slice(-1)).map((settings) => ({ settings })))(
    "other presets: $settings",
    async ({ settings }) => {
      const of = await metricsOf(settings);
      const row = cellsOf("Time of other presets", labelOf(settings), refreshOf(settings));
      expect(row?.[2]).toBe(of("time").toFixed(1));
      expect(energyCells(settings)).toEqual(energyOf(of));
    },
  );

  const tried = full ? points : points.slice(-1);
  it.each(tried.map((settings) => ({ settings })))("$settings", async ({ settings }) => {
    const of = await metricsOf(settings);
    const memory = String(settings["memory.standard"]);
    const refresh = refreshOf(settings);
    expect(cellsOf("Time, us:", memory, refresh)?.[2]).toBe(of("time").toFixed(1));
    expect(cellsOf("Utilisation of the limit", memory, refresh)?.[2]).toBe(
      `**${of("boundShare").toFixed(1)}**`,
    );
    expect(cellsOf("## One token", memory, refresh)?.slice(2, 5)).toEqual(
      ["bandwidthLimit", "bandwidth", "rowHits"].map((id) => of(id).toFixed(1)),
    );
    expect(energyCells(settings)).toEqual(energyOf(of));
  });

  it("has the utilisations without staggered refresh", async () => {
    const texts = ["DDR4", "HBM3"].map(async (memory) => {
      const settings = {
        fidelity: "cycle",
        "memory.standard": memory,
        "memory.refresh": "AllBank",
      };
      const together = await metricsOf({ ...settings, "memory.refreshPhase": "together" });
      const staggered = cellsOf("Utilisation of the limit", memory, "all banks")?.[2];
      return `${memory} reaches ${together("boundShare").toFixed(1)} % instead of ${staggered?.replaceAll("*", "") ?? ""} %`;
    });
    for (const text of await Promise.all(texts)) expect(page).toContain(text);
  });
});
