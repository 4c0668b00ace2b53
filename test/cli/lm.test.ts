// SPDX-License-Identifier: Apache-2.0
// `neardata lm eval` and `lm token` on the models of the repository, which they take when none is named.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LmResult } from "../../src/lm/evaluate.ts";
import { inRepository } from "../../src/native/paths.ts";
import { cli } from "../helpers/cli.ts";
import { safetensors } from "../helpers/safetensors.ts";
import { tensorsOf } from "../lm/moe-checkpoint.ts";

/** A folder with a generated model and its configuration. */
function smallCheckpoint(config: object): string {
  const folder = mkdtempSync(join(tmpdir(), "neardata-lm-"));
  writeFileSync(join(folder, "model.safetensors"), safetensors(tensorsOf("mixtral")));
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  return folder;
}

describe("neardata lm", () => {
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

  it("decodes steps of a checkpoint with a config.json beside it, and writes their timeline", async () => {
    const folder = smallCheckpoint({ head_dim: 16, num_experts_per_tok: 2 });
    const timeline = join(folder, "timeline.json");
    const { code, stdout } = await cli(
      ...["lm", "token", "--model", join(folder, "model.safetensors"), "--steps", "2", "--json"],
      ...["--windows", "0,1", "--assume", "max_position_embeddings=64", "--timeline", timeline],
    );
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as { readonly tokenUs: number; readonly critical: object };
    expect(found).toMatchObject({
      ...{ fidelity: "cycle", dimms: 4, devices: 2, sequences: 2, steps: 2 },
      checks: [{ pass: true }, { pass: true }, { pass: true }, { pass: true }],
    });
    expect(found.tokenUs).toBeGreaterThan(0);
    expect(Object.keys(found.critical)).toContain("shared expert");
    const { traceEvents } = JSON.parse(readFileSync(timeline, "utf8")) as {
      readonly traceEvents: readonly { readonly name: string }[];
    };
    expect(traceEvents.filter(({ name }) => name === "experts")).toHaveLength(2 * 2 * 2 * 2);
  });

  it("refuses a host that is not there, a model with nothing to route and a broken config.json", async () => {
    const host = await cli("lm", "token", "--host", "abacus");
    expect([host.code, host.stderr]).toEqual([
      2,
      expect.stringMatching(/--host: there is no "abacus"/),
    ]);
    const model = inRepository("data", "tinylm", "tinylm.safetensors");
    const dense = await cli("lm", "token", "--model", model);
    expect([dense.code, dense.stderr]).toEqual([2, expect.stringMatching(/no routed experts/)]);
    const folder = smallCheckpoint({ head_dim: "wide", hidden_size: 33 });
    const index = join(folder, "model.safetensors.index.json");
    writeFileSync(index, JSON.stringify({ weight_map: {} }));
    const empty = await cli("lm", "eval", "--model", index);
    expect([empty.code, empty.stderr]).toEqual([
      2,
      expect.stringMatching(/the index has no tensor/),
    ]);
    const broken = await cli("lm", "eval", "--model", join(folder, "model.safetensors"));
    expect([broken.code, broken.stderr]).toEqual([
      2,
      expect.stringMatching(/config.json: head_dim/),
    ]);
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
