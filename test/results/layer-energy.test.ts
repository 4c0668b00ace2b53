// SPDX-License-Identifier: Apache-2.0
// Energy of a MoE layer: each thing that the run counted, times what one costs, and nothing twice.

import { describe, expect, it } from "vitest";

import { paperMachine } from "../../src/machine/resolve/systems.ts";
import { energyBySource, energySources, totalOf } from "../../src/results/energy/energy-parts.ts";
import { layerEnergy, type LayerCounts } from "../../src/results/energy/layer-energy.ts";
import { seconds } from "../../src/base/units.ts";

const machine = paperMachine("cycle");
const joules = 1e-12;
const energy = {
  volts: 0.7,
  clockJoules: 1e-15,
  operations: ["multiply", "tree", "root", "activate"].map((id) => ({
    id,
    counts: "",
    joules,
    settledJoules: 0,
  })),
};
const nothing: LayerCounts = {
  machine,
  activation: "silu",
  time: seconds(0),
  units: [],
  ranks: [],
  host: [],
  dimmLinkBytes: 0,
  pcieBytes: 0,
};
const idle = {
  readBursts: 0,
  writeBursts: 0,
  activates: 0,
  rankRefreshes: 0,
  rankManagements: 0,
  openBankCycles: 0,
};
const still = { slot: 0, activationBatch: 0, bytesRead: 0, outputBurst: 0 };

/** Parts that are not zero. */
function partsOf(counts: Partial<LayerCounts>): Readonly<Record<string, number>> {
  const of = { id: "layer", title: "layer" };
  const runEnergy = layerEnergy(of, { ...nothing, ...counts }, energy, 1000, machine.unit);
  const parts = runEnergy?.parts.filter((part) => part.joules !== 0) ?? [];
  return Object.fromEntries(parts.map((part) => [part.part, part.joules]));
}

/** Of the ten devices of a rank, two of them ECC, with Micron's currents at 4800: a burst is eight cycles of 2.4 GHz. */
const burst = 8 / 2.4e9;
const read = 10 * burst * ((0.318 - 0.142) * 1.1 + (0.009 - 0.007) * 1.8);
const write = 10 * burst * ((0.345 - 0.142) * 1.1 + (0.036 - 0.007) * 1.8);
/** VDDQ of a pin, and of 40 pins and 10 strobe pairs 30 lines that are low into 34 and 40 ohm. */
const readIo = 10 * burst * 1.1 * ((0.057 - 0.031) / 2) + (30 * 16 * (1.1 ** 2 / 74)) / 4.8e9;
const writeIo = 10 * burst * 1.1 * ((0.198 - 0.031) / 2);
const refresh = 10 * ((0.277 - 0.092) * 1.1 + (0.028 - 0.006) * 1.8) * (708 / 2.4e9);
/** The current with all banks closed, and the increment of one open bank of 32. */
const standby = 10 * ((0.092 + 0.031) * 1.1 + 0.006 * 1.8);
const openBank = (10 * ((0.142 - 0.092) * 1.1 + 0.001 * 1.8)) / 32;

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
      // A buffer of 256 KiB, at three fifths between 8.5 and 14 pJ; queues of 8 KiB.
      "buffer and queues": (3 * 256 * 16 * 11.8e-12 + 2 * (10 + 5) * 512 * 7.5e-12) / 64,
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
    expect((parts["DRAM, reads of the host"] ?? 0) / (100 * read)).toBeCloseTo(1, 9);
    expect((parts["DRAM, writes of the host"] ?? 0) / (20 * write)).toBeCloseTo(1, 9);
    const io = 100 * readIo + 20 * writeIo;
    expect((parts["DRAM, I/O of the host"] ?? 0) / io).toBeCloseTo(1, 9);
    expect((parts["host channels"] ?? 0) / (127 * 512 * 9.1e-12)).toBeCloseTo(1, 9);
    expect(Object.keys(parts)).toHaveLength(4);
  });

  it("counts refreshes and standby of each rank, under host and NDP unit", () => {
    const ranks = [
      { ...idle, rankRefreshes: 3, openBankCycles: 2_400_000 },
      { ...idle, rankRefreshes: 3, rankManagements: 1 },
    ];
    const host = [{ ...idle, forwardedBursts: 0, openBankCycles: 4_800_000 }];
    const parts = partsOf({ ranks, host, time: seconds(1e-3) });
    expect((parts["DRAM refresh"] ?? 0) / (7 * refresh)).toBeCloseTo(1, 9);
    const background = 2 * standby * 1e-3 + 3 * openBank * 1e-3;
    expect((parts["DRAM background"] ?? 0) / background).toBeCloseTo(1, 9);
    expect(Object.keys(parts)).toHaveLength(2);
  });

  it("has bytes on DIMM-Link and on PCIe", () => {
    const parts = partsOf({ dimmLinkBytes: 1000, pcieBytes: 500 });
    expect(parts["DIMM-Link"]).toBeCloseTo(8000 * 1.17e-12, 18);
    expect(parts["PCIe"]).toBeCloseTo(4000 * 6.5e-12, 18);
    expect(Object.keys(parts)).toHaveLength(2);
  });

  it("adds up by source, and is not told of another unit or an ideal memory", () => {
    const of = { id: "layer", title: "layer" };
    const units = [{ ...still, slot: 3, bytesRead: 64 }];
    const ranks = [{ ...idle, readBursts: 3 }];
    const counts = { ...nothing, time: seconds(1e-6), units, ranks, pcieBytes: 9 };
    const runEnergy = layerEnergy(of, counts, energy, 1000, machine.unit);
    if (runEnergy === null) throw new Error("no energy");
    const sources = energyBySource(runEnergy);
    for (const source of energySources) expect(sources[source]).toBeGreaterThan(0);
    expect(totalOf(sources) / runEnergy.joules).toBeCloseTo(1, 12);
    const io = runEnergy.parts.find(({ part }) => part === "DRAM, I/O of NDP");
    expect(sources.derived).toBeCloseTo(io?.joules ?? 0, 15);
    expect(layerEnergy(of, counts, energy, 1000, { ...machine.unit, lanes: 4 })).toBeNull();
  });
});
