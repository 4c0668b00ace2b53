// SPDX-License-Identifier: Apache-2.0
// Sound inputs of `policy plan`: devices by name, from files and in place.

import type { SoundInput } from "../input.ts";
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

export const planInputs: readonly SoundInput[] = [
  {
    ...{ command: "policy plan", name: "by name", words: ["p.yaml", "--json"], outputs: [] },
    files: {
      "p.yaml": yaml({
        ...{ model: "opt-30b", host: { cpu: "spr-amx", gpu: "a100-40", link: "pcie4" } },
        ...{ batch: 4, input: 32, output: 8 },
      }),
    },
  },
  {
    ...{ command: "policy plan", name: "own devices", words: ["p.yaml"], outputs: [], weight: 2 },
    files: {
      "p.yaml": yaml({
        ...{ model: "opt-13b", host: { cpu: cpuDevice, gpu: "gpu.yaml" } },
        ...{ batch: 2, input: 16, output: 4 },
      }),
      "gpu.yaml": yaml(gpuDevice),
    },
  },
];
