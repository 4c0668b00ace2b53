// SPDX-License-Identifier: Apache-2.0
// Our side of every finding is computed: it is not a number or word of the source.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { inFull } from "../helpers/needs.ts";
import { typedNumbers } from "../helpers/typed-numbers.ts";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  noLib: true,
  types: [],
  allowImportingTsExtensions: true,
};

/** A program of one file with this text, without libraries. */
function programOf(text: string): ts.Program {
  const host = ts.createCompilerHost(options);
  const source = ts.createSourceFile("/case.ts", text, ts.ScriptTarget.ES2023, true);
  const own = (name: string): boolean => name === "/case.ts";
  return ts.createProgram(["/case.ts"], options, {
    ...host,
    fileExists: own,
    readFile: (name) => (own(name) ? text : undefined),
    getSourceFile: (name) => (own(name) ? source : undefined),
  });
}

describe("a number of ours that is typed", () => {
  test.each([
    ["in the call", 'compareNumber("x", "60.8", 60.8, "%", "S");'],
    ["as arithmetic of literals", 'compareNumber("x", "1024", 2048 / 2, "1", "S");'],
    ["in a constant", 'const ours = 4.11; compareStatement("x", "grows", ours, "x", [1, 2]);'],
    ["in a constant taken apart", 'const [a, b] = [1, 2]; fitted("x", "2", a / b, "x", "c");'],
    ["in an object", 'const o = { a: { b: 7 } }; compareNumber("x", "7", o.a.b, "x", "S");'],
    [
      "in a table",
      'const rows = [["x", "7", 7.1], ["y", "8", 8.1]] as const; rows.map(([a, b, c]) => compareNumber(a, b, c, "", "S"));',
    ],
    [
      "in a table of objects",
      'const rows = [{ p: "7", ours: 7.1 }]; rows.map(({ p, ours }) => compareNumber("x", p, ours, "", "S"));',
    ],
    ["as a name", 'compareName("x", "011000", "011000");'],
    ["where nothing is compared", 'notComparable("x", "3.3", 0, "%", "why");'],
    ["as a fact", 'fact("lia", "id", "section 1", "x", [1024, "1", 0], () => 1024);'],
  ])("is found %s", (_, text) => {
    expect(typedNumbers(programOf(text), () => true)).toHaveLength(1);
  });

  test.each([
    ["a call", 'compareNumber("x", "60.8", measure(60.8), "%", "S");'],
    ["a parameter", 'const f = (ours: number) => compareNumber("x", "1", ours, "%", "S");'],
    ["a choice by something computed", 'compareName("x", "yes", holds() ? "yes" : "no");'],
    [
      "a table with something computed in it",
      '[["x", run()]].map(([a, b]) => compareNumber(a, "1", b));',
    ],
    ["words where nothing is compared", 'notComparable("x", "0.725", "not computed", "", "why");'],
    [
      "arithmetic on printed numbers",
      'fact("lia", "id", "s", "x", [6.85, "1", 0], () => 0.807 / 0.119);',
    ],
  ])("is not %s", (_, text) => {
    expect(typedNumbers(programOf(text), () => true)).toEqual([]);
  });
});

test("no finding's own number is typed", inFull, () => {
  const folder = inRepository("src", "papers");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
  const within = (name: string): boolean => files.includes(name);
  const findings = files.filter((f) => /\bcompare[A-Z]\w*\(/.test(readFileSync(f, "utf8")));
  expect(findings.length).toBeGreaterThan(25);
  const program = ts.createProgram(files, { ...options, noResolve: false });
  expect(typedNumbers(program, within)).toEqual([]);
});
