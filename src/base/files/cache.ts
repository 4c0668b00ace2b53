// SPDX-License-Identifier: Apache-2.0
// A cache of artifacts that are named by a hash of all their inputs. An artifact appears under its
// name when it is complete and on the disk. Concurrent processes, also of other users, make it once
// and share it. A read-only cache is also used.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { NeardataError } from "../errors.ts";
import { makeDirectories } from "./directories.ts";
import { withLock } from "./lock.ts";
import { claimIn, clearLeftovers, partialIn } from "./partial.ts";
import { codeOf, placeError, reasonOf, formatPath } from "./reason.ts";
import { syncDirectory, syncFile, syncTree } from "./sync.ts";

const variable = "NEARDATA_CACHE";

/** Codes of errors that any write to the cache may cause. */
const fullDisk: readonly string[] = ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EACCES", "EPERM"];

/**
 * The path of `name` in the cache. If it is missing, `make` creates it in a new empty directory and
 * returns the path to store in the cache: a file in that directory, or the directory. @throws
 * NeardataError `place-missing` if the cache cannot be read or written; errors of `make`.
 */
export async function cached(
  cache: string,
  name: string,
  make: (work: string) => Promise<string>,
): Promise<string> {
  const place = join(cache, name);
  if (isThere(place)) return place;
  let failure: unknown;
  try {
    makeDirectories(cache);
    clearLeftovers(cache);
    const claim = claimIn(cache, createHash("sha256").update(name).digest("hex"));
    await withLock(claim, async () => {
      if (isThere(place)) return;
      const work = partialIn(cache);
      mkdirSync(work);
      try {
        const made = await make(work).catch((cause: unknown) => {
          failure = cause;
          throw cause;
        });
        keep(made, place);
        syncDirectory(cache);
      } finally {
        // Compilers of a build that failed may still write there.
        rmSync(work, { recursive: true, force: true, maxRetries: 3 });
      }
    });
  } catch (cause) {
    if (cause instanceof NeardataError || codeOf(cause) === "") throw cause;
    // A file that is missing for `make` is not an error of the cache.
    if (cause === failure && !fullDisk.includes(codeOf(cause))) throw cause;
    throw placeError(cache, cause, variable);
  }
  return place;
}

/** Renames a complete artifact to its final name, unless another machine has stored one there. */
export function keep(made: string, place: string): void {
  if (statSync(made).isDirectory()) syncTree(made);
  else syncFile(made);
  try {
    renameSync(made, place);
  } catch (cause) {
    if (!["ENOTEMPTY", "EEXIST"].includes(codeOf(cause))) throw cause;
  }
}

function isThere(place: string): boolean {
  if (!existsSync(place)) return false;
  try {
    accessSync(place, constants.R_OK);
    return true;
  } catch (cause) {
    const message = `${formatPath(place)} cannot be read: ${reasonOf(cause)}; the variable ${variable} names another cache.`;
    throw new NeardataError("place-missing", message, { cause });
  }
}
