// SPDX-License-Identifier: Apache-2.0
// Matchers of vitest for numbers of hardware: bit patterns, distances in units of the last place, bounds.

import { expect } from "vitest";

import { present } from "../../base/present.ts";
import type { FloatFormat } from "../../golden/activation.ts";
import { fromBits, toBits } from "../../golden/float16.ts";

/** Numbers in a list of any kind. */
export type Numbers = ArrayLike<number>;

interface Matched {
  readonly pass: boolean;
  readonly message: () => string;
}

/** How many differences a message has. */
const maxShown = 5;

const listOf = (value: number | Numbers): readonly number[] =>
  typeof value === "number" ? [value] : Array.from(value);

function shownBits(bits: number, format: FloatFormat | undefined): string {
  const hex = `0x${(bits >>> 0).toString(16).padStart(4, "0")}`;
  return format === undefined ? hex : `${hex} (${String(fromBits(format, bits))})`;
}

function matched(what: string, wrong: readonly string[], all: number): Matched {
  const rest = wrong.length - maxShown;
  const more = rest > 0 ? `\n  and ${String(rest)} more` : "";
  return {
    pass: wrong.length === 0,
    message: () =>
      wrong.length === 0
        ? `all ${String(all)} ${what}`
        : `${String(wrong.length)} of ${String(all)} do not: ${what}\n  ${wrong.slice(0, maxShown).join("\n  ")}${more}`,
  };
}

function lengths(received: readonly number[], expected: readonly number[]): Matched | undefined {
  if (received.length === expected.length) return undefined;
  const text = `${String(received.length)} numbers, expected ${String(expected.length)}`;
  return { pass: false, message: () => text };
}

/** Bit patterns are equal; with a format, messages also show their values. */
export function toEqualBits(
  received: number | Numbers,
  expected: number | Numbers,
  format?: FloatFormat,
): Matched {
  const [got, want] = [listOf(received), listOf(expected)];
  const unequal = lengths(got, want);
  if (unequal !== undefined) return unequal;
  const wrong = got.flatMap((bits, i) => {
    const other = present(want[i]);
    if (bits === other) return [];
    return [`[${String(i)}] ${shownBits(bits, format)}, expected ${shownBits(other, format)}`];
  });
  return matched("have the expected bits", wrong, got.length);
}

/** Steps between two values of one 16-bit format, counted over its bit patterns. */
export function ulpsBetween(a: number, b: number): number {
  const place = (bits: number): number => (bits >= 0x8000 ? 0x8000 - bits : bits);
  return Math.abs(place(a) - place(b));
}

/**
 * Bit patterns of a format differ from values, rounded to it, by at most this number of units of the
 * last place.
 */
export function toBeWithinUlps(
  received: number | Numbers,
  values: number | Numbers,
  most: number,
  format: FloatFormat,
): Matched {
  const [got, want] = [listOf(received), listOf(values)];
  const unequal = lengths(got, want);
  if (unequal !== undefined) return unequal;
  const wrong = got.flatMap((bits, i) => {
    const value = present(want[i]);
    const nearest = toBits(format, format === "fp16" ? value : Math.fround(value));
    const bothNan = Number.isNaN(value) && Number.isNaN(fromBits(format, bits));
    const ulps = bothNan ? 0 : Number.isNaN(value) ? Infinity : ulpsBetween(bits, nearest);
    if (ulps <= most) return [];
    return [
      `[${String(i)}] ${shownBits(bits, format)} is ${String(ulps)} ULP from ${String(value)}`,
    ];
  });
  const what = `lie within ${String(most)} ULP`;
  return matched(what, wrong, got.length);
}

/** Numbers are between two bounds, both included. */
export function toBeBounded(received: number | Numbers, least: number, most: number): Matched {
  const got = listOf(received);
  const wrong = got.flatMap((value, i) =>
    value >= least && value <= most ? [] : [`[${String(i)}] ${String(value)}`],
  );
  return matched(`lie between ${String(least)} and ${String(most)}`, wrong, got.length);
}

/** Importing this entry point adds the matchers to vitest's `expect`. */
export const matchers: Readonly<{
  toEqualBits: typeof toEqualBits;
  toBeWithinUlps: typeof toBeWithinUlps;
  toBeBounded: typeof toBeBounded;
}> = { toEqualBits, toBeWithinUlps, toBeBounded };

expect.extend(matchers);

declare module "vitest" {
  // Vitest's own interface, which has these parameters.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-unused-vars
  interface Matchers<T = any> {
    /** Bit patterns are equal; with a format, messages also show their values. */
    toEqualBits: (expected: number | Numbers, format?: FloatFormat) => void;
    /**
     * Bit patterns of a format differ from values by at most this number of units of the last
     * place.
     */
    toBeWithinUlps: (values: number | Numbers, most: number, format: FloatFormat) => void;
    /** Numbers are between two bounds, both included. */
    toBeBounded: (least: number, most: number) => void;
  }
}
