// SPDX-License-Identifier: Apache-2.0
// Utilisation of a layer's resources, in layers of one expert for which it is known.

import { beforeAll, describe, expect, it } from "vitest";
import { present } from "../../../src/base/present.ts";
import { seconds } from "../../../src/base/units.ts";
import { curveTime } from "../../../src/machine/host/curve.ts";
import {
  busiestChannel,
  layerUses,
  linkUse,
  type ResourceUse,
} from "../../../src/papers/trimoe/figures/cycle/layer-uses.ts";
import { layoutFor, weightBytes } from "../../../src/kernels/moe/moe-layer.ts";
import {
  simulatedMachine,
  simulateLayer,
  weightShapeOf,
  type SimulatedLayer,
  type SimulationOptions,
} from "../../../src/papers/trimoe/figures/cycle/simulated-layer.ts";
import { paperMachine } from "../../../src/papers/trimoe/model/machine.ts";
import { runLayer } from "../../../src/papers/trimoe/policy/baselines.ts";
import type { Device } from "../../../src/papers/trimoe/policy/makespan.ts";
import { onDimm, striped } from "../../../src/papers/trimoe/policy/placement.ts";
import { expertBytes, modelShape } from "../../../src/workload/shapes.ts";

const model = "glm-4.5-air";
const size = expertBytes(modelShape(model, "the test"));
const machine = paperMachine();
const factor = size / machine.curveBytes;
/** With padding. */
const stored = weightBytes(layoutFor(simulatedMachine(), weightShapeOf(model), 1));
/** So many that an NDP unit needs more time than a move. */
const tokens = 32;
const burstBytes = 64;
/** Bytes per second of a sub-channel of DDR5-4800. */
const channelRate = 19.2e9;

async function layerOn(
  device: Device,
  place: typeof striped,
  options: SimulationOptions = {},
): Promise<SimulatedLayer> {
  const run = runLayer("TriMoE", machine, { size, loads: [tokens], places: [place] });
  return simulateLayer(model, { ...run, assignment: [device] }, { window: seconds(0), ...options });
}
const useOf = (layer: SimulatedLayer, what: ResourceUse["what"]): number =>
  present(layerUses(layer).find((use) => use.what === what)).busy;
const busy = (layer: SimulatedLayer): readonly string[] =>
  layerUses(layer)
    .filter((use) => use.busy > 0)
    .map(({ what }) => what);

describe("a striped expert of the CPU", () => {
  let layer: SimulatedLayer;
  beforeAll(async () => {
    layer = await layerOn("C", striped);
  });

  it("uses the sub-channels of the host most, then the cores", () => {
    expect(busy(layer)).toEqual(["host sub-channel", "CPU arithmetic"]);
    const transfer = stored / 16 / channelRate;
    expect(useOf(layer, "host sub-channel")).toBeCloseTo(transfer / layer.time, 9);
    expect(useOf(layer, "CPU arithmetic")).toBeCloseTo(
      (factor * curveTime(present(machine.cpuCompute), tokens)) / layer.time,
      9,
    );
  });

  it("has the bursts of its weights on the busiest sub-channel, and no packets", () => {
    expect(busiestChannel(layer)).toEqual({ packets: 0, memory: stored / 16 / burstBytes });
  });
});

it("a localized expert of the GPU uses the two sub-channels of its DIMM more than PCIe", async () => {
  const layer = await layerOn("G", onDimm(3));
  expect(busy(layer)).toEqual(["host sub-channel", "PCIe of the GPU", "GPU arithmetic"]);
  expect(useOf(layer, "host sub-channel")).toBeCloseTo(stored / 2 / channelRate / layer.time, 9);
  expect(useOf(layer, "GPU arithmetic")).toBeCloseTo(
    (factor * curveTime(machine.gpu, tokens)) / layer.time,
    9,
  );
});

describe("an expert of an NDP unit", () => {
  let layers: readonly SimulatedLayer[];
  beforeAll(async () => {
    const moves = [
      { expert: 1, from: onDimm(5), to: onDimm(6), over: "link" },
      { expert: 2, from: onDimm(7), to: onDimm(8), over: "link" },
    ] as const;
    layers = await Promise.all(
      moves.map(async (move) => layerOn("N", onDimm(3), { moves: [move] })),
    );
  });

  it("uses its unit most; a link is as busy as the bytes that move over it", () => {
    const layer = present(layers[0]);
    const [first] = layerUses(layer);
    expect(first?.what).toBe("NDP unit");
    expect(first?.busy).toBeGreaterThan(0.95);
    expect(first?.busy).toBeLessThanOrEqual(1);
    expect(linkUse(layer)).toBeGreaterThan(stored / 25e9 / layer.moves);
    expect(linkUse(layer)).toBeLessThanOrEqual(1);
    expect(useOf(layer, "DIMM-Link")).toBeCloseTo((linkUse(layer) * layer.moves) / layer.time, 9);
    expect(busiestChannel(layer).packets).toBe(0);
  });

  it("uses no link, but sub-channels of the host, for a move between groups", () => {
    const layer = present(layers[1]);
    expect(linkUse(layer)).toBe(0);
    expect(busiestChannel(layer).packets).toBeGreaterThan(stored / burstBytes / 4);
  });
});
