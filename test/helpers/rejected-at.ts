// SPDX-License-Identifier: Apache-2.0
// What a command does with input that it refuses: exit code 2, no output, one line per problem.

import { expect } from "vitest";

import type { CliResult } from "./cli.ts";

/**
 * The result of a command that refuses its input, with a line on stderr for each problem, in this
 * order. A place is an option, a file, or a file and a key of it; of a path, its end. A regular
 * expression is matched within the line, for rules that share a place.
 */
export function rejectedAt(...places: readonly (string | RegExp)[]): CliResult {
  const lines = places.map((place) =>
    typeof place === "string"
      ? `neardata: (?:[^\\n]*/)?${place.replaceAll(/[^\w\s/-]/g, "\\$&")}: [^\\n]+\\n`
      : `neardata: [^\\n]*(?:${place.source})[^\\n]*\\n`,
  );
  const stderr = expect.stringMatching(new RegExp(`^${lines.join("")}$`)) as string;
  return { code: 2, stdout: "", stderr };
}
