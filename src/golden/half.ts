// SPDX-License-Identifier: Apache-2.0
// Binary16 as numbers and back, in bulk: for caches of keys and values. Subnormals are kept,
// rounding is to nearest even, overflow is infinity.

import { outOfRange } from "../base/present.ts";

const table = Float64Array.from({ length: 65536 }, (_, bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction : 1024 + fraction) * 2 ** (Math.max(exponent, 1) - 25);
});

/** The value of a binary16 bit pattern; exact. */
export function halfToNumber(bits: number): number {
  return table[bits & 0xffff] ?? outOfRange();
}

/** The values of bit patterns. */
export function halvesToNumbers(bits: Uint16Array): Float64Array {
  const values = new Float64Array(bits.length);
  for (let i = 0; i < bits.length; i += 1)
    values[i] = table[bits[i] ?? outOfRange()] ?? outOfRange();
  return values;
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** Index of the 32-bit word of a double with the sign and the exponent. */
const highWord = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;
/**
 * By the biased exponent of a double: a number so large that adding it leaves a binary16's places, ten
 * below the leading one and none below 2^-24. The sum is rounded to nearest even.
 */
const leaves = Float64Array.from(
  { length: 2048 },
  (_, biased) => 1.5 * 2 ** (42 + Math.max(biased - 1023, -14)),
);
/** The scale that makes the last place of a binary16 equal to one, indexed in the same way. */
const placesUp = Float64Array.from(
  { length: 2048 },
  (_, biased) => 2 ** (10 - Math.max(biased - 1023, -14)),
);

/** The binary16 bit pattern nearest to a double. */
export function numberToHalf(value: number): number {
  double[0] = value;
  const high = words[highWord] ?? outOfRange();
  const sign = (high >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  const biased = (high >>> 20) & 0x7ff;
  const large = leaves[biased] ?? outOfRange();
  // An integer after rounding; 2048 carries into the exponent by itself.
  const units = (magnitude + large - large) * (placesUp[biased] ?? outOfRange());
  return sign | ((Math.max(biased - 1009, 0) << 10) + units);
}

/** The bit patterns nearest to doubles. */
export function numbersToHalves(values: Float64Array): Uint16Array {
  const bits = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i += 1) bits[i] = numberToHalf(values[i] ?? outOfRange());
  return bits;
}

/** The double nearest to `value` that is a binary16. */
export function roundToHalf(value: number): number {
  double[0] = value;
  const high = words[highWord] ?? outOfRange();
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return high >>> 31 ? -Infinity : Infinity;
  const large = leaves[(high >>> 20) & 0x7ff] ?? outOfRange();
  const rounded = magnitude + large - large;
  return high >>> 31 ? -rounded : rounded;
}
