// SPDX-License-Identifier: Apache-2.0
// Columns that tables of simulated layers share.

import type { Table } from "../../../report/page.ts";

/** A column of simulated times in ms. */
export function timeColumn(key: string, title: string, digits = 4): Table["columns"][number] {
  return { key, title, unit: "ms", source: "measured", digits };
}
