// SPDX-License-Identifier: Apache-2.0
// The file of `dram replay --config`: a replay config as JSON or YAML, of DDR5 or of the standard that it names, or
// a Ramulator 2 configuration.

import { parseYaml } from "../../base/yaml.ts";
import { inputError } from "../../base/errors.ts";
import { readJson } from "../../base/json.ts";
import { parseDramReplayConfig } from "./config.ts";
import { isRamulatorConfig, parseRamulatorConfig, ramulatorKey } from "./ramulator2/config.ts";
import type { DramReplayConfig } from "./replay-config.ts";
import { namesStandard, parseStandardReplayConfig } from "./standard-config.ts";

/** A memory, and the names of its keys in the file, for messages. */
export interface ReplayConfigFile {
  readonly config: DramReplayConfig<string>;
  readonly keyOf: (key: string) => string;
}

/**
 * Parses the text of a file; as YAML if its name or its keys are those of a YAML config.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parseReplayConfigFile(file: string, text: string): ReplayConfigFile {
  return replayConfigOf(file, documentOf(file, text));
}

/**
 * Reads the document of a file.
 * @throws NeardataError `bad-input` with every problem.
 */
export function replayConfigOf(file: string, document: unknown): ReplayConfigFile {
  if (namesStandard(document)) {
    return { config: parseStandardReplayConfig(document, file), keyOf: (key) => key };
  }
  return isRamulatorConfig(document)
    ? { config: parseRamulatorConfig(document, file), keyOf: ramulatorKey }
    : { config: parseDramReplayConfig(document, file), keyOf: (key) => key };
}

/** @throws NeardataError `bad-input` for a text that is neither JSON nor YAML. */
export function documentOf(file: string, text: string): unknown {
  if (/\.ya?ml$/i.test(file)) return parseYaml(file, text);
  const read = readJson(text);
  if (read.ok) return read.value;
  if (/^(Frontend|MemorySystem|frontend|memory_system):/m.test(text)) return parseYaml(file, text);
  throw inputError(file, `the file is not JSON: ${read.problem}`);
}
