// SPDX-License-Identifier: Apache-2.0
// Energy of a MoE layer: each thing that the run counted, times what one costs, and nothing twice.

import { describe, expect, it } from "vitest";

import { paperMachine } from "../../src/config/machine/systems.ts";
import { energyBySource } from "../../src/results/energy/energy-parts.ts";
import { layerEnergy, type LayerCounts } from "../../src/results/energy/layer-energy.ts";
import { seconds } from "../../src/units.ts";

const machine = paperMachine("cycle");
const joules = 1e-12;
const energy = {
  volts: 0.7,
  clockJoules: 1e-15,
  operations: ["multiply", "tree", "root", "activate"].map((id) => ({
    ...{ id, counts: "", joules, settledJoules: 0 },
  })),
};
const nothing: LayerCounts = {
  ...{ machine, time: seconds(0), units: [], ranks: [], host: [] },
  ...{ dimmLinkBytes: 0, pcieBytes: 0 },
};
const idle = { readBursts: 0, writeBursts: 0, activates: 0, rankRefreshes: 0 };
const still = { slot: 0, activationBatch: 0, bytesRead: 0, outputBurst: 0 };

/** Parts that are not zero. */
function partsOf(counts: Partial<LayerCounts>): Readonly<Record<string, number>> {
  const of = { id: "layer", title: "layer" };
  const found = layerEnergy(of, { ...nothing, ...counts }, energy, 1000, machine.unit);
  const parts = found?.parts.filter((part) => part.joules !== 0) ?? [];
  return Object.fromEntries(parts.map((part) => [part.part, part.joules]));
}

/** A device of eight draws so much more than standby for eight cycles of 2.4 GHz. */
const burst = 8 * (0.145 - 0.055) * 1.1 * (8 / 2.4e9);
/** The current of a refresh above standby, and the pump's, of eight devices for nRFC1. */
const refresh = 8 * ((0.362 - 0.05) * 1.1 + 0.048 * 1.8) * (708 / 2.4e9);

describe("the energy of a layer", () => {
  it("is nothing where nothing was counted", () => {
    expect(partsOf({})).toEqual({});
  });

  it("has its units: arithmetic, clock of all of them, queues", () => {
    const parts = partsOf({
      time: seconds(1e-6),
      units: [{ ...still, slot: 3, activationBatch: 2, bytesRead: 640, outputBurst: 5 }, still],
    });
    const expected = {
      products: 3 * 2048 * joules,
      "sums of banks": 3 * 8 * joules,
      accumulation: 3 * joules,
      activation: 2 * 256 * joules,
      // Two units of 1 GHz for a microsecond.
      clock: 2 * 1000 * 1000 * 1e-15,
      "buffer and queues": (3 * 256 * 16 + 2 * (10 + 5) * 512) * (7.5e-12 / 64),
    };
    expect(Object.keys(parts).sort()).toEqual(Object.keys(expected).sort());
    for (const [part, value] of Object.entries(expected)) {
      expect((parts[part] ?? 0) / value).toBeCloseTo(1, 9);
    }
  });

  it("has what the host reads and writes, in the ranks and on its channels", () => {
    const parts = partsOf({
      host: [
        { ...idle, forwardedBursts: 0, readBursts: 100 },
        { ...idle, forwardedBursts: 7, writeBursts: 20 },
      ],
    });
    expect((parts["DRAM, reads of the host"] ?? 0) / (100 * burst)).toBeCloseTo(1, 9);
    expect((parts["DRAM, writes of the host"] ?? 0) / (20 * burst)).toBeCloseTo(1, 9);
    expect((parts["host channels"] ?? 0) / (127 * 512 * 9.1e-12)).toBeCloseTo(1, 9);
    expect(Object.keys(parts)).toHaveLength(3);
  });

  it("has refreshes of each rank, whoever sent them, and its standby", () => {
    const ranks = [
      { ...idle, rankRefreshes: 3 },
      { ...idle, rankRefreshes: 4 },
    ];
    const parts = partsOf({ ranks, time: seconds(1e-3) });
    expect((parts["DRAM refresh"] ?? 0) / (7 * refresh)).toBeCloseTo(1, 9);
    expect((parts["DRAM background"] ?? 0) / (2 * 8 * 0.055 * 1.1 * 1e-3)).toBeCloseTo(1, 9);
    expect(Object.keys(parts)).toHaveLength(2);
  });

  it("has bytes on DIMM-Link and on PCIe", () => {
    const parts = partsOf({ dimmLinkBytes: 1000, pcieBytes: 500 });
    expect(parts["DIMM-Link"]).toBeCloseTo(8000 * 1.17e-12, 18);
    expect(parts["PCIe"]).toBeCloseTo(4000 * 5e-12, 18);
    expect(Object.keys(parts)).toHaveLength(2);
  });

  it("adds up by source, and is not told of another unit or an ideal memory", () => {
    const of = { id: "layer", title: "layer" };
    const units = [{ ...still, slot: 3, bytesRead: 64 }];
    const counts = { ...nothing, time: seconds(1e-6), units, pcieBytes: 9 };
    const found = layerEnergy(of, counts, energy, 1000, machine.unit);
    if (found === null) throw new Error("no energy");
    const { measured, assumed } = energyBySource(found);
    expect(measured).toBeGreaterThan(0);
    expect((measured + assumed) / found.joules).toBeCloseTo(1, 12);
    expect(layerEnergy(of, counts, energy, 1000, { ...machine.unit, lanes: 4 })).toBeNull();
  });
});
