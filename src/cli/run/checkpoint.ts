// SPDX-License-Identifier: Apache-2.0
// Checkpoints from files.

import { dirname, join } from "node:path";
import { openCheckpoint } from "../../workload/checkpoint.ts";
import type { Checkpoint } from "../../workload/checkpoint.ts";
import { fileSource } from "../files.ts";

/**
 * A .safetensors file, or the .json index of a sharded checkpoint with its shards beside it;
 * `onShard` hears which of them are opened.
 */
export function checkpointFile(
  path: string,
  onShard: (file: string) => void = () => undefined,
): Checkpoint {
  return openCheckpoint(fileSource(path), (shard) => {
    const file = join(dirname(path), shard);
    onShard(file);
    return fileSource(file);
  });
}
