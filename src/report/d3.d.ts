// SPDX-License-Identifier: Apache-2.0
// Types of the used parts of D3's modules, which have no types.

declare module "d3-array" {
  /** The `p`-quantile of sorted numbers, linear between order statistics. */
  export function quantileSorted(sorted: readonly number[], p: number): number | undefined;
  /** The least index from `low` on before which all of the sorted numbers are below `x`. */
  export function bisectLeft(sorted: readonly number[], x: number, low?: number): number;
}

declare module "d3-dsv" {
  /** Cells of each line of comma-separated values (RFC 4180), the header's among them. */
  export function csvParseRows(text: string): string[][];
}
