// SPDX-License-Identifier: Apache-2.0
// The directory of a model by `list --checkpoint` and `ndp eval --checkpoint`: shards with an index, one file,
// and what is said where a layer, an expert or a file is not there.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeNpy } from "../../src/workload/npy.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { bf16, bytes, filled, type Tensors } from "../helpers/expert-files.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { float32, safetensors } from "../helpers/safetensors.ts";

const [hidden, intermediate] = [128, 32];

/** A value for each hidden row. */
function filledWith(value: number): readonly number[] {
  return Array.from({ length: intermediate }, () => value);
}

/** Tensors of an expert in NVFP4, in BF16, with a bias, or with a tensor of an unknown name. */
function expertOf(name: string, kind: "nvfp4" | "bf16" | "biased" | "unknown"): Tensors {
  const shapes = [
    ["gate_proj", intermediate, hidden],
    ["up_proj", intermediate, hidden],
    ["down_proj", hidden, intermediate],
  ] as const;
  const matrices = shapes.map(([matrix, rows, columns]): Tensors => {
    const own = `${name}.${matrix}`;
    if (kind !== "nvfp4") return { [`${own}.weight`]: bf16([rows, columns], 0x3c00) };
    return {
      [`${own}.weight`]: filled("U8", [rows, columns / 2], 0x32),
      // The scales of a row are 1 and 1.5.
      [`${own}.weight_scale`]: bytes(
        "F8_E4M3",
        [rows, columns / 16],
        Array.from({ length: (rows * columns) / 16 }, (_, i) => (i % 2 ? 0x38 : 0x3c)),
      ),
      [`${own}.weight_scale_2`]: float32([], [0.01]),
    };
  });
  const more: Tensors =
    kind === "unknown"
      ? { [`${name}.correction`]: bf16([2]) }
      : kind === "biased"
        ? { [`${name}.up_proj.bias`]: bf16([intermediate]) }
        : {};
  return Object.assign({}, ...matrices, more) as Tensors;
}

/**
 * A model of four layers: two experts of NVFP4, two of BF16, one with a bias, one with an unknown
 * tensor.
 */
function model(directory: string): void {
  const at = (layer: number, expert: number): string =>
    `model.layers.${layer}.mlp.experts.${expert}`;
  const shards: Readonly<Record<string, Tensors>> = {
    "model-00001-of-00002.safetensors": {
      ...expertOf(at(1, 0), "nvfp4"),
      ...expertOf(at(1, 1), "nvfp4"),
      "model.layers.0.mlp.gate_proj.weight": bf16([8, 8]),
    },
    "model-00002-of-00002.safetensors": {
      ...expertOf(at(2, 0), "bf16"),
      ...expertOf(at(2, 1), "bf16"),
      ...expertOf(at(3, 0), "biased"),
      ...expertOf(at(4, 0), "unknown"),
    },
  };
  const weight_map = Object.fromEntries(
    Object.entries(shards).flatMap(([file, tensors]) =>
      Object.keys(tensors).map((tensor) => [tensor, file]),
    ),
  );
  for (const [file, tensors] of Object.entries(shards)) {
    writeFileSync(join(directory, file), safetensors(tensors));
  }
  writeFileSync(join(directory, "model.safetensors.index.json"), JSON.stringify({ weight_map }));
  writeFileSync(join(directory, "config.json"), '{"model_type": "m", "hidden_act": "silu"}');
}

