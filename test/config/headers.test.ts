// SPDX-License-Identifier: Apache-2.0
// `.ci/headers` finds each word and phrase of .ci/homemade in the header comment of a file, and with --pages in the
// text of a page and in all comments.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const folder = mkdtempSync(join(tmpdir(), "neardata-headers-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const words = readFileSync(inRepository(".ci", "homemade"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("->"));

/** The output of the check for a file with this text, and its exit code. */
function checked(
  text: string,
  name = "file.ts",
  flags: readonly string[] = [],
): {
  readonly code: number | null;
  readonly lines: readonly string[];
} {
  const file = join(folder, name);
  writeFileSync(file, text);
  const { status, stdout } = spawnSync(inRepository(".ci", "headers"), [...flags, file], {
    encoding: "utf8",
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { code: status, lines: lines.map((line) => line.replace(file, name)) };
}

describe(".ci/headers", () => {
  it("finds every word of the list, with its line and its replacement", () => {
    const header = words.map(([word = ""]) => `// Before ${word} and after.`);
    const { code, lines } = checked(`${header.join("\n")}\n\nexport {};\n`);
    expect(code).toBe(1);
    expect(lines).toEqual(
      words.map(
        ([word, instead], i) => `file.ts:${String(i + 1)}: ${word ?? ""} ==> ${instead ?? ""}`,
      ),
    );
  });

  it("finds a phrase across the end of a line", () => {
    expect(checked("// Two readers take\n// turns at the port.\n").lines).toEqual([
      "file.ts:1: take turns ==> alternate, are served round-robin,",
    ]);
  });

  it("finds words in all comments with --pages", () => {
    const { lines } = checked("export {};\n// A planted fault.\n", "file.ts", ["--pages"]);
    expect(lines).toEqual(["file.ts:2: planted ==> injected"]);
  });

  it("finds words in the text of a page, and not in its code", () => {
    const page = "A planted fault.\n\n    a planted word\n\n```ts\nplanted();\n```\n";
    const { lines } = checked(page, "page.md", ["--pages"]);
    expect(lines).toEqual(["page.md:1: planted ==> injected"]);
  });

  it.each([
    ["a comment after the first line of code", "// A file.\nexport {};\n// The planted fault.\n"],
    ["a path", "// The calls of sim/api/calls.h and ../api.ts.\n"],
    ["quoted code and an option", "// The key `planted` and the option --planted.\n"],
    ["a longer word", "// Outdoors, a replanted tree.\n"],
  ])("passes %s", (_, text) => {
    expect(checked(text)).toEqual({ code: 0, lines: [] });
  });
});
