// SPDX-License-Identifier: Apache-2.0
// What a tarball has: whatever an installed package needs to run, to compile the addon and to build RTL.
// `make package` installs one and runs its doors.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { inRepository } from "../../src/native/paths.ts";

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as Manifest;
let packed: ReadonlySet<string>;

beforeAll(() => {
  const args = ["pack", "--dry-run", "--ignore-scripts", "--json"];
  const text = execFileSync("npm", args, { cwd: inRepository(), stdio: "pipe", encoding: "utf8" });
  const [one] = JSON.parse(text) as readonly { readonly files: readonly { path: string }[] }[];
  packed = new Set(one?.files.map(({ path }) => path));
});

function below(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(inRepository(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(inRepository().length + 1));
}

describe("the tarball", () => {
  it("has each door with its types, and the command", () => {
    const doors = Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    const wanted = [...doors, ...Object.values(manifest.bin)].map((path) => path.slice(2));
    expect(wanted.filter((path) => !packed.has(path))).toEqual([]);
  });

  it("has what addon and units are compiled from, and what scenarios name", () => {
    const needed = [
      ...["native", "sim"].flatMap((folder) => below(folder, /\.(?:cc|h|txt|cmake|json)$/)),
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
