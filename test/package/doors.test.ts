// SPDX-License-Identifier: Apache-2.0
// Which of our tests drive RTL, and through which door: docs/library.md has the list, and it is this one.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { inRepository } from "../../src/native/paths.ts";

/** What a test's text has that goes through a door, and what the door is. */
const doors: readonly (readonly [door: string, RegExp])[] = [
  ["`neardata/rtl`: ports in batches", /\bopenUnit[<(]/],
  [
    "sessions of machines: memories, flash and hosts in C++",
    /\bbuild(?:Ndp|Sparf|Own)Unit\(|\bopen(?:Csd)?SessionOn\(|attentionEngine\("rtl"|"--engine": engine|(?:engine|model): "rtl"|(?:run|times|attend)\("rtl"|reads, "rtl"\)|shape, "rtl"\)|"rtl"\] as const\)\(/,
  ],
  [
    "a C++ main under `testbench`, or of the test: what is round the unit answers it cycle by cycle",
    /\bverilate\(|\bcompareNetlists\(|\/(?:ndp|sparf)-bench\.ts"|\/sparf-(?:kernel|properties)\.ts"/,
  ],
];

function testsBelow(folder: string): readonly string[] {
  return readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .filter((name) => !name.endsWith("doors.test.ts"))
    .sort();
}

it("every main of testbench that drives RTL stands there with why it stays", () => {
  const mains = readdirSync(inRepository("testbench")).filter((name) =>
    /_(?:main|tb)\.cc$/.test(name),
  );
  const page = readFileSync(inRepository("docs", "library.md"), "utf8");
  const table = page.slice(page.indexOf("| main | drives |")).split("\n\n")[0] ?? "";
  const rows = [...table.matchAll(/^\| `(\w+\.cc)` \| (.+) \| (.+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(mains.sort());
  for (const [, , unit = "", why = ""] of rows) {
    expect(unit).toMatch(/^`\w+`$/);
    expect(why.length).toBeGreaterThan(40);
  }
});

it("every test that drives RTL stands in docs/library.md with its door", () => {
  const texts = [...testsBelow("examples"), ...testsBelow("test")].map(
    (name) => [name, readFileSync(inRepository(name), "utf8")] as const,
  );
  const rows = doors.map(([door, marks]) => {
    const tests = texts.filter(([, text]) => marks.test(text)).map(([name]) => `\`${name}\``);
    return `| ${door} | ${tests.join(", ")} |`;
  });
  expect(rows.every((row) => row.includes(".test.ts"))).toBe(true);
  const page = readFileSync(inRepository("docs", "library.md"), "utf8");
  const table = page.slice(page.indexOf("| door | tests |")).split("\n\n")[0] ?? "";
  expect(table.trimEnd().split("\n").slice(2)).toEqual(rows);
});
