// SPDX-License-Identifier: Apache-2.0
// One builder of an artifact at a time on this machine. The lock names its owner's process, so a
// builder that died does not block the next one.

import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const pollMilliseconds = 100;

/** Runs `work` while holding the lock file; waits while a living process holds it. */
export async function withBuildLock(path: string, work: () => Promise<void>): Promise<void> {
  while (!(await tryCreate(path))) {
    if (await ownerIsGone(path)) await rm(path, { force: true });
    else await delay(pollMilliseconds);
  }
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryCreate(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw cause;
  }
}

async function ownerIsGone(path: string): Promise<boolean> {
  try {
    const owner = Number(await readFile(path, "utf8"));
    if (!Number.isInteger(owner) || owner <= 0) return false; // just being written
    process.kill(owner, 0);
    return false;
  } catch (cause) {
    return hasCode(cause, "ESRCH");
  }
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
