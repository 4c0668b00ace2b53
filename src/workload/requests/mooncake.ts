// SPDX-License-Identifier: Apache-2.0
// Mooncake's traces (Qin et al., FAST 2025): JSON lines of timestamp in milliseconds, input_length,
// output_length and hash_ids, which name the blocks of 512 tokens of the prompt. A key that is not one of
// these may change what the others mean (traces of the same look count seconds), so it is refused.

import { readJson } from "../../base/json.ts";
import { formatValue } from "../../base/format-value.ts";
import type { RequestFormat, RowOrProblem } from "./format.ts";

const needed = ["timestamp", "input_length", "output_length"] as const;
const known: readonly string[] = [...needed, "hash_ids"];
const maxTokens = 999_999_999;
const maxMilliseconds = 2 ** 52;

export const mooncake: RequestFormat = {
  title: "a Mooncake trace",
  example: '{"timestamp": 0, "input_length": 120, "output_length": 4, "hash_ids": [11]}',
  note:
    "hash_ids are checked and not used: each request computes its whole prompt, as nothing is shared " +
    "between requests.",
  empty: "are left out",
  open: (first, times) => {
    if (!first.startsWith("{")) return null;
    const read = (line: string): RowOrProblem => {
      const value = readJson(line);
      if (!value.ok) return `the line is not JSON: ${value.problem}`;
      return rowOf(value.value, times);
    };
    return { read, firstIsRow: true };
  },
};

function rowOf(value: unknown, times: boolean): RowOrProblem {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "the line is not a JSON object.";
  }
  const row = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(row).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    return (
      `${unknown.map(formatValue).join(", ")} ${unknown.length === 1 ? "is no key" : "are no keys"} of ` +
      `Mooncake's traces, whose timestamps are milliseconds; known are ${known.join(", ")}.`
    );
  }
  const missing = needed.filter((key) => !Object.hasOwn(row, key));
  if (missing.length > 0) return `the line lacks ${missing.join(", ")}.`;
  const ms = wholeOf(row["timestamp"], maxMilliseconds);
  if (times && ms === null) return "timestamp here is not a whole number of milliseconds.";
  const [prompt, generated] = [row["input_length"], row["output_length"]].map((one) =>
    wholeOf(one, maxTokens),
  );
  if (prompt === null || prompt === undefined) {
    return "input_length here is not a whole number of tokens.";
  }
  if (generated === null || generated === undefined) {
    return "output_length here is not a whole number of tokens.";
  }
  const blocks = row["hash_ids"] ?? [];
  if (!Array.isArray(blocks) || !blocks.every((one) => wholeOf(one, maxMilliseconds) !== null)) {
    return "hash_ids here is not a list of whole numbers.";
  }
  const time =
    times && ms !== null ? { whole: Math.floor(ms / 1000), fraction: (ms % 1000) / 1000 } : null;
  return { time, prompt, generated };
}

function wholeOf(value: unknown, most: number): number | null {
  if (typeof value !== "number" || !Number.isInteger(value)) return null;
  return value >= 0 && value <= most ? value : null;
}
