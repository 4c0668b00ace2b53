// SPDX-License-Identifier: Apache-2.0
// The directory of an input: filled before the program runs, looked at before and after. The
// program runs one level below its top, so that `..` stays inside.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Input, Placed } from "./input.ts";

/** The contents of a directory: a word for each path, which changes with the content. */
export type Snapshot = ReadonlyMap<string, string>;

/** Fills the fresh directory `top`. @returns the working directory for the program */
export function fill(top: string, { files }: Input): string {
  const work = join(top, "work");
  mkdirSync(work, { recursive: true });
  for (const [name, placed] of Object.entries(files)) place(join(work, name), placed);
  return work;
}

function place(path: string, placed: Placed): void {
  mkdirSync(dirname(path), { recursive: true });
  switch (placed.kind) {
    case "file":
      writeFileSync(path, placed.bytes);
      return;
    case "directory":
      mkdirSync(path, { recursive: true });
      return;
    case "loop":
      symlinkSync(path, path);
      return;
    case "fifo":
      spawnSync("mkfifo", [path]);
      return;
    case "null-device":
      device(path, "3");
      return;
    case "full-device":
      device(path, "7");
  }
}

/** Without permission to make devices, a directory replaces the device. */
function device(path: string, minor: string): void {
  if (spawnSync("mknod", [path, "c", "1", minor]).status !== 0) mkdirSync(path);
}

/** Everything under `top`, the directory itself left out. */
export function look(top: string): Snapshot {
  const found = new Map<string, string>();
  const walk = (directory: string, prefix: string): void => {
    for (const name of readdirSync(directory).sort()) {
      const [path, shown] = [join(directory, name), join(prefix, name)];
      const status = lstatSync(path);
      found.set(shown, wordOf(path, status));
      if (status.isDirectory()) walk(path, shown);
    }
  };
  walk(top, "");
  return found;
}

function wordOf(path: string, status: ReturnType<typeof lstatSync>): string {
  if (status === undefined) return "gone";
  if (status.isDirectory()) return "directory";
  if (status.isSymbolicLink()) return "link";
  if (status.isFIFO()) return "fifo";
  if (status.isCharacterDevice()) return `device ${String(status.rdev)}`;
  return `file ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
}
