// SPDX-License-Identifier: Apache-2.0
// One builder of an artifact at a time on this machine. The lock names its owner's process and when
// that began, so a builder that died does not block the next one, even if its number is in use again.

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
    await writeFile(path, `${process.pid} ${await beginOf(process.pid)}`, { flag: "wx" });
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw cause;
  }
}

async function ownerIsGone(path: string): Promise<boolean> {
  try {
    const [owner, begin] = (await readFile(path, "utf8")).split(" ");
    const pid = Number(owner);
    if (!Number.isInteger(pid) || pid <= 0) return false; // just being written
    process.kill(pid, 0);
    return begin !== undefined && begin !== (await beginOf(pid));
  } catch (cause) {
    return hasCode(cause, "ESRCH");
  }
}

/** When a process began, in ticks since the machine did; empty where the system does not say. */
async function beginOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the command in parentheses, which may hold spaces; the 22nd is the time.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return fields[19] ?? "";
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
