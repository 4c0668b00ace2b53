// SPDX-License-Identifier: Apache-2.0
// A check between our own models: no paper prints the number, so it is not a finding.

export interface InternalCheck {
  readonly what: string;
  readonly ours: number;
  readonly unit: string;
  /** The rule to check. */
  readonly rule: string;
  readonly holds: boolean;
  /** The reason of the range; may be empty. */
  readonly note: string;
}

/** Checks that a number is in a range. */
export function between(
  what: string,
  ours: number,
  unit: string,
  [low, high]: readonly [number, number],
  note: string = "",
): InternalCheck {
  const rule = high === Infinity ? `at least ${shown(low)}` : `${shown(low)} to ${shown(high)}`;
  return { what, ours, unit, rule, holds: ours >= low && ours <= high, note };
}

/** A count that must be whole. */
export function every(what: string, ours: number, of: number, unit: string): InternalCheck {
  return { what, ours, unit, rule: `all ${of}`, holds: ours === of, note: "" };
}

function shown(bound: number): number {
  return Number(bound.toPrecision(3));
}
