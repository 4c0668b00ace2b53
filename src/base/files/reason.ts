// SPDX-License-Identifier: Apache-2.0
// Errors of the operating system about a file, in words.

import { present } from "../../base/present.ts";
import { NeardataError, inputError } from "../errors.ts";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EBUSY: "it is in use",
  EDQUOT: "the quota of the disk is used up",
  EEXIST: "it exists already",
  EFBIG: "the file would be too large",
  EIO: "the device reports an error",
  EISDIR: "it is a directory",
  ELOOP: "there are too many symbolic links in its path",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many files are open on this machine",
  ENODEV: "there is no such device",
  ENOENT: "there is no such file or directory",
  ENOSPC: "no space is left on the device",
  ENOTDIR: "a part of its path is not a directory",
  ENOTEMPTY: "the directory is not empty",
  ENXIO: "no process has its other end open",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ETXTBSY: "it is a program that is running",
  EXDEV: "it lies on another device",
  ERR_FS_FILE_TOO_LARGE: "the file is too large",
  ERR_INVALID_ARG_VALUE: "the name is no name of a file",
};

/** The code of an error of the system, such as ENOSPC; empty for any other error. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "";
}

/** The meaning of an error code; undefined for a code that the system does not have. */
export function reasonOfCode(code: string): string | undefined {
  return Object.hasOwn(reasons, code) ? reasons[code] : undefined;
}

/** Part of a sentence: why the system, or a check of ours, refused. */
export function reasonOf(cause: unknown): string {
  const [issue] = cause instanceof NeardataError ? cause.issues : [];
  if (issue !== undefined) return issue.message.replace(/\.$/, "");
  const message = cause instanceof Error ? present(cause.message.split("\n")[0]) : String(cause);
  return reasonOfCode(codeOf(cause)) ?? message;
}

/** A path for messages: the two ends of a very long path, and quotes for an empty one. */
export function formatPath(path: string): string {
  if (path === "") return '""';
  return path.length <= 200 ? path : `${path.slice(0, 80)}...${path.slice(-80)}`;
}

/** That an output of the user's cannot be written; exit code 2. */
export function outputError(option: string, path: string, cause: unknown): NeardataError {
  const message = `${formatPath(path)} cannot be written: ${reasonOf(cause)}.`;
  return inputError(option, message, cause);
}

/** That a cache or a temporary directory cannot be used; exit code 3. */
export function placeError(directory: string, cause: unknown, variable: string): NeardataError {
  const message = `${formatPath(directory)} cannot be written: ${reasonOf(cause)}; the variable ${variable} names another directory.`;
  return new NeardataError("place-missing", message, { cause });
}
