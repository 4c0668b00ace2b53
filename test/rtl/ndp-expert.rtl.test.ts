// SPDX-License-Identifier: Apache-2.0
// Whole experts through the RTL of the NDP unit against the golden model, bit for bit, with the
// driver's layout; and that a fault injected in one module is found and shrunk to a small case.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { layOutExpert, type ExpertShape } from "../../src/workload/ndp/layout.ts";
import { packExpert } from "../../src/workload/ndp/pack.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { activationFunctions } from "../../src/golden/names.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import { type Bench, type BenchWords, jobs, openBench, traffic } from "../helpers/ndp-bench.ts";
import { imageFiles, readOutputs, writeImage } from "../helpers/ndp-image.ts";
import { smallUnit } from "../helpers/machines.ts";
import { inFull } from "../helpers/needs.ts";
import { runs } from "../helpers/tier.ts";

const block = smallUnit.multipliersPerStream * smallUnit.lanes;
const directory = mkdtempSync(join(tmpdir(), "neardata-ndp-"));
const opened: Bench[] = [];

async function open(replaced?: ReadonlyMap<string, string>): Promise<Bench> {
  const bench = await openBench(smallUnit, replaced);
  opened.push(bench);
  return bench;
}

afterAll(() => {
  for (const bench of opened) bench.close();
  rmSync(directory, { recursive: true });
});

const shapes = fc.record({
  hidden: fc.integer({ min: 1, max: 150 }),
  intermediate: fc.integer({ min: 1, max: 100 }),
  tokens: fc.integer({ min: 1, max: 10 }),
  format: fc.constantFrom("fp16" as const, "bf16" as const),
  activation: fc.record(
    {
      name: fc.constantFrom(...activationFunctions),
      limit: fc.constantFrom(0.125, 1, 7),
      upPlusOne: fc.constant(true as const),
    },
    { requiredKeys: ["name"] },
  ),
}) satisfies fc.Arbitrary<ExpertShape>;

/** Bit patterns: near one in magnitude, or any finite one with subnormals and signed zeros. */
function contents(count: number, format: ExpertShape["format"], wild: boolean, seed: number) {
  const exponent = format === "fp16" ? 0x7c00 : 0x7f80;
  const one = format === "fp16" ? 0x3c00 : 0x3f80;
  let state = seed + 1;
  return Uint16Array.from({ length: count }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    const bits = (state >>> 7) & 0xffff;
    if (!wild) return (bits & ~exponent) | one;
    return (bits & exponent) === exponent ? bits & ~exponent : bits;
  });
}

let sound: Bench | undefined;
beforeAll(async () => {
  sound = await open();
});

test("an expert in RTL = golden, bit for bit, whatever the shape, values and pauses", async () => {
  await fc.assert(
    fc.asyncProperty(
      shapes,
      fc.boolean(),
      fc.nat(1000),
      fc.constantFrom("interleaved" as const, "row-major" as const),
      traffic,
      async (shape, wild, seed, arrangement, memory) => {
        const { hidden, intermediate, format } = shape;
        const layout = layOutExpert(smallUnit, shape, arrangement);
        const matrix = (salt: number): Uint16Array =>
          contents(hidden * intermediate, format, wild, seed + salt);
        const expert = { ...shape, name: "e", gate: matrix(1), up: matrix(2), down: matrix(3) };
        const inputs = contents(shape.tokens * hidden, format, wild, seed);
        const files = imageFiles(directory);
        writeImage(files, layout.descriptor, packExpert(layout, expert, inputs));
        const job = { engine: "rtl", check: 0, ...files, ...memory };
        expect(await sound?.run(job)).toMatchObject({ ok: true });
        const golden = goldenExpert(expert, inputs, shape.activation, block);
        expect(readOutputs(files, layout)).toEqual(golden);
      },
    ),
    { numRuns: runs(30, 200) },
  );
});

test("a descriptor that breaks a rule is refused: nothing is written", async () => {
  const answer = await sound?.run({ op: 1, pass: 9, tokens: 9, in: 1, mid: 1, rows: 1 });
  expect(answer).toMatchObject({ ok: false });
  expect(answer?.ok === false ? answer.error : "").toContain("0 bursts written, 9 expected");
});

const buildTime = 600_000;

test(
  "a planted fault, rows behind the end of a hidden row not cleared, is found and shrunk",
  { ...inFull, timeout: buildTime },
  async () => {
    const path = inRepository("rtl", rtlPath("ndp_act_ctrl.sv"));
    const text = readFileSync(path, "utf8");
    const right = "RB'(i) < rows_q";
    expect(text.split(right)).toHaveLength(2);
    const copy = join(directory, "ndp_act_ctrl.sv");
    writeFileSync(copy, text.replace(right, "RB'(i) <= rows_q"));
    const faulty = await open(new Map([[path, copy]]));
    const works = async (bench: Bench | undefined, job: BenchWords): Promise<boolean> =>
      (await bench?.run({ engine: "rtl", ...job }))?.ok === true;
    const found = await fc.check(
      fc.asyncProperty(jobs(smallUnit, 100), (job) => works(faulty, job)),
      { numRuns: 100 },
    );
    const [smallest = {}] = found.counterexample ?? [];
    expect(found.failed).toBe(true);
    expect(found.numShrinks).toBeGreaterThan(0);
    expect(smallest).toMatchObject({ tokens: 1, pass: 1, in: 1, rows: 1 });
    expect(await works(sound, smallest)).toBe(true);
  },
);
