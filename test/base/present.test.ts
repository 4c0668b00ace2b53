// SPDX-License-Identifier: Apache-2.0

import { expect, test } from "vitest";

import { defined } from "../../src/base/defined.ts";
import { present } from "../../src/base/present.ts";

test("an element that is absent throws, and 0, NaN and null are values", () => {
  const list: (number | null)[] = [0, NaN, null];
  expect([0, 1, 2].map((i) => present(list[i]))).toEqual([0, NaN, null]);
  expect(() => present(list[3])).toThrow(RangeError);
});

test("properties that are undefined are left out, and others stay in their order", () => {
  const record = defined({ b: 0, absent: undefined, a: null });
  expect(Object.entries(record)).toEqual([
    ["b", 0],
    ["a", null],
  ]);
});
