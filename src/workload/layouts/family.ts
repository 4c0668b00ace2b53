// SPDX-License-Identifier: Apache-2.0
// Whose gate an expert has: config.json says it, or, where it names no model, the names of its tensors.

import type { Checkpoint } from "../checkpoint.ts";
import type { Family } from "../model-config.ts";

/** The family of expert `name`; null for a function of a name, as most models have it. */
export function familyOfExpert({ config, tensor }: Checkpoint, name: string): Family | null {
  if (config?.family !== undefined && config.family !== null) return config.family;
  const layer = /^(.*)\.\d+$/.exec(name)?.[1] ?? "";
  if (/(^|\.)mixer\.experts$/.test(layer)) return "nemotron";
  if (config?.typed === true) return null;
  if (tensor(`${layer}.gate_up_proj_bias`) !== undefined) return "gpt-oss";
  const v4 = /(^|\.)ffn\.(experts\.\d+|shared_experts)$/.test(name);
  return v4 && tensor(`${name}.w1.scale`) !== undefined ? "deepseek-v4" : null;
}
