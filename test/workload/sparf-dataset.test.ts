// SPDX-License-Identifier: Apache-2.0
// Attention datasets: what is read, where values may lie, and the sentence for what is wrong.

import { describe, expect, it } from "vitest";

import { attentionEngine } from "../../src/driver/csd/attention/attention-engine.ts";
import { evaluate } from "../../src/driver/csd/attention/sparf-eval.ts";
import { NeardataError } from "../../src/errors.ts";
import { memorySource, type ByteSource } from "../../src/workload/bytes.ts";
import { parseSparfDatasets, type SparfDataset } from "../../src/workload/sparf-dataset.ts";
import { fakeCsd } from "../helpers/fake-csd.ts";

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

function complaints(document: unknown): readonly string[] {
  try {
    parse(document);
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input") {
      return error.issues.map(({ where, message }) => `${where}: ${message}`);
    }
    throw error;
  }
  return [];
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
    expect(complaints(wrong)).toEqual([
      "own.json: K_bits: this has 4 values instead of 6.",
      "own.json: K_bits: attention takes no infinity and no NaN.",
      "own.json: cases[1].q: 1 is more than 0, the last of 1 queries.",
      "own.json: cases[1].r: 3 is more than 2, the dimensions of a head.",
      "own.json: cases[1].m: 9 is more than 8, the dimensions in a page of 16 bytes.",
      "own.json: cases[1].n: 5 is more than 4, the tokens in a page of 16 bytes.",
    ]);
    expect(complaints({ id: "empty" }).length).toBeGreaterThan(3);
    expect(complaints({ ...own, q_bits: undefined })).toEqual([
      "own.json: this has to have q_bits, K_bits and V_bits, or else a data file.",
    ]);
  });
});
