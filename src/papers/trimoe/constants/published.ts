// SPDX-License-Identifier: Apache-2.0
// TriMoE's evaluation as the paper prints it. The equations, one simulated layer and many simulated steps are
// each compared with these numbers.

import type { System } from "../policy/baselines.ts";

/** Figure 6, gain of a layer over the best baseline: the range over models and batches. */
export const layerGain = "2.12 to 2.83";

/** Section 5.2 and figure 7, gain end to end, by model. */
export const endToEndGains: Readonly<Record<string, string>> = {
  "deepseek-v2": "2.78",
  "qwen3-235b-a22b": "2.22",
  "glm-4.5-air": "2.09",
};

/** Table 3, shares of GPU, CPU and NDP in percent; empty for a device that a system does not have. */
export const deviceShares: readonly (readonly [System, string, string, string])[] = [
  ["Klotski", "28.6", "", ""],
  ["En-KTransformers", "57.6", "42", ""],
  ["MoNDE", "33.9", "", "70.1"],
  ["TriMoE", "66.0", "74.9", "87.8"],
];
/** Table 3, the mean of TriMoE's three shares. */
export const meanShare = "76.2";

/** Figure 8, the gain of each part of the design. */
export const partGains = [
  ["adding the CPU", "1.75"],
  ["refinement", "1.28"],
  ["relayout and rebalancing", "1.16"],
] as const;

/** Section 5.5, gain over the best baseline, by batch. */
export const smallBatchGains = [
  [128, "2.72"],
  [64, "2.18"],
  [32, "1.82"],
] as const;
/** Section 5.5, overhead of migrations per layer, in per cent. */
export const migrationOverhead = "below 3.3";
