// SPDX-License-Identifier: Apache-2.0
// The engine with the filter of this folder behind simulated flash: the outputs of caches with NaN and
// infinities are those of the golden model without them, and heads of finite numbers take the very
// cycles of SparF's own filter; SparF's own filter fails on the former.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { readCustomUnit } from "../../src/native/custom-unit-choice.ts";
import type { CsdSession } from "../../src/machine/csd/csd-types.ts";
import { engineDense, engineGroupAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openCsdSessionOn } from "../../src/native/custom-unit.ts";
import { fill, prompt, observableRun, smallCsd, testHead } from "../../test/helpers/csd.ts";
import { filtered } from "./golden.ts";

const folder = import.meta.dirname;
const sessions: CsdSession[] = [];
const machine = smallCsd({ engine: "rtl" });
const { width } = machine.unit;

/** A new device with the filter, or with the engine's own. */
async function open(own: boolean): Promise<CsdSession> {
  const unit = readCustomUnit(folder, folder);
  const session = await (own ? openCsdSessionOn(unit)(machine) : openCsdSession(machine));
  sessions.push(session);
  return session;
}

let unit: CsdSession;
beforeAll(async () => {
  unit = await open(true);
});
afterAll(() => {
  for (const session of sessions) session.close();
});

const specials = [0x7c00, 0xfc00, 0x7e00, 0xffff];
const planted = fc.record({
  of: fc.constantFrom("keys", "values"),
  at: fc.nat(100_000),
  bits: fc.constantFrom(...specials),
});
const cases = fc.record({
  seed: fc.integer({ min: 1, max: 1000 }),
  length: fc.integer({ min: 1, max: 90 }),
  specials: fc.array(planted, { maxLength: 12 }),
  k: fc.integer({ min: 1, max: 100 }),
  r: fc.integer({ min: 1, max: width }),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** Outputs of SparF and of dense attention as they are and as they should be. */
async function outputsOf(
  session: CsdSession,
  { seed, length, k, r, ...one }: Case,
): Promise<readonly (readonly [found: Uint16Array | undefined, golden: Uint16Array])[]> {
  const head = testHead(seed, length);
  const query = head.query(length - 1);
  const cache = {
    keys: numbersToHalves(head.cache.keys),
    values: numbersToHalves(head.cache.values),
  };
  for (const { of, at, bits } of one.specials) cache[of][at % cache[of].length] = bits;
  const spec = { device: 0, heads: 1, dimsPerPage: 2, tail: "padded" } as const;
  const sequence = session.createSequence(spec);
  session.prefill(sequence, 0, session.pagesOf(sequence, 0, cache.keys, cache.values));
  const queries = numbersToHalves(query);
  const job = { sequence, head: 0, queries };
  // The mean of the values does not pass the channels.
  const run = await session.run([
    { ...job, kind: "sparse", r, k, l: 1, mean: false },
    { ...job, kind: "dense" },
  ]);
  session.closeSequence(sequence);
  expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
  const clean = filtered(cache.keys, cache.values, { width, length });
  const [sparse] = engineGroupAttention([query], clean, { r, k, l: 1 }, false);
  return [
    [run.jobs[0]?.outputs, numbersToHalves(sparse?.out ?? new Float64Array())],
    [run.jobs[1]?.outputs, numbersToHalves(engineDense(query, clean))],
  ];
}

test("outputs are those of caches without NaN and infinities, bit for bit", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      for (const [found, golden] of await outputsOf(unit, one)) expect(found).toEqual(golden);
    }),
    { seed: 11, numRuns: 60 },
  );
});

test("finite heads take the cycles and give the bits of SparF's own filter", async () => {
  const lengths = [3, 40, 90];
  const runs = [false, true].map(async (own) => {
    const session = await open(own);
    const heads = lengths.map((length, i) => prompt(testHead(i + 1, 90), length));
    const sequence = fill(session, heads, { tail: "padded" });
    const jobs = lengths.map((length, i) => {
      const queries = numbersToHalves(testHead(i + 1, 90).query(length - 1));
      return { kind: "sparse", sequence, head: i, queries, r: 4, k: 10, l: 3, mean: true } as const;
    });
    return session.run(jobs, { keepPages: 10_000 });
  });
  const [theirs, ours] = await Promise.all(runs);
  if (theirs === undefined || ours === undefined) throw new Error("no runs");
  expect(ours.jobs.map(({ outputs }) => outputs)).toEqual(
    theirs.jobs.map(({ outputs }) => outputs),
  );
  expect(observableRun(ours)).toEqual(observableRun(theirs));
});

test("SparF's own filter fails the property, and one NaN or infinity is enough", async () => {
  const paper = await open(false);
  const found = await fc.check(
    fc.asyncProperty(cases, async (one) => {
      const pairs = await outputsOf(paper, one);
      return pairs.every(([bits, golden]) => golden.every((half, i) => half === bits?.[i]));
    }),
    { seed: 12, numRuns: 60 },
  );
  expect(found.failed).toBe(true);
  const [smallest] = found.counterexample ?? [];
  expect(smallest?.specials).toHaveLength(1);
});
