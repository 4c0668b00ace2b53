// SPDX-License-Identifier: Apache-2.0
// The RTL sources of units. A directory means all files below it: no two files of the RTL share a name.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

import type { Issue } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { inRepository } from "../../base/paths.ts";
import { withoutComments } from "./comments.ts";
import { isForeign } from "./foreign-sources.ts";

/** SystemVerilog below a folder of `rtl`, in the order of the files' names: moving a file rebuilds nothing. */
export function rtlFilesBelow(directory: string): readonly string[] {
  return readdirSync(inRepository("rtl", directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".sv"))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Lint waivers, files, and all files of directories below `rtl`, packages first. A path of `over`
 * replaces a file of the same name.
 */
export function rtlSources(
  directories: readonly string[],
  files: readonly string[] = [],
  over: readonly string[] = [],
): readonly string[] {
  const inDirectories = directories.flatMap(rtlFilesBelow);
  const replaced = new Set(over.map((path) => basename(path)));
  const ours = [...files.map((name) => inRepository("rtl", name)), ...inDirectories];
  const given = [...over, ...ours.filter((path) => !replaced.has(basename(path)))];
  const isWaiver = (path: string): boolean => path.endsWith(".vlt");
  const all = given.filter((path) => !isWaiver(path));
  const isOwn = new Set(over);
  const packages = packagesFirst(all.filter((path) => isOwn.has(path) || path.endsWith("_pkg.sv")));
  const waivers = inRepository("rtl", "lint");
  return [
    ...readdirSync(waivers)
      .filter(isWaiver)
      .sort()
      .map((name) => join(waivers, name)),
    ...given.filter(isWaiver),
    ...packages,
    ...all.filter((path) => !packages.includes(path)),
  ];
}

/**
 * Files that declare a package, each after the packages that it uses. The order is otherwise
 * unchanged.
 */
function packagesFirst(paths: readonly string[]): readonly string[] {
  const texts = new Map(
    paths
      .filter((path) => /\.(?:sv|v|svh)$/.test(path) && existsSync(path))
      .map((path) => [path, withoutComments(readFileSync(path, "utf8"))] as const),
  );
  const owners = new Map(
    [...texts].flatMap(([path, text]) =>
      [...text.matchAll(/^\s*package\s+(?:automatic\s+|static\s+)?(\w+)\s*;/gm)].map(
        ([, name = ""]) => [name, path] as const,
      ),
    ),
  );
  const sorted = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    if (sorted.has(path) || above.includes(path)) return;
    for (const [, name = ""] of (texts.get(path) ?? "").matchAll(/\b(\w+)\s*::/g)) {
      const owner = owners.get(name);
      if (owner !== undefined && owner !== path) visit(owner, [...above, path]);
    }
    sorted.add(path);
  };
  for (const path of new Set(owners.values())) visit(path, []);
  return [...sorted];
}

/** The path below `rtl` of one of its files by its name alone; anything else as it is. */
export function rtlPath(name: string): string {
  if (!/^\w+\.sv$/.test(name)) return name;
  const file = rtlFilesBelow(".").find((path) => basename(path) === name);
  return file === undefined ? name : relative(inRepository("rtl"), file);
}

/** A problem for each entry of `uses` that is neither a folder nor a file below `rtl`. */
export function unknownUses(uses: readonly string[]): readonly Issue[] {
  const inside = (name: string): boolean => name !== "" && !name.split("/").includes("..");
  return uses.flatMap((name, i) => {
    if (isForeign(name)) return [];
    if (inside(name) && existsSync(inRepository("rtl", name))) return [];
    const moved = rtlFilesBelow(".").find((path) => basename(path) === basename(name));
    const hint =
      moved === undefined
        ? didYouMean(name, readdirSync(inRepository("rtl")))
        : ` Did you mean "${relative(inRepository("rtl"), moved)}"?`;
    return [{ where: `uses[${String(i)}]`, message: `there is no rtl/${name}.${hint}` }];
  });
}
