// SPDX-License-Identifier: Apache-2.0
// The top-k selector in RTL against the golden selection, with and without pauses on both sides,
// and its cycles against their formula.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { topIndices } from "../../src/golden/top-k.ts";
import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";
import { verilate, type RtlBuild } from "../../src/native/verilate.ts";

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
// topk_pkg: stages of counting, of a fetch and of the way out.
const [count, fetch, emit] = [3, 2, 3];
const directory = mkdtempSync(join(tmpdir(), "neardata-argtopk-"));
/** Of unsigned keys, of floats. */
const benches = { unsigned: "", float: "" };

const unit = inRepository("rtl", "sparf", "argtopk.sv");

/** The bench of the unit in `source`. */
async function build(
  maxKeys: number,
  float: boolean,
  source: string,
  options: Partial<RtlBuild> = {},
) {
  return verilate({
    top: "argtopk",
    parameters: { MaxKeys: maxKeys, KeyBits: 32, KeysPerCycle: lanes, Float: Number(float) },
    sources: [
      inRepository("rtl", "sparf", "topk_pkg.sv"),
      ...["topk_lanes", "topk_counts", "topk_queue"].map((name) =>
        inRepository("rtl", "sparf", `${name}.sv`),
      ),
      source,
    ],
    harness: [inRepository("testbench", "argtopk_main.cc")],
    kind: "executable",
    trace: false,
    ...options,
  });
}

beforeAll(async () => {
  benches.unsigned = await build(32_768, false, unit);
  benches.float = await build(32_768, true, unit);
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Every job on the bench of its kind of keys, or all on one. */
async function select(jobs: readonly Job[], on?: string): Promise<readonly Selection[]> {
  if (on !== undefined) return selectOn(on, jobs);
  const floats = await selectOn(
    benches.float,
    jobs.filter((j) => j.float),
  );
  const others = await selectOn(
    benches.unsigned,
    jobs.filter((j) => !j.float),
  );
  const [float, other] = [floats.values(), others.values()];
  return jobs.map((j) => {
    const next = (j.float ? float : other).next();
    if (next.done === true) throw new Error("a job without a result");
    return next.value;
  });
}

async function selectOn(on: string, jobs: readonly Job[]): Promise<readonly Selection[]> {
  const [input, output] = [join(directory, "jobs"), join(directory, "results")];
  const words = jobs.flatMap((job) => [
    job.keys.length,
    job.take,
    job.window,
    job.sourcePause,
    job.sinkPause,
    ...job.keys,
  ]);
  writeFileSync(input, Uint32Array.from(words));
  await runTool(on, [input, output]);
  const bytes = readFileSync(output);
  const results = new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  );
  let at = 0;
  return jobs.map(() => {
    const [cycles = 0, count = 0] = results.subarray(at, at + 2);
    const indices = [...results.subarray(at + 2, at + 2 + count)];
    at += 2 + count;
    return { cycles, indices };
  });
}

/** The number that a bit pattern stands for. */
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

/** Cycles without pauses, by the formula at the head of the unit. */
function formula(job: Job): number {
  const keys = job.keys.length;
  const beats = Math.ceil(keys / lanes);
  const take = Math.min(job.take, keys);
  const window = Math.min(job.window, keys);
  const decided = window >= take ? take === 0 || window === take : take === keys;
  const pass = beats + fetch + count;
  return pass + emit - 1 + (decided ? pass : digits * pass);
}

const finite32 = fc
  .nat({ max: 0xffffffff })
  .map((bits) => ((bits & 0x7f800000) === 0x7f800000 ? bits & ~0x40000000 : bits) >>> 0);
const keys = fc.oneof(
  fc.array(finite32, { minLength: 1, maxLength: 300 }),
  fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 300 }),
  fc.array(fc.constantFrom(0, 0x80000000, 1, 0x80000001, 0x7f7fffff, 0xff7fffff), {
    minLength: 1,
    maxLength: 100,
  }),
  fc.array(
    fc.nat({ max: 255 }).map((low) => 0x3f800000 + low),
    { minLength: 1, maxLength: 300 },
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

describe("argtopk", () => {
  it("selects what the golden model selects, whatever waits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 40 }), async (jobs) => {
        const found = await select(jobs);
        expect(found.map(({ indices }) => indices)).toEqual(jobs.map(golden));
      }),
      { numRuns: 40 },
    );
  });

  it("takes the cycles of its formula when nobody waits", async () => {
    const jobs = [1, 7, 8, 9, 64, 1000, 2048, 32_768].flatMap((count) =>
      [0, 1, 16, 128, count].flatMap((take) =>
        [0, 4].map((window) => ({
          keys: Array.from({ length: count }, (_, i) => Math.imul(i, 2654435761) >>> 0),
          take,
          window,
          float: false,
          sourcePause: 0,
          sinkPause: 0,
        })),
      ),
    );
    const found = await select(jobs);
    found.forEach(({ cycles, indices }, i) => {
      const one = jobs[i];
      if (one === undefined) throw new Error("a result without a job");
      expect(indices).toEqual(golden(one));
      expect(cycles, `${one.keys.length} keys, take ${one.take}`).toBe(formula(one));
    });
  });

  it(
    "is held to it: ties to the higher index are found and shrunk",
    { timeout: 600_000 },
    async () => {
      const text = readFileSync(unit, "utf8");
      const right = "ones(equal_q2 & ~({KeysPerCycle{1'b1}} << l))";
      expect(text.split(right)).toHaveLength(2);
      const copy = join(directory, "argtopk.sv");
      writeFileSync(
        copy,
        text.replace(right, "ones(equal_q2 & ({KeysPerCycle{1'b1}} << (l + 1)))"),
      );
      // Without its own naive version, which would stop it first.
      const faulty = await build(512, true, copy, { assertions: false, optimise: "-O0" });
      const result = await fc.check(
        fc.asyncProperty(job, async (any) => {
          const one = { ...any, float: true };
          const [found] = await select([one], faulty);
          expect(found?.indices).toEqual(golden(one));
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
