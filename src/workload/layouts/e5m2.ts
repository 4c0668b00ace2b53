// SPDX-License-Identifier: Apache-2.0
// The codes of E5M2 (OCP 8-bit floating point 1.0), which the unit multiplies as sums of E4M3 codes.

/** The value of every code: numbers, infinities, NaN. */
export const e5m2Values: Float64Array = Float64Array.from({ length: 256 }, (_, code) => {
  const [field, fraction] = [(code >> 2) & 31, code & 3];
  const sign = code & 0x80 ? -1 : 1;
  if (field === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (field === 0 ? fraction : 4 + fraction) * 2 ** (Math.max(field, 1) - 17);
});
