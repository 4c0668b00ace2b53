// SPDX-License-Identifier: Apache-2.0
// What house-rules.js gives to its test.

export const layers: readonly (readonly string[])[];
export function layerProblem(path: string, target: string): string | null;
export function importsOf(root: string): ReadonlyMap<string, readonly string[]>;
export function wayBack(
  imports: ReadonlyMap<string, readonly string[]>,
  path: string,
  target: string,
): readonly string[] | null;
