// SPDX-License-Identifier: Apache-2.0
// The quality table on synthetic heads reproduces the reference figures.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import {
  quality,
  qualityMethods,
  type QualityFigures,
} from "../../../src/kernels/csd/attention/attention-quality.ts";
import { generateHta1 } from "../../../src/workload/hta1.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { needs } from "../../helpers/needs.ts";

interface Reference {
  readonly S: number;
  readonly d_h: number;
  readonly decode_steps: number;
  readonly heads: readonly number[];
  readonly mean_over_heads: Readonly<Record<string, Readonly<Record<string, QualityFigures>>>>;
}

const ratios = { "1/2": 1 / 2, "1/4": 1 / 4, "1/8": 1 / 8, "1/16": 1 / 16, "1/32": 1 / 32 };

const reference = once((): Reference => {
  const text = readFileSync(oraclePath("sparf", "quality-hta1-S1024-d128.json"), "utf8");
  return JSON.parse(text) as Reference;
});

const heads = once(() => {
  const { S: length, d_h: width, heads: seeds } = reference();
  return seeds.map((seed) => generateHta1(seed, length, width));
});

/** Computes a value at its first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

describe("quality on hta1", needs("oracle/sparf"), () => {
  it.each(qualityMethods)("%s at 1/2 .. 1/32", (method) => {
    for (const [name, ratio] of Object.entries(ratios)) {
      const wanted = reference().mean_over_heads[method]?.[name];
      const qualityFigures = quality(method, ratio, heads(), reference().decode_steps);
      for (const field of ["rel", "relc", "mass"] as const) {
        const error = Math.abs(qualityFigures[field] / (wanted?.[field] ?? NaN) - 1);
        expect(error, `${method} ${name} ${field}`).toBeLessThan(1e-6);
      }
    }
  });
});
