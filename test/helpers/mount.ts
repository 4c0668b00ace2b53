// SPDX-License-Identifier: Apache-2.0
// Small file systems for tests of full and read-only disks, where this user may mount.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory of that many KiB, for `work`. */
export async function onSmallDisk<T>(
  kibibytes: number,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "neardata-test", directory]);
    try {
      return await work(directory);
    } finally {
      execFileSync("umount", ["-l", directory]);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Makes a mounted disk read-only. */
export function makeReadOnly(directory: string): void {
  execFileSync("mount", ["-o", "remount,ro", directory]);
}
