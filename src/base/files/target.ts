// SPDX-License-Identifier: Apache-2.0
// Checks the target of an output before any work: a regular file or a new name, in a writable
// directory, also through symbolic links. Devices, pipes, directories, inputs and the same file
// twice are refused.

import { accessSync, closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { readlinkSync, realpathSync, rmSync, statSync, writeSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { inputError, type NeardataError } from "../errors.ts";
import { clearLeftovers, partialIn } from "./partial.ts";
import { codeOf, outputError, formatPath } from "./reason.ts";

/** A requested output file. */
export interface OutputRequest {
  /** The option that named it, for messages. */
  readonly option: string;
  readonly path: string;
}

/** Where a file will be. */
export interface Target extends OutputRequest {
  /** Absolute, without symbolic links. */
  readonly real: string;
  /** The present file. */
  readonly old: Stats | null;
}

/** A disk that can store this many bytes can store the beginning of an output. */
const probeBytes = 4096;
const maxLinks = 40;

/** @throws NeardataError `bad-input` when no file can be written there. */
export function targetOf(request: OutputRequest): Target {
  const { option, path } = request;
  const refuse = (message: string): NeardataError =>
    inputError(option, `${formatPath(path)} ${message}`);
  if (path === "") throw refuse("is no name of a file.");
  if (path.includes("\0")) throw inputError(option, "a name of a file has no zero byte in it.");
  if (path.endsWith("/")) throw refuse("names a directory; name a file.");
  try {
    const special = specialAt(path);
    if (special !== null) throw refuse(`is ${special}; outputs are regular files.`);
    const real = followLinks(request);
    const old = lstatSync(real, { throwIfNoEntry: false }) ?? null;
    if (old !== null && isPrintedTo(old)) {
      throw refuse("is the file that the command prints to; name another.");
    }
    if (old !== null) accessSync(real, constants.W_OK);
    probe(dirname(real));
    return { ...request, real, old };
  } catch (cause) {
    throw explained(request, cause);
  }
}

/** Refuses targets that are one file, and targets that are an input. */
export function rejectShared(targets: readonly Target[], inputs: readonly string[]): void {
  for (const [i, target] of targets.entries()) {
    const twin = targets.slice(0, i).find((other) => isSame(other, target));
    if (twin !== undefined) {
      const message = `${formatPath(target.path)} and ${formatPath(twin.path)} (${twin.option}) are one file.`;
      throw inputError(target.option, message);
    }
    const input = inputs.find((path) => isFile(target, path));
    if (input !== undefined) {
      const message = `${formatPath(target.path)} is ${formatPath(input)}, which the command reads; name another file.`;
      throw inputError(target.option, message);
    }
  }
}

/** Checks whether a file can be made in a directory and some bytes written. */
export function probe(directory: string): void {
  clearLeftovers(directory);
  const path = partialIn(directory);
  const file = openSync(path, "wx");
  try {
    writeSync(file, new Uint8Array(probeBytes));
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

function explained({ option, path }: OutputRequest, cause: unknown): unknown {
  return codeOf(cause) === "" ? cause : outputError(option, path, cause);
}

/** The kind of an existing target, after all links, that is not a regular file. */
function specialAt(path: string): string | null {
  const there = statOf(path);
  if (there === null || there.isFile()) return null;
  if (there.isDirectory()) return "a directory";
  if (there.isFIFO()) return "a pipe";
  if (there.isSocket()) return "a socket";
  return "a device";
}

/** An output that is a link remains a link: its target is written. */
function followLinks({ option, path }: OutputRequest): string {
  let at = resolve(path);
  for (let links = 0; links < maxLinks; links += 1) {
    const directory = dirname(at);
    if (isAbsent(directory)) {
      throw inputError(option, `the directory ${formatPath(directory)} does not exist.`);
    }
    const real = join(realpathSync(directory), basename(at));
    if (lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return real;
    at = resolve(dirname(real), readlinkSync(real));
  }
  throw Object.assign(new Error("too many links"), { code: "ELOOP" });
}

function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (cause) {
    if (codeOf(cause) === "ENOTDIR") return false;
    throw cause;
  }
}

function isPrintedTo(file: Stats): boolean {
  return [1, 2].some((descriptor) => {
    try {
      const { dev, ino } = fstatSync(descriptor);
      return dev === file.dev && ino === file.ino;
    } catch {
      return false; // closed
    }
  });
}

function isSame(a: Target, b: Target): boolean {
  if (a.real === b.real) return true;
  return a.old !== null && b.old !== null && a.old.dev === b.old.dev && a.old.ino === b.old.ino;
}

function isFile({ old, real }: Target, input: string): boolean {
  const there = statOf(input);
  if (there === null) return false;
  return old === null
    ? realpathSync(input) === real
    : there.dev === old.dev && there.ino === old.ino;
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
