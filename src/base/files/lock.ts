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

/** Attempts at a lock whose owner vanishes between two system calls. */
const attempts = 20;

/**
 * The result of an attempt: the lock belongs to this process, to another process of this machine,
 * or to one elsewhere.
 */
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
    return "elsewhere"; // a lock of another user, which only that user may read or remove
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Releases a lock of this process. */
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
 * Runs `work` while this process holds the lock; waits for a live process of this machine. It does
 * not wait for a process of another machine, whose state is unknown.
 * @throws NeardataError `cancelled` if the command is cancelled during the wait
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
