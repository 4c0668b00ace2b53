// SPDX-License-Identifier: Apache-2.0
// Jobs that try to break the SparF engine, what the golden model says of them, and which pages they
// may ask for.

import fc from "fast-check";

import { engineDense, engineGroupAttention } from "../../src/golden/attention-engine.ts";
import { halfToNumber, numberToHalf, roundToHalf } from "../../src/golden/half.ts";
import { groupsOf } from "../../src/golden/attention/pages.ts";
import type { HeadJob, PageRequest, Traffic } from "../../src/tools/bench/sparf-case.ts";
import type { EngineParameters } from "./sparf-bench.ts";
import type { EngineRun, JobOutcome } from "./sparf-result.ts";

/** Values by name of the trouble that they make, from 32 random bits. */
const flavours = {
  ordinary: (bits: number) => roundToHalf(((bits >>> 8) / 2 ** 24) * 8 - 4),
  any: (bits: number) => halfToNumber((bits & 0x7c00) === 0x7c00 ? bits & 0xbfff : bits & 0xffff),
  coarse: (bits: number) => ((bits >>> 16) % 5) / 2 - 1,
  subnormal: (bits: number) => halfToNumber((bits >>> 4) & 0x83ff),
  zero: (bits: number) => (bits & 1 ? 0 : -0),
  large: (bits: number) => halfToNumber(0x7a00 | ((bits >>> 8) & 0x81ff)),
} as const;

export type Flavour = keyof typeof flavours;
export const flavourNames = Object.keys(flavours) as readonly Flavour[];
const flavour = fc.constantFrom(...flavourNames);

/** `count` values of a flavour. */
export function contents(name: Flavour, count: number, seed: number): Float64Array {
  let state = seed + 1;
  return Float64Array.from({ length: count }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return flavours[name]((state ^ (state >>> 13)) >>> 0);
  });
}

/** How the cache is spread over flash and DRAM. */
export const layouts = ["padded", "dram_tail", "mixed"] as const;

/** Tokens on flash in both orders: all, full pages only, or all but the last ones. */
export function onFlash(
  layout: (typeof layouts)[number],
  length: number,
  block: number,
  rows: number,
  later: number,
): { readonly dimFlash: number; readonly tokenFlash: number } {
  if (layout === "padded") return { dimFlash: length, tokenFlash: length };
  if (layout === "dram_tail") {
    return { dimFlash: length - (length % block), tokenFlash: length - (length % rows) };
  }
  const prompt = Math.max(0, length - later);
  return { dimFlash: prompt, tokenFlash: prompt };
}

/** Page sizes that `engine` accepts. */
export function pageSizes({ Width, MaxPageRows }: EngineParameters): readonly number[] {
  const sizes = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];
  return sizes.filter((bytes) => bytes >= 2 * Width && bytes <= 2 * Width * MaxPageRows);
}

/** The random parameters of a job. */
interface HeadDraw extends Pick<HeadJob, "op" | "r" | "k" | "l" | "m" | "pageBytes"> {
  readonly length: number;
  readonly group: number;
  readonly layout: (typeof layouts)[number];
  /** Tokens appended after those on flash. */
  readonly later: number;
  readonly flavours: readonly [query: Flavour, keys: Flavour, values: Flavour];
  readonly constantKeys: boolean;
  readonly seed: number;
}

export function headJobOf(width: number, draw: HeadDraw): HeadJob {
  const { length, group, layout, later, seed, constantKeys, flavours: of, ...job } = draw;
  const [ofQuery, ofKeys, ofValues] = of;
  const keys = contents(ofKeys, length * width, seed);
  if (constantKeys) keys.forEach((_, i) => (keys[i] = keys[i % width] ?? 0));
  const block = job.pageBytes / (2 * job.m);
  return {
    ...job,
    queries: Array.from({ length: group }, (_, g) => contents(ofQuery, width, seed + 17 * g)),
    cache: { length, width, keys, values: contents(ofValues, length * width, seed + 5) },
    ...onFlash(layout, length, block, job.pageBytes / (2 * width), later),
  };
}

/** Any job that `engine` accepts, of up to `longest` tokens. */
export function headJobs(engine: EngineParameters, longest: number): fc.Arbitrary<HeadJob> {
  const width = engine.Width;
  return fc
    .record({
      op: fc.constantFrom<HeadJob["op"][]>("sparse", "sparse", "sparse", "dense"),
      length: fc.integer({ min: 1, max: longest }),
      group: fc.integer({ min: 1, max: engine.MaxGroup }),
      r: fc.integer({ min: 1, max: width }),
      k: fc.integer({ min: 1, max: longest + 8 }),
      l: fc.constantFrom(0, 0, 1, 4, 100),
      m: fc.constantFrom(2, 4, 8),
      pageBytes: fc.constantFrom(...pageSizes(engine)),
      layout: fc.constantFrom(...layouts),
      later: fc.nat({ max: 20 }),
      flavours: fc.tuple(flavour, flavour, flavour),
      constantKeys: fc.boolean(),
      seed: fc.nat({ max: 1e6 }),
    })
    .map((draw) => headJobOf(width, draw));
}

