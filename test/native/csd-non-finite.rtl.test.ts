// SPDX-License-Identifier: Apache-2.0
// Infinities and NaNs among queries, keys and values, of prompts and of appended rows: the RTL and the
// cycle model give the same in the same cycles, and the status names exactly the jobs that read one.

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import type { CsdJob, CsdJobResult, CsdSequence } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { engineDense, engineGroupAttention } from "../../src/golden/attention-engine.ts";
import { halvesToNumbers, numbersToHalves } from "../../src/golden/half.ts";
import { concatenateRows } from "../../src/golden/rows.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { buildSparfUnit } from "../../src/native/csd/csd-unit.ts";
import { observableRun, smallCsd, testHead } from "../helpers/csd.ts";
import { runs } from "../helpers/tier.ts";

const minutes = 60_000;
const width = 16;
/** Tokens of the cache: the prompt, then the appended tokens. */
const length = 44;

// The compiler of the model needs minutes with sanitizers, more than the limit of a test.
beforeAll(async () => {
  await buildSparfUnit(smallCsd().unit);
});

/** The position of a value that is not finite, as a fraction of the rows. */
interface Spoilt {
  readonly of: "queries" | "keys" | "values";
  readonly at: number;
  readonly bits: number;
}

interface Drawn {
  readonly prompt: number;
  readonly tail: "padded" | "dram-tail";
  readonly spoilt: readonly Spoilt[];
  readonly picks: readonly Pick[];
}

interface Pick {
  readonly kind: "sparse" | "dense" | "append";
  readonly group: number;
  readonly r: number;
  readonly k: number;
  readonly l: number;
  readonly mean: boolean;
}

/** Infinities of both signs, a NaN of one bit, NaNs of both signs with many. */
const specials = [0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xffff] as const;
const longestGroup = 3;

const drawn: fc.Arbitrary<Drawn> = fc.record({
  prompt: fc.constantFrom(20, 32, 40),
  tail: fc.constantFrom("padded", "dram-tail"),
  spoilt: fc.array(
    fc.record({
      of: fc.constantFrom("queries", "keys", "values"),
      at: fc.nat({ max: 10_000 }),
      bits: fc.constantFrom(...specials),
    }),
    { maxLength: 3 },
  ),
  picks: fc.array(
    fc.record({
      kind: fc.constantFrom("sparse", "sparse", "dense", "append"),
      group: fc.integer({ min: 1, max: longestGroup }),
      r: fc.integer({ min: 1, max: 6 }),
      k: fc.integer({ min: 1, max: 12 }),
      l: fc.constantFrom(0, 1, 3),
      mean: fc.boolean(),
    }),
    { minLength: 1, maxLength: 7 },
  ),
});

/** Rows of FP16 bits, some of them spoilt. */
function rowsOf({ spoilt }: Drawn): Readonly<Record<Spoilt["of"], Uint16Array>> {
  const head = testHead(3, length);
  const rows = {
    queries: numbersToHalves(concatenateRows([0, 1, 2].map((token) => head.query(token)))),
    keys: numbersToHalves(head.cache.keys),
    values: numbersToHalves(head.cache.values),
  };
  for (const { of, at, bits } of spoilt) rows[of][at % rows[of].length] = bits;
  return rows;
}

interface Planned {
  readonly job: CsdJob;
  /** Tokens of the cache when the job runs; an append includes its own token. */
  readonly tokens: number;
}

function jobsOf(one: Drawn, sequence: CsdSequence): readonly Planned[] {
  const { queries, keys, values } = rowsOf(one);
  let tokens = one.prompt;
  return one.picks.flatMap(({ kind, group, ...choice }): Planned[] => {
    if (kind === "append") {
      if (tokens === length) return [];
      const row = (of: Uint16Array): Uint16Array => of.slice(tokens * width, (tokens + 1) * width);
      const job: CsdJob = { kind, sequence, head: 0, key: row(keys), value: row(values) };
      tokens += 1;
      return [{ job, tokens }];
    }
    const own = { sequence, head: 0, queries: queries.slice(0, group * width) };
    return [{ job: kind === "dense" ? { ...own, kind } : { ...own, kind, ...choice }, tokens }];
  });
}

const isSpecial = (bits: number): boolean => (bits & 0x7c00) === 0x7c00;

