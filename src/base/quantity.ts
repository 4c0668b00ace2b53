// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them, with their unit: "1 GHz", "256 KiB". A bare number is refused.

import { z } from "zod";
import { shown } from "./shown.ts";
import { amperes, bytes, bytesPerSecond, flopsPerSecond, hertz, seconds } from "./units.ts";
import type { Amperes, Bytes, BytesPerSecond, FlopsPerSecond, Hertz, Seconds } from "./units.ts";

const frequencies: Readonly<Record<string, number>> = { Hz: 1, kHz: 1e3, MHz: 1e6, GHz: 1e9 };
const sizes: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};
const rates: Readonly<Record<string, number>> = { "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12 };
const speeds: Readonly<Record<string, number>> = { GFLOPS: 1e9, TFLOPS: 1e12, PFLOPS: 1e15 };
const times: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
const powers: Readonly<Record<string, number>> = { W: 1, kW: 1e3 };
const currents: Readonly<Record<string, number>> = { uA: 1e-6, mA: 1e-3, A: 1 };

/** A share above 0 and at most 1, such as `1/8` or `0.125`; null for any other text. */
export function shareOf(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(text);
  const value = Number(match?.[1]) / Number(match?.[2] ?? 1);
  return value > 0 && value <= 1 ? value : null;
}

/**
 * The least and the most of each quantity, in its own unit: wide of every machine there is, and
 * narrow enough that nothing which is computed from them overflows. Clocks are whole hertz, and
 * slow enough that a cycle has a femtosecond (sim/core/clock.h).
 */
const quantityLimits = {
  frequency: { least: 1e6, most: 1e12, text: "1 MHz to 1 THz" },
  size: { least: 1, most: 2 ** 50, text: "1 B to 1 PiB" },
  dataRate: { least: 1e3, most: 1e18, text: "1 kB/s to 1 EB/s" },
  workRate: { least: 1e6, most: 1e21, text: "1 MFLOPS to 1 ZFLOPS" },
  duration: { least: 1e-15, most: 1e9, text: "1 fs to 10^9 s" },
  power: { least: 0, most: 1e9, text: "0 W to 1 GW" },
  current: { least: 1e-6, most: 1e3, text: "1 uA to 1 kA" },
} as const;
type Limit = (typeof quantityLimits)[keyof typeof quantityLimits];

/** A frequency of whole hertz: a number and Hz, kHz, MHz or GHz. */
export const frequency: z.ZodType<Hertz, string> = quantity(
  { what: "a frequency", example: "1 GHz", units: frequencies, whole: "hertz" },
  quantityLimits.frequency,
).transform(hertz);

/** A whole number of bytes: a number and B, KiB, MiB, GiB, TiB, kB, MB, GB or TB. */
export const size: z.ZodType<Bytes, string> = quantity(
  { what: "a size", example: "256 KiB", units: sizes, whole: "bytes" },
  quantityLimits.size,
).transform(bytes);

/** A rate of data: a number and MB/s, GB/s or TB/s. */
export const dataRate: z.ZodType<BytesPerSecond, string> = quantity(
  { what: "a rate", example: "25 GB/s", units: rates },
  quantityLimits.dataRate,
).transform(bytesPerSecond);

/** A rate of work: a number and GFLOPS, TFLOPS or PFLOPS. */
export const workRate: z.ZodType<FlopsPerSecond, string> = quantity(
  { what: "a rate", example: "20 TFLOPS", units: speeds },
  quantityLimits.workRate,
).transform(flopsPerSecond);

/** A time: a number and ns, us, ms or s. */
export const duration: z.ZodType<Seconds, string> = quantity(
  { what: "a time", example: "32 us", units: times },
  quantityLimits.duration,
).transform(seconds);

/** Watts: a number and W or kW. */
export const power: z.ZodType<number, string> = quantity(
  { what: "a power", example: "350 W", units: powers },
  quantityLimits.power,
);

/** A current: a number and uA, mA or A. */
export const current: z.ZodType<Amperes, string> = quantity(
  { what: "a current", example: "25 mA", units: currents },
  quantityLimits.current,
).transform(amperes);

interface Kind {
  readonly what: string;
  readonly example: string;
  readonly units: Readonly<Record<string, number>>;
  /** What there are no parts of. */
  readonly whole?: string;
}

/** Shares by which a product with a unit may miss a whole number: 1.1 times 1e9 is not 1.1e9. */
const roundingError = 4 * Number.EPSILON;

function quantity(
  { what, example, units, whole }: Kind,
  { least, most, text: range }: Limit,
): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  const names = Object.keys(units).join(", ");
  const pattern = /^(\d+(?:\.\d+)?)\s*([A-Za-z]+(?:\/s)?)$/;
  const rule = (given: unknown): string =>
    `${shown(given)} is not ${what}; write a number and one of ${names}, such as "${example}".`;
  const read = (text: string): number | string => {
    const [, number, unit = ""] = pattern.exec(text.trim()) ?? [];
    if (number === undefined || !Object.hasOwn(units, unit)) return rule(text);
    const value = Number(number) * (units[unit] ?? NaN);
    const near = Math.round(value);
    const exact = Math.abs(value - near) <= roundingError * value ? near : value;
    if (whole !== undefined && !Number.isInteger(exact)) {
      return `${what} is a whole number of ${whole}.`;
    }
    if (exact >= least && exact <= most) return whole === undefined ? value : exact;
    return `${shown(text)} is not from ${range}.`;
  };
  return z
    .string({
      error: ({ input }) => (input === undefined ? "this is missing (a text)." : rule(input)),
    })
    .describe(`${what} from ${range}, such as "${example}"`)
    .transform((text, context) => {
      const value = read(text);
      if (typeof value === "number") return value;
      context.addIssue({ code: "custom", message: value });
      return z.NEVER;
    });
}
