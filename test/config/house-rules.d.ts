// SPDX-License-Identifier: Apache-2.0
// What house-rules.js gives to its test.

import type { ESLint } from "eslint";

declare const house: ESLint.Plugin;
export default house;
export const rooms: readonly string[];
export function layerProblem(path: string, target: string): string | null;
export function importsOf(root: string): ReadonlyMap<string, readonly string[]>;
type Graph = ReadonlyMap<string, Iterable<string>>;
export function partImports(
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, ReadonlySet<string>>;
export function partWayBack(
  parts: ReadonlyMap<string, ReadonlySet<string>>,
  path: string,
  target: string,
): readonly string[] | null;
export function wayBack(imports: Graph, path: string, target: string): readonly string[] | null;