/** Whether the job reads a value that is not finite, given its choices. */
function readsSpecial(one: Drawn, { job, tokens }: Planned, result: CsdJobResult): boolean {
  if (job.kind === "append") return [...job.key, ...job.value].some(isSpecial);
  const { keys, values } = rowsOf(one);
  const all = Array.from({ length: tokens }, (_, t) => t);
  const read = job.kind === "dense" ? all : [...result.tokens];
  const rows = (of: Uint16Array, picked: readonly number[]): boolean =>
    picked.some((t) => of.subarray(t * width, (t + 1) * width).some(isSpecial));
  const ranked = (t: number): boolean =>
    [...result.dims].some((c) => isSpecial(keys[t * width + c] ?? 0));
  return (
    job.queries.some(isSpecial) ||
    rows(keys, read) ||
    rows(values, read) ||
    // The mean of V is of all tokens.
    (job.kind === "sparse" && (all.some(ranked) || (job.mean && rows(values, all))))
  );
}

/** The outputs of a job that read finite values alone. */
function golden(one: Drawn, { job, tokens }: Planned): Uint16Array {
  if (job.kind === "append") return new Uint16Array();
  const { keys, values } = rowsOf(one);
  // Values that are not read may be anything; 0 replaces those that are not finite.
  const numbers = (of: Uint16Array): Float64Array =>
    halvesToNumbers(of.subarray(0, tokens * width)).map((x) => (Number.isFinite(x) ? x : 0));
  const cache = { length: tokens, width, keys: numbers(keys), values: numbers(values) };
  const queries = Array.from({ length: job.queries.length / width }, (_, g) =>
    halvesToNumbers(job.queries.subarray(g * width, (g + 1) * width)),
  );
  const rows =
    job.kind === "dense"
      ? queries.map((query) => engineDense(query, cache))
      : engineGroupAttention(queries, cache, job, job.mean).map(({ out }) => out);
  return numbersToHalves(concatenateRows(rows));
}

async function run(
  engine: "rtl" | "cycle",
  one: Drawn,
): Promise<{ readonly planned: readonly Planned[]; readonly run: CsdRun }> {
  const session = await openCsdSession(smallCsd({ engine }));
  const sequence = session.createSequence({ device: 0, heads: 1, dimsPerPage: 2, tail: one.tail });
  const { keys, values } = rowsOf(one);
  const prompt = (of: Uint16Array): Uint16Array => of.slice(0, one.prompt * width);
  session.prefill(sequence, 0, session.pagesOf(sequence, 0, prompt(keys), prompt(values)));
  const planned = jobsOf(one, sequence);
  const csdRun = await session.run(
    planned.map(({ job }) => job),
    { keepPages: 1000 },
  );
  session.close();
  return { planned, run: csdRun };
}

async function check(one: Drawn): Promise<void> {
  const [rtl, cycle] = await Promise.all([run("rtl", one), run("cycle", one)]);
  expect(observableRun(cycle.run)).toEqual(observableRun(rtl.run));
  for (const [i, planned] of rtl.planned.entries()) {
    const result = rtl.run.jobs[i];
    if (result === undefined) throw new Error("a job without a result");
    expect(result.status).toBe("done");
    const special = readsSpecial(one, planned, result);
    expect([i, planned.job.kind, result.nonFinite]).toEqual([i, planned.job.kind, special]);
    // A key beyond the chosen dimensions and tokens ranks nothing, so that the choices stay.
    if (!special) expect(result.outputs).toEqual(golden(one, planned));
  }
}

const sparse: Pick = { kind: "sparse", group: 1, r: 4, k: 6, l: 1, mean: true };
const append: Pick = { ...sparse, kind: "append" };
const calm: Drawn = { prompt: 32, tail: "padded", spoilt: [], picks: [sparse] };

describe("values that are not finite", () => {
  it("in every place, in prompts and appended rows", { timeout: 10 * minutes }, async () => {
    await fc.assert(fc.asyncProperty(drawn, check), { numRuns: runs(12, 100) });
  });

  it.each(specials)("in a query of a group: %i", async (bits) => {
    for (const at of [2, width + 3]) {
      const picks = [{ ...sparse, group: 2 }, sparse, { ...sparse, kind: "dense" as const }];
      await check({ ...calm, spoilt: [{ of: "queries", at, bits }], picks });
    }
  });

  it.each(specials)("in the mean of V alone, of a prompt or appended: %i", async (bits) => {
    const none = { ...sparse, k: 1, l: 1 };
    const unmeant = { ...none, mean: false };
    for (const token of [5, 32]) {
      const spoilt: readonly Spoilt[] = [{ of: "values", at: token * width + 7, bits }];
      await check({ ...calm, spoilt, picks: [append, append, none, unmeant, append, none] });
    }
  });

  it("stays in the mean of V, however many of both signs are added", async () => {
    const spoilt = [33, 34, 35, 36, 37, 38, 39, 40].map((token, i): Spoilt => {
      return { of: "values", at: token * width, bits: i % 2 === 0 ? 0x7c00 : 0xfc00 };
    });
    const picks = Array.from({ length: 10 }, () => [append, { ...sparse, k: 1 }]).flat();
    await check({ ...calm, spoilt, picks });
  });
});
