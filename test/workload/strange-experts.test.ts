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
  type Tensors,
} from "../helpers/expert-files.ts";
import { float32 } from "../helpers/safetensors.ts";

describe("an expert in a layout that is not read", () => {
  const layouts: readonly (readonly [string, Tensors, RegExp])[] = [
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
        weight: filled("F8_E4M3FNUZ", [r, c]),
        weight_scale: float32([], [1]),
      })),
      /"e\.gate_proj\.weight" \(F8_E4M3FNUZ \[2, 4\]\)/,
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
