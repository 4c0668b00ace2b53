// SPDX-License-Identifier: Apache-2.0
// docs/reference/errors.md lists every error code with the exit code of the program, and its example is what the program prints.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { errorCodes, exitCodeOf, NeardataError } from "../../src/base/errors.ts";
import { inRepository } from "../../src/base/paths.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

const page = readFileSync(inRepository("docs", "reference", "errors.md"), "utf8");
const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (\d+) \| (.+) \| (.+) \|$/gm)];

describe("docs/reference/errors.md", () => {
  it("lists every error code with its exit code", () => {
    const listed = rows.map(([, code, exit]) => [code, Number(exit)]);
    expect(listed).toEqual(
      errorCodes.map((code) => [code, exitCodeOf(new NeardataError(code, ""))]),
    );
  });

  it("gives every code a meaning and an action", () => {
    const sentences = rows.flatMap(([, , , meaning = "", action = ""]) => [meaning, action]);
    expect(sentences.filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
  });

  it("shows the message that the program prints, as text and as JSON", async () => {
    await inTemporary(async (directory) => {
      const file = join(directory, "first.yaml");
      writeFileSync(file, "name: first\nexpert: { hidden_: 5120, intermediate: 1536 }\n");
      const shown = (text: string): string => text.replaceAll(file, "first.yaml");
      const { code, stdout, stderr } = await cli("run", file, "--json");
      expect(code).toBe(2);
      expect(page).toContain(`    ${shown(stderr)}`);
      const [, json = ""] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
      expect(JSON.parse(shown(stdout))).toEqual(JSON.parse(json));
    });
  });
});
