// SPDX-License-Identifier: Apache-2.0
// The attention kernel in RTL against the golden arithmetic, bit for bit, with and without pauses:
// a small one on troublesome heads, one of full width on heads from the generator.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { HeadCache } from "../../src/golden/attention.ts";
import { kernelSums, logitScale, weightUnit } from "../../src/golden/attention-engine.ts";
import { numberToHalf } from "../../src/golden/half.ts";
import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";
import { verilate } from "../../src/native/verilate.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";
import { arbitraryHead } from "../golden/arbitrary-head.ts";

interface Job {
  readonly query: Float64Array;
  readonly cache: HeadCache;
  /** Shares of 256 in which keys, values and the taker of the result wait. */
  readonly pauses: readonly [number, number, number];
}

interface Outcome {
  readonly cycles: number;
  /** In units of 2^-36. */
  readonly total: number;
  /** Bit patterns of binary32. */
  readonly sums: readonly number[];
}

const directory = mkdtempSync(join(tmpdir(), "neardata-attn-kernel-"));

afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function build(lanes: number): Promise<string> {
  const rtl = (folder: string, name: string): string => inRepository("rtl", folder, `${name}.sv`);
  return verilate({
    top: "attn_kernel",
    parameters: { Lanes: lanes, MaxRows: 4096 },
    sources: [
      rtl("ndp", "ndp_pkg"),
      ...["attn_pkg", "attn_exp2_pkg"].map((name) => rtl("sparf", name)),
      ...["fp_add", "fp_normalise", "sram_1r1w"].map((name) => rtl("common", name)),
      ...[
        "attn_multiply",
        "attn_exp2",
        "attn_dot",
        "attn_softmax",
        "attn_lane",
        "attn_accumulate",
        "attn_kernel",
      ].map((name) => rtl("sparf", name)),
    ],
    harness: [inRepository("testbench", "attn_kernel_main.cc")],
    kind: "executable",
    trace: false,
  });
}

async function run(
  bench: string,
  lanes: number,
  jobs: readonly Job[],
): Promise<readonly Outcome[]> {
  const [input, output] = [join(directory, "heads"), join(directory, "results")];
  const parts = jobs.flatMap(({ query, cache, pauses }) => {
    const used = cache.length * cache.width;
    const scale = new Uint32Array(Float32Array.of(logitScale(cache.width)).buffer)[0] ?? 0;
    return [
      Buffer.from(Uint32Array.of(cache.length, scale, ...pauses).buffer),
      ...[query, cache.keys.subarray(0, used), cache.values.subarray(0, used)].map((values) =>
        Buffer.from(Uint16Array.from(values, numberToHalf).buffer),
      ),
    ];
  });
  writeFileSync(input, Buffer.concat(parts));
  await runTool(bench, [input, output]);
  const bytes = readFileSync(output);
  const words = new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  );
  return jobs.map((_, i) => {
    const [cycles = 0, low = 0, high = 0, ...sums] = words.subarray(
      i * (lanes + 3),
      (i + 1) * (lanes + 3),
    );
    return { cycles, total: high * 2 ** 32 + low, sums };
  });
}

function golden({ query, cache }: Job): Omit<Outcome, "cycles"> {
  const tokens = Uint32Array.from({ length: cache.length }, (_, t) => t);
  const { sums, total } = kernelSums(query, cache, tokens);
  return {
    total: total / weightUnit,
    sums: [...new Uint32Array(Float32Array.from(sums).buffer)],
  };
}

const pauses = fc.constantFrom<Job["pauses"][]>(
  [0, 0, 0],
  [128, 0, 0],
  [0, 128, 128],
  [200, 200, 200],
);

describe("attn_kernel of 8 dimensions", () => {
  let bench = "";
  beforeAll(async () => {
    bench = await build(8);
  });

  it("is the golden arithmetic, whatever the head and whoever waits", async () => {
    const job = fc
      .record({ head: arbitraryHead, pauses })
      .filter(({ head }) => head.cache.width === 8)
      .map(({ head, pauses: waits }) => ({ ...head, pauses: waits }));
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 6 }), async (jobs) => {
        const found = await run(bench, 8, jobs);
        expect(found.map(({ total, sums }) => ({ total, sums }))).toEqual(jobs.map(golden));
      }),
      { numRuns: 40 },
    );
  });
});

describe("attn_kernel of 128 dimensions", () => {
  let bench = "";
  beforeAll(async () => {
    bench = await build(128);
  });

  it("is the golden arithmetic on synthetic heads, in 3 S cycles and a constant", async () => {
    const jobs = [1, 2, 7, 8, 9, 100, 1024].map((length): Job => {
      const { queries, keys, values, width } = generateHta1(length, length, 128);
      const query = queries.slice((length - 1) * width);
      return { query, cache: { length, width, keys, values }, pauses: [0, 0, 0] };
    });
    const found = await run(bench, 128, jobs);
    expect(found.map(({ total, sums }) => ({ total, sums }))).toEqual(jobs.map(golden));
    const overheads = found.map(({ cycles }, i) => cycles - 3 * (jobs[i]?.cache.length ?? 0));
    expect(new Set(overheads)).toEqual(new Set([72]));
  });
});
