// SPDX-License-Identifier: Apache-2.0
// The RTL sources of units.

import { readdirSync } from "node:fs";
import { join } from "node:path";

import { inRepository } from "./paths.ts";

/** Lint waivers, and files and all of directories below `rtl`, packages first. */
export function rtlSources(
  directories: readonly string[],
  files: readonly string[] = [],
): readonly string[] {
  const inDirectories = directories.flatMap((directory) =>
    readdirSync(inRepository("rtl", directory))
      .filter((name) => name.endsWith(".sv"))
      .sort()
      .map((name) => join(inRepository("rtl", directory), name)),
  );
  const all = [...files.map((name) => inRepository("rtl", name)), ...inDirectories];
  const isPackage = (path: string): boolean => path.endsWith("_pkg.sv");
  const waivers = inRepository("rtl", "lint");
  return [
    ...readdirSync(waivers)
      .filter((name) => name.endsWith(".vlt"))
      .sort()
      .map((name) => join(waivers, name)),
    ...all.filter(isPackage),
    ...all.filter((path) => !isPackage(path)),
  ];
}
