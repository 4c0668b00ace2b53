// SPDX-License-Identifier: Apache-2.0
// Where things lie, from the sources as well as from build/js: found from the nearest package.json.

import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
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

/** Whether npm installed this package: it then has no Makefile, and nothing is written into it. */
export function isInstalled(): boolean {
  return root.split(sep).includes("node_modules");
}

/** Where Verilated units are kept: `rtl` below the cache. */
export function rtlCacheDirectory(): string {
  return cacheDirectory("rtl");
}

/** Where synthesized slices are kept: `synth` beside them. */
export function synthCacheDirectory(): string {
  return cacheDirectory("synth");
}

/** Where proofs are kept: `proofs` beside them. */
export function proofCacheDirectory(): string {
  return cacheDirectory("proofs");
}

/** Where the addon of an installed package is kept. */
export function addonCacheDirectory(): string {
  return cacheDirectory("addon");
}

/**
 * The cache: NEARDATA_CACHE; else build/cache of a checkout that can be written; of another one and of an
 * installed package `neardata` below XDG_CACHE_HOME (~/.cache).
 */
function cacheDirectory(kind: string): string {
  return join(named("NEARDATA_CACHE") ?? defaultCache(), kind);
}

function defaultCache(): string {
  const repositoryCache = inRepository("build", "cache");
  if (!isInstalled() && isWritable(repositoryCache)) return repositoryCache;
  return join(named("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "neardata");
}

/** Whether a directory can be written, or made where it is missing. */
function isWritable(directory: string): boolean {
  if (!existsSync(directory)) return isWritable(dirname(directory));
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function named(variable: string): string | undefined {
  const value = process.env[variable];
  // Seen from the current directory, whatever directory a tool works in.
  return value === undefined || value === "" ? undefined : resolve(value);
}
