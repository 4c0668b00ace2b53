// SPDX-License-Identifier: Apache-2.0
// Tests get the compiled program only where no source is newer, and nothing else in its place.

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { inTemporary } from "../helpers/cli.ts";
import { compiledProgram } from "./compiled.ts";

/** A repository whose one source was last changed so many seconds after it was compiled. */
function repositoryIn(directory: string, later: number): string {
  const compiledAt = Date.now() / 1000 - 100;
  for (const folder of ["src/room", "build/js/room"]) {
    mkdirSync(join(directory, folder), { recursive: true });
  }
  const mark = join(directory, "build", "js", ".built");
  const source = join(directory, "src", "room", "part.ts");
  for (const file of [mark, source]) writeFileSync(file, "");
  utimesSync(mark, compiledAt, compiledAt);
  for (const place of [source, join(directory, "src", "room"), join(directory, "src")]) {
    utimesSync(place, compiledAt + later, compiledAt + later);
  }
  return directory;
}

describe("the compiled program", () => {
  it("replaces the sources that tests import, and nothing else", () =>
    inTemporary((directory) => {
      const plugin = compiledProgram(repositoryIn(directory, -10));
      const importer = join(directory, "test", "room", "part.test.ts");
      const resolved = (source: string): string | undefined =>
        plugin?.resolveId(source, importer)?.id;
      expect(resolved("../../src/room/part.ts")).toBe(
        join(directory, "build", "js", "room", "part.js"),
      );
      expect(resolved("../helpers/part.ts")).toBeUndefined();
      expect(resolved("vitest")).toBeUndefined();
    }));

  it("is not used when a source is newer, or when it is absent", () =>
    inTemporary((directory) => {
      expect(compiledProgram(directory)).toBeNull();
      expect(compiledProgram(repositoryIn(directory, 10))).toBeNull();
    }));
});
