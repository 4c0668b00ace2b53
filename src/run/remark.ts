// SPDX-License-Identifier: Apache-2.0
// A remark of a command: one line on stderr.

import process from "node:process";
import { distinctTexts } from "../base/distinct.ts";
import { cut, oneLine } from "../base/format-value.ts";

/** Characters of a remark, at most. */
const maxRemarkLength = 1200;

/** Writes a remark to stderr, on one line. */
export function remark(text: string): void {
  process.stderr.write(`neardata: ${cut(oneLine(text), maxRemarkLength)}\n`);
}

/** A function that writes each different remark once. */
export function distinctRemarks(): (text: string) => void {
  return distinctTexts(remark);
}
