// SPDX-License-Identifier: Apache-2.0
// Experts of checkpoints by `ndp eval` and `run`: the function of the config.json beside the weights, and
// refusals that name tensors of the file and keys that the user wrote.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolved } from "../helpers/resolved.ts";
import { generateExpert } from "../../src/workload/generate.ts";
import { readNpy, writeNpy } from "../../src/workload/npy.ts";
import { cli, inTemporary, type CliResult } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { bits16, float32, safetensors, type TestTensor } from "../helpers/safetensors.ts";

const shape = { hidden: 12, intermediate: 5 };
const expert = generateExpert({ seed: 1, name: "e", format: "fp16", ...shape });
const tensors = {
  "e.gate_proj.weight": bits16("F16", [5, 12], expert.gate),
  "e.up_proj.weight": bits16("F16", [5, 12], expert.up),
  "e.down_proj.weight": bits16("F16", [12, 5], expert.down),
};
const biased = {
  ...tensors,
  "e.up_proj.bias": bits16("F16", [5], new Uint16Array(5).fill(0x3c00)),
};

interface Files {
  readonly config?: object | string;
  readonly more?: readonly string[];
  readonly weights?: Readonly<Record<string, TestTensor>>;
  readonly out?: string;
  readonly engine?: "golden" | "cycle";
}

/** The outputs of `ndp eval` of an expert with these additional files; null if it writes none. */
async function evaluated(
  directory: string,
  { config, more = [], weights = tensors, out = "y.npy", engine = "golden" }: Files,
): Promise<CliResult & { readonly outputs: readonly number[] | null }> {
  const at = (name: string): string => join(directory, name);
  writeFileSync(at("w.safetensors"), safetensors(weights));
  const x = Float32Array.from({ length: 24 }, (_, i) => (i - 10) / 8);
  writeFileSync(at("x.npy"), writeNpy({ type: "f4", shape: [2, 12], data: x }));
  if (config !== undefined) {
    const text = typeof config === "string" ? config : JSON.stringify(config);
    writeFileSync(at("config.json"), text);
  }
  const result = await cli(
    ...["ndp", "eval", "--weights", at("w.safetensors"), "--expert", "e", "--inputs", at("x.npy")],
    ...["--out", at(out), "--engine", engine, ...more],
  );
  if (!existsSync(at("y.npy"))) return { ...result, outputs: null };
  return { ...result, outputs: [...readNpy("y", readFileSync(at("y.npy"))).data] };
}

const alone = async (files: Files): ReturnType<typeof evaluated> =>
  inTemporary(async (directory) => evaluated(directory, files));

