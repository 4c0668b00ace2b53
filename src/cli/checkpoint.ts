// SPDX-License-Identifier: Apache-2.0
// Checkpoints from files.

import { dirname, join } from "node:path";
import { openCheckpoint } from "../workload/checkpoint.ts";
import type { Checkpoint } from "../workload/checkpoint.ts";
import { fileSource } from "./files.ts";

/** A .safetensors file, or the .json index of a sharded checkpoint with its shards beside it. */
export function checkpointFile(path: string): Checkpoint {
  return openCheckpoint(fileSource(path), (shard) => fileSource(join(dirname(path), shard)));
}
