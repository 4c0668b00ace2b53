// SPDX-License-Identifier: Apache-2.0
// Support vector regression with a Gaussian kernel: the dual, one coefficient after the other.
// Constants are the customary ones: C = 1, tube 0.1, width by the variance of the features.

import { present } from "../../../../base/present.ts";
import type { Regressor, Training } from "./regression-tree.ts";

const limit = 1;
const tube = 0.1;
const sweeps = 200;

/** Values should have mean 0 and variance near 1; the kernel's constant replaces the offset. */
export function supportVectors({ rows, values }: Training): Regressor {
  const flat = rows.flat();
  const mean = flat.reduce((a, b) => a + b, 0) / flat.length;
  const variance = flat.reduce((a, b) => a + (b - mean) ** 2, 0) / flat.length;
  const gamma = 1 / ((rows[0]?.length ?? 1) * (variance > 0 ? variance : 1));
  const kernel = (a: readonly number[], b: readonly number[]): number =>
    1 + Math.exp(-gamma * a.reduce((sum, x, k) => sum + (x - present(b[k])) ** 2, 0));
  const matrix = rows.map((a) => rows.map((b) => kernel(a, b)));
  const coefficients = rows.map(() => 0);
  const fitted = rows.map(() => 0);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    matrix.forEach((row, i) => {
      const scale = row[i] ?? 1;
      const before = present(coefficients[i]);
      // The minimum along one coefficient: a parabola and the tube's corner at 0.
      const target = scale * before + present(values[i]) - present(fitted[i]);
      const free = (Math.sign(target) * Math.max(0, Math.abs(target) - tube)) / scale;
      const after = Math.min(limit, Math.max(-limit, free));
      coefficients[i] = after;
      row.forEach((k, j) => (fitted[j] = present(fitted[j]) + (after - before) * k));
    });
  }
  return (row) =>
    rows.reduce((sum, other, i) => sum + present(coefficients[i]) * kernel(other, row), 0);
}