describe("the function of an expert by neardata ndp eval", () => {
  it("is that of config.json, as if --activation said it", async () => {
    const fromConfig = await alone({ config: { hidden_act: "relu" }, more: ["--json"] });
    const given = await alone({ more: ["--activation", "relu"] });
    const other = await alone({ more: ["--activation", "silu"] });
    expect(fromConfig).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(fromConfig.stdout)).toMatchObject({ activation: "relu" });
    expect(fromConfig.outputs).toEqual(given.outputs);
    expect(fromConfig.outputs).not.toEqual(other.outputs);
  });

  it("is SiLU where nothing says one, and that is said", async () => {
    const { code, stderr, outputs } = await alone({});
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^neardata: .*config\.json .*silu is assumed\.\n$/) as string,
    });
    expect(outputs).toEqual((await alone({ more: ["--activation", "silu"] })).outputs);
  });

  it("is the user's before that of config.json, and that is said", async () => {
    const more = ["--activation", "gelu"];
    for (const config of [{ hidden_act: "mish" }, { hidden_act: "relu" }]) {
      const { code, stderr } = await alone({ config, more });
      expect(code).toBe(0);
      expect(stderr).toMatch(/config\.json: .*--activation says gelu/);
    }
    expect((await alone({ config: { hidden_act: "gelu" }, more })).stderr).toBe("");
  });

  it.each<[string, object | string, RegExp]>([
    [
      "a function that is not implemented",
      { hidden_act: "mish" },
      /config\.json: hidden_act .*mish/,
    ],
    [
      "a limit of a model that is not known",
      { model_type: "m", hidden_act: "silu", swiglu_limit: 7 },
      /config\.json: swiglu_limit is 7/,
    ],
    ["no JSON", "{", /config\.json: it is not JSON/],
  ])("is refused: %s", async (_, config, rule) => {
    expect(await alone({ config })).toEqual({ ...rejectedAt(rule), outputs: null });
  });

  it("is refused together with what the weights have", async () => {
    const config = { hidden_act: "mish" };
    const weights = { ...biased, "e.up_proj.sparsity": bits16("F16", [5], new Uint16Array(5)) };
    expect(await alone({ config, weights })).toEqual({
      ...rejectedAt("config.json", /w\.safetensors: .*"e\.up_proj\.sparsity"/),
      outputs: null,
    });
  });

  it.each<[string, object]>([
    ["ReLU squared", { hidden_act: "relu2" }],
    ["tanh GELU", { hidden_activation: "gelu_pytorch_tanh" }],
    ["gpt-oss", { model_type: "gpt_oss" }],
    ["a limit", { model_type: "deepseek_v4", hidden_act: "silu", swiglu_limit: 10 }],
    ["a small limit", { model_type: "deepseek_v4", hidden_act: "silu", swiglu_limit: 0.25 }],
  ])("is computed by the golden model and the unit: %s", async (_, config) => {
    const golden = await alone({ config });
    expect(golden.code).toBe(0);
    expect(await alone({ config, engine: "cycle" })).toMatchObject({
      code: 0,
      outputs: golden.outputs,
    });
  });

  it("is refused for the unit with a limit that the format lacks", async () => {
    const config = { model_type: "deepseek_v4", swiglu_limit: 0.3 };
    expect(await alone({ config, engine: "cycle" })).toEqual({
      ...rejectedAt(/the limit 0\.3 is not a positive FP16 number/),
      outputs: null,
    });
  });

  it("has biases, by the golden model and on the unit", async () => {
    const config = { hidden_act: "silu" };
    const bias = bits16("F16", [12], new Uint16Array(12).fill(0x4200));
    const weights = { ...tensors, "e.down_proj.bias": bias };
    const [plain, added] = [await alone({ config }), await alone({ config, weights })];
    expect(added).toMatchObject({ code: 0, stderr: "" });
    // 3 in FP16, before the one rounding.
    expect(added.outputs).not.toEqual(plain.outputs);
    for (const [i, y] of (added.outputs ?? []).entries()) {
      expect(Math.abs(y - (plain.outputs?.[i] ?? NaN) - 3)).toBeLessThan(2 ** -8);
    }
    expect(await alone({ config, weights, engine: "cycle" })).toMatchObject({
      code: 0,
      outputs: added.outputs,
    });
  });

  it("is not written over", async () => {
    const config = { hidden_act: "silu" };
    const { code, stderr } = await alone({ config, out: "config.json" });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^neardata: --out: [^\n]*config\.json[^\n]*\n$/) as string,
    });
  });
});

it("scales of inputs are said to be left out", async () => {
  const scale = { "e.up_proj.input_scale": float32([], [0.5]) };
  const eight = (rows: number, columns: number): TestTensor => ({
    dtype: "F8_E4M3",
    shape: [rows, columns],
    data: new Uint8Array(rows * columns).fill(0x38),
  });
  const weights = Object.fromEntries(
    ["gate_proj", "up_proj", "down_proj"].flatMap((name) => [
      [`e.${name}.weight`, name === "down_proj" ? eight(12, 5) : eight(5, 12)],
      [`e.${name}.weight_scale`, float32([], [0.125])],
    ]),
  );
  const config = { hidden_act: "silu" };
  const plain = await alone({ config, weights });
  const scaled = await alone({ config, weights: { ...weights, ...scale } });
  expect(plain).toMatchObject({ code: 0, stderr: "" });
  expect(scaled.stderr).toMatch(/"e\.up_proj\.input_scale".*16 bits/);
  expect(scaled.outputs).toEqual(plain.outputs);
});

