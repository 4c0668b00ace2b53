// SPDX-License-Identifier: Apache-2.0
// The hashes of a reproduction are those of its options and of its results: the same options have the
// same hashes, other options have others, and the page shows every option.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";

/** The entries of a page about its origin, by name. */
function provenance(html: string): Readonly<Record<string, string>> {
  const rows = html.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g);
  return Object.fromEntries([...rows].map(([, name = "", value = ""]) => [name, value]));
}

it("the same options give the same hashes, others give others; the page has them all", () =>
  inTemporary(async (directory) => {
    const csv = (name: string, tokens: number): string => {
      const file = join(directory, name);
      writeFileSync(file, `TIMESTAMP,ContextTokens,GeneratedTokens\n0,${String(tokens)},5\n`);
      return file;
    };
    const requests = ["--requests", csv("a.csv", 100)];
    const asked: readonly (readonly string[])[] = [
      [],
      ["llmshare"],
      ["--seeds", "3"],
      ["--seeds", "3", ...requests],
      ["--seeds", "3", "--requests", csv("b.csv", 101)],
      requests,
    ];
    // The paper whose experiments read every option; its searches are not run.
    const only = "llmshare/arithmetic";
    const once = async (options: readonly string[], out: string): Promise<unknown> => {
      const all = [...options, "--only", only, "--out", join(directory, out), "--json"];
      const { code, stdout, stderr } = await cli("reproduce", ...all);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { configHash, resultHash } = JSON.parse(stdout) as Record<string, string>;
      expect(configHash).toMatch(/^[0-9a-f]{64}$/);
      const html = readFileSync(join(directory, out, "llmshare.html"), "utf8");
      const shown = provenance(html);
      expect(shown).toMatchObject({
        "config hash": configHash,
        fidelity: "analytic",
        experiments: only,
      });
      expect(shown["seeds of searches"]).toBe(options.includes("--seeds") ? "1 to 3" : "1 to 2");
      return [configHash, resultHash, shown["result hash"]];
    };
    const hashes = [];
    for (const [i, options] of asked.entries()) hashes.push(await once(options, String(i)));
    expect(new Set(hashes.flat()).size).toBe(3 * asked.length);
    // Another directory, and the same file under another name.
    const same = [...["--seeds", "3"], "--requests", csv("c.csv", 100)];
    expect(await once(same, "again")).toEqual(hashes[3]);
  }));
