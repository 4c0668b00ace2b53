// SPDX-License-Identifier: Apache-2.0
// The maximum of values of a simulation in the memory of the host computer.

import type { Issue } from "../base/errors.ts";

/** 2 GiB of 16-bit values; golden models need float64 copies of some of them. */
const maxValues = 2 ** 30;

/** The issue of an input with more values, or null. */
export function valueLimitIssue(where: string, values: number): Issue | null {
  if (values <= maxValues) return null;
  const message = `this has ${values} values; a simulation holds at most ${maxValues}.`;
  return { where, message };
}
