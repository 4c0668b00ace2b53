// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them, with their unit: "1 GHz", "256 KiB". Files must state the unit; a program may
// pass a plain number in the base unit (hertz, bytes, seconds, ...).

import { present } from "./present.ts";
import { z } from "zod";
import { formatValue } from "./format-value.ts";
import { amperes, bytes, bytesPerSecond, flopsPerSecond, hertz, seconds } from "./units.ts";

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

const allUnits = {
  ...frequencies,
  ...sizes,
  ...rates,
  ...speeds,
  ...times,
  ...powers,
  ...currents,
};

/** The text of a value in its base unit, such as "256 KiB". */
export function withUnit(value: number, unit: keyof typeof allUnits): string {
  return `${String(Number((value / present(allUnits[unit])).toPrecision(12)))} ${unit}`;
}

/** A share above 0 and at most 1, such as `1/8` or `0.125`; null for any other text. */
export function shareOf(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(text);
  const value = Number(match?.[1]) / Number(match?.[2] ?? 1);
  return value > 0 && value <= 1 ? value : null;
}

/**
 * Least and largest value of each quantity, in its unit: a range wider than any machine, and narrow
 * enough that no derived value overflows. Clocks are whole hertz, and slow enough that a cycle has
 * at least a femtosecond (sim/core/clock.h).
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

/** Two schemas of a quantity. */
interface QuantitySchemas<Q extends number> {
  /** Accepts only a text with a unit. */
  readonly text: z.ZodType<Q, string>;
  /** Accepts a text with a unit, or a plain number in the base unit. */
  readonly value: z.ZodType<Q, string | number>;
}

/** A frequency of whole hertz: a number and Hz, kHz, MHz or GHz. */
const frequencySchemas = quantity(
  { what: "a frequency", example: "1 GHz", units: frequencies, base: "hertz", whole: true },
  quantityLimits.frequency,
  hertz,
);

/** A whole number of bytes: a number and B, KiB, MiB, GiB, TiB, kB, MB, GB or TB. */
const sizeSchemas = quantity(
  { what: "a size", example: "256 KiB", units: sizes, base: "bytes", whole: true },
  quantityLimits.size,
  bytes,
);

/** A rate of data: a number and MB/s, GB/s or TB/s. */
const dataRateSchemas = quantity(
  { what: "a rate", example: "25 GB/s", units: rates, base: "bytes per second" },
  quantityLimits.dataRate,
  bytesPerSecond,
);

/** A rate of work: a number and GFLOPS, TFLOPS or PFLOPS. */
const workRateSchemas = quantity(
  { what: "a rate", example: "20 TFLOPS", units: speeds, base: "operations per second" },
  quantityLimits.workRate,
  flopsPerSecond,
);

/** A time: a number and ns, us, ms or s. */
const durationSchemas = quantity(
  { what: "a time", example: "32 us", units: times, base: "seconds" },
  quantityLimits.duration,
  seconds,
);

/** Watts: a number and W or kW. */
const powerSchemas = quantity(
  { what: "a power", example: "350 W", units: powers, base: "watts" },
  quantityLimits.power,
  (watts) => watts,
);

/** A current: a number and uA, mA or A. */
const currentSchemas = quantity(
  { what: "a current", example: "25 mA", units: currents, base: "amperes" },
  quantityLimits.current,
  amperes,
);

/** Schemas of texts with a unit, by quantity. */
export const size = sizeSchemas.text;
export const dataRate = dataRateSchemas.text;
export const workRate = workRateSchemas.text;
export const duration = durationSchemas.text;
export const power = powerSchemas.text;
export const current = currentSchemas.text;

/** Schemas of texts with a unit or plain numbers in the base unit, by quantity. */
export const plain = {
  frequency: frequencySchemas.value,
  size: sizeSchemas.value,
  dataRate: dataRateSchemas.value,
  duration: durationSchemas.value,
  current: currentSchemas.value,
};

interface Kind {
  readonly what: string;
  readonly example: string;
  readonly units: Readonly<Record<string, number>>;
  /** The unit of a plain number. */
  readonly base: string;
  /** Whether the quantity is a whole number of base units. */
  readonly whole?: boolean;
}

/** Shares by which a product with a unit may miss a whole number: 1.1 times 1e9 is not 1.1e9. */
const roundingError = 4 * Number.EPSILON;

function quantity<Q extends number>(
  { what, example, units, base, whole = false }: Kind,
  { least, most, text: range }: Limit,
  brand: (value: number) => Q,
): QuantitySchemas<Q> {
  const names = Object.keys(units).join(", ");
  const pattern = /^(\d+(?:\.\d+)?)\s*([A-Za-z]+(?:\/s)?)$/;
  const rule = (given: unknown): string =>
    `${formatValue(given instanceof Number ? given.valueOf() : given)} is not ${what}; write a number and one of ${names}, such as "${example}".`;
  const bounded = (given: unknown, value: number): number | string => {
    const near = Math.round(value);
    const exact = Math.abs(value - near) <= roundingError * value ? near : value;
    if (whole && !Number.isInteger(exact)) return `${what} is a whole number of ${base}.`;
    if (exact >= least && exact <= most) return whole ? exact : value;
    return `${formatValue(given)} is not from ${range}.`;
  };
  const read = (given: string | number): number | string => {
    if (typeof given === "number") return bounded(given, given);
    const [, number, unit = ""] = pattern.exec(given.trim()) ?? [];
    if (number === undefined || !Object.hasOwn(units, unit)) return rule(given);
    return bounded(given, Number(number) * present(units[unit]));
  };
  const toQuantity = (given: string | number, context: z.RefinementCtx): Q => {
    const value = read(given);
    if (typeof value === "number") return brand(value);
    context.addIssue({ code: "custom", message: value });
    return z.NEVER;
  };
  const error = ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? "this is missing (a text)." : rule(input);
  const description = `${what} from ${range}, such as "${example}"`;
  return {
    text: z.string({ error }).describe(description).transform(toQuantity),
    value: z
      .custom<string | number>((given) => ["string", "number"].includes(typeof given), { error })
      .meta({ type: "string", quantity: true, description })
      .transform(toQuantity),
  };
}

/**
 * `content` with each plain number of a quantity (by `description`, a JSON Schema) wrapped in an
 * object. The schema rejects the object, because a quantity in a file needs a unit.
 */
export function withoutBareNumbers(content: unknown, description: unknown): unknown {
  if (typeof description !== "object" || description === null) return content;
  const { quantity, anyOf = [], items, properties = {} } = description as Described;
  if (typeof content === "number") {
    const parts = [{ quantity }, ...(anyOf as readonly Described[])];
    return parts.some((part) => part.quantity === true) ? Object(content) : content;
  }
  if (typeof content !== "object" || content === null) return content;
  const inside = anyOf.reduce(withoutBareNumbers, content);
  if (Array.isArray(inside)) return inside.map((one) => withoutBareNumbers(one, items));
  return Object.fromEntries(
    Object.entries(inside as object).map(([key, value]) => [
      key,
      Object.hasOwn(properties, key) ? withoutBareNumbers(value, properties[key]) : value,
    ]),
  );
}

interface Described {
  readonly quantity?: boolean;
  readonly anyOf?: readonly unknown[];
  readonly items?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}
