// SPDX-License-Identifier: Apache-2.0
// Paths of the package's files, for the sources and for build/js, relative to the nearest
// package.json.

import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = nearestPackage(dirname(fileURLToPath(import.meta.url)));

/** The directory with package.json. */
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

/** The cache of Verilated units: `rtl` below the cache directory. */
export function rtlCacheDirectory(): string {
  return cacheDirectory("rtl");
}

/** The cache of synthesized slices: `synth` in the cache directory. */
export function synthCacheDirectory(): string {
  return cacheDirectory("synth");
}

/** The cache of proofs: `proofs` in the cache directory. */
export function proofCacheDirectory(): string {
  return cacheDirectory("proofs");
}

/** The directory of an installed package's addon. */
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
  // Relative to the current directory, not to the working directory of a tool.
  return value === undefined || value === "" ? undefined : resolve(value);
}
