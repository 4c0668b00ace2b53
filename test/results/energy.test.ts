// SPDX-License-Identifier: Apache-2.0
// Energy of a run: counted times the cost of one, and nothing where the cost was measured on another
// unit.

import { describe, expect, it } from "vitest";
import type { CurrentsContent } from "../../src/machine/dram/currents-config.ts";
import { memoryStandard } from "../../src/machine/dram/standards/standards.ts";
import { channelMemory, hostPath, paperMachine } from "../../src/machine/resolve/systems.ts";
import { defaultController } from "../../src/machine/resolve/controller.ts";
import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import type { StorageController } from "../../src/machine/csd/csd-machine.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { boundsOf, bottleneckOf, expertWork } from "../../src/results/bounds.ts";
import { energyBySource, totalOf } from "../../src/results/energy/energy-parts.ts";
import { attentionEnergy, expertEnergy } from "../../src/results/energy/energy.ts";
import type { AttentionCase, CaseResult } from "../../src/results/types.ts";
import { bytes, seconds } from "../../src/base/units.ts";
import { present } from "../../src/base/present.ts";
import { runOf } from "../helpers/fake-session.ts";

const machine = paperMachine("cycle");
const energy = {
  volts: 0.7,
  clockJoules: 1e-15,
  operations: ["multiply", "tree", "root", "activate"].map((id, i) => ({
    id,
    counts: "",
    joules: 10 ** i * 1e-12,
    settledJoules: 0,
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
    id: "c",
    title: "one token",
    layout: "interleaved",
    fidelity: "cycle",
    operands: { inputs: "fp16", weights: "wide" },
    activation: "silu",
    work,
    machine,
    bounds,
    bottleneck: bottleneckOf(work, bytes(64), bounds, seconds(1)),
    time: seconds(5e-6),
    latency: null,
    arrival: null,
    accuracy: null,
    outputHash: null,
    metrics: [],
    checks: [],
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

  it("has what a host does in the ranks, where a host brings the job", () => {
    expect(part(caseOf(7, 100), "host's accesses")).toBeUndefined();
    const brought = (inputBursts: number, outputBursts: number): number => {
      const one = caseOf(7, 100);
      const { run } = one;
      if (run === null) throw new Error("no run");
      return (
        part(
          {
            ...one,
            machine: { ...machine, host: hostPath },
            run: { ...run, unit: { ...run.unit, inputBursts, outputBursts } },
          },
          "host's accesses",
        ) ?? 0
      );
    };
    // Ten devices, eight cycles of 2.4 GHz a burst: IDD4 and IPP4 less standby, IDDQ4 less IDDQ3N of four pins.
    const burst = 10 * (8 / 2.4e9);
    const write = burst * ((0.345 - 0.142 + (0.198 - 0.031) / 2) * 1.1 + (0.036 - 0.007) * 1.8);
    expect((brought(160, 0) - brought(0, 0)) / (160 * write)).toBeCloseTo(1, 9);
    const read = burst * ((0.318 - 0.142 + (0.057 - 0.031) / 2) * 1.1 + (0.009 - 0.007) * 1.8);
    const terminated = (30 * 16 * (1.1 ** 2 / 74)) / 4.8e9;
    expect((brought(0, 160) - brought(0, 0)) / (160 * (read + terminated))).toBeCloseTo(1, 9);
    expect(brought(0, 0)).toBeGreaterThan(0);
  });

  it("has the devices for ECC, unless the scenario says that there are none, and power-down where it does", () => {
    const of = (memory: Partial<typeof machine.memory>): number => {
      const one = caseOf(7, 100);
      return (
        part(
          { ...one, machine: { ...machine, memory: { ...machine.memory, ...memory } } },
          "DRAM background",
        ) ?? 0
      );
    };
    expect(of({}) / of({ eccDevices: false })).toBeCloseTo(1.25, 9);
    expect(of({ powerDown: true })).toBeLessThan(of({}));
    expect(of({ powerDown: true })).toBeGreaterThan(0.9 * of({}));
  });

  it("counts an RFM as a refresh of the same banks", () => {
    const one = caseOf(7, 100);
    const run = present(one.run ?? undefined);
    const refreshes = (
      count: Readonly<Record<"rankRefreshes" | "rankManagements", number>>,
    ): number | undefined => {
      const streams = run.streams.map((stream) => ({ ...stream, ...count }));
      return part({ ...one, run: { ...run, streams } }, "DRAM refresh");
    };
    const five = refreshes({ rankRefreshes: 5, rankManagements: 0 });
    expect(five).toBeGreaterThan(0);
    expect(refreshes({ rankRefreshes: 2, rankManagements: 3 })).toBe(five);
  });

  it("has the currents of a preset of another standard, or those of the scenario, or is absent", () => {
    const mapping = machine.memory.mapping;
    const memoryOf = (name: string, given?: CurrentsContent): typeof machine.memory => {
      const standard = present(memoryStandard(name));
      return { ...channelMemory(standard, standard.defaultPreset, 32, "a test", given), mapping };
    };
    const readOf = (memory: typeof machine.memory): number | undefined =>
      part({ ...caseOf(7, 100), machine: { ...machine, memory } }, "DRAM read");
    // Eight streams with 100 bursts of 64 bytes each. DDR3-1600: eight devices x8, a burst of 8 transfers.
    const ddr3 = memoryOf("DDR3");
    const { vdd, idd4r, idd3n } = present(ddr3.currents);
    const ofDdr3 = 8 * vdd * 1e-3 * (idd4r - idd3n) * (8 / 1600e6);
    expect(present(readOf(ddr3)) / (800 * ofDdr3)).toBeCloseTo(1, 9);
    // LPDDR5-6400: one device x16, two accesses of 16 transfers each for 64 bytes.
    const currents = {
      vdd: 1.05,
      idd0: 60,
      idd2n: 30,
      idd3n: 40,
      idd4r: 240,
      idd4w: 220,
      idd5b: 150,
    };
    const ofLpddr5 = 2 * 1.05 * 1e-3 * (240 - 40) * (16 / 6400e6);
    expect(present(readOf(memoryOf("LPDDR5", currents))) / (800 * ofLpddr5)).toBeCloseTo(1, 9);
    expect(readOf(memoryOf("HBM3"))).toBeUndefined();
  });

  it("adds up by source, DRAM published and its I/O derived", () => {
    const runEnergy = expertEnergy(caseOf(7, 100), energy, 1000, machine.unit);
    expect(runEnergy).not.toBeNull();
    if (runEnergy === null) return;
    expect(totalOf(energyBySource(runEnergy))).toBeCloseTo(runEnergy.joules, 15);
    const names = (source: string): readonly string[] =>
      runEnergy.parts.filter((p) => p.source === source).map((p) => p.part);
    const terms = ["activate", "read", "write", "refresh", "background"].map((t) => `DRAM ${t}`);
    expect(names("published")).toEqual(terms);
    expect(names("derived")).toEqual(["DRAM I/O"]);
    expect(names("measured")).toEqual(["products", "sums of banks", "accumulation", "activation"]);
  });

  it("is that of its operands: low-bit weights are taken apart, halves summed and scaled", () => {
    const costs = {
      "multiply fp8": 1,
      "multiply fp8 bf16": 2,
      "decode fp8": 4,
      "tree halves": 8,
      "root fp8": 16,
      activate: 32,
    };
    const own = Object.entries(costs).map(([id, cost]) => ({
      id,
      counts: "",
      joules: cost * 1e-12,
      settledJoules: 0,
    }));
    const unit = { ...machine.unit, lowBitWeights: 1 };
    const of = (inputs: "fp16" | "bf16"): ReadonlyMap<string, number> => {
      const one = { ...caseOf(7, 100), machine: { ...machine, unit } };
      const operands = { inputs, weights: "fp8" } as const;
      const runEnergy = expertEnergy(
        { ...one, operands },
        { ...energy, operations: own },
        1000,
        unit,
      );
      return new Map(runEnergy?.parts.map((p) => [p.part, p.joules]));
    };
    expect(of("fp16").get("products")).toBeCloseTo(7 * 2048 * 1e-12, 18);
    expect(of("bf16").get("products")).toBeCloseTo(7 * 2048 * 2e-12, 18);
    expect(of("bf16").get("weights taken apart")).toBeCloseTo(7 * 8 * 4e-12, 18);
    expect(of("bf16").get("sums of banks")).toBeCloseTo(7 * 8 * 8e-12, 18);
    expect(of("bf16").get("accumulation")).toBeCloseTo(7 * 16e-12, 18);
  });

  it("is that of its own function, with or without up + 1; a limit changes no step of a lane", () => {
    const functions = ["activate gelu", "activate quick-gelu", "activate quick-gelu up + 1"];
    const own = functions.map((id, i) => ({
      id,
      counts: "",
      joules: (i + 2) * 1e-12,
      settledJoules: 0,
    }));
    const measured = { ...energy, operations: [...energy.operations, ...own] };
    const of = (activation: CaseResult["activation"]): number | undefined =>
      expertEnergy({ ...caseOf(7, 100), activation }, measured, 1000, machine.unit)?.parts.find(
        (p) => p.part === "activation",
      )?.joules;
    const silu = present(of("silu"));
    expect(silu).toBeCloseTo(2 * 256 * 1000e-12, 15);
    expect(of({ name: "silu", limit: 10 })).toBe(silu);
    expect(of("gelu")).toBeCloseTo(2 * 256 * 2e-12, 18);
    expect(of("quick-gelu")).toBeCloseTo(2 * 256 * 3e-12, 18);
    const gptOss = { name: "quick-gelu", limit: 7, upPlusOne: true } as const;
    expect(of(gptOss)).toBeCloseTo(2 * 256 * 4e-12, 18);
  });

  it("is absent for a function without a measured energy", () => {
    const one = { ...caseOf(7, 100), activation: "gelu-tanh" } as const;
    expect(expertEnergy(one, energy, 1000, machine.unit)).toBeNull();
  });

  it("has the clock of idle registers where they have no gates, and the gates' own where they have", () => {
    const one = caseOf(7, 100);
    const gating = [{ module: "ndp_gemv_bank", share: 0.9, gates: 0.1 }];
    const operations = energy.operations.map((o) => ({ ...o, gatedJoules: 1e-13 }));
    const modules = [
      { name: "dimm_ndp", resources: { ff: 400 } },
      { name: "ndp_gemv_bank", resources: { ff: 600 } },
    ] as unknown as Parameters<typeof expertEnergy>[4];
    const measured = { ...energy, operations, gating };
    const runEnergy = expertEnergy(one, measured, 1000, machine.unit, modules);
    // 400, of the bank 60 without a gate and 60 gates; products, streams' sums, slots, activations.
    const always = 5000 * 520 * 1e-15;
    const atWork = (7 * 2048 + 7 * 8 + 7 + 2 * 256) * 1e-13;
    const joules = runEnergy?.parts.find(({ part: name }) => name === "clock")?.joules;
    expect(joules).toBeCloseTo(always + atWork, 15);
    expect(joules).toBeLessThan(part(one, "clock") ?? 0);
  });

  it("is not told of a unit whose operations were not measured", () => {
    const other = { ...machine.unit, lanes: 4 };
    expect(expertEnergy(caseOf(7, 100), energy, 1000, other)).toBeNull();
  });
});

describe("the energy of attention on a storage device", () => {
  const unit = sparfUnit(128, 8, 16);
  const device = csdMachine({ engine: "cycle", devices: 1, unit, flash: flashPresets.znand4k });
  const operations = ["product", "exponential", "filter"].map((id) => ({
    id,
    counts: "",
    joules: 1e-12,
    settledJoules: 0,
  }));
  /** One attention and one append: 2 pages read, 3 programmed, 8 KB over the channels, 1000 bytes on the lanes. */
  const partsOf = (
    controller: StorageController,
    { retried, pagesMoved, erases } = { retried: 0, pagesMoved: 0, erases: 0 },
  ): ReadonlyMap<string, number> => {
    const job = { pages: { dims: 0, keys: 1, values: 1 }, tokens: [] };
    const run = {
      jobs: [job, job],
      sharedLink: null,
      devices: [
        {
          time: 1e12,
          pagesRead: 2,
          pagesProgrammed: 3,
          dram: { read: 0, written: 0 },
          reads: { retried },
          writes: { garbageCollection: { pagesMoved, erases } },
          link: { in: 300, out: 100 },
          linkWires: { in: 600, out: 400 },
          channels: [{ command: 0, data: 0, beats: 1024, beatsKept: 1024, stalled: 0 }],
        },
      ],
    };
    const one = {
      id: "a",
      title: "a",
      machine: { ...device, controller },
      steps: [{ length: 64, jobs: [0], run }],
    };
    const runEnergy = attentionEnergy(
      one as unknown as AttentionCase,
      { ...energy, operations },
      null,
    );
    return new Map(runEnergy?.parts.map((p) => [p.part, p.joules]));
  };
  const all = partsOf(defaultController);

  it("has decoders, a buffer for rows of K, programs, and all that is on the lanes", () => {
    const bits = 8 * 8192;
    expect(all.get("decoders")).toBeCloseTo(bits * (1 + 70 / 1024) * 2.74e-12, 15);
    // On a logarithmic scale, 64 KiB is a fifth of the distance from 32 KiB (8.5 pJ for 64 bits) to
    // 1 MiB (14 pJ).
    expect(all.get("transposition buffer")).toBeCloseTo((2 * 128 * 16 * 9.6e-12) / 64, 18);
    expect(all.get("flash programs")).toBeCloseTo(3 * 0.025 * 3.3 * 100e-6, 12);
    expect(all.get("link")).toBeCloseTo(8000 * 5e-12, 15);
  });

  it("has parity with every byte on the channels", () => {
    const bits = 8 * (8192 + 3 * flashPresets.znand4k.page_bytes);
    const without = partsOf({ ...defaultController, ecc: null }).get("flash channels") ?? 0;
    expect(without).toBeCloseTo(bits * 0.25 * 10e-12 * 1.2 ** 2, 15);
    expect((all.get("flash channels") ?? 0) / without).toBeCloseTo(1 + 70 / 1024, 12);
  });

  it("has the reads, programs, erases and transfers of retries and of garbage collection", () => {
    const more = partsOf(defaultController, { retried: 2, pagesMoved: 1, erases: 3 });
    const of = (name: string): number => (more.get(name) ?? 0) - (all.get(name) ?? 0);
    const { tR_ns, tPROG_ns, tBERS_ns = 0, page_bytes: page } = flashPresets.znand4k;
    const watts = 0.025 * 3.3;
    expect(of("flash cells")).toBeCloseTo(3 * watts * tR_ns * 1e-9, 12);
    expect(of("flash programs")).toBeCloseTo(watts * tPROG_ns * 1e-9, 12);
    expect(of("flash erases")).toBeCloseTo(3 * watts * tBERS_ns * 1e-9, 12);
    const bits = 8 * 4 * page * (1 + 70 / 1024);
    expect(of("flash channels")).toBeCloseTo(bits * 0.25 * 10e-12 * 1.2 ** 2, 15);
    expect(of("decoders")).toBeCloseTo(8 * 3 * page * (1 + 70 / 1024) * 2.74e-12, 15);
  });

  it("has none of what the controller has not", () => {
    const bare = partsOf({ ...defaultController, ecc: null, transposition: { buffer: null } });
    const gone = [...all.keys()].filter((name) => !bare.has(name));
    expect(gone).toEqual(["page buffers", "decoders", "transposition buffer"]);
  });
});
