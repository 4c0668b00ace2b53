// SPDX-License-Identifier: Apache-2.0
// Results of long work, a line each in one file, so that work that was stopped goes on where it was.

import { appendFileSync, existsSync } from "node:fs";
import type { Recall } from "../experiment/llmshare-study.ts";
import { readText } from "./files.ts";

/** Keeps results in `path`; without one, only as long as the process runs. */
export function keptIn(path: string | null): Recall {
  const text = path !== null && existsSync(path) ? readText(path) : "";
  const known = linesOf(text);
  // A line that was cut off must not swallow the next one.
  if (path !== null && text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n");
  return async <T>(key: string, make: () => T | Promise<T>): Promise<T> => {
    if (known.has(key)) return known.get(key) as T;
    const value = await make();
    known.set(key, value);
    if (path !== null) appendFileSync(path, `${JSON.stringify({ key, value })}\n`);
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
