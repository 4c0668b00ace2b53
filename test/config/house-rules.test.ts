// SPDX-License-Identifier: Apache-2.0

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

import { inRepository } from "../../src/native/paths.ts";
import { rtlFilesBelow } from "../../src/native/compile/rtl-sources.ts";
import { importsOf, layerProblem, layers, wayBack } from "./house-rules.js";

/** Every import that breaks a rule, as eslint would say it. */
function problemsIn(root: string): readonly string[] {
  const imports = importsOf(root);
  return [...imports].flatMap(([path, targets]) =>
    targets.flatMap((target) => {
      const way = wayBack(imports, path, target);
      return [layerProblem(path, target) ?? [], way === null ? [] : way.join(" -> ")].flat();
    }),
  );
}

function foldersBelow(folder: string): readonly string[] {
  return readdirSync(inRepository(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(inRepository(), join(entry.parentPath, entry.name)));
}

function filesIn(folder: string): number {
  return readdirSync(inRepository(folder), { withFileTypes: true }).filter((e) => e.isFile())
    .length;
}

test("src keeps its layers and has no circle of imports, of types neither", () => {
  expect(problemsIn(inRepository())).toEqual([]);
});

test("waivers of the RTL's lint lie in rtl/lint alone, each file's below a reason", () => {
  const inFiles = rtlFilesBelow(".").filter((path) =>
    /\blint_off\b/.test(readFileSync(path, "utf8")),
  );
  expect(inFiles).toEqual([]);
  const waivers = inRepository("rtl", "lint");
  for (const name of readdirSync(waivers).filter((file) => file.endsWith(".vlt"))) {
    const lines = readFileSync(join(waivers, name), "utf8").split("\n").slice(2);
    expect([name, lines[0]]).toEqual([name, expect.stringMatching(/^\/\/ /)]);
  }
});

/** Sign or reduction before a cast to a size: Yosys 0.23 reads `~Width'(x)` as `(~Width)'(x)`. */
function hasSignedCast(line: string): boolean {
  const code = line.replace(/\/\/.*/, "").replace(/&&|\|\|/g, " and ");
  return /(?:[~!]|(?:[=(,?:&|^+*/<>{-]|\breturn|\band)\s*[-+&|^])\s*(?:\w+::)?\w+'\(/.test(code);
}

test("no operator of one operand stands before a cast to a size", () => {
  const found = rtlFilesBelow(".").flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter(hasSignedCast)
      .map((line) => `${basename(path)}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
  for (const wrong of ["a & ~W'(b)", "x = -W'(b);", "(a ? -pkg::W'(b) : c)", "a && !W'(b)"]) {
    expect([wrong, hasSignedCast(wrong)]).toEqual([wrong, true]);
  }
  for (const right of ["a - W'(b)", "a & W'(b)", "~(W'(b))", "x = ~b;", "a || 32'(b)"]) {
    expect([right, hasSignedCast(right)]).toEqual([right, false]);
  }
});

/** Folders with more files than a reader takes in at once, each with its reason. */
const largeFolders: Readonly<Record<string, string>> = {};

test("modules and packages of a unit carry its name, which no other design's will then take", () => {
  const names = { ndp: /^(ndp|dimm_ndp)(_|$)/, sparf: /^sparf_/, relayout: /^relayout_/ };
  for (const [unit, name] of Object.entries(names)) {
    const found = rtlFilesBelow(unit).map((path) => basename(path, ".sv"));
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter((one) => !name.test(one))).toEqual([]);
  }
});

test("a folder of src, sim, native and rtl has 20 files at most", () => {
  const folders = ["src", "sim", "native", "rtl"].flatMap((top) => [top, ...foldersBelow(top)]);
  const counts = folders.map((folder) => [folder, filesIn(folder)] as const);
  const large = counts.filter(([, files]) => files > 20).map(([folder]) => folder);
  expect(large).toEqual(Object.keys(largeFolders));
});

test("every room of src has one layer", () => {
  const rooms = readdirSync(inRepository("src"))
    .filter((name) => !name.endsWith(".d.ts"))
    .map((name) => name.replace(/\.ts$/, ""));
  expect(layers.flat().sort()).toEqual(rooms.sort());
});

test("an import upwards and circles of types and of late imports are found", () => {
  const root = mkdtempSync(join(tmpdir(), "neardata-house-"));
  try {
    const files = {
      "src/golden/half.ts": 'import type { A } from "../cli/main.ts";\n',
      "src/cli/main.ts": "export type A = 1;\n",
      "src/host/one.ts": 'export type { Two } from "./two.ts";\n',
      "src/host/two.ts": 'export const late = () => import("./one.ts");\nexport type Two = 2;\n',
      "src/report/page.ts": 'import {\n  late,\n} from "../host/two.ts";\nlate();\n',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    expect([...problemsIn(root)].sort()).toEqual([
      "src/golden lies below src/cli and may not import from it",
      "src/host/one.ts -> src/host/two.ts",
      "src/host/two.ts -> src/host/one.ts",
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