/** Any behaviour of flash and DRAM. */
export const traffic: fc.Arbitrary<Traffic> = fc.record({
  seed: fc.nat({ max: 1e6 }),
  latency: fc.constantFrom<Traffic["latency"][]>([1, 2], [20, 21], [5, 400], [300, 2000]),
  beatCycles: fc.constantFrom<Traffic["beatCycles"][]>([13, 8], [1, 1], [5, 1]),
  pageGap: fc.constantFrom(0, 3, 30),
  dramLatency: fc.constantFrom(1, 20, 150),
  pause: fc.constantFrom(0, 0, 60, 200),
});

/** An outcome without its time, and without the field of a rejected job. */
export type Outcome = Omit<JobOutcome, "doneAt" | "field">;

/** The expected outcome of a job. */
export function goldenOutcome(job: HeadJob): Outcome {
  const { queries, cache } = job;
  const bits = (rows: readonly Float64Array[]): number[][] =>
    rows.map((row) => [...row].map(numberToHalf));
  if (job.op === "dense") {
    const dims = Array.from({ length: cache.width }, (_, c) => c);
    return { status: 0, dims, tokens: [], rows: bits(queries.map((q) => engineDense(q, cache))) };
  }
  const results = engineGroupAttention(queries, cache, job);
  return {
    status: 0,
    dims: [...(results[0]?.dims ?? [])],
    tokens: [...(results[0]?.tokens ?? [])],
    rows: bits(results.map(({ out }) => out)),
  };
}

/** Exactly the pages that a job reads, given its choice. */
export function pagesOf(job: HeadJob, head: number, choice: Outcome): string[] {
  const { cache, m, pageBytes, dimFlash, tokenFlash } = job;
  const rows = pageBytes / (2 * cache.width);
  const groups = cache.width / m;
  const name = (kind: PageRequest["kind"], index: number): string =>
    nameOf({ kind, head, index, write: false });
  const tokens =
    job.op === "dense" ? Uint32Array.from({ length: cache.length }, (_, t) => t) : choice.tokens;
  const token = groupsOf(
    Uint32Array.from(tokens).filter((t) => t < tokenFlash),
    rows,
  ).flatMap((g) => [name("keys", g), name("values", g)]);
  if (job.op === "dense") return token;
  const blocks = Math.ceil(dimFlash / (pageBytes / (2 * m)));
  const dims = groupsOf(Uint32Array.from(choice.dims), m);
  return [
    ...token,
    ...Array.from({ length: blocks }, (_, b) => dims.map((g) => name("dims", b * groups + g))),
  ].flat();
}

export const nameOf = ({ kind, head, index, write }: PageRequest): string =>
  `${write ? "program" : "read"} ${String(head)} ${kind} ${String(index)}`;

/** Beats of 8 bytes of a job's pages that pass the filters. */
export function filteredBeats(job: HeadJob, choice: Outcome): number {
  const { cache, m, pageBytes, dimFlash, tokenFlash } = job;
  const rowBeats = cache.width / 4;
  if (job.op === "dense") return 2 * Math.min(tokenFlash, cache.length) * rowBeats;
  const block = pageBytes / (2 * m);
  const last = dimFlash % block;
  const beats = Math.floor(dimFlash / block) * (block / 4) + Math.ceil(last / 4);
  return (
    choice.dims.length * beats + 2 * choice.tokens.filter((t) => t < tokenFlash).length * rowBeats
  );
}

/** Pages of the whole cache: K in both orders and V once. */
export function allPages({ cache, m, pageBytes }: HeadJob): number {
  const blocks = Math.ceil(cache.length / (pageBytes / (2 * m)));
  return (blocks * cache.width) / m + 2 * Math.ceil(cache.length / (pageBytes / (2 * cache.width)));
}

/** Outcomes without their times, to be compared with golden ones. */
export function timeless(run: EngineRun): Outcome[] {
  return run.jobs.map(({ status, dims, tokens, rows }) => ({ status, dims, tokens, rows }));
}

/** Two values of a run that must be equal. */
export interface Comparison {
  readonly what: string;
  readonly found: unknown;
  readonly wanted: unknown;
}

/**
 * Outcomes are the golden model's, bit for bit; the pages read are exactly those that the choices
 * need; the filters pass exactly the chosen values.
 */
export function comparisons(
  run: EngineRun,
  jobs: readonly HeadJob[],
  golden: readonly Outcome[],
): readonly Comparison[] {
  const each = <T>(of: (job: HeadJob, i: number, one: Outcome) => T): T[] =>
    golden.flatMap((one, i) => {
      const job = jobs[i];
      return job === undefined ? [] : [of(job, i, one)];
    });
  const wanted = each((job, i, one) => pagesOf(job, i, one)).flat();
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
  return [
    { what: "outcomes", found: timeless(run), wanted: golden },
    { what: "pages", found: run.pages.map(nameOf).sort(), wanted: wanted.sort() },
    {
      what: "beats kept",
      found: run.beatsKept,
      wanted: sum(each((j, _, one) => filteredBeats(j, one))),
    },
    {
      what: "at most the pages of the caches",
      found: run.pages.length <= sum(each(allPages)),
      wanted: true,
    },
  ];
}
