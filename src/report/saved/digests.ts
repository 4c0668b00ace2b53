// SPDX-License-Identifier: Apache-2.0
// SHA-256 digests of the files of a run directory beside results.json. A run writes them, and they
// are checked before its results are shown.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Of each file of `directory`, by name, in the order of names. */
export async function fileDigests(directory: string): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const name of (await readdir(directory)).sort()) {
    const digest = await digestOf(join(directory, name));
    if (digest !== null) digests[name] = digest;
  }
  return digests;
}

/** The state of the recorded files; an unreadable file counts as changed. */
export interface FileChanges {
  readonly changed: readonly string[];
  readonly missing: readonly string[];
}

export async function fileChanges(
  directory: string,
  written: Readonly<Record<string, string>>,
): Promise<FileChanges> {
  const changed: string[] = [];
  const missing: string[] = [];
  for (const [name, digest] of Object.entries(written)) {
    const path = join(directory, name);
    const there = await stat(path).catch(() => null);
    if (there === null) missing.push(name);
    else if ((await digestOf(path).catch(() => null)) !== digest) changed.push(name);
  }
  return { changed, missing };
}

/** Null if the path is not a file. @throws errors of reading. */
async function digestOf(path: string): Promise<string | null> {
  if (!(await stat(path)).isFile()) return null;
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part as Uint8Array);
  return hash.digest("hex");
}
