// SPDX-License-Identifier: Apache-2.0
// `.ci/headers` finds each word and phrase of .ci/homemade in the header comment of a file, with --pages in the text of
// a page and in all comments, and with --comments also each verb of .ci/figurative.

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

/** The words of a list of .ci, each with its replacement. */
function listed(name: string): readonly (readonly string[])[] {
  const lines = readFileSync(inRepository(".ci", name), "utf8").trim().split("\n");
  return lines.map((line) => line.split("->"));
}

const words = listed("homemade");

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

  it("finds every figurative verb in all comments with --comments, and only there", () => {
    const verbs = listed("figurative");
    const text = `export {};\n${verbs.map(([verb = ""]) => `// It ${verb} there.`).join("\n")}\n`;
    expect(checked(text, "file.ts", ["--comments"]).lines).toEqual(
      verbs.map(
        ([verb, instead], i) => `file.ts:${String(i + 2)}: ${verb ?? ""} ==> ${instead ?? ""}`,
      ),
    );
    expect(checked(text, "file.ts", ["--pages"])).toEqual({ code: 0, lines: [] });
  });

  it("passes comments with the field's verbs with --comments", () => {
    const text = "// The queue holds 4 reads; a read takes 3 cycles.\nexport {};\n";
    expect(checked(text, "file.ts", ["--comments"])).toEqual({ code: 0, lines: [] });
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
