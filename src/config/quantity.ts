// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them, with their unit: "1 GHz", "256 KiB". A bare number is refused.

import { z } from "zod";
import { bytes, bytesPerSecond, flopsPerSecond, hertz, seconds } from "../units.ts";
import type { Bytes, BytesPerSecond, FlopsPerSecond, Hertz, Seconds } from "../units.ts";

const frequencies: Readonly<Record<string, number>> = { Hz: 1, kHz: 1e3, MHz: 1e6, GHz: 1e9 };
const sizes: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
};
const rates: Readonly<Record<string, number>> = { "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12 };
const speeds: Readonly<Record<string, number>> = { GFLOPS: 1e9, TFLOPS: 1e12, PFLOPS: 1e15 };
const times: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
const powers: Readonly<Record<string, number>> = { W: 1, kW: 1e3 };

/** A frequency above 0: a number and Hz, kHz, MHz or GHz. */
export const frequency: z.ZodType<Hertz, string> = quantity("a frequency", "1 GHz", frequencies)
  .refine((value) => value > 0, { error: "a frequency is above 0 Hz." })
  .transform(hertz);

/** A whole number of bytes: a number and B, KiB, MiB, GiB, kB, MB or GB. */
export const size: z.ZodType<Bytes, string> = quantity("a size", "256 KiB", sizes)
  .refine(Number.isSafeInteger, { error: "a size is a whole number of bytes." })
  .transform(bytes);

/** A rate of data above 0: a number and MB/s, GB/s or TB/s. */
export const dataRate: z.ZodType<BytesPerSecond, string> = quantity("a rate", "25 GB/s", rates)
  .refine((value) => value > 0, { error: "a rate is above 0." })
  .transform(bytesPerSecond);

/** A rate of work above 0: a number and GFLOPS, TFLOPS or PFLOPS. */
export const workRate: z.ZodType<FlopsPerSecond, string> = quantity("a rate", "20 TFLOPS", speeds)
  .refine((value) => value > 0, { error: "a rate is above 0." })
  .transform(flopsPerSecond);

/** A time above 0: a number and ns, us, ms or s. */
export const duration: z.ZodType<Seconds, string> = quantity("a time", "32 us", times)
  .refine((value) => value > 0, { error: "a time is above 0." })
  .transform(seconds);

/** Watts, at least 0: a number and W or kW. */
export const power: z.ZodType<number, string> = quantity("a power", "350 W", powers);

function quantity(
  what: string,
  example: string,
  units: Readonly<Record<string, number>>,
): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  const names = Object.keys(units).join(", ");
  const rule = (given: string): string =>
    `${given} is not ${what}; write a number and one of ${names}, such as "${example}".`;
  const pattern = /^(\d+(?:\.\d+)?)\s*([A-Za-z]+(?:\/s)?)$/;
  return z.string({ error: (issue) => rule(String(issue.input)) }).transform((text, context) => {
    const [, number, unit] = pattern.exec(text.trim()) ?? [];
    const factor = unit === undefined ? undefined : units[unit];
    if (factor !== undefined) return Number(number) * factor;
    context.addIssue({ code: "custom", message: rule(`"${text}"`) });
    return z.NEVER;
  });
}
