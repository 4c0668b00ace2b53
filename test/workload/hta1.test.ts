// SPDX-License-Identifier: Apache-2.0
// The synthetic heads are the published ones, bit for bit.

import { describe, expect, it } from "vitest";

import { numberToHalf } from "../../src/golden/half.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";

/** FNV-1a over binary16 bit patterns, low byte first. */
function hash(values: Float64Array): number {
  let h = 0x811c9dc5;
  for (const value of values) {
    const bits = numberToHalf(value);
    h = Math.imul(h ^ (bits & 255), 0x01000193);
    h = Math.imul(h ^ (bits >>> 8), 0x01000193);
  }
  return h >>> 0;
}

describe("hta1", () => {
  it("reproduces the head of seed 1, 1024 tokens of 128", () => {
    const head = generateHta1(1, 1024, 128);
    expect(hash(head.queries)).toBe(2193799166);
    expect(hash(head.keys)).toBe(3694655302);
    expect(hash(head.values)).toBe(757576113);
  });

  it("is a function of its seed alone", () => {
    expect(generateHta1(7, 33, 16)).toEqual(generateHta1(7, 33, 16));
    expect(generateHta1(7, 33, 16).keys).not.toEqual(generateHta1(8, 33, 16).keys);
  });
});
