// SPDX-License-Identifier: Apache-2.0
// What a tarball has: whatever an installed package needs to run, to compile the addon and to build RTL.
// `make package` installs one and uses its entry points.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
// npm uses this module itself; `npm pack` would also compress forty megabytes.
import packlist from "npm-packlist";
import { beforeAll, describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bin: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as Manifest;
let packed: ReadonlySet<string>;

beforeAll(async () => {
  const tree = {
    path: inRepository(),
    package: manifest,
    isProjectRoot: true,
    edgesOut: new Map<string, never>(),
  };
  packed = new Set(await packlist(tree));
});

function below(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(inRepository(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(inRepository().length + 1));
}

describe("the tarball", () => {
  it("has each entry point with its types, and the command", () => {
    const entryPoints = Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    const types = Object.values(manifest.imports).flatMap((target) => Object.values(target));
    const wanted = [...entryPoints, ...types, ...Object.values(manifest.bin)].map((path) =>
      path.slice(2),
    );
    expect(wanted.filter((path) => !packed.has(path))).toEqual([]);
  });

  it("has what addon and units are compiled from, and what scenarios name", () => {
    const needed = [
      ...["native", "sim"].flatMap((folder) => below(folder, /\.(?:cc|h|txt|cmake|json|py)$/)),
      ...below("rtl", /\.(?:sv|svh|vlt|txt)$/),
      ...below("src/native/unit", /\.ts$/),
      ...["scenarios", "data", "synth", "docs"].flatMap((folder) => below(folder, /./)),
    ];
    expect(needed.filter((path) => !packed.has(path))).toEqual([]);
  });

  it("has nothing of tests and no build of this machine", () => {
    const odd = [...packed].filter((path) =>
      /^test\/|\.node$|\.o$|\.tsbuildinfo$|\.test\.ts$/.test(path),
    );
    expect(odd).toEqual([]);
  });
});
