// SPDX-License-Identifier: Apache-2.0
// The owner of a partial file: process id, start time of the process and machine, as one word of the
// file name. The start time distinguishes an ended process from a running one with the same id. The
// state of a process on another machine is unknown.

import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import { codeOf } from "./reason.ts";

/** `lives` and `gone` of this machine; `elsewhere` of another machine or container. */
export type OwnerState = "lives" | "gone" | "elsewhere";

/** The word of an owner inside a pattern. */
export const ownerPattern = "\\d+-\\d*-[0-9a-f]{8}";

/** This process as an owner. */
export function currentOwner(): string {
  return `${process.pid}-${statusOf(process.pid).begin}-${machine()}`;
}

/** Whether the process of an owner still runs; false for text that is not an owner. */
export function ownerState(owner: string): OwnerState {
  const [, number, begin, where] = /^(\d+)-(\d*)-([0-9a-f]{8})$/.exec(owner) ?? [];
  if (number === undefined) return "gone";
  if (where !== machine()) return "elsewhere";
  const pid = Number(number);
  if (pid === 0 || !isNumbered(pid)) return "gone";
  const status = statusOf(pid);
  if (status.ended) return "gone";
  // A system that hides other users' processes does not report when they began.
  return status.begin !== "" && status.begin !== begin ? "gone" : "lives";
}

function isNumbered(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    // EPERM means that the process exists but may not be signalled.
    return codeOf(cause) === "EPERM";
  }
}

/** The start time of a process in ticks since boot, and whether the process is a zombie. */
function statusOf(pid: number): { readonly begin: string; readonly ended: boolean } {
  const status = textOf(`/proc/${pid}/stat`);
  // The second field is the command in parentheses, which may contain spaces; the 22nd field is the
  // start time.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return { begin: fields.at(19) ?? "", ended: fields[0] === "Z" || fields[0] === "X" };
}

/** The machine, and its container if process ids are local to the container. */
function machine(): string {
  const names = [hostname(), textOf("/etc/machine-id"), numbering()];
  return createHash("sha256").update(names.join("\0")).digest("hex").slice(0, 8);
}

function numbering(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
