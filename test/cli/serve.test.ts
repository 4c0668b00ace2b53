// SPDX-License-Identifier: Apache-2.0
// `neardata serve` and `explore` on pools: documents, a trace beside its file, resuming, exit codes.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { cli, inTemporary } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

interface Document {
  readonly resultHash: string;
  readonly requests: { readonly count: number; readonly source: string };
  readonly numbers: readonly { readonly id: string; readonly unit: string }[];
  readonly pools: readonly { readonly pool: string }[];
  readonly checks: readonly { readonly pass: boolean }[];
}

const pool = "{ servers: 1, devices: 2, gpu: a100-40, link: 300 GB/s, price: 10000 }";
const serving = (requests: string): string =>
  `model: opt-13b\nprefill: ${pool}\ndecode: ${pool}\nrequests: ${requests}\n`;
const trace = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6,120,24\n";

describe("neardata serve", () => {
  it("prints one document, with one hash for one file", async () => {
    const first = await cli("serve", "scenarios/serve-llama2-70b.yaml", "--json");
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: "" });
    const document = JSON.parse(first.stdout) as Document;
    expect(document.requests).toEqual({ count: 500, source: "generated" });
    expect(document.pools.map((one) => one.pool)).toEqual(["prefill", "decode"]);
    expect(document.checks.every(({ pass }) => pass)).toBe(true);
    const units = new Map(document.numbers.map(({ id, unit }) => [id, unit]));
    expect(units.get("goodput")).toBe("requests/s");
    expect(units.get("cost")).toBe("$");
    const again = await cli("serve", "scenarios/serve-llama2-70b.yaml", "--json");
    expect((JSON.parse(again.stdout) as Document).resultHash).toBe(document.resultHash);
  });

  it("reads a trace beside its file, and says what it leaves out", async () => {
    await inTemporary(async (folder) => {
      const [file, requests] = [join(folder, "s.yaml"), join(folder, "t.csv")];
      writeFileSync(file, serving("{ trace: t.csv }"));
      writeFileSync(requests, `${trace}2023-11-16 18:15:47,5,0\n`);
      const { code, stdout, stderr } = await cli("serve", file, "--json");
      expect(code).toBe(0);
      expect((JSON.parse(stdout) as Document).requests.source).toMatch(/Azure/);
      expect(stderr).toMatch(/1 request without tokens/);
      const shown = await cli("serve", file);
      expect(shown.stdout).toMatch(/time to first token, mean +[\d.]+ s\n/);
    });
  });

  it("refuses a bad file with exit code 2", async () => {
    await inTemporary(async (folder) => {
      const file = join(folder, "s.yaml");
      writeFileSync(file, serving("{ count: 3 }"));
      expect(await cli("serve", file)).toEqual(rejectedAt(`${file}: requests.rate`));
      writeFileSync(file, serving("{ trace: none.csv }"));
      expect((await cli("serve", file)).code).toBe(2);
    });
  });
});

describe("neardata explore on pools", () => {
  it("writes results and a page, and a second call resumes", async () => {
    await inTemporary(async (folder) => {
      const [file, out] = [join(folder, "e.yaml"), join(folder, "e.duckdb")];
      writeFileSync(join(folder, "s.yaml"), serving("{ count: 20, rate: 5 }"));
      writeFileSync(
        file,
        "name: e\nserving: s.yaml\nspace: { prefill.servers: [1, 2], decode.servers: [1, 2] }\n",
      );
      const explore = (...more: readonly string[]): ReturnType<typeof cli> =>
        cli("explore", file, "--out", out, "--json", ...more);
      const first = await explore();
      expect(first.code).toBe(0);
      const found = JSON.parse(first.stdout) as { simulated: readonly object[]; compared: object };
      expect(found.simulated).toHaveLength(4);
      expect(found.compared).toEqual({ cost: "cost", rate: "requestRate" });
      expect(readFileSync(join(folder, "e.html"), "utf8")).toMatch(/Exploration e/);
      const resumed = await explore("--resume");
      expect(JSON.parse(resumed.stdout)).toEqual(found);
      expect((await explore()).code).toBe(2);
      expect(await explore("--workers", "2")).toMatchObject({ code: 2 });
    });
  });
});
