// SPDX-License-Identifier: Apache-2.0
// Properties that may be absent, for records whose optional keys are never present with the value undefined.

/** The properties of `record` whose values are not undefined, in their order. */
export function defined<T extends object>(
  record: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
