// SPDX-License-Identifier: Apache-2.0
// Options that may be given several times.

/** Commander's collector: every value, in the order in which they were given. */
export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}
