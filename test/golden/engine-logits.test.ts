// SPDX-License-Identifier: Apache-2.0
// The engine's logits in integers: products cut to 22 bits below the place of the largest sum of exponents.

import fc from "fast-check";
import { expect, it } from "vitest";

import { engineLogits } from "../../src/golden/attention-engine.ts";
import { halfToNumber } from "../../src/golden/half.ts";

const width = 8;
const places = 22n;

/** A decomposed binary16: significand with 10 places, exponent no less than that of a normal. */
function parts(bits: number): { readonly m: bigint; readonly e: number } {
  const field = (bits >> 10) & 31;
  const m = BigInt((bits & 1023) + (field === 0 ? 0 : 1024));
  return { m: bits & 0x8000 ? -m : m, e: Math.max(field, 1) - 15 };
}

function exact(query: readonly number[], key: readonly number[]): number {
  const products = query.map((bits, c) => {
    const [q, k] = [parts(bits), parts(key[c] ?? 0)];
    return { m: q.m * k.m, e: q.e + k.e };
  });
  const top = Math.max(...products.filter(({ m }) => m !== 0n).map(({ e }) => e));
  if (top === -Infinity) return 0;
  // Division of integers rounds towards zero, as the truncation does.
  const sum = products.reduce(
    (all, { m, e }) => (m === 0n ? all : all + (m << places) / (1n << BigInt(top - e))),
    0n,
  );
  return Math.fround(Number(sum) * 2 ** (top - 20 - Number(places)));
}

it("are sums of cut products", () => {
  const half = fc.oneof(
    fc.nat(0xffff).filter((bits) => (bits & 0x7c00) !== 0x7c00),
    fc.constantFrom(0, 0x8000, 1, 0x3c00, 0xbc01, 0x7bff),
  );
  const row = fc.array(half, { minLength: width, maxLength: width });
  fc.assert(
    fc.property(row, fc.array(row, { minLength: 1, maxLength: 4 }), (query, rows) => {
      const values = (bits: readonly number[]): Float64Array =>
        Float64Array.from(bits, (b) => halfToNumber(b));
      const keys = values(rows.flat());
      const cache = { length: rows.length, width, keys, values: keys };
      const found = engineLogits(values(query), cache);
      // Sums of zeros only may have either sign.
      expect([...found].map((x) => x + 0)).toEqual(rows.map((key) => exact(query, key) + 0));
    }),
    { numRuns: 500 },
  );
});
