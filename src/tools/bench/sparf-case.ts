// SPDX-License-Identifier: Apache-2.0
// Cases of the SparF engine's C++ testbench as bytes (testbench/sparf_case.h): jobs laid out in
// controller DRAM and on flash as a driver would.

import { present } from "../../base/present.ts";
import type { HeadCache } from "../../golden/attention/attention.ts";
import { logitScale } from "../../golden/attention-engine.ts";
import { numberToHalf } from "../../golden/half.ts";

/** Attention of a group of queries over one cache, a part of which is on flash. */
export interface HeadJob {
  readonly op: "sparse" | "dense";
  readonly queries: readonly Float64Array[];
  readonly cache: HeadCache;
  readonly r: number;
  readonly k: number;
  readonly l: number;
  readonly m: number;
  readonly pageBytes: number;
  /** Tokens on flash in embedding order and in token order; the others are in DRAM. */
  readonly dimFlash: number;
  readonly tokenFlash: number;
  /** Rung only when every job before it is done. */
  readonly barrier?: boolean;
}

/** One more token for the cache that `head` (an index of the jobs) attends to. */
export interface AppendJob {
  readonly op: "append";
  readonly head: number;
  readonly token: number;
}

export type EngineJob = HeadJob | AppendJob;

/** How the bench's flash and DRAM behave; cycles, and pauses in 256ths of all cycles. */
export interface Traffic {
  readonly seed: number;
  readonly latency: readonly [least: number, most: number];
  readonly beatCycles: readonly [numerator: number, denominator: number];
  readonly pageGap: number;
  readonly dramLatency: number;
  readonly pause: number;
  /** Cycles after which a run counts as endless, where not millions of them. */
  readonly longest?: number;
}

/** Pages in the order of their requests at 1.4 GB/s on a 285 MHz clock, and nobody waits. */
export const calm: Traffic = {
  seed: 1,
  latency: [20, 21],
  beatCycles: [57, 35],
  pageGap: 2,
  dramLatency: 10,
  pause: 0,
};

export type PageKind = "keys" | "values" | "dims";

export interface PageRequest {
  readonly kind: PageKind;
  readonly head: number;
  readonly index: number;
  readonly write: boolean;
}

export const lineBytes = 64;
/** Limit of the cycles of a run. */
const longest = 2_000_000;
export const kinds: readonly PageKind[] = ["keys", "values", "dims"];

/** The parts of a job in DRAM, in lines. */
export interface Place {
  readonly queries: number;
  readonly sums: number;
  readonly keys: number;
  readonly values: number;
  readonly out: number;
}

class Image {
  readonly lines: Uint16Array[] = [];

  reserve(lines: number): number {
    const at = this.lines.length;
    for (let i = 0; i < lines; i += 1) this.lines.push(new Uint16Array(lineBytes / 2));
    return at;
  }

  write(line: number, values: Float64Array): void {
    values.forEach((value, i) => {
      const to = this.lines[line + Math.floor((2 * i) / lineBytes)];
      if (to !== undefined) to[i % (lineBytes / 2)] = numberToHalf(value);
    });
  }
}

export const rowLines = (width: number): number => Math.max(1, (2 * width) / lineBytes);
const row = (rows: Float64Array, width: number, t: number): Float64Array =>
  rows.slice(t * width, (t + 1) * width);

/** A sum with a term that is not finite. */
const lostSum = 1n << 62n;

/** Exact sums of the values of the first `tokens` tokens, in units of 2^-24. */
function valueSums(cache: HeadCache, tokens: number): BigInt64Array {
  const sums = new BigInt64Array(cache.width);
  for (let at = 0; at < tokens * cache.width; at += 1) {
    const c = at % cache.width;
    const value = present(cache.values[at]);
    const sum = present(sums[c]);
    const lost = sum === lostSum || !Number.isFinite(value);
    sums[c] = lost ? lostSum : sum + BigInt(value * 2 ** 24);
  }
  return sums;
}

/**
 * Reserves the rows of tokens, and space for all appended tokens. Only rows that exist before the
 * first append are filled.
 */
