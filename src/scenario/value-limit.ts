// SPDX-License-Identifier: Apache-2.0
// The maximum of values of a simulation in the memory of the host computer.

import type { Issue } from "../base/errors.ts";

/** 2 GiB of 16-bit values; golden models hold some of them as float64 beside. */
const maxValues = 2 ** 30;

/** The issue of what needs more values, or null. */
export function valueLimitIssue(where: string, values: number): Issue | null {
  if (values <= maxValues) return null;
  const message = `this has ${values} values; a simulation holds at most ${maxValues}.`;
  return { where, message };
}
