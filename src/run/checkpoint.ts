// SPDX-License-Identifier: Apache-2.0
// Checkpoints from files.

import { dirname, join } from "node:path";
import { configBeside, indexesBeside } from "../workload/model-config-file.ts";
import { NeardataError, type Issue } from "../base/errors.ts";
import type { ActivationFunction } from "../golden/activation.ts";
import { openCheckpoint } from "../workload/checkpoint.ts";
import type { Checkpoint } from "../workload/checkpoint.ts";
import type { LowBitWeights } from "../workload/low-bit.ts";
import { configProblems, type ModelConfig } from "../workload/model-config.ts";
import { fileSource } from "./files.ts";

/**
 * A .safetensors file, or the .json index of a sharded checkpoint with its shards beside it, and the
 * config.json beside them; `onShard` hears which other files are opened.
 */
export function checkpointFile(
  path: string,
  onShard: (file: string) => void = () => undefined,
): Checkpoint {
  const source = fileSource(path);
  const config = configBeside(path);
  if (config !== null) onShard(config.where);
  const indexes = indexesBeside(path);
  for (const index of indexes) onShard(index);
  const open = (shard: string): ReturnType<typeof fileSource> => {
    const file = join(dirname(path), shard);
    onShard(file);
    return fileSource(file);
  };
  return openCheckpoint(source, open, { config, indexes: indexes.map(fileSource) });
}

/** What says which activation function an expert has. */
interface WantedFunction {
  /** What the user says; it goes before the configuration. */
  readonly given: ActivationFunction | undefined;
  /** What a user writes to say it. */
  readonly key: string;
}

/** An expert and its function. */
interface ExpertAndFunction<T> {
  readonly weights: T;
  readonly activation: ActivationFunction;
  /** What is to be said where these are used. */
  readonly remarks: readonly string[];
}

/**
 * An expert and its activation function: the user's, that of the config.json beside the weights, or SiLU
 * where neither says one, which is a guess and is said. @throws NeardataError `bad-input` with the problems
 * of both.
 */
export function withFunction<T extends object>(
  { config, name }: Pick<Checkpoint, "config" | "name">,
  { given, key }: WantedFunction,
  read: () => T,
): ExpertAndFunction<T> {
  const problems = given === undefined ? configProblems(config, key) : [];
  const weights = alsoRefusing(problems, read);
  const told = config?.activation ?? null;
  const assumed = `${name}: no config.json beside it says the activation function; silu is assumed.`;
  const remarks = [
    ...(given === undefined && told === null ? [assumed] : []),
    ...(given === undefined ? [] : otherFunction(config, given, key)),
    ...leftOutScales(weights),
  ];
  return { weights, activation: given ?? told ?? "silu", remarks };
}

/** What `read` gives, where there are no problems already. */
function alsoRefusing<T>(problems: readonly Issue[], read: () => T): T {
  try {
    const found = read();
    if (problems.length === 0) return found;
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    throw new NeardataError("bad-input", [...problems, ...error.issues], { cause: error });
  }
  throw new NeardataError("bad-input", problems);
}

/** That the user's function is another than that of the configuration. */
function otherFunction(
  config: ModelConfig | null,
  given: ActivationFunction,
  key: string,
): readonly string[] {
  if (config === null) return [];
  const { activation: told, functionProblems: problems } = config;
  if (problems.length === 0 && (told === null || told === given)) return [];
  const said = problems.length > 0 ? problems.join(" ") : `its experts have ${String(told)}.`;
  return [`${config.where}: ${said} ${key} says ${given}, which is computed.`];
}

/** Which scales a reader left out, and why. */
function leftOutScales(weights: object): readonly string[] {
  const scales = (weights as Partial<LowBitWeights>).inputScales ?? [];
  const [first] = scales;
  if (first === undefined) return [];
  const more = scales.length > 1 ? ` and ${scales.length - 1} more` : "";
  const why = "inputs have 16 bits here and are not rounded to 8, so these scales drop out.";
  return [`"${first}"${more}: ${why}`];
}
