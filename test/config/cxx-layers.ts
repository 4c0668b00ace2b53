// SPDX-License-Identifier: Apache-2.0
// The layers of the C++: each folder of sim and native, from the bottom to the top, with the folders that its files
// include. A folder includes only folders above it in this table, so no includes form a circle.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const table = `
  core
  core/engine: core
  core/machine: core core/engine

  dram
  dram/banks: dram
  dram/controller/queues: dram dram/banks
  dram/controller: dram dram/banks dram/controller/queues
  dram/trace: dram dram/controller
  flash: core
  flash/translation: flash
  link: core core/machine

  unit/ndp: core
  unit/ndp/values: unit/ndp
  unit/sparf: core flash/translation
  unit/sparf/values: unit/sparf
  unit/sparf/flash: core unit/sparf
  unit/sparf/kernel: unit/sparf
  unit/sparf/front: unit/sparf unit/sparf/values unit/sparf/flash unit/sparf/kernel
  unit/sparf/cycle: core unit/sparf unit/sparf/flash unit/sparf/front

  rtl/shim: core
  rtl: core unit/ndp unit/sparf unit/sparf/flash rtl/shim
  rtl/driven: core rtl/shim rtl

  system: core core/engine
  system/memory: core dram dram/controller
  system/ndp: core core/machine unit/ndp rtl system system/memory
  system/host: core dram dram/controller link unit/ndp system system/memory system/ndp
  system/dimm: core core/engine unit/ndp unit/ndp/values system system/ndp system/host
  system/moe: core link unit/ndp/values system system/memory system/ndp system/host
  system/pages: core flash/translation unit/sparf unit/sparf/values system/memory
  system/flash: core flash flash/translation unit/sparf unit/sparf/values system/memory system/pages
  system/csd: core core/engine core/machine link unit/sparf unit/sparf/cycle rtl system system/memory system/pages
    system/flash

  api: core dram dram/banks dram/trace link unit/ndp unit/sparf/values rtl rtl/driven system system/memory
    system/dimm system/moe
  api/flash: core flash flash/translation api
  api/csd: core system/csd api api/flash
  api/exports: core api api/flash api/csd

  native: core dram dram/controller api/exports
  native/ramulator: dram
  native/ramulator/v20: core dram native/ramulator
  native/ramulator/v21: core dram native/ramulator
`;

/** Directories by name, from the bottom to the top, each with those that it includes. */
export const layers: ReadonlyMap<string, readonly string[]> = new Map(
  table
    .replace(/\n {4}/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line): [string, readonly string[]] => {
      const [folder = "", includes = ""] = line.split(":");
      return [folder, includes.split(" ").filter((name) => name !== "")];
    }),
);

/** Sources by path, as a folder name of the table and a file name. */
export type Sources = ReadonlyMap<string, string>;

/** All C++ of a checkout. */
export function cxxSources(root: string): Sources {
  const below = (folder: string, prefix: string): readonly [string, string][] =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(h|cc)$/.test(name))
      .map((name) => [`${prefix}${name}`, readFileSync(join(root, folder, name), "utf8")]);
  return new Map([...below("sim", ""), ...below("native", "native/")]);
}

/**
 * Every include of a directory that the table lacks, and every entry of the table that no file
 * needs.
 */
export function layerProblems(sources: Sources): readonly string[] {
  const problems = new Set<string>();
  const needed = new Set<string>();
  for (const [path, text] of sources) {
    const from = dirname(path);
    if (!layers.has(from)) problems.add(`${from} is not in the table of test/config/cxx-layers.ts`);
    for (const [, name = ""] of text.matchAll(/^\s*#\s*include "([^"]+)"/gm)) {
      const to = dirname(includedPath(name, from, sources) ?? path);
      if (to === from) continue;
      needed.add(`${from}: ${to}`);
      if (layers.get(from)?.includes(to) !== true)
        problems.add(`${path} includes ${name}: ${from} does not see ${to}`);
    }
  }
  for (const [folder, includes] of layers) {
    for (const name of includes) {
      if (!needed.has(`${folder}: ${name}`)) problems.add(`${folder} includes nothing of ${name}`);
    }
  }
  return [...problems];
}

/**
 * The source that an include names, by the compiler's search order; undefined for a header of a
 * library.
 */
function includedPath(name: string, from: string, sources: Sources): string | undefined {
  return [join(from, name), name, `native/${name}`].find((path) => sources.has(path));
}

/** Entries of a table that do not point to a folder above them in it. */
export function entriesThatPointDown(
  folders: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const above = new Set<string>();
  return [...folders].flatMap(([folder, includes]) => {
    const wrong = includes.filter((name) => !above.has(name));
    above.add(folder);
    return wrong.map((name) => `${folder} includes ${name}, which does not lie above it`);
  });
}
