// SPDX-License-Identifier: Apache-2.0
// A run directory appears under its name when it is complete: files are written into a hidden
// sibling, which is renamed at the end, so a killed process leaves no incomplete run. One process at
// a time makes a directory of a name. An existing directory is never replaced.

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { inputError, NeardataError } from "../errors.ts";
import { makeDirectories } from "./directories.ts";
import { tryLock, unlock } from "./lock.ts";
import { claimIn, partialIn } from "./partial.ts";
import { codeOf, outputError, formatPath } from "./reason.ts";
import { syncDirectory, syncTree } from "./sync.ts";
import { probe } from "./target.ts";

const option = "--out";

/** A directory that is being made. */
export interface RunDirectory {
  /** Directory of its files before the run is published. */
  readonly partial: string;
  /** Writes files of text into it, by name. */
  readonly write: (files: Readonly<Record<string, string>>) => void;
  /** Renames the directory to its final name. @returns its absolute path */
  readonly keep: () => string;
  /** Removes the directory, and the parent directories that were created for it. */
  readonly discard: () => void;
}

/** Whether an error means that a name is taken, so that another name may succeed. */
export function isNameTaken(error: unknown): boolean {
  return error instanceof NeardataError && error.details["taken"] === true;
}

/**
 * Starts a directory before the work.
 * @throws NeardataError `bad-input` if the path exists, another process is making it, or it cannot
 * be written
 */
export function startDirectory(path: string): RunDirectory {
  if (path === "") throw inputError(option, '"" is no name of a directory.');
  const target = resolve(path);
  const parent = dirname(target);
  rejectExisting(target, path);
  const made = guarded(path, () => makeDirectories(parent));
  try {
    return inParent(path, target, made);
  } catch (cause) {
    removeMade(parent, made);
    throw cause;
  }
}

function inParent(path: string, target: string, made: string | undefined): RunDirectory {
  const parent = dirname(target);
  const claim = claimIn(parent, createHash("sha256").update(basename(target)).digest("hex"));
  guarded(path, () => {
    probe(parent);
  });
  const state = guarded(path, () => tryLock(claim));
  if (state === "taken") throw taken(`another process is making ${formatPath(path)} now.`);
  if (state === "elsewhere") {
    const where = `another machine or user is making ${formatPath(path)}`;
    throw taken(`${where}; if not, remove ${claim}.`);
  }
  const partial = partialIn(parent);
  try {
    rejectExisting(target, path);
    guarded(path, () => {
      mkdirSync(partial);
    });
  } catch (cause) {
    unlock(claim);
    throw cause;
  }
  const discard = (): void => {
    rmSync(partial, { recursive: true, force: true });
    unlock(claim);
    removeMade(parent, made);
  };
  return {
    partial,
    discard,
    write: (files) => {
      guarded(path, () => {
        for (const [name, text] of Object.entries(files)) writeFileSync(join(partial, name), text);
      });
    },
    keep: () => {
      guarded(path, () => {
        syncTree(partial);
      });
      keep(path, partial, target);
      syncDirectory(parent);
      unlock(claim);
      return target;
    },
  };
}

/**
 * A directory that another process made in the meantime is not replaced; the results get a numbered
 * name.
 */
function keep(path: string, partial: string, target: string): void {
  for (let number = 1; ; number += 1) {
    const place = number === 1 ? target : `${target}-${number}`;
    if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      renameSync(partial, place);
    } catch (cause) {
      if (["ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR"].includes(codeOf(cause))) continue;
      throw outputError(option, path, cause);
    }
    if (number === 1) return;
    const message = `${formatPath(path)} appeared during the run; its results are in ${place}.`;
    throw inputError(option, message);
  }
}

function rejectExisting(target: string, path: string): void {
  const there = guarded(path, () => {
    try {
      return lstatSync(target, { throwIfNoEntry: false });
    } catch (cause) {
      if (codeOf(cause) === "ENOTDIR") return undefined; // reported when its parent cannot be made
      throw cause;
    }
  });
  if (there !== undefined)
    throw taken(`${formatPath(path)} exists; name a directory that does not.`);
}

function taken(message: string): NeardataError {
  return new NeardataError("bad-input", [{ where: option, message }], { details: { taken: true } });
}

/** Removes directories that were made, from `parent` up to the first that was, if they are empty. */
function removeMade(parent: string, made: string | undefined): void {
  if (made === undefined) return;
  for (let at = parent; at.startsWith(made); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      return; // another process uses it
    }
  }
}

function guarded<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw cause instanceof NeardataError ? cause : outputError(option, path, cause);
  }
}
