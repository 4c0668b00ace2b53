// SPDX-License-Identifier: Apache-2.0
// Files as the pure parts of the program see them: bytes that are read a piece at a time.

import { fstatSync, readSync } from "node:fs";
import { inputError } from "../base/errors.ts";
import { openInput, readInput, readInputText } from "../base/files/input.ts";
import { bytes } from "../base/units.ts";
import type { ByteSource } from "../base/bytes.ts";

/** A file that closes itself when the process ends; shards stay open for the length of a run. */
export function fileSource(path: string): ByteSource {
  const descriptor = openInput(path);
  const { size } = fstatSync(descriptor);
  return {
    name: path,
    size: bytes(size),
    read: (offset, target) => {
      let at = 0;
      while (at < target.length) {
        const count = readSync(descriptor, target, at, target.length - at, offset + at);
        if (count === 0) throw inputError(path, "the file became shorter while it was read.");
        at += count;
      }
    },
  };
}

/** A whole file. @throws NeardataError `bad-input` when it cannot be read. */
export const readWholeFile: (path: string) => Uint8Array = readInput;

/** A whole file of text. @throws NeardataError `bad-input` when it cannot be read. */
export const readText: (path: string) => string = readInputText;
