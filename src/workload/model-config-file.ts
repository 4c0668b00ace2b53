// SPDX-License-Identifier: Apache-2.0
// The files that Hugging Face puts beside the weights of a model: its config.json, and the index of shards.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { NeardataError } from "../base/errors.ts";
import { readInputText } from "../base/files/input.ts";
import type { GateFunction } from "../golden/names.ts";
import { parseModelConfig, problemsOf, type ModelConfig } from "./model-config.ts";

/**
 * The config.json in the directory of a file of weights; null if it does not exist. @throws
 * NeardataError `bad-input`.
 */
export function findModelConfig(weights: string): ModelConfig | null {
  const file = join(dirname(weights), "config.json");
  return existsSync(file) ? parseModelConfig(file, readInputText(file)) : null;
}

/**
 * The gate function in the config.json of a file of weights; null if it states none.
 * @throws NeardataError `bad-input` if the function is not implemented; `key` is the option that
 * chooses another
 */
export function configuredGate(weights: string, key: string): GateFunction | null {
  const config = findModelConfig(weights);
  if (config === null) return null;
  const { gate, problems } = config.gateOf(null);
  if (problems.length === 0) return gate;
  throw new NeardataError("bad-input", problemsOf(config.where, problems, key));
}

/** The indexes of shards in the directory of a file of weights: it may be one of theirs. */
export function findShardIndexes(weights: string): readonly string[] {
  if (!weights.endsWith(".safetensors")) return [];
  const indexes = filesIn(dirname(weights)).filter((name) =>
    name.endsWith(".safetensors.index.json"),
  );
  return indexes.sort().map((name) => join(dirname(weights), name));
}

/** Names in a directory; none where files can be opened in it but not listed. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
