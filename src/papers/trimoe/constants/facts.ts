// SPDX-License-Identifier: Apache-2.0
// TriMoE: figures that follow from others.

import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import { fact, type Fact } from "../../experiment/fact.ts";
import { gib } from "../../experiment/sizes.ts";

/** Table 2 counts every layer as one of experts. */
function tableBytes(name: string): number {
  const shape = modelShape(name, "the catalogue of facts");
  return (shape.layers * (shape.experts?.routed ?? 0) * expertBytes(shape)) / gib;
}

const deepSeekMatrix = 2 * 5120 * 1536;

export const triMoeFacts: readonly Fact[] = [
  fact("trimoe", "deepseek", {
    where: "table 2",
    what: "DeepSeek-V2 expert bytes: 60 x 160",
    published: 422,
    unit: "GiB",
    tolerance: 0.003,
    value: () => tableBytes("deepseek-v2"),
  }),
  fact("trimoe", "qwen3", {
    where: "table 2",
    what: "Qwen3-235B expert bytes: 94 x 128",
    published: 423,
    unit: "GiB",
    tolerance: 0.003,
    value: () => tableBytes("qwen3-235b-a22b"),
  }),
  fact("trimoe", "glm", {
    where: "table 2",
    what: "GLM-4.5-Air expert bytes: 46 x 128",
    published: 190,
    unit: "GiB",
    tolerance: 0.003,
    value: () => tableBytes("glm-4.5-air"),
  }),
  fact("trimoe", "ndp-rate", {
    where: "table 1",
    what: "NDP rate: 256 multipliers x 8 lanes / 16 cycles",
    published: 256,
    unit: "GFLOPS",
    tolerance: 1e-9,
    value: () => (256 * 8 * 2) / 16,
  }),
  fact("trimoe", "ndp-bandwidth", {
    where: "table 1",
    what: "NDP bandwidth: 4 ranks x 38.4",
    published: 153.6,
    unit: "GB/s",
    tolerance: 1e-9,
    value: () => 4 * 38.4,
  }),
  fact("trimoe", "link", {
    where: "table 1",
    what: "DIMM-Link: 8 lanes x 25 Gb/s",
    published: 25,
    unit: "GB/s",
    tolerance: 1e-9,
    value: () => (8 * 25) / 8,
  }),
  fact("trimoe", "host", {
    where: "table 1",
    what: "host bandwidth: 8 channels x 38.4",
    published: 307.2,
    unit: "GB/s",
    tolerance: 1e-9,
    value: () => 8 * 38.4,
  }),
  fact("trimoe", "internal", {
    where: "section 4.1",
    what: "internal over host bandwidth: 16 x 153.6 / 307.2",
    published: 8,
    unit: "1",
    tolerance: 1e-9,
    value: () => (16 * 153.6) / 307.2,
  }),
  fact("trimoe", "h100", {
    where: "table 1",
    what: "H100 PCIe: 114 SM x 4096 x 1.755 GHz",
    published: 819.6,
    unit: "TFLOPS",
    tolerance: 0.001,
    value: () => (114 * 4096 * 1.755) / 1e3,
  }),
  fact("trimoe", "utilisation", {
    where: "table 3",
    what: "mean utilisation of 66.0, 74.9, 87.8",
    published: 76.2,
    unit: "%",
    tolerance: 0.001,
    value: () => (66 + 74.9 + 87.8) / 3,
  }),
  fact("trimoe", "ablation", {
    where: "section 5.3",
    what: "product of the ablation gains",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => 1.75 * 1.28 * 1.16,
  }),
  fact("trimoe", "migration", {
    where: "section 5.5",
    what: "one DeepSeek-V2 matrix over one DIMM-Link",
    published: 0.63,
    unit: "ms",
    tolerance: 0.003,
    value: () => deepSeekMatrix / 25e6,
  }),
  fact("trimoe", "predictor", {
    where: "section 4.3",
    what: "predictor state 38 KB: one 4-byte EMA per DeepSeek-V2 routed expert, 60 x 160",
    published: 38,
    unit: "kB",
    tolerance: 0.012,
    value: () => (60 * 160 * 4) / 1e3,
  }),
];
