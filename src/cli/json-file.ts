// SPDX-License-Identifier: Apache-2.0
// JSON files in and out. A file that is written is whole or not there.

import { readFile, rename, writeFile } from "node:fs/promises";
import process from "node:process";

import { inputError } from "../errors.ts";

/**
 * The parsed contents of a JSON file.
 * @throws NeardataError `bad-input` when it cannot be read or is not JSON.
 */
export async function readJsonFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw inputError(path, `cannot be read: ${reason(cause)}`, cause);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw inputError(path, `is not JSON: ${reason(cause)}`, cause);
  }
}

/** Writes one document, compact, through a file beside it. */
export async function writeJsonFile(path: string, document: unknown): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, `${JSON.stringify(document)}\n`);
    await rename(partial, path);
  } catch (cause) {
    throw inputError(path, `cannot be written: ${reason(cause)}`, cause);
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
