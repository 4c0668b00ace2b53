// SPDX-License-Identifier: Apache-2.0
// Files that a command writes. A file is looked at before any work, written beside its place and
// renamed when it is whole and on the disk; several appear together or not at all. write-file-atomic lacks the
// last guarantee: it writes one file, from data in memory.

import { closeSync, existsSync, fchmodSync, fchownSync, fsyncSync } from "node:fs";
import { linkSync, lstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { NeardataError } from "../errors.ts";
import { partialIn } from "./partial.ts";
import { outputError } from "./reason.ts";
import { syncDirectory } from "./sync.ts";
import { rejectShared, targetOf, type OutputRequest, type Target } from "./target.ts";

/** A file that is being written under another name. */
export interface PartialFile {
  /** Path of the file before it is published. */
  readonly partial: string;
  readonly target: Target;
}

/** An output that can be written, as far as can be known before. */
export class Output {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Where it will be, links followed. */
  get real(): string {
    return this.#target.real;
  }

  /** Starts the output: the caller writes `partial`, and then calls `keep` or `discard`. */
  begin(): PartialFile {
    return { partial: partialIn(dirname(this.#target.real)), target: this.#target };
  }

  /** The error of a step that could not write it. */
  failed(cause: unknown): NeardataError {
    return failed(this.#target, cause);
  }

  /** Writes one JSON document, compact, as `write` does. */
  writeJson(document: unknown): void {
    this.write(`${JSON.stringify(document)}\n`);
  }

  /** Writes it whole or not at all. @throws NeardataError `bad-input` */
  write(data: string | Uint8Array): void {
    writeAllOrNothing([[this, data]]);
  }
}

/**
 * Checks the outputs of one command before its work.
 * @throws NeardataError `bad-input` with every output that cannot be written, is one of `inputs` or
 * is the same file as another
 */
export function checkOutputs(
  requests: readonly OutputRequest[],
  inputs: readonly string[] = [],
): readonly Output[] {
  const issues: NeardataError["issues"][number][] = [];
  const targets = requests.flatMap((request) => {
    try {
      return [targetOf(request)];
    } catch (cause) {
      if (!(cause instanceof NeardataError)) throw cause;
      issues.push(...cause.issues);
      return [];
    }
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  rejectShared(targets, inputs);
  return targets.map((target) => new Output(target));
}

/** The same for one. */
export function checkOutput(option: string, path: string, inputs: readonly string[] = []): Output {
  const [output] = checkOutputs([{ option, path }], inputs);
  if (output === undefined) throw new NeardataError("misuse", "an output for each request");
  return output;
}

/** The same for an option that may be absent. */
export function checkOptionalOutput(
  option: string,
  path: string | undefined,
  inputs: readonly string[] = [],
): Output | null {
  return path === undefined ? null : checkOutput(option, path, inputs);
}

/** Writes several files that appear together or not at all. @throws NeardataError `bad-input` */
export function writeAllOrNothing(
  files: readonly (readonly [Output, string | Uint8Array])[],
  more: readonly PartialFile[] = [],
): void {
  const partials = [...more];
  try {
    for (const [output, data] of files) {
      const file = output.begin();
      partials.push(file);
      writePartial(file, data);
    }
    commitTogether(partials);
  } catch (cause) {
    for (const file of partials) discard(file);
    throw cause;
  }
}

/** Renames complete files to their final names. If one fails, all names remain unchanged. */
export function commitTogether(files: readonly PartialFile[]): void {
  for (const file of files)
    guarded(file.target, () => {
      settle(file);
    });
  const committed: { readonly file: PartialFile; readonly backup: string | null }[] = [];
  try {
    for (const file of files) {
      const { partial, target } = file;
      guarded(target, () => {
        rejectSpecial(target);
        committed.push({ file, backup: files.length > 1 ? backUp(target.real) : null });
        renameSync(partial, target.real);
      });
    }
  } catch (cause) {
    for (const { file, backup } of committed) restore(file, backup);
    throw cause;
  } finally {
    for (const { backup } of committed) if (backup !== null) rmSync(backup, { force: true });
  }
  for (const directory of new Set(files.map(({ target }) => dirname(target.real)))) {
    syncDirectory(directory);
  }
}

/** Removes the partial file of an output that is discarded. */
export function discard({ partial }: PartialFile): void {
  rmSync(partial, { force: true });
}

function writePartial({ partial, target }: PartialFile, data: string | Uint8Array): void {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  guarded(target, () => {
    const file = openSync(partial, "wx");
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    } finally {
      closeSync(file);
    }
  });
}

/** Copies the owner and the permissions of the replaced file, and syncs all bytes to the disk. */
function settle({ partial, target: { old } }: PartialFile): void {
  const file = openSync(partial, "r");
  try {
    if (old !== null) {
      fchmodSync(file, old.mode & 0o777);
      if (process.getuid?.() === 0) fchownSync(file, old.uid, old.gid);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A hard link to the file that will be replaced; null if there is none. */
function backUp(real: string): string | null {
  if (!existsSync(real)) return null;
  const backup = partialIn(dirname(real));
  linkSync(real, backup);
  return backup;
}

/** Rejects a target that became a link, a device or a directory during the command. */
function rejectSpecial({ real }: Target): void {
  if (lstatSync(real, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Error("it is no regular file any more");
  }
}

function restore({ partial, target: { real } }: PartialFile, backup: string | null): void {
  if (backup !== null)
    renameSync(backup, real); // does nothing where both are one file already
  // The file has not been renamed yet, so another process owns the one at the target.
  else if (!existsSync(partial)) rmSync(real, { force: true });
}

function guarded(target: Target, step: () => void): void {
  try {
    step();
  } catch (cause) {
    throw failed(target, cause);
  }
}

function failed({ option, path }: Target, cause: unknown): NeardataError {
  return cause instanceof NeardataError ? cause : outputError(option, path, cause);
}
