// SPDX-License-Identifier: Apache-2.0
// Options that may be given several times, and options that are whole numbers.

import { inputError } from "../errors.ts";

/** Commander's collector: every value, in the order in which they were given. */
export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

/** Commander's parser of a whole number between two ends. */
export function wholeNumber(option: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw inputError(option, `"${text}" is no whole number from ${least} to ${most}.`);
  };
}
