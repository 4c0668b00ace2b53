// SPDX-License-Identifier: Apache-2.0
// Energy of a run: counted times the cost of one, and nothing where the cost was measured on another
// unit.

import { describe, expect, it } from "vitest";
import { paperMachine } from "../../src/config/systems.ts";
import { boundsOf, bottleneckOf, expertWork } from "../../src/results/bounds.ts";
import { energyBySource, expertEnergy } from "../../src/results/energy.ts";
import type { CaseResult } from "../../src/results/types.ts";
import { bytes, seconds } from "../../src/units.ts";
import { runOf } from "../helpers/fake-session.ts";

const machine = paperMachine("cycle");
const energy = {
  volts: 0.7,
  clockJoules: 1e-15,
  operations: ["multiply", "tree", "root", "activate"].map((id, i) => ({
    ...{ id, counts: "", joules: 10 ** i * 1e-12, settledJoules: 0 },
  })),
};

function caseOf(slots: number, reads: number): CaseResult {
  const run = runOf([], { cycles: 5000 }, 8);
  const streams = run.streams.map((s) => ({
    ...s,
    readBursts: reads,
    writeBursts: 0,
    activates: 3,
  }));
  const work = expertWork(1, 10, 10);
  const bounds = boundsOf(machine);
  return {
    ...{
      id: "c",
      title: "one token",
      layout: "interleaved",
      fidelity: "cycle",
      work,
      machine,
      bounds,
    },
    bottleneck: bottleneckOf(work, bytes(64), bounds, seconds(1)),
    ...{
      time: seconds(5e-6),
      latency: null,
      arrival: null,
      accuracy: null,
      outputHash: null,
      metrics: [],
      checks: [],
    },
    run: { ...run, streams, unit: { ...run.unit, slots, activationBatches: 2 } },
  };
}

const part = (one: CaseResult, name: string): number | undefined =>
  expertEnergy(one, energy, 1000, machine.unit)?.parts.find((p) => p.part === name)?.joules;

describe("the energy of an expert", () => {
  it("is what was counted times what one costs", () => {
    const one = caseOf(7, 100);
    // 2048 lanes, a product each; 8 streams; 256 lanes of activation.
    expect(part(one, "products")).toBeCloseTo(7 * 2048 * 1e-12, 18);
    expect(part(one, "sums of banks")).toBeCloseTo(7 * 8 * 10e-12, 18);
    expect(part(one, "accumulation")).toBeCloseTo(7 * 100e-12, 18);
    expect(part(one, "activation")).toBeCloseTo(2 * 256 * 1000e-12, 15);
    expect(part(one, "clock")).toBeCloseTo(5000 * 1000 * 1e-15, 18);
    const twice = part(caseOf(7, 200), "DRAM read") ?? 0;
    expect(twice / (part(one, "DRAM read") ?? 1)).toBeCloseTo(2, 9);
  });

  it("adds up, measured and assumed apart", () => {
    const found = expertEnergy(caseOf(7, 100), energy, 1000, machine.unit);
    expect(found).not.toBeNull();
    if (found === null) return;
    const { measured, assumed } = energyBySource(found);
    expect(measured + assumed).toBeCloseTo(found.joules, 15);
    const counted = found.parts.filter((p) => p.source === "measured").map((p) => p.part);
    expect(counted).toEqual(["products", "sums of banks", "accumulation", "activation"]);
  });

  it("is not told of a unit whose operations were not measured", () => {
    const other = { ...machine.unit, lanes: 4 };
    expect(expertEnergy(caseOf(7, 100), energy, 1000, other)).toBeNull();
  });
});
