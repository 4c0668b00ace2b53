// SPDX-License-Identifier: Apache-2.0
// Makes a directory and those above it, one by one: Node's own `recursive` never returns where a file system
// such as /proc has no new entries.

import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf } from "./reason.ts";

/**
 * Makes `path` and its missing parents. @returns the topmost directory that was made, if any
 * @throws errors of the system
 */
export function makeDirectories(path: string): string | undefined {
  const missing: string[] = [];
  let at = resolve(path);
  while (statSync(at, { throwIfNoEntry: false }) === undefined && dirname(at) !== at) {
    missing.unshift(at);
    at = dirname(at);
  }
  let first: string | undefined;
  for (const directory of missing) if (made(directory)) first ??= directory;
  if (statSync(path).isDirectory()) return first;
  throw Object.assign(new Error(`${path} is not a directory`), { code: "ENOTDIR", path });
}

/** False where another process was first. */
function made(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (cause) {
    const there = statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
    if (codeOf(cause) === "EEXIST" && there) return false;
    throw cause;
  }
}
