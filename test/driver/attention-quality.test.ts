// SPDX-License-Identifier: Apache-2.0
// The quality table on synthetic heads reproduces the reference figures.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import {
  headQuality,
  qualityMethods,
  type QualityFigures,
} from "../../src/driver/attention-quality.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";
import { hasOracle, oraclePath } from "../helpers/oracle.ts";

interface Reference {
  readonly S: number;
  readonly d_h: number;
  readonly decode_steps: number;
  readonly per_head: readonly {
    readonly seed: number;
    readonly methods: Readonly<Record<string, Readonly<Record<string, QualityFigures>>>>;
  }[];
}

const ratios = { "1/2": 1 / 2, "1/4": 1 / 4, "1/8": 1 / 8, "1/16": 1 / 16, "1/32": 1 / 32 };

describe.skipIf(!hasOracle("sparf"))("quality on hta1", () => {
  it.each(qualityMethods)("%s at 1/2 .. 1/32", (method) => {
    const text = readFileSync(oraclePath("sparf", "quality-hta1-S1024-d128.json"), "utf8");
    const reference = JSON.parse(text) as Reference;
    for (const { seed, methods } of reference.per_head) {
      const head = generateHta1(seed, reference.S, reference.d_h);
      for (const [name, ratio] of Object.entries(ratios)) {
        const wanted = methods[method]?.[name];
        const found = headQuality(method, ratio, head, reference.decode_steps);
        for (const field of ["rel", "relc", "mass"] as const) {
          const error = Math.abs(found[field] / (wanted?.[field] ?? NaN) - 1);
          expect(error, `${method} ${name} seed ${seed} ${field}`).toBeLessThan(1e-6);
        }
      }
    }
  });
});
