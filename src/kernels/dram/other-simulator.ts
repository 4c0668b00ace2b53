// SPDX-License-Identifier: Apache-2.0
// A memory in the file of another simulator. Each format has one reader, for `dram check` and for `dram replay`: a check
// needs the memory, a replay also the controller, as a document in the keys of neardata's own replay configs.

import { inFile, NeardataError, type Issue } from "../../base/errors.ts";
import type { CheckedMemory } from "./check/memory.ts";
import type { DramReplayConfig } from "./replay-config.ts";
import { parseStandardReplayConfig } from "./standard-config.ts";

/** Keys that only a controller needs are skipped for a check. */
export type FileUse = "check" | "replay";

export interface OtherMemory {
  readonly memory: CheckedMemory;
  /** The keys of the file that have no influence here. */
  readonly ignored: readonly string[];
  /** The memory and its controller in the keys of `standard-config.ts`; empty for a check. */
  readonly document: object;
  /** The key of the file for a key of `document`. */
  readonly keyOf: (key: string) => string;
  /** Problems of keys that the replay has to agree with. */
  readonly problemsOf?: (config: DramReplayConfig<string>) => readonly Issue[];
  /** A sentence on the rules of the replay, where they are not those of the simulator. */
  readonly rules?: string;
}

/**
 * The replay of a memory.
 * @throws NeardataError `bad-input` with every problem under the keys of the file.
 */
export function replayOf(other: OtherMemory, file: string): DramReplayConfig<string> {
  let config: DramReplayConfig<string>;
  try {
    config = parseStandardReplayConfig(other.document, file);
  } catch (error) {
    throw underKeys(error, file, other.keyOf);
  }
  const issues = other.problemsOf?.(config) ?? [];
  if (issues.length > 0) throw inFile(file, issues);
  return { ...config, ignored: other.ignored };
}

/** An error of a document, with the keys of the file from which the document was made. */
export function underKeys(error: unknown, file: string, keyOf: (key: string) => string): unknown {
  if (!(error instanceof NeardataError)) return error;
  const prefix = `${file}: `;
  const issues = error.issues.map(({ message, where }) => ({
    message,
    where: keyOf(where.startsWith(prefix) ? where.slice(prefix.length) : where),
  }));
  return inFile(file, issues, { cause: error });
}
