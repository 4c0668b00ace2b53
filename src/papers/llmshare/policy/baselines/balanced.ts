// SPDX-License-Identifier: Apache-2.0
// Statistical sampling: candidates whose values are as evenly combined as the rows of an orthogonal
// array. With given candidates, no array fits; candidates are selected one after the other, each
// with the fewest values in common with the earlier ones (J2 of Xu, Technometrics 2002).

import type { Draws } from "../../../../base/draws.ts";
import { present } from "../../../../base/present.ts";
import type { Candidates } from "../../../../explore/search/search.ts";

/** Number of levels into which a parameter is divided. */
const levels = 3;

export function balanced(
  { features }: Candidates,
  count: number,
  { integer }: Draws,
): readonly number[] {
  const rows = features.map((row) => row.map((x) => Math.min(levels - 1, Math.floor(x * levels))));
  const agreement = rows.map(() => 0);
  const chosen: number[] = [];
  let next = integer(rows.length);
  while (chosen.length < Math.min(count, rows.length)) {
    chosen.push(next);
    const latest = rows[next] ?? [];
    rows.forEach((row, i) => {
      const same = row.reduce((sum, level, k) => sum + Number(level === latest[k]), 0);
      agreement[i] = present(agreement[i]) + same ** 2;
    });
    for (const i of chosen) agreement[i] = Infinity;
    next = agreement.indexOf(Math.min(...agreement));
  }
  return chosen;
}
