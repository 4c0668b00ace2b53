// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Linter } from "eslint";
import tseslint from "typescript-eslint";
import { expect, test } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { rtlFilesBelow } from "../../src/native/compile/rtl-sources.ts";
import house, {
  importsOf,
  layerProblem,
  partImports,
  partWayBack,
  rooms,
  wayBack,
} from "./house-rules.js";

/** Every import that breaks a rule, in eslint's words. */
function problemsIn(root: string): readonly string[] {
  const imports = importsOf(root);
  const parts = partImports(imports);
  return [...imports].flatMap(([path, targets]) =>
    targets.flatMap((target) => {
      const ways = [wayBack(imports, path, target), partWayBack(parts, path, target)];
      return [layerProblem(path, target) ?? [], ways.map((way) => way?.join(" -> ") ?? [])].flat(2);
    }),
  );
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

test("modules and packages of a unit carry its name, which no other design's will then take", () => {
  const names = { ndp: /^(ndp|dimm_ndp)(_|$)/, sparf: /^sparf_/, relayout: /^relayout_/ };
  for (const [unit, name] of Object.entries(names)) {
    const found = rtlFilesBelow(unit).map((path) => basename(path, ".sv"));
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter((one) => !name.test(one))).toEqual([]);
  }
});

test("every folder of src is a room with a layer of its own, and no file lies beside them", () => {
  expect([...rooms].sort()).toEqual(readdirSync(inRepository("src")).sort());
});

/**
 * Directories of test without tests of a single directory of src: sources under test elsewhere,
 * tools and shared helpers.
 */
const otherTests = [
  ...["config", "crash", "docs", "fixtures", "fuzz", "helpers", "mutants", "package"],
  ...["search", "sim"],
];

test("folders of test are rooms of src and their folders, or in a short list; no test lies beside them", () => {
  const root = inRepository();
  const found = readdirSync(join(root, "test"), { withFileTypes: true });
  const files = found.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(files).toEqual(["tsconfig.json"]);
  expect(folders.filter((name) => ![...rooms, ...otherTests].includes(name))).toEqual([]);
  const below = rooms
    .filter((room) => folders.includes(room))
    .flatMap((room) =>
      readdirSync(join(root, "test", room), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && entry.name !== "fixtures")
        .map(({ name }) => join(room, name)),
    );
  expect(below.length).toBeGreaterThan(5);
  expect(below.filter((path) => !existsSync(join(root, "src", path)))).toEqual([]);
});

test("an import upwards, circles of types and late imports and circles of folders are found", () => {
  const root = mkdtempSync(join(tmpdir(), "neardata-house-"));
  try {
    const files = {
      "src/golden/half.ts": 'import type { A } from "../cli/main.ts";\n',
      "src/cli/main.ts": "export type A = 1;\n",
      "src/machine/one.ts": 'export type { Two } from "./two.ts";\n',
      "src/machine/two.ts": 'export const late = () => import("./one.ts");\nexport type Two = 2;\n',
      "src/report/page.ts": 'import {\n  late,\n} from "../machine/two.ts";\nlate();\n',
      "src/lm/batch/a.ts": 'import type { B } from "../token/b.ts";\n',
      "src/lm/token/b.ts": "export type B = 1;\n",
      "src/lm/token/c.ts": 'import type { D } from "../batch/d.ts";\n',
      "src/lm/batch/d.ts": "export type D = 1;\n",
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    expect([...problemsIn(root)].sort()).toEqual([
      "src/golden lies below src/cli and may not import from it",
      "src/lm/batch -> src/lm/token",
      "src/lm/token -> src/lm/batch",
      "src/machine/one.ts -> src/machine/two.ts",
      "src/machine/two.ts -> src/machine/one.ts",
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a number or an empty text in place of an absent element is refused, and for a key of a record it is not", () => {
  const root = mkdtempSync(join(tmpdir(), "neardata-house-"));
  try {
    const declared =
      "declare const i: number, list: readonly number[], rows: number[][], bytes: Uint8Array,\n" +
      "  pair: [number, number], texts: string[], match: RegExpExecArray,\n" +
      "  biases: number[] | undefined, counts: Record<string, number>;\n";
    const wrong = [
      "list[i] ?? 0",
      "rows[i]?.[1] ?? NaN",
      "bytes[i] ?? 0",
      "pair[i] ?? NaN",
      'texts[i] ?? ""',
    ];
    const right = [
      'counts["a"] ?? 0',
      "biases?.[i] ?? 0",
      "list[i] ?? -1",
      "list.at(-1) ?? 0",
      'match[1] ?? ""',
      'texts.at(i) ?? ""',
    ];
    const text = declared + [...wrong, ...right].map((one) => `void (${one});`).join("\n");
    const options = { strict: true, noUncheckedIndexedAccess: true, lib: ["es2023"], types: [] };
    const project = join(root, "tsconfig.json");
    writeFileSync(project, JSON.stringify({ compilerOptions: options, files: ["one.ts"] }));
    writeFileSync(join(root, "one.ts"), text);
    const found = new Linter({ cwd: root }).verify(
      text,
      {
        files: ["**/*.ts"],
        languageOptions: {
          parser: tseslint.parser,
          parserOptions: { project, tsconfigRootDir: root },
        },
        plugins: { house },
        rules: { "house/no-index-default": "error" },
      },
      join(root, "one.ts"),
    );
    const refused = found.map(({ line }) => text.split("\n")[line - 1]);
    expect(refused).toEqual(wrong.map((one) => `void (${one});`));
  } finally {
    rmSync(root, { recursive: true });
  }
});

/** Files and directories of the root. Other files, such as packages that a tool downloaded, get there by accident. */
const root = [
  ...[".ci", ".github", "data", "docs", "examples", "native", "rtl", "scenarios", "sim", "src"],
  ...["synth", "test", "testbench", "tools"],
  ...[".clang-format", ".editorconfig", ".gitignore", ".prettierignore", ".prettierrc.json"],
  ...["CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"],
  ...["eslint.config.js", "package-lock.json", "package.json", "tsconfig.json", "vitest.config.ts"],
];

test.skipIf(!existsSync(inRepository(".git")))("nothing else is in the root", () => {
  const tracked = execFileSync("git", ["ls-files"], { cwd: inRepository(), encoding: "utf8" });
  const names = tracked
    .trim()
    .split("\n")
    .map((path) => path.split("/")[0]);
  expect([...new Set(names)].filter((name) => !root.includes(name ?? ""))).toEqual([]);
});
