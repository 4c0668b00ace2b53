// SPDX-License-Identifier: Apache-2.0
// A run directory appears under its name only when all of it is there: files are written into a
// hidden sibling and renamed at the end, so a killed process leaves no half-written run. What it
// leaves of the sibling goes with the next run of that name.

import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { inputError } from "../errors.ts";

/**
 * @throws NeardataError `bad-input` when something stands under that name already; called before a
 * run starts, so that no result is lost for it.
 */
export function refuseExisting(directory: string): void {
  if (existsSync(directory)) {
    throw inputError("--out", `${directory} exists; name a directory that does not.`);
  }
}

/**
 * Lets `fill` write into a fresh directory and then gives it its name.
 * @returns its absolute path, and what `fill` returned.
 */
export async function writeDirectory<T>(
  directory: string,
  fill: (partial: string) => Promise<T>,
): Promise<{ readonly path: string; readonly value: T }> {
  const target = resolve(directory);
  refuseExisting(target);
  const partial = join(dirname(target), partialName(target, process.pid));
  await mkdir(partial, { recursive: true });
  await removeLeftOvers(target);
  try {
    const value = await fill(partial);
    await rename(partial, target);
    return { path: target, value };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

function partialName(target: string, pid: number | string): string {
  return `.${basename(target)}.${pid}.partial`;
}

/** Removes what processes that are gone left of a run of this name. */
async function removeLeftOvers(target: string): Promise<void> {
  const parent = dirname(target);
  for (const name of await readdir(parent)) {
    const pid = /\.(\d+)\.partial$/.exec(name)?.[1];
    if (pid === undefined || name !== partialName(target, pid) || isAlive(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process that may not be signalled is alive.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Writes files by name; a directory of text. */
export async function writeFiles(
  directory: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)),
  );
}
