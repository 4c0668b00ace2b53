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
  const index = curve.findIndex(([x]) => x >= tokens);
  const right = index === -1 ? curve.length - 1 : index;
  const [x0, y0] = curve[right - 1] ?? first;
  const [x1, y1] = curve[right] ?? first;
  return seconds(y0 + ((y1 - y0) * (tokens - x0)) / (x1 - x0));
}
