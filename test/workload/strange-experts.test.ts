// SPDX-License-Identifier: Apache-2.0
// Experts in layouts that are not read: the refusal names the tensors that are there.

import { describe, expect, it } from "vitest";
import { readAnyExpert } from "../../src/workload/low-bit.ts";
import {
  bf16,
  by32,
  checkpoint,
  expert,
  filled,
  int4,
  strict,
  words,
  type Tensors,
} from "../helpers/expert-files.ts";
import { float32 } from "../helpers/safetensors.ts";

describe("an expert in a layout that is not read", () => {
  const layouts: readonly (readonly [string, Tensors, RegExp])[] = [
    [
      "NVFP4 of ModelOpt",
      expert(32, 16, (r, c, m) => ({
        weight: filled("U8", [r, c / 2]),
        weight_scale: filled("F8_E4M3", [r, c / 16]),
        weight_scale_2: float32([], [1]),
        ...(m === "down_proj" ? { pre_quant_scale: bf16([c]) } : {}),
      })),
      /NVFP4.*"e\.gate_proj\.weight_scale_2".*"e\.down_proj\.pre_quant_scale"/,
    ],
    [
      "NVFP4 of compressed-tensors",
      expert(32, 16, (r, c) => ({
        weight_packed: filled("U8", [r, c / 2]),
        weight_scale: filled("F8_E4M3", [r, c / 16]),
        weight_global_scale: float32([1], [1]),
      })),
      /NVFP4.*"e\.gate_proj\.weight_packed".*"e\.gate_proj\.weight_global_scale"/,
    ],
    [
      "DeepSeek-V4's FP4 in I8",
      expert(64, 32, (r, c) => ({
        weight: filled("I8", [r, c / 2]),
        scale: filled("F8_E8M0", [r, c / 32]),
      })),
      /DeepSeek-V4.*"e\.gate_proj\.scale" \(F8_E8M0/,
    ],
    [
      "DeepSeek-V4's FP8",
      expert(64, 32, (r, c) => ({
        weight: filled("F8_E4M3", [r, c]),
        scale: filled("F8_E8M0", [1, 1]),
      })),
      /DeepSeek-V4.*"e\.gate_proj\.weight" \(F8_E4M3/,
    ],
    [
      "GPTQ",
      expert(16, 8, (r, c) => ({
        qweight: words([c / 8, r], Array<number>((r * c) / 8).fill(0)),
        qzeros: words([1, r / 8], Array<number>(r / 8).fill(0)),
      })),
      /GPTQ.*"e\.gate_proj\.qweight".*"e\.gate_proj\.qzeros"/,
    ],
    [
      "LLM.int8",
      expert(4, 2, (r, c) => ({
        weight: filled("I8", [r, c]),
        SCB: float32([r], Array<number>(r).fill(1)),
      })),
      /"e\.gate_proj\.SCB"/,
    ],
    [
      "no gate",
      { "e.up_proj.weight": bf16([2, 3]), "e.down_proj.weight": bf16([3, 2]) },
      /"e\.up_proj\.weight" \(BF16 \[2, 3\]\).*lacks "e\.gate_proj\.weight"/,
    ],
    [
      "another FP8",
      expert(4, 2, (r, c) => ({
        weight: filled("F8_E5M2", [r, c]),
        weight_scale: float32([], [1]),
      })),
      /"e\.gate_proj\.weight" \(F8_E5M2 \[2, 4\]\)/,
    ],
    [
      "a type that the format does not know",
      expert(4, 2, (r, c) => ({ weight: filled("F8_NEW", [r, c]) })),
      /"e\.gate_proj\.weight" \(F8_NEW \[2, 4\]\)/,
    ],
    [
      "two formats",
      { ...int4(64, by32), "e.down_proj.weight": bf16([64, 8]) },
      /"e\.down_proj\.weight"/,
    ],
  ];

  it.each(layouts)("names its tensors: %s", (_, tensors, rule) => {
    const refuse = (): unknown => readAnyExpert(checkpoint(tensors), "e", strict);
    expect(refuse).toThrow(expect.objectContaining({ code: "bad-input" }));
    expect(refuse).toThrow(rule);
  });
});
