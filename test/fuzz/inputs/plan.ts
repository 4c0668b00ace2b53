// SPDX-License-Identifier: Apache-2.0
// Sound inputs of `policy plan`: devices by name, from files and in place.

import type { ValidInput } from "../input.ts";
import { yaml } from "./documents.ts";

export const gpuDevice = {
  kind: "gpu",
  title: "A card",
  source: "measured here",
  compute: "300 TFLOPS",
  peakCompute: "600 TFLOPS",
  bandwidth: "2 TB/s",
  memory: "80 GiB",
  power: "350 W",
  link: "50 GB/s",
  expert: {
    size: "36 MiB",
    times: [
      [1, "30 us"],
      [16, "31 us"],
      [256, "90 us"],
    ],
  },
};

export const cpuDevice = {
  kind: "cpu",
  title: "A host",
  source: "measured here",
  compute: "20 TFLOPS",
  bandwidth: "260 GB/s",
  peakBandwidth: "300 GB/s",
  memory: "512 GiB",
  power: "330 W",
  expert: {
    size: "36 MiB",
    times: [
      [1, "100 us"],
      [64, "150 us"],
    ],
  },
};

const memories = {
  cpu: "spr-amx",
  gpu: "a100-40",
  link: "pcie4",
  memory: "512 GiB",
  dimms: 8,
  cxl: { expanders: 2, capacity: "128 GB", rate: "17 GB/s" },
  storage: { devices: 1, capacity: "2 TB", read: "11.2 GB/s", write: "2 GB/s", link: "3.9 GB/s" },
};

export const planInputs: readonly ValidInput[] = [
  {
    command: "policy plan",
    name: "by name",
    words: ["p.yaml", "--json"],
    outputs: [],
    files: {
      "p.yaml": yaml({
        model: "opt-30b",
        host: { cpu: "spr-amx", gpu: "a100-40", link: "pcie4" },
        batch: 4,
        input: 32,
        output: 8,
      }),
    },
  },
  {
    command: "policy plan",
    name: "own devices",
    words: ["p.yaml"],
    outputs: [],
    weight: 2,
    files: {
      "p.yaml": yaml({
        model: "opt-13b",
        host: { cpu: cpuDevice, gpu: "gpu.yaml" },
        batch: 2,
        input: 16,
        output: 4,
      }),
      "gpu.yaml": yaml(gpuDevice),
    },
  },
  ...[
    ["lia", "opt-13b"],
    ["flexgen", "opt-6.7b"],
    ["instinfer", "opt-13b"],
    ["trimoe", "mixtral-8x7b"],
  ].map(([policy = "", model = ""]): ValidInput => ({
    command: "policy plan",
    name: `policy ${policy}`,
    outputs: [],
    words: ["p.yaml", "--policy", policy],
    files: {
      "p.yaml": yaml({ model, host: memories, batch: 2, input: 16, output: 4 }),
    },
  })),
];
