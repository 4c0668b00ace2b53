// SPDX-License-Identifier: Apache-2.0
// All experts of a layer in one tensor, turned and not, and what is refused of them.

import { describe, expect, it } from "vitest";
import { expertNames, readExpert } from "../../src/workload/expert.ts";
import { readAnyExpert } from "../../src/workload/low-bit.ts";
import { bf16, checkpoint, filled, strict, type Tensors } from "../helpers/expert-files.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, float32 } from "../helpers/safetensors.ts";

describe("all experts of a layer in one tensor", () => {
  const [experts, hidden, intermediate] = [2, 3, 2];
  /** Element (r, c) of a matrix of an expert, which no other element of the layer has. */
  const value = (e: number, matrix: number, r: number, c: number): number =>
    1 + e * 100 + matrix * 30 + r * 5 + c;
  const layer = (turned: boolean, dtype: "F16" | "BF16"): Tensors => {
    const [a, b] = turned ? [hidden, 2 * intermediate] : [2 * intermediate, hidden];
    const [c, d] = turned ? [intermediate, hidden] : [hidden, intermediate];
    const both = Array.from({ length: experts * a * b }, (_, i) => {
      const [e, y, x] = [Math.floor(i / (a * b)), Math.floor(i / b) % a, i % b];
      const [row, column] = turned ? [x, y] : [y, x];
      const up = row >= intermediate;
      return value(e, up ? 1 : 0, up ? row - intermediate : row, column);
    });
    const down = Array.from({ length: experts * c * d }, (_, i) => {
      const [e, y, x] = [Math.floor(i / (c * d)), Math.floor(i / d) % c, i % d];
      return turned ? value(e, 2, x, y) : value(e, 2, y, x);
    });
    return {
      "p.gate_up_proj": bits16(dtype, [experts, a, b], both),
      "p.down_proj": bits16(dtype, [experts, c, d], down),
    };
  };
  const matrix = (e: number, m: number, rows: number, columns: number): Uint16Array =>
    Uint16Array.from({ length: rows * columns }, (_, i) =>
      value(e, m, Math.floor(i / columns), i % columns),
    );
  const whole = {
    name: "p.1",
    format: "bf16",
    hidden,
    intermediate,
    gate: matrix(1, 0, intermediate, hidden),
    up: matrix(1, 1, intermediate, hidden),
    down: matrix(1, 2, hidden, intermediate),
  };

  it.each([true, false])("turned: %s", (turned) => {
    const file = checkpoint(layer(turned, "BF16"));
    expect(expertNames(file)).toEqual(["p.0", "p.1"]);
    expect(readAnyExpert(file, "p.1", strict)).toEqual(whole);
  });

  it("is told apart by shapes where the model is square", () => {
    const square = (turned: boolean): Tensors => ({
      "p.gate_up_proj": bf16(turned ? [1, 4, 8] : [1, 8, 4]),
      "p.down_proj": bf16([1, 4, 4]),
    });
    for (const turned of [true, false]) {
      expect(readExpert(checkpoint(square(turned)), "p.0", strict)).toMatchObject({
        hidden: 4,
        intermediate: 4,
      });
    }
  });

  it("has Granite's names, with the router beside it", () => {
    const renamed = Object.fromEntries(
      Object.entries(layer(false, "BF16")).map(([key, tensor]) => [
        key
          .replace("p.gate_up_proj", "l.block_sparse_moe.input_linear.weight")
          .replace("p.down_proj", "l.block_sparse_moe.output_linear.weight"),
        tensor,
      ]),
    );
    const file = checkpoint({ ...renamed, "l.block_sparse_moe.router.layer.weight": bf16([2, 3]) });
    const expert = readExpert(file, "l.block_sparse_moe.1", strict);
    expect(expert.up).toEqual(whole.up);
    const biased = checkpoint({ ...renamed, "l.block_sparse_moe.bias": bf16([3]) });
    expect(() => readExpert(biased, "l.block_sparse_moe.1", strict)).toThrow(
      rejection("bad-input", /"l\.block_sparse_moe\.bias"/),
    );
  });

  it.each<[string, Tensors, string, RegExp]>([
    ["an expert beyond the last", layer(true, "F16"), "p.2", /"p" .* 2 experts, 0 to 1, not 2/],
    [
      "no down matrix",
      { "p.gate_up_proj": bf16([1, 8, 4]) },
      "p.0",
      /"p\.gate_up_proj".*"p\.down_proj"/,
    ],
    [
      "shapes of neither kind",
      { "p.gate_up_proj": bf16([1, 8, 4]), "p.down_proj": bf16([1, 4, 5]) },
      "p.0",
      /"p\.gate_up_proj" \(BF16 \[1, 8, 4\]\).*"p\.down_proj"/,
    ],
    [
      "a type that has scales",
      { "p.gate_up_proj": filled("F8_E4M3", [1, 8, 4]), "p.down_proj": bf16([1, 4, 4]) },
      "p.0",
      /"p\.gate_up_proj" \(F8_E4M3/,
    ],
    [
      "biases, as gpt-oss has",
      {
        ...layer(true, "BF16"),
        "p.gate_up_proj_bias": bf16([2, 4]),
        "p.down_proj_bias": bf16([2, 3]),
      },
      "p.1",
      /"p\.gate_up_proj_bias", "p\.down_proj_bias"/,
    ],
    ["other names", { "p.w1": bf16([1, 8, 4]), "p.w2": bf16([1, 4, 4]) }, "p.0", /"p\.w1" \(BF16/],
  ])("is refused: %s", (_, tensors, name, rule) => {
    expect(() => readAnyExpert(checkpoint(tensors), name, strict)).toThrow(
      rejection("bad-input", rule),
    );
  });

  it("names a value by its indices in the tensor", () => {
    const values = Float32Array.from({ length: 32 }, (_, i) => (i === 17 ? 1.00001 : 1));
    const tensors = {
      "p.gate_up_proj": float32([1, 4, 8], values),
      "p.down_proj": float32([1, 4, 4], new Float32Array(16)),
    };
    expect(() => readExpert(checkpoint(tensors), "p.0", strict)).toThrow(
      rejection("bad-input", /"p\.gate_up_proj"\[0, 2, 1\] = 1\.00001/),
    );
  });
});
