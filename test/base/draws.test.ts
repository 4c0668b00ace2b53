// SPDX-License-Identifier: Apache-2.0

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws, uniformOf } from "../../src/base/draws.ts";

describe("bits that are read ahead", () => {
  it("are those of the next uniform numbers, which skip consumes", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 50 }), fc.nat({ max: 50 }), (seed, before, count) => {
        const [ahead, one] = [draws(seed, "a stream"), draws(seed, "a stream")];
        for (let i = 0; i < before; i += 1) expect(ahead.uniform()).toBe(one.uniform());
        const bits = new Uint32Array(count + 1);
        ahead.peek(bits);
        ahead.skip(count);
        for (const word of bits.subarray(0, count)) expect(uniformOf(word)).toBe(one.uniform());
        expect(ahead.uniform()).toBe(uniformOf(bits[count] ?? NaN));
      }),
    );
  });
});
