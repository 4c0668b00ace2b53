// SPDX-License-Identifier: Apache-2.0
// How deep and how large a YAML document may be. Nothing behind the parser meets a deeper one, so that
// no reader of documents runs out of stack.

import { inputError } from "./errors.ts";
import { deepest } from "./json.ts";

/** Values of a YAML document, those behind aliases counted each time. */
const maxValues = 1_000_000;

/** Characters of a YAML document. */
const maxText = 16 * 1024 * 1024;

/** @throws NeardataError `bad-input` for a text that would need minutes to parse */
export function checkText(file: string, text: string): void {
  if (text.length <= maxText) return;
  throw inputError(file, `${text.length} characters are more than ${maxText}.`);
}

/** The error for a document that is deeper. */
export function tooDeep(file: string): Error {
  return inputError(file, `more than ${deepest} lists and groups stand within each other.`);
}

/** @throws NeardataError `bad-input` when a value is too deep (a cycle is), or too large. */
export function checkSize(file: string, value: unknown): void {
  let level: unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const groups = level.filter((one) => typeof one === "object" && one !== null);
    if (groups.length > 0 && depth === deepest) throw tooDeep(file);
    const below: unknown[] = [];
    for (const group of groups) {
      const values: unknown[] = Object.values(group);
      count += values.length;
      if (count > maxValues) {
        throw inputError(file, `there are more than ${maxValues} values, aliases followed.`);
      }
      for (const one of values) below.push(one);
    }
    level = below;
  }
}
