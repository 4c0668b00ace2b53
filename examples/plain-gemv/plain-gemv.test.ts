// SPDX-License-Identifier: Apache-2.0
// The unit of ordinary multipliers behind DDR5 against its golden model, bit for bit, for any
// shape, values and pauses; and an injected fault in its multiplier, found and shrunk.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { readCustomUnit } from "../../src/native/custom-unit-choice.ts";
import { paperMachine } from "../../src/machine/resolve/systems.ts";
import { prepareExpert, runExpert } from "../../src/kernels/ndp/cold-expert.ts";
import type { NdpMachine, NdpSession } from "../../src/machine/types.ts";
import { openSessionOn } from "../../src/native/custom-unit.ts";
import { bytes } from "../../src/base/units.ts";
import type { ExpertWeights } from "../../src/workload/expert.ts";
import { dot, expert } from "./golden.ts";

const folder = import.meta.dirname;
/** Two streams of eight multipliers: odd shapes meet every boundary, and it is built quickly. */
const machine: NdpMachine = {
  ...paperMachine(),
  unit: {
    streams: 2,
    multipliersPerStream: 8,
    lanes: 8,
    bitsPerCycle: 1,
    slotCycles: 8,
    bufferBytes: bytes(16384),
    queueBursts: 8,
    activationLanes: 32,
    maxTokens: 4,
  },
};
const block = machine.unit.multipliersPerStream * machine.unit.lanes;
const changed = mkdtempSync(join(tmpdir(), "neardata-plain-gemv-"));
const sessions: NdpSession[] = [];

async function open(directory: string): Promise<NdpSession> {
  const session = await openSessionOn(readCustomUnit(directory, directory))(machine);
  sessions.push(session);
  return session;
}

let unit: NdpSession;
beforeAll(async () => {
  unit = await open(folder);
});
afterAll(() => {
  for (const session of sessions) session.close();
  rmSync(changed, { recursive: true });
});

/** Any bits: near one, of every magnitude, or with NaN and infinities among them. */
function bitsOf(count: number, kind: "near" | "wide" | "special", seed: number): Uint16Array {
  let state = seed >>> 0;
  return Uint16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const bits = (state >>> 9) & 0xffff;
    if (kind === "near") return (bits & 0x87ff) | 0x3800;
    const isSpecial = (bits & 0x7c00) === 0x7c00;
    return isSpecial && (kind === "wide" || (state & 0x1c0) !== 0) ? bits & 0xbfff : bits;
  });
}

const cases = fc.record({
  activation: fc.constantFrom("identity", "relu", "silu", "gelu"),
  hidden: fc.integer({ min: 1, max: 200 }),
  intermediate: fc.integer({ min: 1, max: 150 }),
  tokens: fc.integer({ min: 1, max: 6 }),
  kind: fc.constantFrom("near", "wide", "special"),
  seed: fc.nat(2 ** 31 - 1),
  pauses: fc.option(fc.record({ seed: fc.nat(1000), probability: fc.constantFrom(0.1, 0.6) })),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** How many outputs of a case differ from the golden model's. */
async function differences(session: NdpSession, one: Case): Promise<number> {
  const { activation, hidden, intermediate, tokens, kind, seed, pauses } = one;
  const matrix = (n: number): Uint16Array => bitsOf(hidden * intermediate, kind, seed + n);
  const [gate, up, down] = [matrix(0), matrix(1), matrix(2)];
  const shape = { format: "fp16", hidden, intermediate } as const;
  const weights: ExpertWeights = { name: "random", ...shape, gate, up, down };
  const inputs = bitsOf(tokens * hidden, kind, seed + 3);
  const arrangement = "interleaved";
  const prepared = prepareExpert(machine, { weights, inputs, activation, arrangement });
  const options = pauses === null ? {} : { stalls: pauses };
  const { run, outputs } = await runExpert(session, prepared, { ...options, checked: true });
  expect(run.outcome).toEqual({ kind: "completed" });
  const golden = expert(weights, inputs, activation, block);
  return golden.filter((value, i) => value !== outputs?.[i]).length;
}

test("outputs equal the golden model bit for bit", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      expect(await differences(unit, one)).toBe(0);
    }),
    { seed: 7, numRuns: 60 },
  );
});

test("the golden dot product is that of float64 within the error of its sums", () => {
  const values = fc.nat(2 ** 31 - 1).map((seed) => bitsOf(300, "near", seed));
  fc.assert(
    fc.property(values, values, (weights, inputs) => {
      const real = (bits: number): number => {
        const size = (1 + (bits & 0x3ff) / 1024) * 2 ** (((bits >> 10) & 31) - 15);
        return bits & 0x8000 ? -size : size;
      };
      const products = Array.from(weights, (w, i) => real(w) * real(inputs[i] ?? 0));
      const exact = products.reduce((sum, p) => sum + p, 0);
      const sizes = products.reduce((sum, p) => sum + Math.abs(p), 0);
      // Seven levels of a block and five blocks, each rounded by half a place of FP32; then FP16.
      const error = 12 * 2 ** -24 * sizes + 2 ** -11 * Math.abs(exact) + 2 ** -25;
      expect(Math.abs(real(dot(weights, inputs, 64)) - exact)).toBeLessThanOrEqual(error * 1.01);
    }),
    { seed: 8, numRuns: 200 },
  );
});

test("a product of two negative numbers that stays negative is found, and shrunk to a few values", async () => {
  const name = "fp16_multiply.sv";
  cpSync(folder, changed, { recursive: true });
  const source = readFileSync(join(folder, name), "utf8");
  const injected = source.replace("a_i[15] ^ b_i[15]", "a_i[15] | b_i[15]");
  expect(injected).not.toBe(source);
  writeFileSync(join(changed, name), injected);
  const faulty = await open(changed);
  const found = await fc.check(
    fc.asyncProperty(cases, async (one) => (await differences(faulty, one)) === 0),
    { seed: 9, numRuns: 60 },
  );
  expect(found.failed).toBe(true);
  const [smallest] = found.counterexample ?? [];
  expect((smallest?.hidden ?? 1000) * (smallest?.intermediate ?? 1000)).toBeLessThanOrEqual(30);
});
