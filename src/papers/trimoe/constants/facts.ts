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
  fact(
    "trimoe",
    "deepseek",
    "table 2",
    "DeepSeek-V2 expert bytes: 60 x 160",
    [422, "GiB", 0.003],
    () => tableBytes("deepseek-v2"),
  ),
  fact("trimoe", "qwen3", "table 2", "Qwen3-235B expert bytes: 94 x 128", [423, "GiB", 0.003], () =>
    tableBytes("qwen3-235b-a22b"),
  ),
  fact("trimoe", "glm", "table 2", "GLM-4.5-Air expert bytes: 46 x 128", [190, "GiB", 0.003], () =>
    tableBytes("glm-4.5-air"),
  ),
  fact(
    "trimoe",
    "ndp-rate",
    "table 1",
    "NDP rate: 256 multipliers x 8 lanes / 16 cycles",
    [256, "GFLOPS", 1e-9],
    () => (256 * 8 * 2) / 16,
  ),
  fact(
    "trimoe",
    "ndp-bandwidth",
    "table 1",
    "NDP bandwidth: 4 ranks x 38.4",
    [153.6, "GB/s", 1e-9],
    () => 4 * 38.4,
  ),
  fact(
    "trimoe",
    "link",
    "table 1",
    "DIMM-Link: 8 lanes x 25 Gb/s",
    [25, "GB/s", 1e-9],
    () => (8 * 25) / 8,
  ),
  fact(
    "trimoe",
    "host",
    "table 1",
    "host bandwidth: 8 channels x 38.4",
    [307.2, "GB/s", 1e-9],
    () => 8 * 38.4,
  ),
  fact(
    "trimoe",
    "internal",
    "section 4.1",
    "internal over host bandwidth: 16 x 153.6 / 307.2",
    [8, "1", 1e-9],
    () => (16 * 153.6) / 307.2,
  ),
  fact(
    "trimoe",
    "h100",
    "table 1",
    "H100 PCIe: 114 SM x 4096 x 1.755 GHz",
    [819.6, "TFLOPS", 0.001],
    () => (114 * 4096 * 1.755) / 1e3,
  ),
  fact(
    "trimoe",
    "utilisation",
    "table 3",
    "mean utilisation of 66.0, 74.9, 87.8",
    [76.2, "%", 0.001],
    () => (66 + 74.9 + 87.8) / 3,
  ),
  fact(
    "trimoe",
    "ablation",
    "section 5.3",
    "product of the ablation gains",
    [null, "1", 0],
    () => 1.75 * 1.28 * 1.16,
  ),
  fact(
    "trimoe",
    "migration",
    "section 5.5",
    "one DeepSeek-V2 matrix over one DIMM-Link",
    [0.63, "ms", 0.003],
    () => deepSeekMatrix / 25e6,
  ),
  fact(
    "trimoe",
    "predictor",
    "section 4.3",
    "predictor state 38 KB: one 4-byte EMA per DeepSeek-V2 routed expert, 60 x 160",
    [38, "kB", 0.012],
    () => (60 * 160 * 4) / 1e3,
  ),
];
