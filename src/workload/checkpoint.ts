// SPDX-License-Identifier: Apache-2.0
// A checkpoint: one .safetensors file, or a Hugging Face index of shards. Headers are read when a
// tensor of the shard is asked for, tensor data by the piece.

import { posix } from "node:path";
import { z } from "zod";
import { inputError } from "../base/errors.ts";
import { textOf } from "../base/files/input.ts";
import { readJson } from "../base/json.ts";
import { formatValue } from "../base/format-value.ts";
import type { ByteSource } from "../base/bytes.ts";
import { readBytes } from "../base/bytes.ts";
import type { ModelConfig } from "./model-config.ts";
import { readSafetensors } from "./safetensors.ts";
import type { SafetensorsHeader, TensorEntry } from "./safetensors.ts";

/** A tensor and the file that contains it. */
export interface StoredTensor extends TensorEntry {
  readonly source: ByteSource;
}

/** The tensors of a checkpoint by name. */
export interface Checkpoint {
  readonly name: string;
  /** Names in the index, and further names in shards that were opened. */
  readonly tensorNames: readonly string[];
  /** Names of the model's tensors in other files, if only one shard is open. */
  readonly elsewhere: readonly string[];
  /** Notes of a single file; shards have none. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The contents of the config.json in the same directory; null if it does not exist. */
  readonly config: ModelConfig | null;
  /** The tensor, or undefined. @throws NeardataError `bad-input` when its shard is broken. */
  readonly tensor: (name: string) => StoredTensor | undefined;
}

/** The largest models have some hundred thousand tensors. */
const largestIndex = 2 ** 28;
const indexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });

/** Files in the directory of a checkpoint that belong to it. */
interface BesideCheckpoint {
  readonly config?: ModelConfig | null;
  /** Indexes of sharded checkpoints; `source` may be one of their shards. */
  readonly indexes?: readonly ByteSource[];
}

/**
 * Opens `source`: a `.json` index, or a .safetensors file. `openBeside` opens a file of the same
 * directory. @throws NeardataError `bad-input`.
 */
export function openCheckpoint(
  source: ByteSource,
  openBeside: (fileName: string) => ByteSource,
  { config = null, indexes = [] }: BesideCheckpoint = {},
): Checkpoint {
  if (!source.name.endsWith(".json")) {
    const header = readSafetensors(source);
    const others = indexes.flatMap((index) => inOtherFiles(index, source));
    return {
      name: source.name,
      tensorNames: [...header.tensors.keys()],
      elsewhere: others.filter((name) => !header.tensors.has(name)),
      metadata: header.metadata,
      config,
      tensor: (name) => inFile(header, name),
    };
  }
  const shardOf = readIndex(source);
  const headers = new Map<string, SafetensorsHeader>();
  return {
    name: source.name,
    get tensorNames() {
      const names = [...headers.values()].flatMap(({ tensors }) => [...tensors.keys()]);
      return [...new Set([...shardOf.keys(), ...names])];
    },
    elsewhere: [],
    metadata: {},
    config,
    tensor: (name) => {
      const file = shardOf.get(name);
      if (file === undefined) return undefined;
      const header = headers.get(file) ?? readSafetensors(openBeside(file));
      headers.set(file, header);
      const tensor = inFile(header, name);
      if (tensor !== undefined) return tensor;
      throw inputError(
        source.name,
        `tensor ${formatValue(name)} is not in ${formatValue(file)} as the index says.`,
      );
    },
  };
}

/** Tensors of other shards, if an index lists `source` as a shard. */
function inOtherFiles(index: ByteSource, source: ByteSource): readonly string[] {
  const fileName = posix.basename(source.name);
  const shardOf = [...readIndex(index)];
  if (!shardOf.some(([, file]) => file === fileName)) return [];
  return shardOf.filter(([, file]) => file !== fileName).map(([tensor]) => tensor);
}

function inFile(header: SafetensorsHeader, name: string): StoredTensor | undefined {
  const entry = header.tensors.get(name);
  return entry === undefined ? undefined : { ...entry, source: header.source };
}

function readIndex(source: ByteSource): ReadonlyMap<string, string> {
  if (source.size > largestIndex) {
    throw inputError(source.name, `the index of shards has more than ${largestIndex} bytes.`);
  }
  const read = readJson(textOf(source.name, readBytes(source, 0, source.size)));
  if (!read.ok) throw inputError(source.name, `the index of shards is not JSON: ${read.problem}`);
  const index = indexSchema.safeParse(read.value);
  if (!index.success) {
    throw inputError(source.name, 'an index of shards has a "weight_map" from tensor to file.');
  }
  const shardOf = new Map(Object.entries(index.data.weight_map));
  for (const [tensor, file] of shardOf) {
    if (
      file === "" ||
      file.includes("\0") ||
      posix.isAbsolute(file) ||
      file.split(/[\\/]/).includes("..")
    ) {
      throw inputError(
        source.name,
        `tensor ${formatValue(tensor)} lies in ${formatValue(file)}, outside the directory.`,
      );
    }
    if (/(?:^|[\\/])\.?$/.test(file)) {
      throw inputError(
        source.name,
        `tensor ${formatValue(tensor)} lies in ${formatValue(file)}, which is a directory.`,
      );
    }
  }
  return shardOf;
}
