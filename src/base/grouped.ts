// SPDX-License-Identifier: Apache-2.0
// Items in groups of equal keys.

/** Lists of items with equal keys, in the order of the first item of each list. */
export function grouped<T>(
  items: readonly T[],
  keyOf: (item: T) => string | number,
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string | number, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
