// SPDX-License-Identifier: Apache-2.0
// Descriptors of the SparF engine that no host orders: RTL and cycle model do the same in the same cycles,
// and the results are those of the same descriptors one after the other.

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { buildSparfUnit } from "../../src/native/csd/csd-unit.ts";
import { smallCsd } from "../helpers/csd.ts";
import {
  type StreamJob,
  type StreamResult,
  type StreamRun,
  streamThrough,
} from "../helpers/descriptor-streams.ts";
import { full, runs } from "../helpers/tier.ts";

const minutes = 60_000;
const layout = { pageBytes: 128, dimsPerPage: 2 };
/** Cycles in which every descriptor of these tests ends. */
const apart = 20_000;

/** The model of other default tests, and in the full set engines with fewer keys and with two queries at once. */
const one = smallCsd().unit;
const few = { ...one, maxKeys: 64 };
const units = full ? [one, few, { ...few, querySets: 2 }] : [one];
const plugins = new Map<typeof one, string>();

beforeAll(async () => {
  for (const unit of units) plugins.set(unit, await buildSparfUnit(unit));
}, 30 * minutes);

/** Appends that arrive directly behind heads of their cache. */
const head = { op: "sparse", cache: 1, k: 9, window: 2, r: 4 } as const;
const appendsBehindHeads = [20, 100, 400].map((dramLatency): StreamRun => {
  const jobs: StreamJob[] = [
    { ...head, tokens: 20 },
    { op: "append", cache: 1, tokens: 20 },
    { ...head, tokens: 21 },
    { ...head, tokens: 21, k: 21 },
    { op: "append", cache: 1, tokens: 21 },
    { op: "append", cache: 1, tokens: 22 },
    { ...head, tokens: 23, cache: 2 },
    { op: "append", cache: 2, tokens: 23 },
    { ...head, tokens: 23 },
  ];
  return { seed: dramLatency, pauses: 0, dramLatency, jobs };
});

/** The same descriptors one after the other. */
function inOrder(streams: readonly StreamRun[]): readonly StreamRun[] {
  return streams.map((stream) => ({
    ...stream,
    jobs: stream.jobs.map((job, i) => ({ ...job, cycle: i * apart })),
  }));
}

/** The results of the runs; fails if the two engines differ. */
async function agreeing(
  unit: typeof one,
  streams: readonly StreamRun[],
): Promise<readonly StreamResult[]> {
  const results = await streamThrough(plugins.get(unit) ?? "", unit, layout, streams);
  return results.map(({ rtl, cycle }, i) => {
    expect(rtl.error).toBe("");
    expect(rtl.ends.length).toBe(streams[i]?.jobs.length);
    expect({ ...cycle, engine: "rtl" }).toEqual(rtl);
    return rtl;
  });
}

/** The descriptors all at once and one after the other: outputs, choices and contents of the DRAM are alike. */
async function asInOrder(
  unit: typeof one,
  streams: readonly StreamRun[],
): Promise<readonly StreamResult[]> {
  const results = await agreeing(unit, [...streams, ...inOrder(streams)]);
  const values = ({ outputs, choices, image, ends }: StreamResult): unknown => ({
    ...{ outputs, choices, image },
    status: ends.map(([tag, status]) => [tag, status]).sort(([a = 0], [b = 0]) => a - b),
  });
  streams.forEach((_, i) => {
    const after = results[streams.length + i];
    after?.ends.forEach(([tag, , cycle]) => {
      expect(cycle).toBeLessThan((tag + 1) * apart);
    });
    expect(values(results[i] as StreamResult)).toEqual(values(after as StreamResult));
  });
  return results.slice(0, streams.length);
}

describe.each(units)("with $maxKeys keys and $querySets queries at once", (unit) => {
  const { maxKeys, querySets } = unit;
  const tokens = 40 / querySets;

  it(
    "k above the number of keys selects all tokens",
    async () => {
      const all = [tokens, maxKeys + 1, 2 * maxKeys, 129, 144, 65535];
      const jobs = [tokens - 1, ...all].map((k): StreamJob => ({
        op: "sparse",
        cache: 1,
        tokens,
        k,
        window: 3,
        r: 5,
        rows: 0,
      }));
      const [result] = await agreeing(unit, [{ seed: 1, pauses: 0, dramLatency: 20, jobs }]);
      expect(result?.choices.map(([tag, chosen]) => [tag, chosen])).toEqual(
        [tokens - 1, ...all.map(() => tokens)].map((chosen, tag) => [tag, chosen]),
      );
      expect(new Set(result?.outputs.slice(1).map(([, hash]) => hash)).size).toBe(1);
    },
    10 * minutes,
  );

  it(
    "a head sees no append that is enqueued behind it",
    async () => asInOrder(unit, appendsBehindHeads),
    10 * minutes,
  );

  it(
    "a head behind an append of its cache sees the append",
    async () => {
      const jobs: StreamJob[] = [
        { op: "append", cache: 1, tokens: 31 },
        { ...head, tokens: 32 },
        { op: "append", cache: 1, tokens: 32 },
        { op: "dense", cache: 1, tokens: 32 },
      ];
      const stream = { seed: 3, pauses: 0, dramLatency: 50, jobs };
      const [result] = await asInOrder(unit, [stream]);
      const alone = [{ ...stream, jobs: jobs.slice(1, 2) }];
      const [without] = await agreeing(unit, alone);
      expect(result?.outputs[0]?.[1]).not.toBe(without?.outputs[0]?.[1]);
    },
    10 * minutes,
  );

  const anyJob = fc.record({
    op: fc.constantFrom("sparse", "sparse", "dense", "append", "append"),
    cache: fc.integer({ min: 1, max: 2 }),
    k: fc.constantFrom(1, 5, 16, maxKeys - 1, maxKeys + 1, 2 * maxKeys, 129, 65535),
    window: fc.constantFrom(0, 3, 65535),
    r: fc.integer({ min: 1, max: 16 }),
    group: fc.constantFrom(1, 1, 2),
    cycle: fc.constantFrom(0, 0, 0, 300, 2000),
  });
  const anyStream = fc.record({
    seed: fc.nat({ max: 1e6 }),
    pauses: fc.constantFrom(0, 0, 100, 230),
    dramLatency: fc.constantFrom(5, 20, 150),
    lengths: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 2 }),
    picks: fc.array(anyJob, { minLength: 2, maxLength: 14 }),
  });

  it(
    "any stream is done as if in order",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStream, { minLength: 8, maxLength: 8 }), async (streams) => {
          const inputs = streams.map(({ lengths, picks, ...rest }): StreamRun => {
            const tokens = [0, ...lengths];
            let cycle = 0;
            const jobs = picks.map((pick): StreamJob => {
              const before = tokens[pick.cache] ?? 0;
              if (pick.op === "append") tokens[pick.cache] = before + 1;
              cycle += pick.cycle;
              return { ...pick, tokens: before, cycle };
            });
            return { ...rest, jobs };
          });
          await asInOrder(unit, inputs);
        }),
        { numRuns: runs(3, 12), seed: 7 },
      );
    },
    20 * minutes,
  );
});
