// SPDX-License-Identifier: Apache-2.0
// A temporary directory. It is removed on release, or when this process exits.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

export interface TemporaryDirectory {
  readonly path: string;
  readonly remove: () => void;
}

/**
 * A new directory in the system's directory for temporary files (`TMPDIR`), whose name begins with
 * `neardata-NAME-`.
 */
export function temporaryDirectory(name: string): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), `neardata-${name}-`));
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return { path, remove };
}
