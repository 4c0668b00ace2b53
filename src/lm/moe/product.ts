// SPDX-License-Identifier: Apache-2.0
// Products of row-major float64 matrices, x W^T, in tiles of four rows by two: what is loaded serves
// eight products, and the sums stay in registers.

import { present } from "../../base/present.ts";
import type { Matrix } from "../model.ts";

/** x W^T: row r, column m is the product of row r of `x` and row m of `weights`. */
export function product(x: Matrix, weights: Matrix): Matrix {
  const out = {
    rows: x.rows,
    columns: weights.rows,
    data: new Float64Array(x.rows * weights.rows),
  };
  productInto(out, x, weights, x.columns);
  return out;
}

/** The same over the first `inner` columns of both, into `out`, whose rows may be longer. */
export function productInto(out: Matrix, x: Matrix, weights: Matrix, inner: number): void {
  const last = x.rows - 1;
  for (let r = 0; r <= last; r += 4) {
    // Rows beyond the end repeat the last row.
    const rows = [r, Math.min(r + 1, last), Math.min(r + 2, last), Math.min(r + 3, last)] as const;
    tileRows(out, x, weights, inner, rows);
  }
}

function tileRows(
  out: Matrix,
  { data: x, columns }: Matrix,
  { data: w, columns: weightColumns, rows: weightRows }: Matrix,
  inner: number,
  [r0, r1, r2, r3]: readonly [number, number, number, number],
): void {
  const [x0, x1, x2, x3] = [r0 * columns, r1 * columns, r2 * columns, r3 * columns];
  for (let m = 0; m < weightRows; m += 2) {
    const next = Math.min(m + 1, weightRows - 1);
    const [w0, w1] = [m * weightColumns, next * weightColumns];
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let k = 0; k < inner; k += 1) {
      const p = present(w[w0 + k]);
      const q = present(w[w1 + k]);
      const s = present(x[x0 + k]);
      const t = present(x[x1 + k]);
      const u = present(x[x2 + k]);
      const v = present(x[x3 + k]);
      a += s * p;
      b += s * q;
      c += t * p;
      d += t * q;
      e += u * p;
      f += u * q;
      g += v * p;
      h += v * q;
    }
    const { data: y, columns: wide } = out;
    y[r3 * wide + m] = g;
    y[r3 * wide + next] = h;
    y[r2 * wide + m] = e;
    y[r2 * wide + next] = f;
    y[r1 * wide + m] = c;
    y[r1 * wide + next] = d;
    y[r0 * wide + m] = a;
    y[r0 * wide + next] = b;
  }
}
