// SPDX-License-Identifier: Apache-2.0
// Names of partial files. A partial file is in the directory of the final file, so that a rename
// publishes it. Its name contains its owner, so that a later process removes the partial files of
// killed processes.

import { randomBytes } from "node:crypto";
import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ownerPattern, ownerState, currentOwner } from "./owner.ts";

const partialName = new RegExp(`^\\.neardata-(${ownerPattern})-[0-9a-f]{12}\\.partial$`);
const claimName = /^\.neardata-[0-9a-f]{16}\.claim$/;

/** A name in `directory` that no other process uses. */
export function partialIn(directory: string): string {
  return join(directory, `.neardata-${currentOwner()}-${randomBytes(6).toString("hex")}.partial`);
}

/** The name of the lock on the artifact `hash` in `directory`. */
export function claimIn(directory: string, hash: string): string {
  return join(directory, `.neardata-${hash.slice(0, 16)}.claim`);
}

/**
 * Removes partial files of ended processes from a directory. A file that cannot be removed, such as
 * a file of another user, stays without effect.
 */
export function clearLeftovers(directory: string): void {
  for (const name of namesIn(directory)) {
    const owner = partialName.exec(name)?.[1];
    if (owner !== undefined && ownerState(owner) === "gone") remove(join(directory, name));
    if (claimName.test(name)) clearClaim(join(directory, name));
  }
}

/** Removes the owners of a lock that have ended, and the lock if no owner is left. */
export function clearClaim(claim: string): void {
  for (const owner of namesIn(claim)) {
    if (ownerState(owner) === "gone") remove(join(claim, owner));
  }
  try {
    rmdirSync(claim); // refuses unless it is empty
  } catch {
    // Another process has it.
  }
}

/** Names in a directory; none where it cannot be read. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    // Compilers that outlive their builder for a moment may still write there.
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Next time.
  }
}
