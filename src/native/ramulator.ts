// SPDX-License-Identifier: Apache-2.0
// The addon whose DDR5 channels are an installed Ramulator 2.0 or 2.1. It has the same calls as the native addon. In a
// checkout `make build` builds it; an installed package compiles it at first use. Both need RAMULATOR2_DIR.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";

import type { MemoryBackend } from "../machine/dram/backends.ts";
import { NeardataError } from "../base/errors.ts";
import { isInstalled } from "../base/paths.ts";
import { addonPath, loadAddon, loadFrom, namedAddon } from "./addon.ts";
import { installedRamulatorAddon } from "./compile/addon-build.ts";
import type { Binding } from "./layout.ts";
import { ramulatorTree, ramulatorVariable, type RamulatorTree } from "./ramulator-tree.ts";

/** The reason why this machine has no Ramulator backend; undefined if it has one. */
export function ramulatorMissing(): string | undefined {
  const tree = namedTree();
  return typeof tree === "string" ? tree : undefined;
}

/** The version of Ramulator; undefined without an installation. */
export function ramulatorVersion(): "2.0" | "2.1" | undefined {
  const tree = namedTree();
  return typeof tree === "string" ? undefined : tree.version;
}

/** The status of an available backend in the output of `doctor`. */
export function ramulatorStatus(): string {
  return compiledAtFirstUse() ? "compiled at first use" : "built";
}

/** The Ramulator whose addon can be loaded, or the reason why there is none. */
function namedTree(): RamulatorTree | string {
  const directory = process.env[ramulatorVariable] ?? "";
  const build = compiledAtFirstUse() ? "" : " and run `make build`";
  if (directory === "") {
    return (
      `the memory backend ramulator2 needs an installed Ramulator 2.0 or 2.1; set ${ramulatorVariable} ` +
      `to the directory with its headers and library${build}`
    );
  }
  const tree = ramulatorTree(directory);
  if (typeof tree === "string" || compiledAtFirstUse() || existsSync(besideAddon())) return tree;
  return (
    `the addon for the Ramulator in ${directory} is not built; run \`make build\` with ` +
    `${ramulatorVariable} set`
  );
}

/** Whether the addon for Ramulator is compiled into the cache, as the addon of an installed package is. */
function compiledAtFirstUse(): boolean {
  return isInstalled() && namedAddon() === null;
}

/**
 * Loads the addon with these channels.
 * @throws NeardataError `tool-missing` or `not-built` with the missing part and how to install it.
 */
export function loadBackend(backend: MemoryBackend): Binding {
  if (backend === "native") return loadAddon();
  const tree = namedTree();
  if (typeof tree === "string") throw missingBackend(tree);
  return loadFrom(
    compiledAtFirstUse() ? installedRamulatorAddon(tree) : besideAddon(),
    (cause) => `the addon for Ramulator does not load: ${String(cause)}.`,
  );
}

/**
 * Rejects a backend that this machine lacks, and compiles nothing.
 * @throws NeardataError `tool-missing` with the missing part and how to install it.
 */
export function requireBackend(backend: MemoryBackend): void {
  const missing = backend === "native" ? undefined : ramulatorMissing();
  if (missing !== undefined) throw missingBackend(missing);
}

function missingBackend(missing: string): NeardataError {
  return new NeardataError("tool-missing", `${missing}.`);
}

/** Where `make build` puts the addon for Ramulator. */
function besideAddon(): string {
  return join(dirname(addonPath()), "neardata_ramulator.node");
}
