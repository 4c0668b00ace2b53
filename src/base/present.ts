// SPDX-License-Identifier: Apache-2.0
// A value that must be there, such as an element of a list. The element is read where the function is called:
// a function that reads it, for all kinds of lists, costs 17 ns an element in place of 1 (Node.js 20).

/** `value`. @throws RangeError for the element of an index outside its list, and for a key that is absent */
export function present<T>(value: T | undefined): T {
  return value === undefined ? outOfRange() : value;
}

/**
 * `list[i] ?? outOfRange()` is `present(list[i])` for loops over millions of elements: V8 compiles it to a test of
 * the bounds alone. `present` costs up to a third of a loop that reads typed arrays.
 * @throws RangeError
 */
export function outOfRange(): never {
  throw new RangeError("an index lies outside its list, or a key is absent");
}
