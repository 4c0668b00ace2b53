// SPDX-License-Identifier: Apache-2.0
// Lines of files that a later process reads: JSON objects that end with the
// SHA-256 of their own text, so that a byte that changed in between is found.

import { sha256 } from "../../base/hash.ts";

/** One line, without its end. @param record a plain object with at least one property. */
export function sealedLine(record: object): string {
  const text = JSON.stringify(record).slice(0, -1);
  return `${text},"hash":"${sha256(text)}"}`;
}

/** The record of a sealed line, as parsed JSON; null for any other text. */
export function readSealedLine(line: string): object | null {
  const [, text = "", hash] = /^(\{.+),"hash":"([0-9a-f]{64})"\}$/.exec(line) ?? [];
  if (hash === undefined || sha256(text) !== hash) return null;
  return JSON.parse(`${text}}`) as object;
}
