// SPDX-License-Identifier: Apache-2.0
// What the operating system refused, as a sentence that names the file: a user's doing mostly, and
// never a bug of ours.

import { inputError, type NeardataError } from "../errors.ts";

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
  ENXIO: "nobody reads from or writes to it",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ETXTBSY: "it is a program that is running",
  EXDEV: "it lies on another device",
  ERR_FS_FILE_TOO_LARGE: "the file is too large",
  ERR_INVALID_ARG_VALUE: "the name is no name of a file",
};

/** `: permission is denied` and the like, or nothing where the error is not the system's. */
export function systemReason(error: unknown): string {
  const reason = reasonOf(error);
  return reason === undefined ? "" : `: ${reason}`;
}

/** The error of a call of the system as bad input that names its file; null for any other error. */
export function systemError(error: unknown): NeardataError | null {
  const reason = reasonOf(error);
  if (reason === undefined || !(error instanceof Error)) return null;
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string };
  return inputError(dest ?? path ?? syscall ?? "a file", `${reason}.`, error);
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  return Object.hasOwn(reasons, code) ? reasons[code] : undefined;
}
