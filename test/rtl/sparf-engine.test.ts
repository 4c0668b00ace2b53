// SPDX-License-Identifier: Apache-2.0
// The whole SparF engine in RTL, pages arriving in any order, against the golden arithmetic.

import { beforeAll, describe, expect, it } from "vitest";

import { engineAttention, engineDense } from "../../src/golden/attention-engine.ts";
import { numberToHalf } from "../../src/golden/half.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";
import { buildEngine, type HeadJob, runEngine, smallEngine } from "../helpers/sparf-bench.ts";

let bench = "";
beforeAll(async () => {
  bench = await buildEngine(smallEngine);
}, 600_000);

const calm = {
  seed: 1,
  latency: [20, 21],
  beatCycles: [13, 8],
  pageGap: 2,
  dramLatency: 10,
  pause: 0,
} as const;

function head(op: "sparse" | "dense", length: number): HeadJob {
  const width = smallEngine.Width;
  const { queries, keys, values } = generateHta1(length, length, width);
  return {
    op,
    queries: [queries.slice((length - 1) * width)],
    cache: { length, width, keys, values },
    r: 4,
    k: 9,
    l: 3,
    m: 2,
    pageBytes: 256,
    dimFlash: length,
    tokenFlash: length,
  };
}

describe("sparf_engine", () => {
  it("computes a dense head", async () => {
    const job = head("dense", 40);
    const run = await runEngine(bench, [job], calm);
    const golden = engineDense(job.queries[0] ?? new Float64Array(), job.cache);
    expect(run.jobs[0]?.status).toBe(0);
    expect(run.jobs[0]?.rows[0]).toEqual([...golden].map(numberToHalf));
  });

  it("computes a sparse head", async () => {
    const job = head("sparse", 40);
    const run = await runEngine(bench, [job], calm);
    const golden = engineAttention(job.queries[0] ?? new Float64Array(), job.cache, job);
    expect(run.jobs[0]?.dims).toEqual([...golden.dims]);
    expect(run.jobs[0]?.tokens).toEqual([...golden.tokens]);
    expect(run.jobs[0]?.rows[0]).toEqual([...golden.out].map(numberToHalf));
  });
});
