// SPDX-License-Identifier: Apache-2.0
// The first steps of the flash experiment are the reference's rows; each later step is faster. Figures
// on simulated layers state the other assumptions that were tried for each number that differs.

import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { outcome12, outcome13 } from "../../../src/papers/instinfer/figures/experiments.ts";
import { flashLadder, layerHistories } from "../../../src/papers/instinfer/figures/flash.ts";
import type { LayerTimer } from "../../../src/papers/instinfer/model/steps.ts";
import { publishedSetting } from "../../../src/papers/instinfer/model/systems.ts";
import { seconds } from "../../../src/base/units.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { needs } from "../../helpers/needs.ts";

interface Row {
  readonly S: number;
  readonly m: number;
  readonly device: string;
  readonly dies_per_channel: number;
  readonly arbitration: string;
  readonly heads_in_flight: number;
  readonly speedup: number;
  readonly page_fraction: number;
}

function referenceRow(device: string, inFlight: number): Row | undefined {
  const text = readFileSync(oraclePath("flash", "heads-pipeline.json"), "utf8");
  const { rows } = JSON.parse(text) as { readonly rows: readonly Row[] };
  return rows.find(
    (row) =>
      row.device === device &&
      row.heads_in_flight === inFlight &&
      row.S === 2048 &&
      row.m === 2 &&
      row.dies_per_channel === 4 &&
      row.arbitration === "cmd_first",
  );
}

const histories = layerHistories();

describe("flash steps of InstInfer", needs("oracle/flash"), () => {
  it.each(["tlc4k", "znand4k"] as const)("%s begins with the reference's rows", (device) => {
    const ladder = flashLadder(device, histories);
    for (const { step, speedup, pageShare } of ladder.slice(0, 4)) {
      const row = referenceRow(device, step.inFlight);
      expect(Math.abs(speedup / (row?.speedup ?? NaN) - 1), step.name).toBeLessThan(2e-3);
      expect(pageShare).toBeCloseTo(row?.page_fraction ?? NaN, 9);
    }
  });
});

describe("flash steps of InstInfer", () => {
  it.each(["tlc4k", "znand4k"] as const)("%s: no step after 16 heads costs time", (device) => {
    const gains = flashLadder(device, histories)
      .slice(2)
      .map((r) => r.speedup);
    for (const [i, gain] of gains.entries()) {
      expect(gain).toBeGreaterThan((gains[i - 1] ?? 0) * 0.999);
    }
    expect(gains.at(-1)).toBeGreaterThan(2.08);
  });

  it("hot pages and clustered dimensions read less, by what is held", () => {
    const share = (name: string): number =>
      flashLadder("znand4k", histories).find((r) => r.step.name === name)?.pageShare ?? NaN;
    const clustered = share("dimensions clustered");
    expect(clustered).toBeLessThan(share("40 heads in flight"));
    // 16 pages of the 256 of dense attention at most.
    expect(clustered - share("16 hot pages per head in DRAM")).toBeLessThanOrEqual(16 / 256);
    expect(share("16 hot pages per head in DRAM")).toBeLessThan(clustered);
  });
});

test("every miss of the throughput of simulated layers has something that was tried", () => {
  const timer: LayerTimer = ({ heads, sequences, sparsity }) =>
    seconds(heads * sequences * (sparsity === null ? 2e-6 : 1.2e-6));
  const setting = { ...publishedSetting, timer };
  const misses = [outcome12(setting), outcome13({ ...setting, devices: 2 })]
    .flatMap(({ findings }) => findings)
    .filter((f) => f.verdict === "differs" && f.ratio !== null);
  expect(misses).not.toHaveLength(0);
  expect(misses.filter(({ tried }) => tried.length === 0)).toEqual([]);
});
