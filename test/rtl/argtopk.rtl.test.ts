// SPDX-License-Identifier: Apache-2.0
// The top-k selector in RTL against the golden selection, with and without pauses on both sides,
// and its cycles against their formula.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { topIndices } from "../../src/golden/attention/top-k.ts";
import { openUnit, type Unit, type UnitOptions } from "../../src/rtl/index.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import { inFull } from "../helpers/needs.ts";

/** One selection; keys are bit patterns, of binary32 when `float`. */
interface Job {
  readonly keys: readonly number[];
  readonly take: number;
  readonly window: number;
  readonly float: boolean;
  readonly sourcePause: number;
  readonly sinkPause: number;
}

interface Selection {
  readonly cycles: number;
  readonly indices: readonly number[];
}

const lanes = 8;
const digits = 8;
// Latencies of sparf_topk_pkg: stages of counting, of a fetch and of the output.
const [count, fetch, emit] = [3, 2, 3];

interface Selector {
  parameters: string;
  streams: {
    start: { direction: "in"; message: { count: number; take: number; window: number } };
    read: { direction: "out"; message: { beat: number } };
    key: { direction: "in"; message: { data: bigint } };
    sel: { direction: "out"; message: { beat: number; mask: number; last: number } };
  };
  inputs: Record<string, never>;
  outputs: Record<string, never>;
}

const directory = mkdtempSync(join(tmpdir(), "neardata-argtopk-"));
/** Of unsigned keys, of floats. */
let units: { readonly unsigned: Unit<Selector>; readonly float: Unit<Selector> };

async function open(
  maxKeys: number,
  float: boolean,
  options: Partial<UnitOptions> = {},
): Promise<Unit<Selector>> {
  return openUnit<Selector>({
    top: "sparf_argtopk",
    parameters: { MaxKeys: maxKeys, KeyBits: 32, KeysPerCycle: lanes, Float: Number(float) },
    uses: [
      "sparf_topk_pkg",
      "sparf_topk_lanes",
      "sparf_topk_counts",
      "sparf_topk_queue",
      "sparf_argtopk",
    ].map((name) => `${name}.sv`),
    ...options,
  });
}

beforeAll(async () => {
  units = { unsigned: await open(32_768, false), float: await open(32_768, true) };
});

afterAll(() => {
  units.unsigned.close();
  units.float.close();
  rmSync(directory, { recursive: true });
});

/** Every job on the unit of its kind of keys, or all on one. */
async function select(jobs: readonly Job[], on?: Unit<Selector>): Promise<readonly Selection[]> {
  units.unsigned.reset();
  units.float.reset();
  on?.reset();
  const selections: Selection[] = [];
  for (const job of jobs) {
    selections.push(await selectOn(on ?? (job.float ? units.float : units.unsigned), job));
  }
  return selections;
}

async function selectOn(unit: Unit<Selector>, job: Job): Promise<Selection> {
  const { start, read, key, sel } = unit.streams;
  // The words after the last key must not matter.
  const beats = new Uint32Array(lanes * Math.ceil(job.keys.length / lanes)).map((_, i) =>
    Math.imul(i + job.take, 0x9e3779b9),
  );
  beats.set(job.keys);
  key.answer(read, beats, { latency: fetch });
  key.pause({ probability: job.sourcePause / 256 });
  sel.pause({ probability: job.sinkPause / 256 });
  start.send([{ count: job.keys.length, take: job.take, window: job.window }]);
  const [asked, given] = [read.movedAt().length, sel.movedAt().length];
  await unit.run({ until: { seen: { sel: { last: 1 } } } });
  const [first = 0] = read.movedAt().subarray(asked);
  const indices = sel
    .taken()
    .slice(given)
    .flatMap(({ beat, mask }) =>
      Array.from({ length: lanes }, (_, lane) => lane)
        .filter((lane) => (mask >> lane) & 1)
        .map((lane) => beat * lanes + lane),
    );
  return { cycles: (sel.movedAt().at(-1) ?? 0) - first, indices };
}

