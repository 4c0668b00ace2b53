// SPDX-License-Identifier: Apache-2.0
// Numbers as text for people: thousands with commas, a point before decimals. `toLocaleString` makes a formatter in
// each call, which was a tenth of a run's time; here each is made once, where it is first needed.

const whole = new Intl.NumberFormat("en-US");
const bySignificantDigits = new Map<number, Intl.NumberFormat>();

/** Integers whole, others to `digits` significant digits, 1 to 21. @throws RangeError for other digits */
export function readable(value: number, digits = 4): string {
  return Number.isInteger(value) ? whole.format(value) : significant(value, digits);
}

/** `value` to `digits` significant digits, 1 to 21, integers too. @throws RangeError for other digits */
export function significant(value: number, digits: number): string {
  const known = bySignificantDigits.get(digits);
  const format = known ?? new Intl.NumberFormat("en-US", { maximumSignificantDigits: digits });
  if (known === undefined) bySignificantDigits.set(digits, format);
  return format.format(value);
}
