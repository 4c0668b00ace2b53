// SPDX-License-Identifier: Apache-2.0
// The SparF kernel in RTL against the golden arithmetic, bit for bit: selections and outputs, over
// shapes of the kernel, shapes of heads, troublesome values, and with everybody pausing. And the
// cycle model against the RTL: the bench fails unless each output is high in the same cycles and
// every event has the same count in each of them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { generateHta1 } from "../../src/workload/hta1.ts";
import { groupsOfHeads } from "../../src/rtl/fast-check/index.ts";
import { buildSparfKernel, type KernelShape } from "../helpers/sparf-kernel.ts";
import { kernelGolden, runKernel, type KernelHead } from "../helpers/sparf-kernel-heads.ts";
import { inFull } from "../helpers/needs.ts";
import { full, runs } from "../helpers/tier.ts";

const directory = mkdtempSync(join(tmpdir(), "neardata-sparf-kernel-"));

afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Heads that fit into a kernel of `shape`. */
function arbitraryHead(shape: KernelShape): fc.Arbitrary<KernelHead> {
  const { Width: width, MaxGroup, MaxKeys, QuerySets } = shape;
  return fc
    .record({
      group: fc.integer({ min: 1, max: MaxGroup }),
      length: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 40 })),
    })
    .map(({ group, length }) => {
      const queries = Math.ceil(group / QuerySets) * QuerySets;
      const longest = Math.floor(MaxKeys / 8 / queries) * 8;
      return { group, length: Math.min(length, longest), width };
    })
    .chain((size) =>
      fc.record({
        shared: groupsOfHeads(size),
        dense: fc.boolean(),
        mean: fc.boolean(),
        r: fc.integer({ min: 1, max: width }),
        k: fc.integer({ min: 1, max: size.length + 3 }),
        l: fc.integer({ min: 0, max: size.length }),
        dimTokens: fc.integer({ min: 0, max: size.length }),
        block: fc.integer({ min: 1, max: 64 }),
        rows: fc.integer({ min: 1, max: 8 }),
      }),
    )
    .map(({ shared, dimTokens, block, rows, ...rest }) => ({
      ...shared,
      ...rest,
      layout: [dimTokens, block, rows],
    }));
}

const small = { MaxKeys: 64, MaxGroup: 2, Slots: 2, RingLines: 64, QuerySets: 1 };
const shapes: readonly KernelShape[] = [
  { ...small, Lanes: 8, Width: 8, Slots: 4 },
  { ...small, Lanes: 4, Width: 16, MaxGroup: 4, MaxKeys: 128 },
  { ...small, Lanes: 16, Width: 64, RingLines: 128 },
  // Queries that share keys: in two rounds, in one, with a row of one beat.
  { ...small, Lanes: 4, Width: 16, MaxGroup: 4, MaxKeys: 128, QuerySets: 2 },
  { ...small, Lanes: 4, Width: 8, MaxGroup: 8, MaxKeys: 512, QuerySets: 8, Slots: 4 },
  { ...small, Lanes: 16, Width: 16, MaxGroup: 8, MaxKeys: 256, QuerySets: 4 },
];

describe.each(full ? shapes : shapes.slice(1, 2))("sparf_kernel of %o", (shape) => {
  it("has golden values and the cycles of the model, for all heads and stalls", async () => {
    const bench = await buildSparfKernel(shape);
    const pauses = fc.constantFrom(0, 64, 200);
    const heads = fc.array(arbitraryHead(shape), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(heads, pauses, async (jobs, pause) => {
        expect(
          await runKernel(bench, jobs, { directory, pauses: [pause, pause, pause, pause] }),
        ).toEqual(jobs.map(kernelGolden));
      }),
      { numRuns: runs(30, 200) },
    );
  });
});

describe("sparf_kernel of full width", inFull, () => {
  it("is both on synthetic heads, sparse, dense and in groups", async () => {
    const bench = await buildSparfKernel({
      Lanes: 16,
      Width: 128,
      MaxKeys: 4096,
      MaxGroup: 4,
      Slots: 8,
      RingLines: 1024,
      QuerySets: 1,
    });
    const heads = [1, 7, 8, 100, 500, 1000].flatMap((length) =>
      [1, 4].map((group): KernelHead => {
        const { queries, keys, values, width } = generateHta1(length, length, 128);
        return {
          queries: Array.from({ length: group }, (_, g) => {
            const row = Math.max(0, length - 1 - 3 * g);
            return queries.slice(row * width, (row + 1) * width);
          }),
          cache: { length, width, keys, values },
          dense: length === 100,
          mean: true,
          r: 16,
          k: Math.ceil(length / 16),
          l: Math.ceil(length / 64),
          layout: [length - (length % 64), 512, 3],
        };
      }),
    );
    const kernelOutcomes = await runKernel(bench, heads, { directory, pauses: [0, 0, 0, 0] });
    heads.forEach((head, i) => {
      expect(kernelOutcomes[i]).toEqual(kernelGolden(head));
    });
  });
});