describe("an expert of a checkpoint in a scenario", () => {
  const inScenario = async (
    weights: Readonly<Record<string, TestTensor>>,
    {
      config,
      keys = "",
      name = "e",
    }: { readonly config?: object; readonly keys?: string; readonly name?: string },
  ): Promise<CliResult> =>
    inTemporary(async (directory) => {
      mkdirSync(join(directory, "model"));
      writeFileSync(join(directory, "model", "w.safetensors"), safetensors(weights));
      if (config !== undefined) {
        writeFileSync(join(directory, "model", "config.json"), JSON.stringify(config));
      }
      const scenario = `name: s\nfidelity: cycle\nexpert: { weights: model/w.safetensors, name: ${name}${keys} }\n`;
      writeFileSync(join(directory, "s.yaml"), scenario);
      const result = await cli("run", join(directory, "s.yaml"), "--out", join(directory, "out"));
      expect(existsSync(join(directory, "out"))).toBe(result.code === 0);
      return result;
    });

  it("is refused with a tensor that nothing uses", async () => {
    const odd = { ...tensors, "e.up_proj.sparsity": bits16("F16", [5], new Uint16Array(5)) };
    expect(await inScenario(odd, {})).toEqual(rejectedAt(/"e\.up_proj\.sparsity"/));
  });

  it("has the biases of the checkpoint, and rejects the key of generated ones", async () => {
    const config = { hidden_act: "silu" };
    expect(await inScenario(biased, { config })).toMatchObject({ code: 0, stderr: "" });
    expect(await inScenario(biased, { config, keys: ", biases: true" })).toEqual(
      rejectedAt(/expert\.biases: the biases are those of the checkpoint/),
    );
  });

  it("of gpt-oss has the gate of config.json; without one the function has to be written", async () => {
    const [experts, size] = [2, 64];
    const bf16 = (shape: readonly number[]): TestTensor => {
      const count = shape.reduce((product, n) => product * n, 1);
      const numbers = Uint16Array.from({ length: count }, (_, i) => 0x3e00 + 16 * (i % 20));
      return bits16("BF16", shape, numbers);
    };
    const gptOss = {
      "l.experts.gate_up_proj": bf16([experts, size, 2 * size]),
      "l.experts.gate_up_proj_bias": bf16([experts, 2 * size]),
      "l.experts.down_proj": bf16([experts, size, size]),
      "l.experts.down_proj_bias": bf16([experts, size]),
    };
    const name = "l.experts.1";
    const config = { model_type: "gpt_oss", hidden_act: "silu" };
    expect(await inScenario(gptOss, { name, config })).toMatchObject({ code: 0, stderr: "" });
    expect(await inScenario(gptOss, { name })).toEqual(
      rejectedAt(/quick-gelu, clamped at 7, \(up \+ 1\).*expert\.activation/),
    );
    const keys = ", activation: quick-gelu, gateLimit: 7, upPlusOne: true";
    expect(await inScenario(gptOss, { name, keys })).toMatchObject({ code: 0 });
  });

  it("is refused with a function that is not implemented", async () => {
    const config = { hidden_act: "silu", swiglu_limit: 7 };
    expect(await inScenario(tensors, { config })).toEqual(
      rejectedAt(/config\.json: swiglu_limit is 7.*expert\.activation/),
    );
  });

  it("names keys of scenarios", async () => {
    const odd = {
      ...tensors,
      "e.up_proj.weight": bits16(
        "F16",
        [5, 12],
        expert.up.map(() => 0x7c00),
      ),
    };
    expect(await inScenario(odd, {})).toEqual(
      rejectedAt(/"e\.up_proj\.weight" holds 60 .*expert\.allowNonfinite/),
    );
    const wide = (rows: number, columns: number): TestTensor =>
      float32([rows, columns], new Float32Array(rows * columns).fill(1.00001));
    const long = {
      "e.gate_proj.weight": wide(5, 12),
      "e.up_proj.weight": wide(5, 12),
      "e.down_proj.weight": wide(12, 5),
    };
    expect(await inScenario(long, {})).toEqual(
      rejectedAt(/"e\.gate_proj\.weight".*expert\.format/),
    );
  });

  it("has the function of the config.json beside the weights", () =>
    inTemporary((directory) => {
      const file = join(directory, "s.yaml");
      writeFileSync(join(directory, "config.json"), '{"hidden_act": "gelu"}');
      const of = (activation?: "relu"): unknown =>
        resolved(file, {
          name: "s",
          expert: { weights: "w.safetensors", ...(activation === undefined ? {} : { activation }) },
        }).scenario.expert?.activation;
      expect([of(), of("relu")]).toEqual(["gelu", "relu"]);
      writeFileSync(join(directory, "config.json"), '{"model_type": "gpt_oss"}');
      expect(of()).toEqual({ name: "quick-gelu", limit: 7, upPlusOne: true });
      return Promise.resolve();
    }));
});

describe("heads of a file in a scenario", () => {
  it("name each key of a shape that is written beside them", () => {
    const source = { tensors: "h.safetensors" };
    expect(() =>
      resolved("s.yaml", { name: "s", attention: { source, heads: 2, headWidth: 64 } }),
    ).toThrow(rejection("bad-input", "s.yaml: attention.heads", "s.yaml: attention.headWidth"));
  });

  it("and keys beside a model", () => {
    expect(() =>
      resolved("s.yaml", { name: "s", attention: { model: "opt-13b", headWidth: 64 } }),
    ).toThrow(rejection("bad-input", "s.yaml: attention.headWidth"));
  });
});
