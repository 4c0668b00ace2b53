// SPDX-License-Identifier: Apache-2.0
// Constants equal their sources: peaks of the same card as the power, idle shares, the rates that no flash part
// exceeds, energies per bit.

import { describe, expect, it } from "vitest";
import { gpuLink } from "../../../src/machine/resolve/links.ts";
import { dataSheetOf } from "../../../src/machine/flash/data-sheets.ts";
import { cpus, gpus, idlePower, type Processor } from "../../../src/machine/host/devices.ts";
import { memoryBit, pcieBit } from "../../../src/results/energy/energy-parts.ts";

describe("a processor's peak", () => {
  it.each<[string, Processor, number, number]>([
    // NVIDIA's data sheets: the PCIe cards, and dense products.
    ["P100 PCIe", gpus.p100, 18.7, 250],
    ["A100 PCIe 40 GB", gpus["a100-40"], 312, 250],
    ["H100 PCIe", gpus["h100-80"], 756.5, 350],
    ["V100 SXM2", gpus.v100, 125, 300],
    // 128 cores at the base clock of a Xeon 6980P, with the products per cycle of LIA's 90.1 TFLOPS.
    ["Granite Rapids", cpus["gnr-amx"], (128 * 1024 * 2.0) / 1000, 500],
    ["Sapphire Rapids", cpus["spr-amx"], (40 * 1024 * 2.2) / 1000, 330],
  ])("of %s is that of the device whose power it has", (_name, device, teraflops, watts) => {
    expect(device.compute.peak.value / 1e12).toBeCloseTo(teraflops, 1);
    expect(device.watts.value).toBe(watts);
  });

  it("is no less than what is reached", () => {
    for (const device of [...Object.values(gpus), ...Object.values(cpus)]) {
      const { compute, bandwidth } = device;
      expect(compute.peak.value).toBeGreaterThanOrEqual(compute.effective.value);
      expect(bandwidth.peak.value).toBeGreaterThanOrEqual(bandwidth.effective.value);
    }
  });

  it("names what a paper's own experiment used where that is another number", () => {
    expect(cpus["gnr-amx"].compute.effective).toMatchObject({ value: 48e12 });
    expect(cpus["gnr-amx"].compute.effective.source).toMatch(/abstract has 40/);
    expect(gpus["h100-80"].compute.peak.source).toMatch(/TriMoE.*819\.6/);
  });
});

it("a GPU that waits draws less of its power than a server, by users' reports", () => {
  for (const gpu of Object.values(gpus)) expect(gpu.idle).toMatchObject({ value: 0.15 });
  // An A100 has 60 of 400 W, an H200 75 of 700 W.
  expect(gpus["a100-40"].idle.value).toBeCloseTo(60 / 400, 6);
  for (const cpu of Object.values(cpus)) expect(cpu.idle.value).toBe(idlePower.value);
});

it("guards of an unknown flash part let every announced pin pass", () => {
  // ONFI 5.0 and 5.1, Toggle 5.1, and Samsung's part of ISSCC 2025.
  for (const rate of [2.4e9, 3.6e9, 3.2e9, 5.6e9]) {
    expect(dataSheetOf(undefined).transfersPerSecond).toBeGreaterThanOrEqual(rate);
  }
});

it("a read over PCIe takes 547 ns with the host's DRAM, which a GPU's link leaves to the DIMMs", () => {
  // 90 to 100 ns of DRAM.
  expect(2e9 * gpuLink.latency).toBeGreaterThanOrEqual(547 - 100);
  expect(2e9 * gpuLink.latency).toBeLessThanOrEqual(547 - 90);
});

describe("energy of a bit", () => {
  it("over PCIe 5.0 is five times that of NVLink-C2C, and of 4.0 above a transmitter's", () => {
    expect(pcieBit["PCIe 5.0"]).toBeCloseTo(5 * 1.3e-12, 15);
    expect(pcieBit["PCIe 4.0"]).toBeGreaterThan(1.93e-12);
  });

  it("of a memory is that of its size, as Jouppi's table has it", () => {
    const picojoules = (kib: number): number => 64e12 * memoryBit(kib * 1024);
    expect([1, 8, 32, 1024, 4096].map(picojoules).map((x) => Number(x.toFixed(6)))).toEqual([
      7.5, 7.5, 8.5, 14, 14,
    ]);
    expect(picojoules(256)).toBeCloseTo(11.8, 6);
    const sizes = Array.from({ length: 200 }, (_, i) => picojoules(4 * 1.05 ** i));
    expect(sizes.toSorted((a, b) => a - b)).toEqual(sizes);
  });
});
