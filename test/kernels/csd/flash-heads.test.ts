// SPDX-License-Identifier: Apache-2.0
// Heads on flash: the reference's times of SparF and dense, from one head in flight to forty.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import {
  denseChains,
  groupsOfChoice,
  runHeads,
  sparfChains,
  type HeadChoice,
} from "../../../src/kernels/csd/flash-heads.ts";
import { loadFlash } from "../../../src/native/flash-binding.ts";
import type { Arbitration, FlashDevice } from "../../../src/machine/flash/device.ts";
import { flashPresets, type FlashPreset } from "../../../src/machine/flash/presets.ts";
import { trafficBudget } from "../../../src/golden/attention/budget.ts";
import { sparfAttention } from "../../../src/golden/attention/sparf.ts";
import { generateHta1 } from "../../../src/workload/hta1.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { needs } from "../../helpers/needs.ts";

interface Row {
  readonly S: number;
  readonly m: number;
  readonly device: FlashPreset;
  readonly dies_per_channel: number;
  readonly arbitration: Arbitration;
  readonly heads_in_flight: number;
  readonly heads: number;
  readonly dense_us: number;
  readonly sparf_us: number;
  readonly page_fraction: number;
}

const width = 128;

/** The choices of 40 heads of this length for their last query at 1/8. */
function choices(length: number): readonly HeadChoice[] {
  return Array.from({ length: 40 }, (_, head) => {
    const { queries, keys, values } = generateHta1(500 + head, length, width);
    const query = queries.slice((length - 1) * width);
    const parameters = trafficBudget(1 / 8, length, width);
    return sparfAttention(query, { length, width, keys, values }, parameters);
  });
}

describe("heads on flash", needs("oracle/flash"), () => {
  it("takes the reference's time for every row", () => {
    const text = readFileSync(oraclePath("flash", "heads-pipeline.json"), "utf8");
    const { rows } = JSON.parse(text) as { readonly rows: readonly Row[] };
    const chosen = new Map([...new Set(rows.map((row) => row.S))].map((S) => [S, choices(S)]));
    for (const row of rows) {
      const device: FlashDevice = {
        ...flashPresets[row.device],
        dies_per_channel: row.dies_per_channel,
      };
      const layout = { length: row.S, width, m: row.m, n: 16, pageBytes: device.page_bytes };
      const run = (chains: ReturnType<typeof sparfChains>): ReturnType<typeof runHeads> =>
        runHeads(loadFlash(), device, row.arbitration, chains, row.heads_in_flight);
      const groups = (chosen.get(row.S) ?? []).map((choice) => groupsOfChoice(layout, choice));
      const sparf = run(sparfChains(device, layout, groups));
      const dense = run(denseChains(device, layout, row.heads));
      const what = JSON.stringify(row);
      expect(sparf.pages / dense.pages, what).toBeCloseTo(row.page_fraction, 9);
      expect(Math.abs(sparf.microseconds / row.sparf_us - 1), what).toBeLessThan(0.002);
      expect(Math.abs(dense.microseconds / row.dense_us - 1), what).toBeLessThan(0.002);
    }
  });
});
