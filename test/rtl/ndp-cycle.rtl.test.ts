// SPDX-License-Identifier: Apache-2.0
// The cycle model of the NDP unit against its RTL: both run in lockstep on the same memory and the
// bench compares every output of every cycle and the event counts at the end, and that nothing
// moves while the unit says that it is quiet.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { Bench, jobs, openBench, traffic } from "../helpers/ndp-bench.ts";
import { buildNdpMain } from "../../src/native/ndp/ndp-main.ts";
import { lowBitUnit, paperUnit, shortSlotUnit, smallUnit } from "../helpers/machines.ts";
import { inFull } from "../helpers/needs.ts";
import { full, runs } from "../helpers/tier.ts";

const events = { slots: 0, newWeights: 1, stalls: [2, 3, 4], phases: [13, 14, 15] } as const;

const small = [
  ["the small unit", smallUnit],
  ["a unit whose slots have no cycle to spare", shortSlotUnit],
  ["a unit of low-bit weights", lowBitUnit],
  ["a unit of low-bit weights, products cut to sixteen bits", { ...lowBitUnit, alignedBits: 16 }],
] as const;

describe.each(full ? small : small.slice(0, 1))("%s", (_, unit) => {
  let bench: Bench | undefined;
  beforeAll(async () => {
    bench = await openBench(unit);
  });
  afterAll(() => bench?.close());

  test("cycle model = RTL in every cycle, and outputs = values, on any shape and traffic", async () => {
    await fc.assert(
      fc.asyncProperty(jobs(unit, 200), traffic, fc.nat(1), async (job, memory, skip) => {
        const answer = await bench?.run({ engine: "both", ...job, ...memory, skip });
        expect(answer).toMatchObject({ ok: true });
      }),
      { numRuns: runs(30, 200) },
    );
  });

  test("pauses and the order of answers change no output bit", async () => {
    await fc.assert(
      fc.asyncProperty(jobs(unit, 100), traffic, async (job, memory) => {
        const calm = await bench?.run({ engine: "rtl", check: 0, ...job });
        const paused = await bench?.run({ engine: "rtl", check: 0, ...job, ...memory });
        expect(calm).toMatchObject({ ok: true });
        expect(paused).toMatchObject({ ok: true, hash: calm?.ok === true ? calm.hash : "" });
      }),
      { numRuns: runs(30, 50) },
    );
  });

  test("every cycle of a job has one phase, and is a cycle of a slot or has one stall", async () => {
    const answer = await bench?.run({ op: 1, tokens: 5, pass: 2, in: 3, mid: 40, rows: 50 });
    if (answer?.ok !== true) throw new Error("the job failed");
    const count = (indices: readonly number[]): number =>
      indices.reduce((sum, index) => sum + (answer.events[index] ?? 0), 0);
    const slotCycles = 16 / unit.bitsPerCycle;
    const block = unit.multipliersPerStream * unit.lanes;
    const slots = answer.events[events.slots] ?? 0;
    expect(count(events.phases)).toBe(slots * slotCycles + count(events.stalls));
    // Row groups of gate, up and down times blocks, once a pass; slots once a token.
    const blocks = 2 * 20 * 3 + 25 * Math.ceil(40 / block);
    expect(answer.events[events.newWeights]).toBe(3 * blocks);
    expect(slots).toBe(5 * blocks);
  });
});

describe("the unit at the paper's size", inFull, () => {
  let bench: Bench | undefined;
  beforeAll(async () => {
    bench = new Bench(await buildNdpMain(paperUnit));
  });
  afterAll(() => bench?.close());
  // A rank-sub-channel delivers 19.2 GB/s: three bursts of 64 bytes in ten cycles of 1 GHz.
  const steady = { op: 1, in: 20, mid: 300, rows: 300, latency: 60, rate: "3/10" };

  test("cycle model = RTL and outputs = values, three tokens, paused and out of order", async () => {
    const answer = await bench?.run({
      ...steady,
      engine: "both",
      tokens: 3,
      pass: 2,
      in: 3,
      rsp: 200,
      req: 300,
      outp: 500,
      window: 6,
      contents: "wild",
    });
    expect(answer).toMatchObject({ ok: true });
  });

  test("one token is bound by the memory alone, two keep the array busy", async () => {
    const one = await bench?.run({ ...steady, engine: "cycle", tokens: 1, pass: 1 });
    const two = await bench?.run({ ...steady, engine: "cycle", tokens: 2, pass: 2 });
    if (one?.ok !== true || two?.ok !== true) throw new Error("a job failed");
    // The cycles without streaming: the first latency, activations at one word per cycle, two phase
    // changes and the last chunk; the limit is 300 cycles for each phase change.
    const overhead = 160 + 2 * 300;
    const streaming = one.bursts / paperUnit.streams / 0.3;
    expect(one.cycles).toBeGreaterThan(streaming);
    expect(one.cycles).toBeLessThan(streaming + overhead);
    const slots = (two.events[events.slots] ?? 0) * 16;
    expect(two.cycles).toBeLessThan(slots + 2 * 160 + 2 * 300);
  });
});
