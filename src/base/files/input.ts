// SPDX-License-Identifier: Apache-2.0
// Input files: only regular files are opened, so that a pipe or a device is refused and never waited
// for; files that go into memory whole have a largest size; text is UTF-8 without NUL bytes. Every
// refusal names the file.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { inputError } from "../errors.ts";

const mebibyte = 2 ** 20;
/** Larger files are read by the piece or not at all. */
const largestInMemory = 1024 * mebibyte;
/** Below the longest string of the runtime. */
const largestText = 256 * mebibyte;

/**
 * Opens a regular file for reading.
 * @throws NeardataError `bad-input` when it is not there, cannot be read or is not a regular file.
 */
export function openInput(path: string): number {
  if (path === "") throw inputError("the name of an input file", "is empty.");
  let descriptor: number;
  try {
    // Without O_NONBLOCK a pipe without a writer would be waited for.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw inputError(path, openingProblem(error), error);
  }
  const status = fstatSync(descriptor);
  if (status.isFile()) return descriptor;
  closeSync(descriptor);
  throw inputError(
    path,
    status.isDirectory()
      ? "this is a directory, not a file."
      : "this is not a regular file (a pipe or a device cannot be read as input).",
  );
}

/** The bytes of a whole file. @throws NeardataError `bad-input`. */
export function readInput(path: string, largest: number = largestInMemory): Uint8Array {
  const descriptor = openInput(path);
  try {
    const { size } = fstatSync(descriptor);
    if (size > largest) throw tooLarge(path, size, largest);
    return readFileSync(descriptor);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code.startsWith("E")) throw inputError(path, `the file cannot be read (${code}).`, error);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** A whole file of text, without a byte order mark. @throws NeardataError `bad-input`. */
export function readInputText(path: string): string {
  return textOf(path, readInput(path, largestText));
}

/** The same of a file that may be compressed with gzip. @throws NeardataError `bad-input`. */
export function readMaybeGzip(path: string): string {
  const raw = readInput(path, largestText);
  if (raw[0] !== 0x1f || raw[1] !== 0x8b) return textOf(path, raw);
  let bytes: Uint8Array;
  try {
    bytes = gunzipSync(raw, { maxOutputLength: largestText });
  } catch (error) {
    throw inputError(path, gzipProblem(error), error);
  }
  return textOf(path, bytes);
}

/** Why a gzip file cannot be decompressed, as a sentence. */
export function gzipProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ERR_BUFFER_TOO_LARGE") {
    return `the gzip file holds more than ${String(largestText / mebibyte)} MiB of text.`;
  }
  const reason = error instanceof Error ? error.message : code;
  return code === "Z_BUF_ERROR"
    ? `the gzip file ends too early (${reason}).`
    : `the gzip file is damaged (${reason}).`;
}

/** Bytes as text. @throws NeardataError `bad-input` naming `path` and the first byte that is none. */
export function textOf(path: string, bytes: Uint8Array): string {
  if (bytes.length > largestText) throw tooLarge(path, bytes.length, largestText);
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw inputError(path, `byte ${String(nul)} is NUL: this is not a file of text.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw inputError(path, `line ${String(firstBadLine(bytes))} is not UTF-8 text.`, error);
  }
}

/** The number of the first line that is not UTF-8. */
export function firstBadLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for (let at = 0; at < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, at);
    const next = end < 0 ? bytes.length : end + 1;
    try {
      decoder.decode(bytes.subarray(at, next));
    } catch {
      return line;
    }
    at = next;
  }
  return line;
}

function tooLarge(path: string, size: number, largest: number): Error {
  const [has, most] = [size, largest].map((n) => Math.ceil(n / mebibyte));
  return inputError(path, `the file has ${String(has)} MiB; at most ${String(most)} are read.`);
}

function openingProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOENT":
      return "there is no such file.";
    case "ENOTDIR":
      return "there is no such file: a part of its path is not a directory.";
    case "ENAMETOOLONG":
      return "there is no such file: the name is too long.";
    case "ENXIO":
      return "this is not a regular file.";
    default:
      return `the file cannot be opened for reading (${code}).`;
  }
}
