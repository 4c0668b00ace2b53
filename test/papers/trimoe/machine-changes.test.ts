// SPDX-License-Identifier: Apache-2.0
// Each change of the simulated machine that the experiment trimoe/overheads makes has the effect that its name says.

import { beforeAll, describe, expect, it } from "vitest";
import { seconds } from "../../../src/base/units.ts";
import {
  simulateLayer,
  type SimulatedLayer,
} from "../../../src/papers/trimoe/figures/cycle/simulated-layer.ts";
import { overheadChanges } from "../../../src/papers/trimoe/figures/overheads.ts";
import { paperMachine } from "../../../src/papers/trimoe/model/machine.ts";
import { runLayer } from "../../../src/papers/trimoe/policy/baselines.ts";
import { inGpu, onDimm } from "../../../src/papers/trimoe/policy/placement.ts";
import { expertBytes, modelShape } from "../../../src/workload/shapes.ts";

const model = "glm-4.5-air";
const size = expertBytes(modelShape(model, "the test"));
const run = runLayer("TriMoE", paperMachine(), { size, loads: [1], places: [onDimm(3)] });
/** Neither reads the DIMM that computes. The host forwards the first between the two groups of DIMMs. */
const moves = [
  { expert: 1, from: onDimm(5), to: onDimm(12), over: "link" },
  { expert: 2, from: onDimm(8), to: inGpu, over: "pcie" },
] as const;

const layers = new Map<string, SimulatedLayer>();
const layerWith = (change: string): SimulatedLayer => {
  const layer = layers.get(change);
  if (layer === undefined) throw new RangeError(change);
  return layer;
};
const forwarded = ({ counts }: SimulatedLayer): number =>
  counts.host.reduce((sum, { forwardedBursts }) => sum + forwardedBursts, 0);
const outputs = ({ tasks }: SimulatedLayer): number =>
  tasks.filter(({ id }) => id === "outputs to the host").length;
const computeTime = ({ tasks }: SimulatedLayer): number =>
  tasks.find(({ id, device }) => device === "DIMM 3" && id === "expert 0")?.time ?? Number.NaN;

beforeAll(async () => {
  for (const { change, changes } of overheadChanges) {
    layers.set(change, await simulateLayer(model, run, { moves, window: seconds(0), changes }));
  }
}, 300_000);

describe("a layer on a changed machine", () => {
  it("needs no forwarding by the host with links between all pairs", () => {
    expect(forwarded(layerWith("none"))).toBeGreaterThan(size / 64);
    expect(forwarded(layerWith("links between all pairs of DIMMs"))).toBe(0);
  });

  it("reads no outputs without transfers", () => {
    expect(outputs(layerWith("none"))).toBe(1);
    expect(outputs(layerWith("no transfers of inputs and outputs"))).toBe(0);
    expect(outputs(layerWith("overheads off"))).toBe(0);
  });

  it("has the bytes of the weights alone on PCIe without headers", () => {
    const bytes = layerWith("no headers of PCIe packets").counts.pcieBytes;
    expect(layerWith("none").counts.pcieBytes / bytes).toBeCloseTo(276 / 256, 6);
    expect(layerWith("overheads off").counts.pcieBytes).toBe(bytes);
  });

  it("computes an expert more slowly with shorter queues, unless all ranks refresh together", () => {
    const short = computeTime(layerWith("stream queues of 64 bursts"));
    const together = computeTime(
      layerWith("stream queues of 64 bursts, all ranks refresh at the same time"),
    );
    expect(short).toBeGreaterThan(1.1 * computeTime(layerWith("none")));
    expect(together).toBeLessThan(short);
    expect(layerWith("overheads off").counts.machine.unit.queueBursts).toBe(64);
  });
});
