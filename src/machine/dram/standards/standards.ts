// SPDX-License-Identifier: Apache-2.0
// The memory standards by name.

import { ddr3 } from "./ddr3.ts";
import { ddr4 } from "./ddr4.ts";
import { ddr5 } from "./ddr5.ts";
import { gddr6 } from "./gddr6.ts";
import { hbm2 } from "./hbm2.ts";
import { hbm3 } from "./hbm3.ts";
import { lpddr5 } from "./lpddr5.ts";
import type { MemoryStandard } from "./table.ts";

const tables: readonly MemoryStandard[] = [ddr5, ddr4, ddr3, lpddr5, hbm2, hbm3, gddr6];

export const standardNames: readonly string[] = tables.map(({ name }) => name);

/** The standard of this name; undefined without one. */
export function memoryStandard(name: string): MemoryStandard | undefined {
  return tables.find((table) => table.name === name);
}
