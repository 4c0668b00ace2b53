// SPDX-License-Identifier: Apache-2.0
// The whole SparF engine in RTL against the golden arithmetic, bit for bit: any heads, any layout,
// pages in any order, pauses on every port. A case that fails is shrunk and leaves a waveform.

import { rmSync, statSync } from "node:fs";

import { beforeAll, describe, expect, it } from "vitest";

import { planPages } from "../../src/golden/attention/pages.ts";
import { inRepository } from "../../src/base/paths.ts";
import {
  type AppendJob,
  calm,
  type EngineJob,
  type HeadJob,
} from "../../src/tools/bench/sparf-case.ts";
import { buildEngine, runEngine, sharedEngine, smallEngine } from "../helpers/sparf-bench.ts";
import { contents, goldenOutcome, nameOf, onFlash } from "../helpers/sparf-jobs.ts";
import { fields } from "../helpers/sparf-descriptor.ts";
import { holdsForBatches } from "../helpers/sparf-properties.ts";
import { inFull } from "../helpers/needs.ts";
import { runs } from "../helpers/tier.ts";

let bench = "";
beforeAll(async () => {
  bench = await buildEngine(smallEngine);
}, 1_800_000);

const width = smallEngine.Width;

/** A head of ordinary values. */
function ordinary(length: number, rest: Partial<HeadJob> = {}): HeadJob {
  return {
    op: "sparse",
    queries: [contents("ordinary", width, 3)],
    cache: {
      length,
      width,
      keys: contents("ordinary", length * width, 4),
      values: contents("ordinary", length * width, 5),
    },
    r: 4,
    k: 9,
    l: 3,
    m: 2,
    pageBytes: 256,
    dimFlash: length,
    tokenFlash: length,
    ...rest,
  };
}

