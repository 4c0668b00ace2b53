// SPDX-License-Identifier: Apache-2.0
// Attention datasets: the values read, their permitted positions, and the place of an error.

import { describe, expect, it } from "vitest";

import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import { evaluate } from "../../src/kernels/csd/attention/sparf-eval.ts";
import { memorySource, type ByteSource } from "../../src/base/bytes.ts";
import { parseSparfDatasets, type SparfDataset } from "../../src/workload/sparf-dataset.ts";
import { fakeCsd } from "../helpers/fake-csd.ts";
import { rejection } from "../helpers/rejection.ts";

const one = 0x3c00;
const two = 0x4000;

const aCase = { id: "own#0", q: 0, r: 1, k: 2, l: 0, m: 2, n: 2, page_bytes: 16 };

/** Three tokens of two dimensions; the query looks at the first one. */
const own = {
  id: "own",
  S: 3,
  d_h: 2,
  nq: 1,
  cases: [aCase],
  q_bits: [one, 0],
  K_bits: [0, one, two, 0, one, 0],
  V_bits: [one, one, two, two, 0, 0],
};

const nothingBeside = (name: string): ByteSource => {
  throw new Error(`nobody asked for ${name}`);
};

function parse(document: unknown, open = nothingBeside): SparfDataset {
  const [dataset] = parseSparfDatasets(document, open, "own.json");
  if (dataset === undefined) throw new Error("no dataset");
  return dataset;
}

describe("attention datasets", () => {
  it("hold values as bit patterns, or in a raw file beside", () => {
    const inside = parse(own);
    expect([...inside.cache.keys]).toEqual([0, 1, 2, 0, 1, 0]);
    const { q_bits: q, K_bits: k, V_bits: v, ...rest } = own;
    const raw = new Uint8Array(Uint16Array.of(...q, ...k, ...v).buffer);
    const beside = parse({ ...rest, data: { file: "own.f16" } }, (name) => memorySource(name, raw));
    expect(beside).toEqual(inside);
  });

  it("evaluate to the choice that can be seen", async () => {
    const { cases, dense } = await evaluate(attentionEngine("golden", fakeCsd()), [parse(own)]);
    expect(cases[0]).toMatchObject({ id: "own#0", result: { i: [0], j: [1, 2] } });
    expect(cases[0]?.result.pages).toMatchObject({
      T: 4,
      step1_dim_groups: "all",
      step2_token_groups: "all",
      tokens_in_tail_group: 1,
      padded: { step1_pages: 1, step2_pages_k: 2, step2_pages_v: 2 },
      dram_tail: { step1_pages: 0, step2_pages_k: 1, step2_pages_v: 1 },
    });
    expect(dense).toHaveLength(1);
  });

  it("are refused with every problem at once", () => {
    const wrong = {
      ...own,
      K_bits: [0, 0x7c00, 0, 0],
      cases: [aCase, { ...aCase, id: "own#1", q: 1, r: 3, m: 9, n: 5 }],
    };
    const places = (...names: readonly (string | RegExp)[]): unknown =>
      rejection(
        "bad-input",
        ...names.map((name) => (typeof name === "string" ? `own.json: ${name}` : name)),
      );
    expect(() => parse(wrong)).toThrow(
      places(
        /: K_bits: .* 4 .* 6/,
        /: K_bits: .*NaN/,
        "cases[1].q",
        "cases[1].r",
        "cases[1].m",
        "cases[1].n",
      ),
    );
    expect(() => parse({ id: "empty" })).toThrow(places("S", "d_h", "nq", "cases"));
    expect(() => parse({ ...own, q_bits: undefined })).toThrow(rejection("bad-input", "own.json"));
  });
});
