// SPDX-License-Identifier: Apache-2.0
// JSON files that are read.

import { inputError } from "../base/errors.ts";
import { readJson } from "../base/json.ts";
import { readText } from "../run/files.ts";

/**
 * The parsed contents of a JSON file.
 * @throws NeardataError `bad-input` when it cannot be read or is not JSON as ../json.ts has it.
 */
export function readJsonFile(path: string): unknown {
  const read = readJson(readText(path));
  if (read.ok) return read.value;
  throw inputError(path, `the file is not JSON: ${read.problem}`);
}
