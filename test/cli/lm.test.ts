// SPDX-License-Identifier: Apache-2.0
// `neardata lm eval` on the model of the repository, which it takes when none is named.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LmResult } from "../../src/lm/evaluate.ts";
import { inRepository } from "../../src/native/paths.ts";
import { cli } from "../helpers/cli.ts";

describe("neardata lm eval", () => {
  it("judges the repository's model on the repository's text", async () => {
    const { code, stdout } = await cli("lm", "eval", "--windows", "4", "--json");
    const result = JSON.parse(stdout) as LmResult;
    expect(code).toBe(0);
    expect(result).toMatchObject({ attention: "dense", ratio: null, engine: null });
    // The model's check value, bits over positions 512 to 1023 of window 4.
    expect(Math.abs((result.windows[0]?.bits ?? NaN) - 1134.4718)).toBeLessThan(1e-3);
  });

  it("judges a mixture of experts, and writes what its routers chose", async () => {
    const model = inRepository("data", "tinymoe", "tinymoe.safetensors");
    const routes = join(mkdtempSync(join(tmpdir(), "neardata-lm-")), "routes.csv");
    const { code, stdout } = await cli(
      ...["lm", "eval", "--model", model, "--windows", "4", "--steps", "2", "--json"],
      ...["--attention", "sparf", "--experts", "cycle", "--routes", routes],
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      scoredBytes: 2,
      experts: "cycle",
      group: "whole",
      model: { naming: "deepseek-moe", heads: 4, kvHeads: 2, routedExperts: 32 },
      routes: { choices: 4 * 514 },
      checks: [{ id: "experts", pass: true }],
    });
    const lines = readFileSync(routes, "utf8").trim().split("\n");
    expect(lines).toHaveLength(1 + 4 * 514);
    expect(lines[1]).toMatch(/^4,0,0(,\d+){4}(,\d\.\d{6}){4}$/);
  });

  it("refuses what a model without routed experts has no use for", async () => {
    const { code, stderr } = await cli("lm", "eval", "--experts", "golden", "--routes", "r.csv");
    expect(code).toBe(2);
    expect(stderr).toMatch(/--experts: the model has no routed experts/);
    expect(stderr).toMatch(/--routes: the model has no routed experts/);
    const assumed = await cli("lm", "eval", "--assume", "rope_theta=1");
    expect([assumed.code, assumed.stderr]).toEqual([2, expect.stringMatching(/Hugging Face/)]);
  });

  it("refuses a ratio above 1 and a window that the text does not hold", async () => {
    expect((await cli("lm", "eval", "--ratio", "3/2")).code).toBe(2);
    const { code, stderr } = await cli("lm", "eval", "--windows", "128");
    expect(code).toBe(2);
    expect(stderr).toMatch(/the text has windows 0 to 127, not 128/);
  });
});
