// SPDX-License-Identifier: Apache-2.0
// The files that Hugging Face puts beside the weights of a model: its config.json, and the index of shards.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { NeardataError } from "../errors.ts";
import { readInputText } from "../files/input.ts";
import type { ActivationFunction } from "../golden/activation.ts";
import { configProblems, parseModelConfig, type ModelConfig } from "./model-config.ts";

/** The config.json beside a file of weights; null where there is none. @throws NeardataError `bad-input`. */
export function configBeside(weights: string): ModelConfig | null {
  const file = join(dirname(weights), "config.json");
  return existsSync(file) ? parseModelConfig(file, readInputText(file)) : null;
}

/**
 * The activation function that the config.json beside a file of weights says; null where none does.
 * @throws NeardataError `bad-input` where it is not implemented; `key` is what chooses another
 */
export function functionBeside(weights: string, key: string): ActivationFunction | null {
  const config = configBeside(weights);
  const problems = configProblems(config, key);
  if (problems.length > 0) throw new NeardataError("bad-input", problems);
  return config?.activation ?? null;
}

/** The index of the model of which a file is one shard; null where the name or the directory has none. */
export function indexBeside(weights: string): string | null {
  const shard = /^(.+)-\d{5}-of-\d{5}\.safetensors$/.exec(basename(weights));
  if (shard?.[1] === undefined) return null;
  const index = join(dirname(weights), `${shard[1]}.safetensors.index.json`);
  return existsSync(index) ? index : null;
}