/** The number that a bit pattern represents. */
function valueOf(bits: number, float: boolean): number {
  if (!float) return bits;
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

function golden(job: Job): number[] {
  const values = Float64Array.from(job.keys, (bits) => valueOf(bits, job.float) + 0);
  return [...topIndices(values, job.take, job.window)];
}

/**
 * Passes before that of the selection: the number of digits, of unsigned keys, that distinguish the
 * smallest selected key from the largest other key. If no digit does, it is one pass.
 */
function passes(job: Job): number {
  const take = Math.min(job.take, job.keys.length);
  const begin = job.keys.length - Math.min(job.window, job.keys.length);
  const window = job.keys.length - begin;
  const candidates = window >= take ? job.keys.slice(begin) : job.keys.slice(0, begin);
  const need = window >= take ? take : take - window;
  const sorted = [...candidates].sort((a, b) => b - a);
  const [last, next] = [sorted[need - 1], sorted[need]];
  if (last === undefined || next === undefined) return 1;
  const differ = Array.from({ length: digits }, (_, d) => d + 1).find(
    (d) => last >>> (32 - 4 * d) !== next >>> (32 - 4 * d),
  );
  return differ ?? digits;
}

/** Cycles without pauses, by the formula at the head of the unit. */
function formula(job: Job): number {
  const pass = Math.ceil(job.keys.length / lanes) + fetch + count;
  return pass + emit - 1 + passes(job) * pass;
}

const finite32 = fc
  .nat({ max: 0xffffffff })
  .map((bits) => ((bits & 0x7f800000) === 0x7f800000 ? bits & ~0x40000000 : bits) >>> 0);
// Without a size, fast-check generates short arrays, whatever their maximum length.
const many = (of: fc.Arbitrary<number>, maxLength: number): fc.Arbitrary<number[]> =>
  fc.array(of, { minLength: 1, maxLength, size: "max" });
const keys = fc.oneof(
  many(finite32, 300),
  many(fc.nat({ max: 3 }), 300),
  many(fc.constantFrom(0, 0x80000000, 1, 0x80000001, 0x7f7fffff, 0xff7fffff), 100),
  many(
    fc.nat({ max: 255 }).map((low) => 0x3f800000 + low),
    300,
  ),
);
const job: fc.Arbitrary<Job> = fc.record({
  keys,
  take: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 320 })),
  window: fc.oneof(fc.constant(0), fc.nat({ max: 30 })),
  float: fc.boolean(),
  sourcePause: fc.constantFrom(0, 0, 128, 230),
  sinkPause: fc.constantFrom(0, 0, 128, 230),
});

describe("sparf_argtopk", () => {
  it("selects what the golden model selects, whatever waits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 40 }), async (jobs) => {
        const selections = await select(jobs);
        expect(selections.map(({ indices }) => indices)).toEqual(jobs.map(golden));
      }),
      { numRuns: 40 },
    );
  });

  it("selects of any number of keys, as many as asked for, beside any window", async () => {
    const sizes = [
      [0x5555, 0x2aaa, 0x1555],
      [0x2aaa, 0x1555, 0x2aaa],
      [0x7fff, 0x5555, 0x2aaa],
      [0x8000, 0x7000, 0x8000],
      [0x7400, 0x7400, 0x4fff],
      [0x0410, 0x0400, 0x0010],
    ] as const;
    const jobs = sizes.map(([size, take, window], i) => ({
      take,
      window,
      float: i % 2 === 1,
      sourcePause: 0,
      sinkPause: 32,
      keys: Array.from({ length: size }, (_, key) => Math.imul(key + i, 0x9e3779b1) >>> 4),
    }));
    const selections = await select(jobs);
    expect(selections.map(({ indices }) => indices)).toEqual(jobs.map(golden));
  });

  it("takes the cycles of its formula when nobody waits", async () => {
    const spread = (key: number): number => Math.imul(key, 2654435761) >>> 0;
    // Keys that differ early, late, in the last digit, not at all.
    const kinds = [spread, (i: number) => spread(i) >>> 12, (i: number) => i % 16, () => 5];
    const jobs = [1, 7, 8, 9, 64, 1000, 2048, 32_768].flatMap((count) =>
      [0, 1, 16, 128, count].flatMap((take) =>
        [0, 4].flatMap((window) =>
          (count > 2048 ? kinds.slice(0, 1) : kinds).map((kind) => ({
            keys: Array.from({ length: count }, (_, i) => kind(i)),
            take,
            window,
            float: false,
            sourcePause: 0,
            sinkPause: 0,
          })),
        ),
      ),
    );
    expect(new Set(jobs.map(passes)).size).toBeGreaterThan(5);
    const selections = await select(jobs);
    selections.forEach(({ cycles, indices }, i) => {
      const one = jobs[i];
      if (one === undefined) throw new Error("a result without a job");
      expect(indices).toEqual(golden(one));
      expect(cycles, `${one.keys.length} keys, take ${one.take}`).toBe(formula(one));
    });
  });

  it(
    "is held to it: ties to the higher index are found and shrunk",
    { ...inFull, timeout: 600_000 },
    async () => {
      const text = readFileSync(inRepository("rtl", rtlPath("sparf_argtopk.sv")), "utf8");
      const right = "ones(equal_q2 & ~({KeysPerCycle{1'b1}} << l))";
      expect(text.split(right)).toHaveLength(2);
      writeFileSync(
        join(directory, "sparf_argtopk.sv"),
        text.replace(right, "ones(equal_q2 & ({KeysPerCycle{1'b1}} << (l + 1)))"),
      );
      // Without its assertions, which would stop the simulation first.
      await using faulty = await open(512, true, { assertions: false, rtl: directory });
      const result = await fc.check(
        fc.asyncProperty(job, async (any) => {
          const one = { ...any, float: true };
          const [selection] = await select([one], faulty);
          expect(selection?.indices).toEqual(golden(one));
        }),
        { numRuns: 200 },
      );
      const [smallest] = result.counterexample ?? [];
      expect(result.failed).toBe(true);
      expect(smallest?.take).toBe(1);
      expect(smallest?.keys.length).toBeLessThan(5);
    },
  );
});
