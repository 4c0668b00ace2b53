// SPDX-License-Identifier: Apache-2.0
// Flushes files to the disk, so that after a power failure no name refers to a file without its
// bytes.

import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./reason.ts";

/** A file. */
export function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The names in a directory; some file systems have no such step. */
export function syncDirectory(directory: string): void {
  try {
    syncFile(directory);
  } catch (cause) {
    if (!["EINVAL", "EACCES", "EPERM", "ENOTSUP"].includes(codeOf(cause))) throw cause;
  }
}

/** A directory with all files in it. */
export function syncTree(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else if (entry.isFile()) syncFile(path);
  }
  syncDirectory(directory);
}
