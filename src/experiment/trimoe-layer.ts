// SPDX-License-Identifier: Apache-2.0
// The time of a layer under each system, on the models of TriMoE's evaluation.

import type { System } from "../policy/trimoe/baselines.ts";
import { study } from "./trimoe-run.ts";

export const models = ["deepseek-v2", "qwen3-235b-a22b", "glm-4.5-air"] as const;
export const traceNote =
  "synthetic traces and assumed f_gpu and f_cpu: the paper's traces and measured curves are not published";

export function timeOf(
  system: System,
  model: string,
  batch: number,
  relayout: boolean = system === "TriMoE",
  machine: { readonly dimms?: number; readonly cpuScale?: number } = {},
): number {
  return study({ model, batch, relayout, machine }, [system]).get(system)?.time ?? NaN;
}

/** Every system of the comparison, the baselines first. */
export const compared: readonly System[] = [
  "Klotski",
  "En-KTransformers",
  "En-KTransformers, balanced",
  "MoNDE",
  "TriMoE",
];
