// SPDX-License-Identifier: Apache-2.0
// A plugin that gives tests the compiled program (build/js) in the place of the sources that they import: Node.js loads it
// as it is, while vitest would transform hundreds of files for each worker. Where a source is newer than what was compiled,
// tests get the sources.

import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** The part of a Vite plugin that is used here. */
interface Plugin {
  readonly name: string;
  readonly enforce: "pre";
  readonly resolveId: (
    source: string,
    importer: string | undefined,
  ) => { readonly id: string } | null;
}

/** For the repository at `root`; null if the compiled files are absent or stale. */
export function compiledProgram(root: string): Plugin | null {
  const sources = join(root, "src");
  const compiled = join(root, "build", "js");
  if (!isFresh(sources, join(compiled, ".built"))) return null;
  return {
    name: "neardata-compiled",
    enforce: "pre",
    resolveId: (source, importer) => {
      if (importer === undefined || !source.startsWith(".") || !source.endsWith(".ts")) return null;
      const path = resolve(dirname(importer), source);
      const place = relative(sources, path);
      if (place.startsWith("..")) return null;
      return { id: join(compiled, place.replace(/\.ts$/, ".js")) };
    },
  };
}

/** Whether no source is newer than the mark of the last compilation. */
function isFresh(sources: string, mark: string): boolean {
  if (!existsSync(mark)) return false;
  const { mtimeMs } = statSync(mark);
  return readdirSync(sources, { recursive: true, withFileTypes: true }).every(
    (entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs <= mtimeMs,
  );
}
