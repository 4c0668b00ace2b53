// SPDX-License-Identifier: Apache-2.0
// Results of long experiments, one line each in a file, so that an interrupted experiment continues.
// Every line has a hash, and a changed line is refused. Results of another version are computed
// again.

import { appendFileSync, existsSync, statSync, truncateSync } from "node:fs";
import type { Recall } from "../../papers/llmshare/figures/study.ts";
import { inputError } from "../../base/errors.ts";
import { outputError } from "../../base/files/reason.ts";
import { targetOf } from "../../base/files/target.ts";
import { readSealedLine, sealedLine } from "../../report/saved/sealed.ts";
import { readText } from "../../run/files.ts";

/** How each line begins. */
const begin = '{"key":"';

/**
 * A cache of results of this `version` in the file `path`; without a path, in memory.
 * @throws NeardataError `bad-input` with the first damaged line.
 */
export function resultCache(path: string | null, version: string): Recall {
  const file = path === null ? null : targetOf({ option: "--out", path });
  const change = (how: (real: string) => void): void => {
    try {
      if (file !== null) how(file.real);
    } catch (cause) {
      throw outputError("--out", file?.path ?? "", cause);
    }
  };
  const text = path !== null && existsSync(path) ? readText(path) : "";
  const lines = text.split("\n");
  // An incomplete last line of a stopped process is removed, so that the next line is not appended
  // to it.
  const cut = lines.at(-1) ?? "";
  const isCut = cut.startsWith(begin.slice(0, cut.length));
  const known = linesOf(path ?? "", isCut ? lines.slice(0, -1) : lines);
  if (cut !== "") {
    change((real) => {
      truncateSync(real, statSync(real).size - Buffer.byteLength(cut));
    });
  }
  return async <T>(name: string, make: () => T | Promise<T>): Promise<T> => {
    const key = `${version} ${name}`;
    if (known.has(key)) return known.get(key) as T;
    const value = await make();
    known.set(key, value);
    change((real) => {
      appendFileSync(real, `${sealedLine({ key, value })}\n`);
    });
    return value;
  };
}

function linesOf(path: string, lines: readonly string[]): Map<string, unknown> {
  const known = new Map<string, unknown>();
  const wrong: number[] = [];
  for (const [i, line] of lines.entries()) {
    const record = readSealedLine(line);
    if (record !== null && "key" in record && "value" in record) {
      known.set(String(record.key), record.value);
    } else wrong.push(i + 1);
  }
  const [first, ...others] = wrong;
  if (first === undefined) return known;
  const more = others.length === 0 ? "" : ` (nor are ${String(others.length)} others)`;
  const message =
    `line ${String(first)} is not as neardata wrote it${more}: its hash does not fit; ` +
    "remove the line, and its result is made again.";
  throw inputError(path, message);
}
