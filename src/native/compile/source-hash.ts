// SPDX-License-Identifier: Apache-2.0
// A hash of source files and of everything that they include by name ("..." form, SystemVerilog and
// C++ alike). A changed header changes the hash; a file that is not included does not.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { inputError } from "../../base/errors.ts";

const includePattern = /^\s*[`#]\s*include\s+"([^"]+)"/gm;

/**
 * The files in the order of their first inclusion, each once, and after the file that includes
 * them. A missing name belongs to a system or generated header and is skipped.
 * @throws NeardataError `bad-input` if one of `files` does not exist.
 */
export function sourceClosure(
  files: readonly string[],
  includeDirectories: readonly string[],
): readonly string[] {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(includePattern)) {
      // Verilator looks in the current directory at the end.
      const candidates = [dirname(path), ...includeDirectories, "."].map((place) =>
        join(place, name),
      );
      const directory = candidates.find((candidate) => existsSync(candidate));
      if (directory !== undefined) visit(resolve(directory));
    }
  };
  for (const file of files) {
    const path = resolve(file);
    if (!existsSync(path)) {
      throw inputError(file, "this source file does not exist");
    }
    visit(path);
  }
  return [...seen];
}

/** SHA-256 (hex) of a JSON-able key and of the contents of the files, in order. */
export function hashOf(key: unknown, files: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(key));
  for (const file of files) {
    hash.update("\0").update(readFileSync(file));
  }
  return hash.digest("hex");
}
