// SPDX-License-Identifier: Apache-2.0
// Measured or modelled time against tokens: piecewise linear between points, constant before the
// first, the last segment extended.

import { seconds, type Seconds } from "../../base/units.ts";

/** Points by ascending tokens; at least one. */
export type TimeCurve = readonly (readonly [tokens: number, time: Seconds])[];

/** The time at a token count. */
export function curveTime(curve: TimeCurve, tokens: number): Seconds {
  const first = curve[0];
  if (first === undefined) return seconds(0);
  if (tokens <= first[0] || curve.length === 1) return first[1];
  let right = 1;
  while (right < curve.length - 1 && (curve[right] ?? first)[0] < tokens) right += 1;
  const left = curve[right - 1] ?? first;
  const end = curve[right] ?? first;
  return seconds(left[1] + ((end[1] - left[1]) * (tokens - left[0])) / (end[0] - left[0]));
}
