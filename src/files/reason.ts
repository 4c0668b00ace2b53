// SPDX-License-Identifier: Apache-2.0
// What the system said about a file, in words.

import { NeardataError, inputError } from "../errors.ts";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission",
  EEXIST: "a file of that name is in the way",
  EBUSY: "it is in use",
  EDQUOT: "the quota is used up",
  EFBIG: "the file would be larger than is allowed",
  EIO: "the device reports an error",
  EISDIR: "it is a directory",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "a directory on its path does not exist",
  ENOSPC: "no space is left on the device",
  ENOTDIR: "a part of its path is no directory",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
};

/** The code of an error of the system, such as ENOSPC; empty for any other error. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "";
}

/** Part of a sentence: why the system refused. */
export function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  return reasons[codeOf(cause)] ?? message;
}

/** A path for people: the ends of a very long one, and something to see of an empty one. */
export function shownPath(path: string): string {
  if (path === "") return '""';
  return path.length <= 200 ? path : `${path.slice(0, 80)}...${path.slice(-80)}`;
}

/** That an output of the user's cannot be written; exit code 2. */
export function outputError(option: string, path: string, cause: unknown): NeardataError {
  const message = `${shownPath(path)} cannot be written: ${reasonOf(cause)}.`;
  return inputError(option, message, cause);
}

/** That a cache or a temporary directory cannot be used; exit code 3. */
export function placeError(directory: string, cause: unknown, variable: string): NeardataError {
  const message = `${shownPath(directory)} cannot be written: ${reasonOf(cause)}; the variable ${variable} names another directory.`;
  return new NeardataError("place-missing", message, { cause });
}
