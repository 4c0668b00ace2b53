// SPDX-License-Identifier: Apache-2.0
// The RTL sources of units.

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { inRepository } from "./paths.ts";

/**
 * Lint waivers, and files and all of directories below `rtl`, packages first. A path of `over` takes the
 * place of a file of the same name.
 */
export function rtlSources(
  directories: readonly string[],
  files: readonly string[] = [],
  over: readonly string[] = [],
): readonly string[] {
  const inDirectories = directories.flatMap((directory) =>
    readdirSync(inRepository("rtl", directory))
      .filter((name) => name.endsWith(".sv"))
      .sort()
      .map((name) => join(inRepository("rtl", directory), name)),
  );
  const replaced = new Set(over.map((path) => basename(path)));
  const ours = [...files.map((name) => inRepository("rtl", name)), ...inDirectories];
  const given = [...over, ...ours.filter((path) => !replaced.has(basename(path)))];
  const isWaiver = (path: string): boolean => path.endsWith(".vlt");
  const all = given.filter((path) => !isWaiver(path));
  const isPackage = (path: string): boolean => path.endsWith("_pkg.sv");
  const waivers = inRepository("rtl", "lint");
  return [
    ...readdirSync(waivers)
      .filter(isWaiver)
      .sort()
      .map((name) => join(waivers, name)),
    ...given.filter(isWaiver),
    ...all.filter(isPackage),
    ...all.filter((path) => !isPackage(path)),
  ];
}
