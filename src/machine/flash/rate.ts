// SPDX-License-Identifier: Apache-2.0
// Bus rates as exact fractions. A bus moves two bytes in a whole number of ticks or the device is
// refused: rounding a rate to whole ticks has made simulated transfers free before.

/** A positive fraction in lowest terms. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const bytesPerNanosecond: Readonly<Record<string, Fraction>> = {
  "GB/s": { numerator: 1n, denominator: 1n },
  "MB/s": { numerator: 1n, denominator: 1000n },
  "MT/s": { numerator: 1n, denominator: 1000n }, // one byte a transfer: buses are 8 bits wide
};

/**
 * Bytes per nanosecond from text such as `1.4 GB/s`, `1400 MT/s`; undefined when it is not a rate.
 */
export function parseRate(text: string): Fraction | undefined {
  const match = /^\s*(\d+)(?:\.(\d+))?\s*(GB\/s|MB\/s|MT\/s)\s*$/.exec(text);
  const [, whole = "", decimals = "", unit = ""] = match ?? [];
  const scale = bytesPerNanosecond[unit];
  if (scale === undefined) return undefined;
  const numerator = BigInt(whole + decimals) * scale.numerator;
  if (numerator === 0n) return undefined;
  return reduced(numerator, 10n ** BigInt(decimals.length) * scale.denominator);
}

/** Ticks for two bytes at `rate`, exactly, as a fraction that may or may not be whole. */
export function ticksPerTwoBytes(rate: Fraction, ticksPerNanosecond: number): Fraction {
  return reduced(2n * rate.denominator * BigInt(ticksPerNanosecond), rate.numerator);
}

/** The fewest ticks a nanosecond that make two bytes a whole number of ticks. */
export function fewestTicksPerNanosecond(rate: Fraction): bigint {
  return reduced(2n * rate.denominator, rate.numerator).denominator;
}

/** A fraction as people write it. */
export function fractionText({ numerator, denominator }: Fraction): string {
  return denominator === 1n ? String(numerator) : `${String(numerator)}/${String(denominator)}`;
}

function reduced(numerator: bigint, denominator: bigint): Fraction {
  let a = numerator;
  let b = denominator;
  while (b !== 0n) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}
