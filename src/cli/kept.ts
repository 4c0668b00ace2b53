// SPDX-License-Identifier: Apache-2.0
// Results of long work, a line each in one file, so that work that was stopped goes on where it was.

import { appendFileSync, existsSync } from "node:fs";
import type { Recall } from "../experiment/llmshare-study.ts";
import { outputError } from "../files/reason.ts";
import { targetOf } from "../files/target.ts";
import { readText } from "./files.ts";

/** Keeps results in `path`; without one, only as long as the process runs. */
export function keptIn(path: string | null): Recall {
  const file = path === null ? null : targetOf({ option: "--out", path });
  const append = (line: string): void => {
    try {
      if (file !== null) appendFileSync(file.real, line);
    } catch (cause) {
      throw outputError("--out", file?.path ?? "", cause);
    }
  };
  const text = path !== null && existsSync(path) ? readText(path) : "";
  const known = linesOf(text);
  // A line that was cut off must not swallow the next one.
  if (text !== "" && !text.endsWith("\n")) append("\n");
  return async <T>(key: string, make: () => T | Promise<T>): Promise<T> => {
    if (known.has(key)) return known.get(key) as T;
    const value = await make();
    known.set(key, value);
    append(`${JSON.stringify({ key, value })}\n`);
    return value;
  };
}

/** Whole lines only: the last may be what a process was writing when it was stopped. */
function linesOf(text: string): Map<string, unknown> {
  const known = new Map<string, unknown>();
  for (const line of text.split("\n")) {
    try {
      const { key, value } = JSON.parse(line) as { key: string; value: unknown };
      known.set(key, value);
    } catch {
      // Cut off in the middle: made again.
    }
  }
  return known;
}
