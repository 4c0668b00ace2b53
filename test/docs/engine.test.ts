// SPDX-License-Identifier: Apache-2.0
// docs/results/engine.md has the times and utilisations of scenarios/sweep-engine.yaml. Every point runs in the full set,
// and the first points of kernels and channels otherwise.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import type { Settings } from "../../src/explore/spec.ts";
import { sectionRows } from "../helpers/pages.ts";
import { pointMetrics, sweepPoints, valueOf, type PointMetrics } from "../helpers/sweep-points.ts";
import { full } from "../helpers/tier.ts";

const page = readFileSync(inRepository("docs", "results", "engine.md"), "utf8");
const points = sweepPoints("sweep-engine");
const metricsOf = async (settings: Settings): Promise<PointMetrics> =>
  pointMetrics("sweep-engine-heads", settings);

const dense = "dense-znand4k-1-16";
const sparf = "sparf-znand4k-1-16";
const us = (metrics: PointMetrics, one: string): string =>
  Number(valueOf(metrics, "time", one).toPrecision(4)).toLocaleString("en-US");
const percent = (metrics: PointMetrics, id: string, one: string): string =>
  valueOf(metrics, id, one).toFixed(1);
const setting = (settings: Settings, name: string): unknown => settings[`attention.${name}`];

describe("docs/results/engine.md", () => {
  const kernelRows = sectionRows(page, "## Kernels");
  const groups = full ? [1, 8] : [1];
  it.each(groups)(
    "has the times of kernels, and the bound of a rule, with %i queries",
    async (group) => {
      const results: PointMetrics[] = [];
      for (const settings of points) {
        if (setting(settings, "heads") !== 40 || setting(settings, "group") !== group) continue;
        results.push(await metricsOf(settings));
      }
      const [one, two] = results;
      if (one === undefined || two === undefined) throw new RangeError("no points");
      const expected = [
        ["dense", dense],
        ["SparF", sparf],
      ].map(([name = "", method = ""]) => {
        const [first, second] = [one, two].map((metrics) => valueOf(metrics, "time", method));
        const idle = 100 - valueOf(two, "channelsBusy", method);
        const kernels = 100 * (1 - (first ?? 0) / 2 / (second ?? 1));
        // With one query a single kernel is idle for a part of the time.
        const gain = group === 1 ? idle : Math.min(idle, kernels);
        const times = results.map((metrics) => us(metrics, method));
        return [String(group), name, ...times, gain.toFixed(1)];
      });
      expect(kernelRows.filter(([queries]) => queries === String(group))).toEqual(expected);
      if (group !== 1) return;
      const [ofDense, ofSparf] = [dense, sparf].map((one) => percent(two, "channelsBusy", one));
      expect(page).toContain(
        `the channels are busy ${ofDense ?? ""} % of the time for dense attention and ${ofSparf ?? ""} % for SparF`,
      );
      const most = Math.max(...kernelRows.map((row) => Number(row.at(-1)))).toFixed(1);
      expect(page).toContain(`no rule can gain more than ${most} %`);
      const scope = readFileSync(inRepository("docs", "explanation", "scope.md"), "utf8");
      expect(scope).toContain(`[-${most} to 0 %]`);
    },
  );

  const columns = [2048, 8192, 32768] as const;
  const designs = sectionRows(page, "## Eight queries per head");
  const ofGroups = points.filter(
    (settings) => setting(settings, "group") === 8 && setting(settings, "heads") !== 40,
  );
  const cellsOf = (row: readonly string[], tokens: number): readonly string[] => {
    const at = 3 + 2 * columns.indexOf(tokens as 2048);
    return row.slice(at, at + 2).map((cell) => cell.replaceAll("**", ""));
  };
  const labelOf = (settings: Settings): string =>
    ["ringLines", "maxKeys"]
      .map((name) => Number(setting(settings, `engine.${name}`)).toLocaleString("en-US"))
      .join(" ");
  const rowOf = (settings: Settings): readonly string[] | undefined => {
    const [kernels, sets] = ["kernels", "querySets"].map((name) =>
      setting(settings, `engine.${name}`),
    );
    return designs.find(
      ([design = "", ...cells]) =>
        design.replaceAll("**", "").startsWith(`${String(kernels)} x ${String(sets)}`) &&
        cells.slice(0, 2).join(" ").replaceAll("**", "") === labelOf(settings),
    );
  };
  const tokensOf = (settings: Settings): number => Number(setting(settings, "length") ?? 2048);

  it("has a measured cell for each point, and no other", () => {
    const measured = designs.flatMap((row) =>
      columns.filter((n) => /\d/.test(cellsOf(row, n)[0] ?? "")),
    );
    expect(measured).toHaveLength(ofGroups.length);
    for (const row of designs) {
      const keys = Number(row[2]?.replaceAll(/[*,]/g, ""));
      for (const tokens of columns) {
        expect(cellsOf(row, tokens).includes("refused")).toBe(8 * tokens > keys);
      }
    }
  });

  const groupPoints = ofGroups.map((settings) => ({
    name: `${JSON.stringify(rowOf(settings)?.slice(0, 3))}, ${String(tokensOf(settings))} tokens`,
    settings,
  }));
  it.runIf(full).each(groupPoints)(
    "has the least busy channel of $name",
    async ({ settings }) => {
      const metrics = await metricsOf(settings);
      const row = rowOf(settings);
      expect(row && cellsOf(row, tokensOf(settings))).toEqual(
        [dense, sparf].map((one) => percent(metrics, "leastBusy", one)),
      );
    },
    3_600_000,
  );

  const channelPoints = points.filter((settings) => setting(settings, "channels") !== undefined);
  const channelRows = sectionRows(page, "## Channels");
  it("has a row for each number of channels", () => {
    expect(channelRows).toHaveLength(channelPoints.length);
  });
  it.each(
    (full ? channelPoints : channelPoints.slice(0, 1)).map((settings, i) => ({ settings, i })),
  )("has the times of channels: $settings", async ({ settings, i }) => {
    const metrics = await metricsOf(settings);
    expect([dense, sparf].map((one) => valueOf(metrics, "stalled", one))).toEqual([0, 0]);
    expect(channelRows[i]).toEqual([
      String(setting(settings, "channels")),
      String(Number(setting(settings, "controller.translation.rate")) / 1e6),
      Number(setting(settings, "engine.ringLines")).toLocaleString("en-US"),
      us(metrics, dense),
      percent(metrics, "channelsBusy", dense),
      percent(metrics, "leastBusy", dense),
      us(metrics, sparf),
      percent(metrics, "channelsBusy", sparf),
      percent(metrics, "leastBusy", sparf),
    ]);
  });

  it.runIf(full)("has the utilisation of 96 heads with eight queries", async () => {
    const metrics = await pointMetrics("attention-groups", {});
    const [first, second] = [dense, sparf].map((one) => percent(metrics, "channelsBusy", one));
    expect(page).toContain(
      `The mean utilisation of the eight channels is ${first ?? ""} % with dense attention and ${second ?? ""} % with SparF.`,
    );
  });
});