function place(image: Image, job: HeadJob, filled: number, room: number): Place {
  const { cache, queries } = job;
  const { width } = cache;
  const lines = rowLines(width);
  const queryLine = image.reserve(queries.length * lines);
  queries.forEach((query, g) => {
    image.write(queryLine + g * lines, query);
  });
  const sums = image.reserve(width / 8);
  const words = new Uint16Array(valueSums(cache, filled).buffer);
  for (let i = 0; i < width / 8; i += 1)
    image.lines[sums + i]?.set(words.subarray(32 * i, 32 * i + 32));
  const rows = (from: number, values: Float64Array): number => {
    const at = image.reserve((room - from) * lines);
    for (let t = from; t < filled; t += 1)
      image.write(at + (t - from) * lines, row(values, width, t));
    return at;
  };
  const keys = rows(job.dimFlash, cache.keys);
  const values = rows(job.tokenFlash, cache.values);
  return { queries: queryLine, sums, keys, values, out: image.reserve(queries.length * lines) };
}

const floatBits = (value: number): number =>
  present(new Uint32Array(Float32Array.of(value).buffer)[0]);

function headDescriptor(job: HeadJob, at: Place, tag: number, head: number): readonly number[] {
  const { cache, queries } = job;
  const op = job.op === "sparse" ? 0 : 1;
  const mode = op | ((queries.length - 1) << 4) | (Math.log2(job.m) << 8) | (1 << 12);
  return [
    (mode | (tag << 16)) >>> 0,
    cache.length,
    job.k,
    job.l,
    job.r,
    job.dimFlash,
    job.tokenFlash,
    head,
    at.queries,
    at.sums,
    at.keys,
    at.values,
    at.out,
    floatBits(logitScale(cache.width)),
    floatBits(1 / cache.length),
    job.pageBytes,
  ];
}

/** The bytes of a case, and the DRAM lines of each head's parts. */
export function encodeCase(
  jobs: readonly EngineJob[],
  traffic: Traffic,
  failures: readonly Omit<PageRequest, "write">[],
): { bytes: Buffer; places: readonly (Place | undefined)[] } {
  const image = new Image();
  const heads = jobs.filter((job) => job.op !== "append");
  const firstAppended = (index: number): number =>
    Math.min(
      ...jobs.map((job) => (job.op === "append" && job.head === index ? job.token : Infinity)),
      (jobs[index] as HeadJob).cache.length,
    );
  const roomOf = (index: number): number =>
    Math.max(
      ...jobs.map((job) => (job.op === "append" && job.head === index ? job.token + 1 : 0)),
      (jobs[index] as HeadJob).cache.length,
    );
  const places = jobs.map((job, i) =>
    job.op === "append" ? undefined : place(image, job, firstAppended(i), roomOf(i)),
  );
  const numberOf = (index: number): number => heads.indexOf(jobs[index] as HeadJob);
  const descriptors = jobs.map((job, i) => {
    if (job.op !== "append") {
      const at = places[i];
      if (at === undefined) throw new Error("a head without a place");
      return [job.barrier === true ? 1 : 0, ...headDescriptor(job, at, i, numberOf(i))];
    }
    const owner = jobs[job.head] as HeadJob;
    const at = places[job.head];
    if (at === undefined) throw new Error("an append to no head");
    const { width, keys, values } = owner.cache;
    const fresh = image.reserve(2 * rowLines(width));
    image.write(fresh, row(keys, width, job.token));
    image.write(fresh + rowLines(width), row(values, width, job.token));
    const words = [...headDescriptor(owner, at, i, numberOf(job.head))];
    words[0] = (2 | (Math.log2(owner.m) << 8) | (1 << 12) | (i << 16)) >>> 0;
    words[1] = job.token;
    words[8] = fresh;
    return [0, ...words];
  });
  const { seed, latency, beatCycles, pageGap, dramLatency, pause } = traffic;
  const header = [
    seed,
    heads.length,
    image.lines.length,
    descriptors.length,
    failures.length,
    ...latency,
    ...beatCycles,
    pageGap,
    dramLatency,
    pause,
    traffic.longest ?? longest,
  ];
  const words = (values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
  const halves = (values: Float64Array): Buffer =>
    Buffer.from(Uint16Array.from(values, numberToHalf).buffer);
  const bytes = Buffer.concat([
    words(header),
    ...heads.flatMap(({ cache, pageBytes, m }) => [
      words([cache.length, Math.log2(pageBytes), Math.log2(m)]),
      halves(cache.keys.subarray(0, cache.length * cache.width)),
      halves(cache.values.subarray(0, cache.length * cache.width)),
    ]),
    ...image.lines.map((line) => Buffer.from(line.buffer)),
    ...descriptors.map(words),
    ...failures.map(({ head, kind, index }) => words([numberOf(head), kinds.indexOf(kind), index])),
  ]);
  return { bytes, places };
}
