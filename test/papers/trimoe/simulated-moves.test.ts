// SPDX-License-Identifier: Apache-2.0
// Changes of place on the simulated machine: the experts that the policy moves are those whose bytes cross DIMM-Link
// and PCIe while the layer runs, and what they cost the layer is counted.

import { describe, expect, it } from "vitest";
import { simulateLayer } from "../../../src/papers/trimoe/figures/cycle/simulated-layer.ts";
import { paperMachine } from "../../../src/papers/trimoe/model/machine.ts";
import { runLayer } from "../../../src/papers/trimoe/policy/baselines.ts";
import type { PlaceChange } from "../../../src/papers/trimoe/policy/migration.ts";
import { inGpu, onDimm, striped } from "../../../src/papers/trimoe/policy/placement.ts";
import { expertBytes, modelShape } from "../../../src/workload/shapes.ts";

const model = "glm-4.5-air";
const size = expertBytes(modelShape(model, "the test"));

describe("changes of place beside a layer", () => {
  it("carry the experts' own bytes, once for an expert that was decided on twice", async () => {
    const places = [onDimm(3), striped, striped];
    const run = runLayer("TriMoE", paperMachine(), size, [1, 0, 0], places);
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
    const still = await simulateLayer(model, run);
    const moving = await simulateLayer(model, run, { moves: changes });
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
});
