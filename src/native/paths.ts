// SPDX-License-Identifier: Apache-2.0
// Where things lie, from the sources as well as from build/js: found from the nearest package.json.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = nearestPackage(dirname(fileURLToPath(import.meta.url)));

/** The directory that holds package.json. */
export function repositoryRoot(): string {
  return root;
}

function nearestPackage(directory: string): string {
  if (existsSync(join(directory, "package.json"))) return directory;
  return nearestPackage(dirname(directory));
}

/** A path below the repository, from its parts. */
export function inRepository(...parts: readonly string[]): string {
  return join(repositoryRoot(), ...parts);
}

/** Where Verilated units are kept: NEARDATA_CACHE, or build/cache, with `rtl` below it. */
export function rtlCacheDirectory(): string {
  return cacheDirectory("rtl");
}

/** Where synthesized slices are kept: `synth` beside them. */
export function synthCacheDirectory(): string {
  return cacheDirectory("synth");
}

function cacheDirectory(kind: string): string {
  const named = process.env["NEARDATA_CACHE"];
  const place = named === undefined || named === "" ? inRepository("build", "cache") : named;
  return join(place, kind);
}