describe("sparf_engine", () => {
  it("is the golden arithmetic and reads the closed set of pages, whatever the heads", async () => {
    await holdsForBatches(bench, smallEngine, { name: "small", longest: 60, runs: runs(30, 200) });
  });

  it(
    "is so with kernels that serve two queries of a group at once",
    { ...inFull, timeout: 1_800_000 },
    async () => {
      const shared = await buildEngine(sharedEngine);
      await holdsForBatches(shared, sharedEngine, {
        name: "shared",
        longest: 60,
        runs: runs(30, 200),
      });
      // A single query occupies a whole set.
      const jobs = [ordinary(128), ordinary(129), ordinary(40, { op: "dense" })];
      const run = await runEngine(shared, jobs, calm);
      expect(run.jobs.map(({ status }) => status)).toEqual([0, 2, 0]);
      expect(run.jobs[0]?.rows).toEqual(goldenOutcome(ordinary(128)).rows);
    },
  );

  it("is held to it: a difference is shrunk, named by seed and path, and recorded as a waveform", async () => {
    const wave = inRepository("build", "waves", "sparf-engine-planted.fst");
    rmSync(wave, { force: true });
    // As if the engine lost a token of every head that chooses three or more.
    const golden = (job: HeadJob): ReturnType<typeof goldenOutcome> => {
      const right = goldenOutcome(job);
      return right.tokens.length < 3 ? right : { ...right, tokens: right.tokens.slice(1) };
    };
    const held = holdsForBatches(bench, smallEngine, {
      name: "planted",
      longest: 30,
      runs: 30,
      golden,
    });
    const message = await held.then(
      () => "",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    expect(message).toMatch(/seed: -?\d+, path: "[\d:]+"/);
    expect(message).toMatch(/Shrunk [1-9]\d* time/);
    expect(message).toContain(`waveform: ${wave}`);
    expect(statSync(wave).size).toBeGreaterThan(1000);
  });

  it("counts pages as the page model does, padded and with a tail in DRAM", async () => {
    for (const layout of ["padded", "dram_tail"] as const) {
      const flash = onFlash(layout, 57, 64, 8, 0);
      const job = ordinary(57, flash);
      const { pages, jobs } = await runEngine(bench, [job], calm);
      const plan = planPages(
        { length: 57, width, m: 2, n: 8, pageBytes: 256 },
        Uint32Array.from(jobs[0]?.dims ?? []),
        Uint32Array.from(jobs[0]?.tokens ?? []),
      );
      const count = (kind: string): number => pages.filter((page) => page.kind === kind).length;
      expect(count("dims")).toBe(plan[layout].step1_pages);
      expect(count("keys")).toBe(plan[layout].step2_pages_k);
      expect(count("values")).toBe(plan[layout].step2_pages_v);
    }
  });

  it("is dense attention with all dimensions and all tokens", async () => {
    for (const length of [1, 7, 33]) {
      const sparse = ordinary(length, { r: width, k: length });
      const run = await runEngine(bench, [sparse, { ...sparse, op: "dense" }], calm);
      expect(run.jobs[0]?.rows).toEqual(run.jobs[1]?.rows);
    }
  });

  it("keeps exactly r S + 2 k d elements", async () => {
    const job = ordinary(64);
    const run = await runEngine(bench, [job], calm);
    expect(run.beatsKept * 4).toBe(job.r * 64 + 2 * job.k * width);
  });

  it("chooses the same tokens when they are permuted", async () => {
    const job = ordinary(50, { l: 0 });
    const order = Array.from({ length: 50 }, (_, t) => (t * 37 + 11) % 50);
    const permuted = (rows: Float64Array): Float64Array =>
      Float64Array.from(order.flatMap((t) => [...rows.slice(t * width, (t + 1) * width)]));
    const { keys, values } = job.cache;
    const moved = { ...job.cache, keys: permuted(keys), values: permuted(values) };
    const run = await runEngine(bench, [job, { ...job, cache: moved }], calm);
    const [before, after] = run.jobs;
    expect(after?.dims).toEqual(before?.dims);
    const original = after?.tokens.map((t) => order[t] ?? 0) ?? [];
    expect(original.sort((a, b) => a - b)).toEqual(before?.tokens);
  });
});

describe("appending", () => {
  it("waits for the heads of the same cache that were rung before it to read their sums", async () => {
    const busy = ordinary(40, { queries: Array(4).fill(contents("ordinary", width, 3)) });
    const job = ordinary(40, { k: 2, l: 0 });
    // The token after those to which the head attends is much larger than they are.
    const values = Float64Array.from([...job.cache.values, ...Array<number>(width).fill(1000)]);
    const keys = Float64Array.from([...job.cache.keys, ...Array<number>(width).fill(1)]);
    const grows = { ...job, cache: { ...job.cache, keys, values } };
    const append: AppendJob = { op: "append", head: 2, token: 40 };
    const run = await runEngine(bench, [busy, busy, grows, append], calm);
    expect(run.jobs.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    expect(run.jobs[2]?.rows).toEqual(goldenOutcome(job).rows);
  });

  it("token by token equals writing at once, and programs each page that becomes full", async () => {
    const from = 27;
    const flash = onFlash("dram_tail", from, 32, 4, 0);
    const at = { m: 2, pageBytes: 128, ...flash };
    for (const op of ["sparse", "dense"] as const) {
      const job = ordinary(70, { op, ...at });
      const appends = Array.from({ length: 70 - from }, (_, i): AppendJob => ({
        op: "append",
        head: 70 - from,
        token: from + i,
      }));
      const run = await runEngine(bench, [...appends, job], calm);
      expect(run.jobs.at(-1)?.rows).toEqual(goldenOutcome(job).rows);
      expect(run.jobs.every(({ status }) => status === 0)).toBe(true);
      const programs = appends.flatMap(({ token }) => [
        ...((token + 1) % 4 === 0
          ? [
              `program 0 keys ${String((token + 1) / 4 - 1)}`,
              `program 0 values ${String((token + 1) / 4 - 1)}`,
            ]
          : []),
        ...((token + 1) % 32 === 0
          ? Array.from(
              { length: 8 },
              (_, g) => `program 0 dims ${String(((token + 1) / 32 - 1) * 8 + g)}`,
            )
          : []),
      ]);
      expect(run.pages.filter(({ write }) => write).map(nameOf)).toEqual(programs);
    }
  });
});

describe("trouble", () => {
  it("reports the head of an unreadable page, and no other", async () => {
    for (const kind of ["keys", "values", "dims"] as const) {
      const jobs = [ordinary(40), ordinary(40), ordinary(40, { op: "dense" })];
      const clean = await runEngine(bench, jobs, calm);
      const bad = clean.pages.find((page) => page.head === 1 && page.kind === kind);
      if (bad === undefined) throw new Error("no such page");
      const run = await runEngine(bench, jobs, calm, [bad]);
      expect(run.jobs.map(({ status }) => status)).toEqual([0, 1, 0]);
      expect(run.jobs[0]?.rows).toEqual(clean.jobs[0]?.rows);
      expect(run.jobs[2]?.rows).toEqual(clean.jobs[2]?.rows);
    }
  });

  it("refuses a head that does not fit, and continues", async () => {
    const wide = ordinary(200, { r: width, m: 1, pageBytes: 512 });
    const long = ordinary(100, { queries: Array(4).fill(contents("ordinary", width, 1)) });
    const nothing = ordinary(40, { r: 0 });
    const thick = ordinary(40, { pageBytes: 1024 });
    const many = ordinary(8, { queries: Array(16).fill(contents("ordinary", width, 1)) });
    const jobs = [wide, long, nothing, thick, many, { ...nothing, op: "dense" as const }];
    const run = await runEngine(bench, [...jobs, ordinary(40)], calm);
    expect(run.jobs.map(({ status }) => status)).toEqual([2, 2, 2, 2, 2, 2, 0]);
    const names = run.jobs.map(({ field }) => fields[field]);
    expect(names).toEqual(["r", "tokens", "r", "pageBytes", "group", "r", "none"]);
  });

  it("refuses an append that does not fit, writes nothing for it, and continues", async () => {
    // Pages of more rows than the engine has: its head is refused, too.
    const thick = ordinary(40, { pageBytes: 1024, dimFlash: 32, tokenFlash: 32 });
    const good = ordinary(40);
    const refused: AppendJob = { op: "append", head: 0, token: 39 };
    const run = await runEngine(bench, [thick, refused, good], calm);
    expect(run.jobs.map(({ status }) => status)).toEqual([2, 2, 0]);
    expect(run.jobs.map(({ field }) => fields[field])).toEqual(["pageBytes", "pageBytes", "none"]);
    expect(run.pages.filter(({ write }) => write)).toEqual([]);
    expect(run.jobs[2]?.rows).toEqual(goldenOutcome(good).rows);
  });

  it("takes a k and a window above the tokens as all of them, whatever their size", async () => {
    const all = ordinary(40, { k: 40, l: 40 });
    const golden = goldenOutcome(all).rows;
    const sizes = [41, 255, 256, 511, 512, 513, 1024, 65535];
    const jobs = sizes.flatMap((size) => [
      { ...all, k: size },
      { ...all, k: size, l: size },
    ]);
    const run = await runEngine(bench, jobs, calm);
    for (const { status, rows } of run.jobs) {
      expect(status).toBe(0);
      expect(rows).toEqual(golden);
    }
    // A window of all tokens among fewer that are chosen.
    const few = sizes.map((l) => ordinary(40, { k: 5, l }));
    const chosen = await runEngine(bench, few, calm);
    const { tokens } = goldenOutcome(ordinary(40, { k: 5, l: 40 }));
    for (const job of chosen.jobs) expect(job.tokens).toEqual(tokens);
  });

  it("says of which heads and appends a query, key or value is not finite", async () => {
    const infinite = (values: Float64Array, at: number, value: number): Float64Array =>
      values.map((before, i) => (i === at ? value : before));
    const clean = ordinary(40, { op: "dense" });
    const { keys, values } = clean.cache;
    const at = 7 * width + 5;
    const jobs: EngineJob[] = [
      clean,
      { ...clean, queries: [infinite(contents("ordinary", width, 3), 2, NaN)] },
      { ...clean, cache: { ...clean.cache, keys: infinite(keys, at, -Infinity) } },
      { ...clean, cache: { ...clean.cache, values: infinite(values, at, Infinity) } },
      ordinary(40, { dimFlash: 32, tokenFlash: 32 }),
      clean,
    ];
    const run = await runEngine(bench, jobs, calm);
    expect(run.jobs.map(({ status }) => status)).toEqual([0, 4, 4, 4, 0, 0]);
    // A key of a token and a dimension that are not chosen does not count, and a value of any token does:
    // it is part of the mean.
    const { tokens = [], dims = [] } = run.jobs[4] ?? {};
    const without = (chosen: readonly number[], count: number): number =>
      Array.from({ length: count }, (_, i) => i).find((i) => !chosen.includes(i)) ?? 0;
    const [other, own, dim] = [without(tokens, 40), tokens[0] ?? 0, without(dims, width)];
    const of = (part: "keys" | "values", place: number): EngineJob => {
      const job = ordinary(40, { dimFlash: 32, tokenFlash: 32 });
      return { ...job, cache: { ...job.cache, [part]: infinite(job.cache[part], place, NaN) } };
    };
    const places = [
      ...[of("keys", other * width + dim), of("keys", own * width + dim)],
      ...[of("values", other * width), of("values", own * width)],
    ];
    const picked = await runEngine(bench, places, calm);
    expect(picked.jobs.map(({ status }) => status)).toEqual([0, 4, 4, 4]);
    // An append counts the key and the value of its own token.
    const growing = (key: number, value: number): EngineJob => {
      const job = ordinary(40, { op: "dense" });
      const longer = (rows: Float64Array, last: number): Float64Array =>
        Float64Array.from([...rows, ...Array<number>(width - 1).fill(1), last]);
      const cache = {
        ...job.cache,
        keys: longer(job.cache.keys, key),
        values: longer(job.cache.values, value),
      };
      return { ...job, cache };
    };
    const heads = [growing(1, 1), growing(NaN, 1), growing(1, -Infinity)];
    const appends = heads.map((_, head): AppendJob => ({ op: "append", head, token: 40 }));
    const grown = await runEngine(bench, [...heads, ...appends], calm);
    expect(grown.jobs.map(({ status }) => status)).toEqual([0, 0, 0, 0, 4, 4]);
  });
});
