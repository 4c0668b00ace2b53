// SPDX-License-Identifier: Apache-2.0
// Heads of binary16 values with corner cases of attention: near ties, constant keys, zeros and
// subnormals in the query, values near overflow, one token with all the weight.

import fc from "fast-check";

import { present } from "../../base/present.ts";
import type { HeadCache } from "../../golden/attention/attention.ts";
import { halfToNumber, roundToHalf } from "../../golden/half.ts";

/** A query and the cache that it attends to. */
export interface ArbitraryHead {
  readonly query: Float64Array;
  readonly cache: HeadCache;
}

const finiteBits = fc.integer({ min: 0, max: 0xffff }).map((bits) => {
  return (bits & 0x7c00) === 0x7c00 ? bits & 0xbfff : bits;
});

/** Sources of one value, by name of the trouble they make. */
const flavours = {
  ordinary: fc.double({ min: -4, max: 4, noNaN: true }).map(roundToHalf),
  any: finiteBits.map(halfToNumber),
  coarse: fc.integer({ min: -2, max: 2 }).map((n) => n / 2),
  subnormal: fc.integer({ min: 0, max: 1023 }).map(halfToNumber),
  zero: fc.constantFrom(0, -0),
  large: fc.integer({ min: 0x7a00, max: 0x7bff }).map(halfToNumber),
};

const flavour = fc.constantFrom(...(Object.keys(flavours) as (keyof typeof flavours)[]));

function rows(count: number): fc.Arbitrary<Float64Array> {
  return flavour.chain((name) =>
    fc
      .array(flavours[name], { minLength: count, maxLength: count })
      .map((values) => Float64Array.from(values)),
  );
}

/** Any head of up to `longest` tokens, of one of the widths. */
export function heads({
  longest = 40,
  widths = [4, 8, 16],
}: {
  readonly longest?: number;
  readonly widths?: readonly number[];
} = {}): fc.Arbitrary<ArbitraryHead> {
  return fc
    .record({
      length: fc.integer({ min: 1, max: longest }),
      width: fc.constantFrom(...widths),
      constantKeys: fc.boolean(),
    })
    .chain(({ length, width, constantKeys }) =>
      fc
        .tuple(rows(width), rows(length * width), rows(length * width))
        .map(([query, keys, values]) => {
          if (constantKeys) keys.forEach((_, i) => (keys[i] = present(keys[i % width])));
          return { query, cache: { length, width, keys, values } };
        }),
    );
}

/** Queries that share a cache. */
export interface ArbitraryGroup {
  readonly queries: readonly Float64Array[];
  readonly cache: HeadCache;
}

/** A group of a given size, with the same corner cases. */
export function groupsOfHeads(size: {
  readonly group: number;
  readonly length: number;
  readonly width: number;
}): fc.Arbitrary<ArbitraryGroup> {
  const { group, length, width } = size;
  return fc
    .tuple(
      fc.array(rows(width), { minLength: group, maxLength: group }),
      rows(length * width),
      rows(length * width),
      fc.boolean(),
    )
    .map(([queries, keys, values, constantKeys]) => {
      if (constantKeys) keys.forEach((_, i) => (keys[i] = present(keys[i % width])));
      return { queries, cache: { length, width, keys, values } };
    });
}