describe("neardata list --checkpoint", () => {
  it("says layers, experts, formats, and what is refused", () =>
    inTemporary(async (directory) => {
      model(directory);
      const { code, stdout } = await cli("list", "--checkpoint", directory, "--json");
      expect(code).toBe(0);
      const found = JSON.parse(stdout) as { readonly layers: readonly object[] };
      expect(found.layers).toHaveLength(4);
      const size = { hidden, intermediate, activation: "silu" };
      expect(found.layers[0]).toMatchObject({
        layer: 1,
        experts: 2,
        found: { stored: "nvfp4", codes: "nvfp4", bitsPerWeight: 4.5, biases: false, ...size },
        refused: [],
        refusedByUnit: [],
      });
      expect(found.layers[1]).toMatchObject({ found: { stored: "bf16", bitsPerWeight: 16 } });
      expect(found.layers[2]).toMatchObject({
        found: { biases: true },
        refused: [],
        refusedByUnit: [],
      });
      expect(found.layers[3]).toMatchObject({
        found: null,
        refused: [expect.stringContaining("experts.0.correction") as string],
      });
      const text = await cli("list", "--checkpoint", directory);
      expect(text.stdout).toMatch(
        /4 layers with experts\n  layer 1: 2 experts from model\.layers\.1/,
      );
      expect(text.stdout).toMatch(/layer 3: 1 expert from .*biases; golden, cycle, rtl\n/);
      expect(text.stdout).toMatch(/layer 4: .*refused\n    .*experts\.0\.correction/);
    }));

  it("says nothing is refused by the unit where tanh GELU is configured", () =>
    inTemporary(async (directory) => {
      model(directory);
      const config = { model_type: "m", hidden_act: "gelu_pytorch_tanh" };
      writeFileSync(join(directory, "config.json"), JSON.stringify(config));
      const { stdout } = await cli("list", "--checkpoint", directory, "--json");
      const { layers } = JSON.parse(stdout) as { readonly layers: readonly object[] };
      expect(layers[0]).toMatchObject({
        found: { activation: "gelu-tanh" },
        refused: [],
        refusedByUnit: [],
      });
    }));

  it.each<[string, object, number, RegExp]>([
    ["a limit that is not a number of the format", { swiglu_limit: 7.3 }, 0, /limit 7\.3 /],
    ["a bias that is not a sum of weights", {}, 2 ** -149, /bias .* is not a sum of BF16 weights/],
  ])("says that the unit refuses %s", (_, keys, bias, rule) =>
    inTemporary(async (directory) => {
      const name = "model.layers.0.mlp.experts.0";
      const biases = { [`${name}.up_proj.bias`]: float32([intermediate], filledWith(bias)) };
      const tensors = { ...expertOf(name, "bf16"), ...(bias === 0 ? {} : biases) };
      writeFileSync(join(directory, "model.safetensors"), safetensors(tensors));
      const config = { model_type: "deepseek_v4", hidden_act: "silu", ...keys };
      writeFileSync(join(directory, "config.json"), JSON.stringify(config));
      const { stdout } = await cli("list", "--checkpoint", directory);
      expect(stdout).toMatch(/1 layer with experts\n  layer 0: 1 expert from .*; golden\n/);
      expect(stdout.split("\n").at(2)).toMatch(new RegExp(`^    cycle and rtl: .*${rule.source}`));
    }),
  );

  it("refuses a directory without weights, and one of its kinds beside it", () =>
    inTemporary(async (directory) => {
      expect(await cli("list", "--checkpoint", directory)).toEqual(
        rejectedAt(/no \.safetensors file/),
      );
      expect(await cli("list", "--checkpoint", join(directory, "no"))).toEqual(
        rejectedAt(/cannot be read/),
      );
      expect(await cli("list", "models", "--checkpoint", directory)).toEqual(
        rejectedAt("--checkpoint"),
      );
      for (const name of ["a", "b"]) writeFileSync(join(directory, `${name}.safetensors`), "");
      expect(await cli("list", "--checkpoint", directory)).toEqual(
        rejectedAt(/a\.safetensors, b\.safetensors/),
      );
    }));
});

describe("neardata ndp eval --checkpoint", () => {
  const run = async (
    directory: string,
    place: readonly string[],
  ): Promise<Awaited<ReturnType<typeof cli>>> => {
    const x = join(directory, "x.npy");
    const data = Float32Array.from({ length: hidden }, (_, i) => (i - 60) / 64);
    writeFileSync(x, writeNpy({ type: "f4", shape: [1, hidden], data }));
    const out = join(directory, "y.npy");
    return cli("ndp", "eval", ...place, "--inputs", x, "--out", out, "--engine", "golden");
  };

  it("is the expert by its name, and says what it found", () =>
    inTemporary(async (directory) => {
      const files = join(directory, "model");
      mkdirSync(files);
      model(files);
      const place = ["--checkpoint", files, "--layer", "1", "--expert", "1"];
      const cliResult = await run(directory, place);
      expect(cliResult.code).toBe(0);
      expect(cliResult.stderr).toMatch(
        /index\.json: model\.layers\.1\.mlp\.experts\.1: nvfp4, 4\.5 bits a weight, hidden 128, /,
      );
      const outputs = readFileSync(join(directory, "y.npy"));
      const index = join(files, "model.safetensors.index.json");
      const named = ["--weights", index, "--expert", "model.layers.1.mlp.experts.1"];
      expect((await run(directory, named)).code).toBe(0);
      expect(readFileSync(join(directory, "y.npy"))).toEqual(outputs);
    }));

  it.each<[string, readonly string[], RegExp]>([
    ["a layer without experts", ["--layer", "0", "--expert", "0"], /layer 0 .*1 to 4/],
    ["an expert beyond the last", ["--layer", "1", "--expert", "2"], /no expert 2; it has 0 to 1/],
    ["no layer", ["--expert", "2"], /--checkpoint: --layer N/],
    ["a name", ["--layer", "1", "--expert", "e"], /--checkpoint: --layer N and --expert N/],
    ["a layer that is no number", ["--layer", "x", "--expert", "1"], /--layer/],
    ["weights beside it", ["--weights", "w", "--expert", "1"], /--weights: --checkpoint/],
  ])("refuses %s", (_, place, rule) =>
    inTemporary(async (directory) => {
      model(directory);
      expect(await run(directory, ["--checkpoint", directory, ...place])).toEqual(rejectedAt(rule));
      expect(existsSync(join(directory, "y.npy"))).toBe(false);
    }),
  );

  it("refuses a command line with neither", () =>
    inTemporary(async (directory) => {
      expect(await run(directory, ["--expert", "1"])).toEqual(
        rejectedAt(/--weights: it or --checkpoint/),
      );
    }));
});
