// SPDX-License-Identifier: Apache-2.0
// Which columns of a row of low-bit weights the array multiplies together. A block of inputs has two
// halves, each with one factor at a time; where groups of one factor are shorter than a half, a block
// meets the same inputs several times, each time with the weights of one group in each half and
// zeros in place of the others.

/** Columns from `begin` to `end`, which share factor `group` of their row; none: `group` is null. */
export interface Segment {
  readonly begin: number;
  readonly end: number;
  readonly group: number | null;
}

/** Number of passes over each block of inputs: the most groups that share a half. */
export function repeatsOf(columns: number, group: number, half: number): number {
  let repeats = 1;
  for (let begin = 0; begin < columns; begin += half) {
    const end = Math.min(begin + half, columns);
    const groups = Math.floor((end - 1) / group) - Math.floor(begin / group) + 1;
    repeats = Math.max(repeats, groups);
  }
  return repeats;
}

/** The columns of half `index` of a row that pass number `repeat` multiplies. */
export function segmentOf(
  columns: number,
  group: number,
  half: number,
  index: number,
  repeat: number,
): Segment {
  const first = index * half;
  const last = Math.min(first + half, columns);
  const groupIndex = Math.floor(first / group) + repeat;
  const begin = Math.max(first, repeat === 0 ? first : groupIndex * group);
  const end = Math.min(last, (groupIndex + 1) * group);
  if (begin >= end) return { begin: last, end: last, group: null };
  return { begin, end, group: groupIndex };
}
