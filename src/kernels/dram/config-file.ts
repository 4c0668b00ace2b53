// SPDX-License-Identifier: Apache-2.0
// The file of `dram replay --config`: a replay config as JSON or YAML, of DDR5 or of the standard that it names, or
// a configuration of Ramulator 2.0, Ramulator 2.1 or DRAMsim3.

import { defined } from "../../base/defined.ts";
import { parseYaml } from "../../base/yaml.ts";
import { inputError } from "../../base/errors.ts";
import { readJson } from "../../base/json.ts";
import { parseDramReplayConfig } from "./config.ts";
import { isDramsim3, readDramsim3 } from "./dramsim3.ts";
import { replayOf, type OtherMemory } from "./other-simulator.ts";
import { isRamulatorConfig, parseRamulatorConfig, ramulatorKey } from "./ramulator2/config.ts";
import { isRamulator20, readRamulator20 } from "./ramulator2/ramulator20.ts";
import { isRamulator21, readRamulator21 } from "./ramulator2/ramulator21.ts";
import type { DramReplayConfig } from "./replay-config.ts";
import { namesStandard, parseStandardReplayConfig } from "./standard-config.ts";

/** A memory, and the names of its keys in the file, for messages. */
export interface ReplayConfigFile {
  readonly config: DramReplayConfig<string>;
  readonly keyOf: (key: string) => string;
  /** A sentence on the rules, where they are not those of the simulator that the file is for. */
  readonly rules?: string;
}

/**
 * Parses the text of a file; as YAML if its name or its keys are those of a YAML config.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parseReplayConfigFile(file: string, text: string): ReplayConfigFile {
  if (isDramsim3(file, text)) return otherFile(file, readDramsim3(file, text, "replay"));
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
  if (isRamulator21(document)) return otherFile(file, readRamulator21(document, file, "replay"));
  if (isRamulator20(document)) return otherFile(file, readRamulator20(document, file, "replay"));
  return isRamulatorConfig(document)
    ? { config: parseRamulatorConfig(document, file), keyOf: ramulatorKey }
    : { config: parseDramReplayConfig(document, file), keyOf: (key) => key };
}

function otherFile(file: string, other: OtherMemory): ReplayConfigFile {
  const { keyOf, rules } = other;
  return { config: replayOf(other, file), keyOf, ...defined({ rules }) };
}

/** @throws NeardataError `bad-input` for a text that is neither JSON nor YAML. */
export function documentOf(file: string, text: string): unknown {
  if (/\.ya?ml$/i.test(file)) return parseYaml(file, text);
  const read = readJson(text);
  if (read.ok) return read.value;
  if (/^(Frontend|MemorySystem|frontend|memory_system):/m.test(text)) return parseYaml(file, text);
  throw inputError(file, `the file is not JSON: ${read.problem}`);
}
