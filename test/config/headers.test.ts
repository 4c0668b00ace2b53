// SPDX-License-Identifier: Apache-2.0
// `.ci/headers` finds each word of .ci/homemade in the header comment of a file, and nowhere else in it.

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

/** What the check prints of a file with this text, and its exit code. */
function checked(text: string): {
  readonly code: number | null;
  readonly lines: readonly string[];
} {
  const file = join(folder, "file.ts");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync(inRepository(".ci", "headers"), [file], {
    encoding: "utf8",
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { code: status, lines: lines.map((line) => line.replace(file, "file.ts")) };
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

  it.each([
    ["a comment after the first line of code", "// A file.\nexport {};\n// The planted fault.\n"],
    ["a path", "// The calls of sim/api/calls.h and ../api.ts.\n"],
    ["quoted code and an option", "// The key `planted` and the option --planted.\n"],
    ["a longer word", "// Outdoors, a replanted tree.\n"],
  ])("passes %s", (_, text) => {
    expect(checked(text)).toEqual({ code: 0, lines: [] });
  });
});
