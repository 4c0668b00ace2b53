// SPDX-License-Identifier: Apache-2.0
// A lock with one owner at a time on this machine. A lock is a directory with a file that is named after its
// owner. A rename creates it with that name, and fails while another owner exists. The lock of an ended
// process is removed by this one name, so that no process can remove a newer lock. proper-lockfile lacks this:
// it uses only the age of a lock, so a killed process blocks others for seconds, and a process with a delayed
// clock loses its lock.

import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ownerState, currentOwner } from "./owner.ts";
import { clearClaim, namesIn, partialIn } from "./partial.ts";
import { codeOf } from "./reason.ts";
import { NeardataError } from "../errors.ts";
import { stopSignal } from "../stop-signal.ts";

const pollMilliseconds = 100;

/** How often a lock is found taken and then free again. */
const attempts = 20;

/** What became of an attempt: the lock is ours, or that of a process here or elsewhere. */
export type LockState = "ours" | "taken" | "elsewhere";

/** @throws errors of the system where the directory cannot be written. */
export function tryLock(path: string): LockState {
  const owner = currentOwner();
  const fresh = partialIn(dirname(path));
  mkdirSync(fresh);
  try {
    writeFileSync(join(fresh, owner), "");
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      try {
        renameSync(fresh, path);
        return "ours";
      } catch (cause) {
        if (!["ENOTEMPTY", "EEXIST"].includes(codeOf(cause))) throw cause;
      }
      const states = namesIn(path).map(ownerState);
      if (states.includes("lives")) return "taken";
      if (states.includes("elsewhere")) return "elsewhere";
      clearClaim(path);
    }
    return "elsewhere"; // of another user, who alone may read it or clear it away
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Gives up a lock that is ours. */
export function unlock(path: string): void {
  rmSync(join(path, currentOwner()), { force: true });
  try {
    rmdirSync(path);
  } catch (cause) {
    // The next owner may be in it already.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(cause))) throw cause;
  }
}

/**
 * Runs `work` while holding the lock; waits while a living process of this machine holds it. One of
 * another machine is not waited for: nobody could say whether it lives.
 * @throws NeardataError `cancelled` when the work under way is stopped while it waits
 */
export async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  let state = tryLock(path);
  while (state === "taken") {
    if (stopSignal()?.aborted === true) {
      throw new NeardataError(
        "cancelled",
        `another process had ${path}, and the wait was stopped.`,
      );
    }
    await delay(pollMilliseconds);
    state = tryLock(path);
  }
  try {
    await work();
  } finally {
    if (state === "ours") unlock(path);
  }
}
