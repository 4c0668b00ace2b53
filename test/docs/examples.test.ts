// SPDX-License-Identifier: Apache-2.0
// Every TypeScript example of README.md and of the pages in docs compiles against the declarations of the package.
// `make package` compiles them against an installed tarball.

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { needs } from "../helpers/needs.ts";

const docs = readdirSync(inRepository("docs"), { recursive: true, encoding: "utf8" });
const pages = ["README.md", ...docs.map((name) => join("docs", name))];
const examples = pages
  .filter((page) => page.endsWith(".md"))
  .flatMap((page) => {
    const blocks = readFileSync(inRepository(page), "utf8").matchAll(/^```ts\n(.*?)^```$/gms);
    return [...blocks].map((match, i) => ({
      name: `${page} ${String(i + 1)}`,
      text: match[1] ?? "",
    }));
  });

it("there are examples", () => {
  expect(examples.length).toBeGreaterThan(7);
});

describe("examples of the documentation", needs("make build"), () => {
  mkdirSync(inRepository("build"), { recursive: true });
  // The folder is inside the package, so the examples resolve `neardata` to its own entry points.
  const folder = mkdtempSync(inRepository("build", "examples-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it("compile", () => {
    copyFileSync(
      inRepository("examples", "own-rtl", "scaled-add.ts"),
      join(folder, "scaled-add.ts"),
    );
    const files = examples.map(({ text }, i) => {
      const file = join(folder, `example-${String(i)}.ts`);
      writeFileSync(file, text);
      return file;
    });
    const program = ts.createProgram(files, {
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ["node"],
    });
    const problems = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const at = files.indexOf(file?.fileName ?? "");
      return `${examples[at]?.name ?? String(file?.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    expect(problems).toEqual([]);
  });
});
