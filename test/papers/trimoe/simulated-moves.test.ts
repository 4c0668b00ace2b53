// SPDX-License-Identifier: Apache-2.0
// Changes of place on the simulated machine: the experts that the policy moves are those whose bytes cross DIMM-Link
// and PCIe, they begin in the window in front of the experts, and their cost to the layer is counted.

import { describe, expect, it } from "vitest";
import { seconds } from "../../../src/base/units.ts";
import { simulateLayer } from "../../../src/papers/trimoe/figures/cycle/simulated-layer.ts";
import { paperMachine } from "../../../src/papers/trimoe/model/machine.ts";
import { runLayer } from "../../../src/papers/trimoe/policy/baselines.ts";
import type { PlaceChange } from "../../../src/papers/trimoe/policy/migration.ts";
import { inGpu, onDimm, striped } from "../../../src/papers/trimoe/policy/placement.ts";
import { expertBytes, modelShape } from "../../../src/workload/shapes.ts";

const model = "glm-4.5-air";
const size = expertBytes(modelShape(model, "the test"));

const places = [onDimm(3), striped, striped];
const run = runLayer("TriMoE", paperMachine(), { size, loads: [1, 0, 0], places });
const link = (expert: number, from: number, to: number): PlaceChange => ({
  expert,
  from: onDimm(from),
  to: onDimm(to),
  over: "link",
});
const changes: readonly PlaceChange[] = [
  // Decided on twice: from DIMM 3 to DIMM 6.
  link(0, 3, 5),
  link(0, 5, 6),
  { expert: 1, from: striped, to: inGpu, over: "pcie" },
];

describe("changes of place beside a layer", () => {
  it("carry the experts' own bytes, once for an expert that was decided on twice", async () => {
    const still = await simulateLayer(model, run);
    const moving = await simulateLayer(model, run, { moves: changes, window: seconds(0) });
    expect(still).toMatchObject({ moved: 0, prefetched: 0, moves: 0 });
    expect(still.counts).toMatchObject({ pcieBytes: 0, dimmLinkBytes: 0 });
    expect(moving).toMatchObject({ moved: 1, prefetched: 1 });
    // From DIMM 3 to DIMM 6 over three links of the chain.
    expect(moving.counts.dimmLinkBytes / size).toBeGreaterThan(3);
    expect(moving.counts.dimmLinkBytes / size).toBeLessThan(3.5);
    expect(moving.counts.pcieBytes / size).toBeGreaterThan(1);
    expect(moving.counts.pcieBytes / size).toBeLessThan(1.2);
    // No earlier than the link, and not part of the layer's time.
    expect(moving.moves).toBeGreaterThanOrEqual(size / 25e9);
    expect(moving.time).toBeLessThan(moving.moves);
    expect(moving.time).toBeGreaterThanOrEqual(still.time);
    const lanes = new Set(moving.tasks.map(({ device }) => device));
    expect([...lanes].toSorted()).toEqual(["DIMM 3", "prefetch", "relayout 0"]);
  });

  it("begin a window in front of the experts, and cost the layer only their part behind it", async () => {
    const layer = async (window: number, moves = changes): ReturnType<typeof simulateLayer> =>
      simulateLayer(model, run, { moves, window: seconds(window) });
    const still = await layer(1e-3, []);
    const [beside, within, long] = await Promise.all([0, 0.3e-3, 2e-3].map((w) => layer(w)));
    if (beside === undefined || within === undefined || long === undefined) throw new RangeError();
    // Moves end before the long window does, so the layer is that without moves, but for refreshes.
    expect(long.moves).toBeLessThan(2e-3);
    expect(Math.abs(long.time / still.time - 1)).toBeLessThan(0.02);
    expect(within.time).toBeLessThan(beside.time);
    expect(within.time).toBeGreaterThan(long.time);
    // The window is not a part of the layer's time or energy.
    expect(long.counts.time).toBeCloseTo(long.time, 5);
    for (const layerOfWindow of [within, long]) {
      expect(layerOfWindow.counts.dimmLinkBytes).toBe(beside.counts.dimmLinkBytes);
      expect(layerOfWindow.counts.pcieBytes).toBe(beside.counts.pcieBytes);
    }
    const first = (device: string): number =>
      Math.min(...long.tasks.filter((t) => t.device === device).map((t) => t.start));
    expect(first("relayout 0")).toBeLessThan(1e-6);
    expect(first("prefetch")).toBeLessThan(1e-6);
    expect(first("DIMM 3")).toBeGreaterThanOrEqual(2e-3);
    const window = long.tasks.find((t) => t.device === "window");
    expect(window).toMatchObject({ start: 0, end: 2e-3 });
  });
});
