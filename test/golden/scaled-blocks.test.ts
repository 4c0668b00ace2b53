// SPDX-License-Identifier: Apache-2.0
// The assignment of columns with a common factor to the halves of a block of inputs.

import fc from "fast-check";
import { expect, it } from "vitest";

import { repeatsOf, segmentOf } from "../../src/golden/scaled-blocks.ts";

it("every column meets its half once, in order, with the columns of its group alone", () => {
  const shape = fc.record({
    columns: fc.integer({ min: 1, max: 400 }),
    group: fc.integer({ min: 1, max: 150 }),
    half: fc.constantFrom(8, 16, 32, 128),
  });
  fc.assert(
    fc.property(shape, ({ columns, group, half }) => {
      const repeats = repeatsOf(columns, group, half);
      const halves = Math.ceil(columns / half);
      let most = 0;
      for (let index = 0; index < halves; index += 1) {
        const own = Array.from({ length: half }, (_, i) => index * half + i).filter(
          (column) => column < columns,
        );
        const met: number[] = [];
        for (let repeat = 0; repeat < repeats; repeat += 1) {
          const segment = segmentOf(columns, group, half, index, repeat);
          for (let column = segment.begin; column < segment.end; column += 1) {
            expect(segment.group).toBe(Math.floor(column / group));
            met.push(column);
          }
          if (segment.begin === segment.end) expect(segment.group).toBeNull();
        }
        expect(met).toEqual(own);
        most = Math.max(most, new Set(own.map((column) => Math.floor(column / group))).size);
      }
      expect(repeats).toBe(most);
    }),
  );
});
