// SPDX-License-Identifier: Apache-2.0
// Holds a result against expected values: every difference, as a sentence with its path.

export interface Allowed {
  readonly relative: number;
  readonly absolute: number;
}

/** The differences between `found` and `wanted`; only fields of `wanted` are compared. */
export function differences(
  found: unknown,
  wanted: unknown,
  allowed: Allowed,
  path = "",
): readonly string[] {
  if (typeof wanted === "number" && typeof found === "number") {
    const limit = Math.max(allowed.absolute, allowed.relative * Math.abs(wanted));
    return Math.abs(found - wanted) <= limit ? [] : [`${path}: ${found} instead of ${wanted}`];
  }
  if (isRecord(wanted) && isRecord(found)) {
    const sizes = Array.isArray(wanted) ? lengthDifference(found, wanted, path) : [];
    const inside = Object.entries(wanted).flatMap(([key, value]) =>
      differences(found[key], value, allowed, `${path}.${key}`),
    );
    return [...sizes, ...inside];
  }
  return found === wanted ? [] : [`${path}: ${String(found)} instead of ${String(wanted)}`];
}

function lengthDifference(
  found: Readonly<Record<string, unknown>>,
  wanted: readonly unknown[],
  path: string,
): readonly string[] {
  const length = Object.keys(found).length;
  return length === wanted.length ? [] : [`${path}: ${length} instead of ${wanted.length} values`];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
