// SPDX-License-Identifier: Apache-2.0
// `neardata lm eval` and `lm token` on the models of the repository, which they take when none is named.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LmResult } from "../../src/lm/evaluate.ts";
import { inRepository } from "../../src/base/paths.ts";
import { cli } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { safetensors } from "../helpers/safetensors.ts";
import { tensorsOf } from "../lm/moe-checkpoint.ts";
import { inFull } from "../helpers/needs.ts";

/** A folder with a generated model and its configuration. */
function smallCheckpoint(config: object): string {
  const folder = mkdtempSync(join(tmpdir(), "neardata-lm-"));
  writeFileSync(join(folder, "model.safetensors"), safetensors(tensorsOf("mixtral")));
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  return folder;
}

describe("neardata lm", () => {
  it("judges a few steps of the repository's model", async () => {
    const { code, stdout } = await cli("lm", "eval", "--windows", "4", "--steps", "2", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ attention: "dense", ratio: null, scoredBytes: 2 });
  });

  it("judges the repository's model on the repository's text", inFull, async () => {
    const { code, stdout } = await cli("lm", "eval", "--windows", "4", "--json");
    const result = JSON.parse(stdout) as LmResult;
    expect(code).toBe(0);
    expect(result).toMatchObject({ attention: "dense", ratio: null, engine: null });
    // The model's check value, bits over positions 512 to 1023 of window 4.
    expect(Math.abs((result.windows[0]?.bits ?? NaN) - 1134.4718)).toBeLessThan(1e-3);
  });

  it("judges a mixture of experts, and writes what its routers chose", inFull, async () => {
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
      fidelity: "cycle",
      dimms: 4,
      devices: 2,
      sequences: 2,
      steps: 2,
      checks: [{ pass: true }, { pass: true }, { pass: true }, { pass: true }],
    });
    expect(found.tokenUs).toBeGreaterThan(0);
    expect(Object.keys(found.critical)).toContain("shared expert");
    const { traceEvents } = JSON.parse(readFileSync(timeline, "utf8")) as {
      readonly traceEvents: readonly { readonly name: string }[];
    };
    expect(traceEvents.filter(({ name }) => name === "experts")).toHaveLength(2 * 2 * 2 * 2);
  });

  it("decodes a step of a big shape, and says where each part of it ran", inFull, async () => {
    const timeline = join(mkdtempSync(join(tmpdir(), "neardata-lm-")), "timeline.json");
    const { code, stdout } = await cli(
      ...["lm", "shape", "qwen3-235b-a22b", "--layers", "2", "--batch", "2", "--length", "64"],
      ...["--json", "--timeline", timeline],
    );
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as { readonly experts: readonly { readonly jobs: number }[] };
    expect(found).toMatchObject({
      fidelity: "cycle",
      layerCount: 2,
      batch: 2,
      parts: 2,
      dimms: 16,
      devices: 4,
      sequences: 2,
      model: { name: "qwen3-235b-a22b" },
      attention: { on: "storage", group: 8, jobsPerHead: 2 },
      hardware: { attention: { jobs: 2 * 2 * 4 * 3 } },
      rtl: null,
      checks: [
        { id: "attention", pass: true },
        { id: "chain", pass: true },
      ],
    });
    expect(found.experts.map(({ jobs }) => jobs)).toEqual([2 * 2 * 8]);
    const { traceEvents } = JSON.parse(readFileSync(timeline, "utf8")) as {
      readonly traceEvents: readonly { readonly name: string }[];
    };
    expect(traceEvents.filter(({ name }) => name === "experts")).toHaveLength(2 * 2 * 8);
    const deepseek = await cli("lm", "shape", "deepseek-v2", "--layers", "2", "--batch", "1");
    expect(deepseek.code).toBe(0);
    expect(deepseek.stdout).toMatch(/DeepSeek-V2, 2 of 60 layers, 1 sequence in 1 part/);
    expect(deepseek.stdout).toMatch(/experts: 6 jobs; 6 with 1 token: 3\d\d\.\d\d us each/);
    expect(deepseek.stdout).toMatch(/attention on the host: latent attention/);
  });

  it("states that a step of dense layers has no jobs of experts", async () => {
    const { code, stdout } = await cli("lm", "shape", "deepseek-v2", "--layers", "1");
    expect(code).toBe(0);
    expect(stdout).toContain("\nexperts: no jobs, because the first layer is dense\n");
  });

  it("refuses steps of a shape that cannot be", inFull, async () => {
    const qwen = ["lm", "shape", "qwen3-235b-a22b"];
    const cases: readonly (readonly [readonly string[], string | RegExp])[] = [
      [["lm", "shape", "opt-13b"], /deepseek-v2/],
      [[...qwen, "--layers", "95"], /--layers: .* 94 /],
      [[...qwen, "--batch", "3", "--micro-batches", "2"], "--micro-batches"],
      [[...qwen, "--layers", "2", "--rtl-layer", "2"], /--rtl-layer: .* 0 to 1,/],
      [["lm", "shape", "deepseek-v2", "--rtl-layer", "0"], /--rtl-layer: .* 1 to 59,/],
      [["lm", "shape", "deepseek-v2", "--ratio", "1/4"], /--ratio: .*host/],
      [[...qwen, "--attention", "dense", "--ratio", "1/4"], /--ratio: .*dense/],
      [[...qwen, "--host", "abacus"], /--host: .*"abacus"/],
      [["lm", "shape", "deepseek-v2", "--host", "t4"], /--host: .*GiB/],
      [[...qwen, "--dimms", "2"], "--dimms"],
    ];
    for (const [args, where] of cases) {
      expect(await cli(...args), args.join(" ")).toEqual(rejectedAt(where));
    }
  });

  it("refuses a host that is not there, a model with nothing to route and a broken config.json", async () => {
    expect(await cli("lm", "token", "--host", "abacus")).toEqual(rejectedAt("--host"));
    const model = inRepository("data", "tinylm", "tinylm.safetensors");
    expect(await cli("lm", "token", "--model", model)).toEqual(rejectedAt("--model"));
    const folder = smallCheckpoint({ head_dim: "wide", hidden_size: 33 });
    const index = join(folder, "model.safetensors.index.json");
    writeFileSync(index, JSON.stringify({ weight_map: {} }));
    expect(await cli("lm", "eval", "--model", index)).toEqual(rejectedAt(index));
    const broken = await cli("lm", "eval", "--model", join(folder, "model.safetensors"));
    expect(broken).toEqual(rejectedAt("config.json: head_dim"));
  });

  it("refuses what a model without routed experts has no use for", async () => {
    const unused = await cli("lm", "eval", "--experts", "golden", "--routes", "r.csv");
    expect(unused).toEqual(rejectedAt("--experts", "--routes"));
    expect(await cli("lm", "eval", "--assume", "rope_theta=1")).toEqual(rejectedAt("--assume"));
  });

  it("refuses a ratio above 1 and a window that the text does not hold", async () => {
    expect(await cli("lm", "eval", "--ratio", "3/2")).toEqual(rejectedAt("--ratio"));
    expect(await cli("lm", "eval", "--windows", "128")).toEqual(rejectedAt(/--windows: .* 127,/));
  });
});
