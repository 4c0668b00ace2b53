// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them, with their unit: "1 GHz", "256 KiB". A bare number is refused.

import { z } from "zod";
import { bytes, hertz } from "../units.ts";
import type { Bytes, Hertz } from "../units.ts";

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

/** A frequency above 0: a number and Hz, kHz, MHz or GHz. */
export const frequency: z.ZodType<Hertz, string> = quantity("a frequency", "1 GHz", frequencies)
  .refine((value) => value > 0, { error: "a frequency is above 0 Hz." })
  .transform(hertz);

/** A whole number of bytes: a number and B, KiB, MiB, GiB, kB, MB or GB. */
export const size: z.ZodType<Bytes, string> = quantity("a size", "256 KiB", sizes)
  .refine(Number.isSafeInteger, { error: "a size is a whole number of bytes." })
  .transform(bytes);

function quantity(
  what: string,
  example: string,
  units: Readonly<Record<string, number>>,
): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  const names = Object.keys(units).join(", ");
  const rule = (given: string): string =>
    `${given} is not ${what}; write a number and one of ${names}, such as "${example}".`;
  const pattern = /^(\d+(?:\.\d+)?)\s*([A-Za-z]+)$/;
  return z.string({ error: (issue) => rule(String(issue.input)) }).transform((text, context) => {
    const [, number, unit] = pattern.exec(text.trim()) ?? [];
    const factor = unit === undefined ? undefined : units[unit];
    if (factor !== undefined) return Number(number) * factor;
    context.addIssue({ code: "custom", message: rule(`"${text}"`) });
    return z.NEVER;
  });
}
