// SPDX-License-Identifier: Apache-2.0
// Time curves: exact at their points, linear between, constant before, extended after.

import { expect, test } from "vitest";
import { curveTime, type TimeCurve } from "../../../src/machine/host/curve.ts";
import { seconds } from "../../../src/base/units.ts";

const curve: TimeCurve = [
  [2, seconds(10)],
  [4, seconds(20)],
  [8, seconds(60)],
];

test.each([
  [1, 10],
  [2, 10],
  [3, 15],
  [4, 20],
  [6, 40],
  [8, 60],
  [10, 80],
])("%d tokens take %d s", (tokens, time) => {
  expect(curveTime(curve, tokens)).toBe(time);
});
