// SPDX-License-Identifier: Apache-2.0
// Cases of the SparF engine's bench as bytes (testbench/sparf_case.h): jobs laid out in controller
// DRAM as a driver would, and what comes back.

import type { HeadCache } from "../../src/golden/attention/attention.ts";
import { logitScale } from "../../src/golden/attention-engine.ts";
import { numberToHalf } from "../../src/golden/half.ts";
import type {
  EngineJob,
  EngineRun,
  HeadJob,
  JobOutcome,
  PageKind,
  PageRequest,
  Traffic,
} from "./sparf-bench.ts";

const lineBytes = 64;
/** Cycles after which a run has gone wrong. */
const longest = 2_000_000;
const kinds: readonly PageKind[] = ["keys", "values", "dims"];

/** Where a job's parts lie in DRAM, in lines. */
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

const rowLines = (width: number): number => Math.max(1, (2 * width) / lineBytes);
const row = (rows: Float64Array, width: number, t: number): Float64Array =>
  rows.slice(t * width, (t + 1) * width);

/** Exact sums of the values of the first `tokens` tokens, in units of 2^-24. */
function valueSums(cache: HeadCache, tokens: number): BigInt64Array {
  const sums = new BigInt64Array(cache.width);
  for (let at = 0; at < tokens * cache.width; at += 1) {
    const c = at % cache.width;
    sums[c] = (sums[c] ?? 0n) + BigInt((cache.values[at] ?? 0) * 2 ** 24);
  }
  return sums;
}

/** Where rows of tokens, from one on, lie; only as many as there are before any append are filled. */
function place(image: Image, job: HeadJob, filled: number): Place {
  const { cache, queries } = job;
  const { width, length } = cache;
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
    const at = image.reserve((length - from) * lines);
    for (let t = from; t < filled; t += 1)
      image.write(at + (t - from) * lines, row(values, width, t));
    return at;
  };
  const keys = rows(job.dimFlash, cache.keys);
  const values = rows(job.tokenFlash, cache.values);
  return { queries: queryLine, sums, keys, values, out: image.reserve(queries.length * lines) };
}

const floatBits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;

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

/** The bytes of a case, and where each head's parts lie. */
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
  const places = jobs.map((job, i) =>
    job.op === "append" ? undefined : place(image, job, firstAppended(i)),
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

/** What the bench found, from the bytes of its result. */
export function decodeResult(
  bytes: Buffer,
  jobs: readonly EngineJob[],
  places: readonly (Place | undefined)[],
): EngineRun {
  const words = new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  );
  let at = 0;
  const next = (): number => words[at++] ?? 0;
  const take = (count: number): number[] => Array.from({ length: count }, next);
  const [cycles = 0, doneCount = 0, pageCount = 0, choiceCount = 0, , ...counters] = take(10);
  const [beatsIn = 0, beatsKept = 0, waits = 0, firstBeat = 0, lastBeat = 0] = counters;
  const done = new Map<number, { status: number; doneAt: number }>();
  for (let i = 0; i < doneCount; i += 1) {
    const [word = 0, doneAt = 0] = take(2);
    done.set(word & 0xffff, { status: word >>> 24, doneAt });
  }
  const pages = Array.from({ length: pageCount }, (): PageRequest => {
    const [kind = 0, head = 0, index = 0, write = 0] = take(4);
    return { kind: kinds[kind] ?? "keys", head, index, write: write === 1 };
  });
  const width = jobs.find((job) => job.op !== "append")?.cache.width ?? 1;
  const choices = new Map<number, { dims: number[]; tokens: number[] }>();
  for (let i = 0; i < choiceCount; i += 1) {
    const tag = next();
    const mask = take(Math.ceil(width / 32));
    const dims = Array.from({ length: width }, (_, c) => c).filter(
      (c) => (((mask[c >> 5] ?? 0) >>> (c & 31)) & 1) === 1,
    );
    choices.set(tag, { dims, tokens: take(next()) });
  }
  const image = new Uint16Array(words.buffer, at * 4);
  const outcomes = jobs.map((job, i): JobOutcome => {
    const end = done.get(i) ?? { status: -1, doneAt: -1 };
    const chosen = choices.get(i) ?? { dims: [], tokens: [] };
    const out = places[i]?.out ?? 0;
    const rows =
      job.op === "append"
        ? []
        : job.queries.map((_, g) => {
            const from = (out + g * rowLines(width)) * (lineBytes / 2);
            return [...image.subarray(from, from + width)];
          });
    return { ...end, ...chosen, rows };
  });
  return {
    cycles,
    jobs: outcomes,
    pages,
    beatsIn,
    beatsKept,
    waits,
    firstBeat,
    lastBeat,
  };
}
