// SPDX-License-Identifier: Apache-2.0
// Rows of values as one array.

/** Rows one behind another; of one row, the row itself. */
export function concatenateRows(rows: readonly Float64Array[]): Float64Array {
  const [first, ...others] = rows;
  if (first === undefined || others.length === 0) return first ?? new Float64Array();
  const all = new Float64Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}
