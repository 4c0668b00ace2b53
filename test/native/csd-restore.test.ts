// SPDX-License-Identifier: Apache-2.0
// Devices that are put back as they were: whatever ran in between, in this session or in others
// that hold the same pages, a run gives what it gives on a device filled for it.

import { describe, expect, test } from "vitest";

import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig } from "../../src/scenario/resolve.ts";
import { runAttentionCases } from "../../src/kernels/csd/attention/attention-cases.ts";
import { noExpectedLayers } from "../../src/kernels/csd/attention/attention-checks.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdSequence } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun, CsdSession } from "../../src/machine/csd/csd-types.ts";
import { emptyHeadStore } from "../../src/kernels/csd/head-store.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { hta1Head } from "../../src/native/csd/hta1.ts";
import type { AttentionCase } from "../../src/results/types.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";
import { appendJob, fill, prompt, observableRun, smallCsd, testHead } from "../helpers/csd.ts";
import { rejection } from "../helpers/rejection.ts";

const heads = [1, 2, 3].map((seed) => testHead(seed, 160));
const from = 70;

const filled = (session: CsdSession): CsdSequence =>
  fill(
    session,
    heads.map((head) => prompt(head, from)),
    { tail: "padded" },
  );

/** Appends so many tokens to every head and attends after each; rows leave DRAM for flash. */
async function decode(session: CsdSession, sequence: CsdSequence, tokens: number): Promise<CsdRun> {
  const jobs = Array.from({ length: tokens }, (_, i) => from + i).flatMap((token) =>
    heads.flatMap((head, h) => [
      appendJob(sequence, h, head, token),
      {
        ...({ kind: "sparse", sequence, head: h, r: 4, k: 10, l: 3, mean: true } as const),
        queries: numbersToHalves(head.query(token)),
      },
    ]),
  );
  return session.run(jobs, { keepPages: 10_000 });
}

async function freshRun(machine: CsdMachine, tokens: number): Promise<CsdRun> {
  const session = await openCsdSession(machine);
  const run = await decode(session, filled(session), tokens);
  session.close();
  return run;
}

describe("devices put back", () => {
  test("after a decode that appended rows, and in another session", async () => {
    const machine = smallCsd();
    const wanted = observableRun(await freshRun(machine, 60));
    const session = await openCsdSession(machine);
    const sequence = filled(session);
    const kept = session.keep();
    const first = await decode(session, sequence, 60);
    expect(first.devices[0]?.pagesProgrammed).toBeGreaterThan(100);
    expect(observableRun(first)).toEqual(wanted);
    session.restore(kept);
    expect(observableRun(await decode(session, sequence, 60))).toEqual(wanted);
    const other = await openCsdSession(machine);
    other.restore(kept);
    session.close();
    expect(observableRun(await decode(other, sequence, 60))).toEqual(wanted);
    other.close();
  });

  test("after garbage collection on flash", async () => {
    const machine = { ...smallCsd(), blocksPerPlane: 18, pagesPerBlock: 8 };
    const wanted = observableRun(await freshRun(machine, 40));
    const session = await openCsdSession(machine);
    const sequence = filled(session);
    const kept = session.keep();
    // Sequences are added and removed; in each decode, new pages replace padded ones.
    let erases = 0;
    for (let round = 0; round < 12; round += 1) {
      const next = filled(session);
      erases = (await decode(session, next, 40)).devices[0]?.writes.erases ?? 0;
      session.closeSequence(next);
    }
    expect(erases).toBeGreaterThan(100);
    const late = session.keep();
    const [again, once] = [await decode(session, sequence, 30), await freshRun(machine, 30)];
    // The first sequence has its tokens, but at other addresses.
    expect(again.jobs.map((job) => job.outputs)).toEqual(once.jobs.map((job) => job.outputs));
    session.restore(kept);
    expect(observableRun(await decode(session, sequence, 40))).toEqual(wanted);
    // The state after the garbage collection is also restored.
    session.restore(late);
    expect(observableRun(await decode(session, sequence, 30))).toEqual(observableRun(again));
    session.close();
  });

  test("two at once, one of which has a wrong bit", async () => {
    const machine = smallCsd();
    const wanted = observableRun(await freshRun(machine, 30));
    const [one, two] = [await openCsdSession(machine), await openCsdSession(machine)];
    const sequence = filled(one);
    const kept = one.keep();
    two.restore(kept);
    one.plantError({ sequence, head: 1, copy: "token-values", index: 3, bit: 17 });
    const [broken, whole] = await Promise.all([
      decode(one, sequence, 30),
      decode(two, sequence, 30),
    ]);
    expect(broken.jobs.some((job) => job.status === "unreadable")).toBe(true);
    expect(observableRun(whole)).toEqual(wanted);
    one.restore(kept);
    expect(observableRun(await decode(one, sequence, 30))).toEqual(wanted);
    for (const session of [one, two]) session.close();
  });

  test("are refused where devices or pages are others", async () => {
    const session = await openCsdSession(smallCsd());
    const sequence = filled(session);
    const kept = session.keep();
    const rows = new Uint16Array(32);
    const pages = session.pagesOf(sequence, 0, rows, rows);
    const { flash } = smallCsd();
    for (const other of [
      { ...smallCsd(), devices: 2 },
      { ...smallCsd(), blocksPerPlane: 32 },
      { ...smallCsd(), flash: { ...flash, dies_per_channel: 4 } },
    ]) {
      const second = await openCsdSession(other);
      expect(() => {
        second.restore(kept);
      }).toThrow(rejection("misuse", /other devices/));
      second.close();
    }
    const halves = await openCsdSession({
      ...smallCsd(),
      flash: { ...flash, page_bytes: flash.page_bytes / 2 },
    });
    expect(() => {
      halves.prefill(filled(halves), 0, pages);
    }).toThrow(rejection("misuse", /another shape/));
    for (const one of [session, halves]) one.close();
  });
});

const scenario = (attention: string): string =>
  `name: a\nfidelity: cycle\nattention:\n  heads: 3\n  headWidth: 32\n  ratio: 1/4\n${attention}`;

/** Layouts, methods, lengths and machines, in an order in which none follows its like. */
const points = [
  "  length: 200\n  methods: [sparf]\n  dimsPerPage: 1\n",
  "  length: 200\n  devices: [1, 2]\n  inFlight: [1, 4]\n",
  "  length: 200\n  decode: 3\n  inFlight: [2, 4]\n",
  "  length: 150\n  methods: [sparf]\n  dimsPerPage: 4\n  channels: 4\n",
  "  length: 200\n  methods: [sparf]\n  r: 5\n  k: 30\n  diesPerChannel: 2\n",
  "  length: 200\n  methods: [sparf]\n  dimsPerPage: 1\n  engine: { kernels: 1 }\n",
  "  length: 200\n  methods: [sparf]\n  r: 5\n  k: 60\n",
];

test("points of one process, in any order, give what each gives by itself", async () => {
  const share = { kept: emptyHeadStore(), expected: noExpectedLayers() };
  const made = [7, 8, 9].map((seed) => hta1Head(seed, 210, 32));
  const run = async (
    point: string,
    { kept, expected }: typeof share,
  ): Promise<readonly unknown[]> => {
    const { attention } = resolveConfig("a", parseScenario("a", scenario(point))).scenario;
    if (attention === null) throw new Error("no attention");
    const all = await runAttentionCases(attention, {
      open: openCsdSession,
      heads: made,
      headStore: kept,
      expected,
      signal: new AbortController().signal,
      onCase: () => ({ update: () => undefined, end: () => undefined }),
      waveDirectory: "/waves",
      waves: false,
    });
    return all.map(figures);
  };
  const alone: (readonly unknown[])[] = [];
  for (const point of points) {
    alone.push(await run(point, { kept: emptyHeadStore(), expected: noExpectedLayers() }));
  }
  expect(alone).not.toContainEqual([]);
  for (const order of [
    [0, 1, 2, 3, 4, 5, 6],
    [5, 2, 6, 4, 1, 0, 3],
    [1, 1, 2, 2, 5, 0, 6],
  ]) {
    for (const i of order) expect(await run(points[i] ?? "", share)).toEqual(alone[i]);
  }
});

function figures({ id, metrics, checks, outputHash, time, steps }: AttentionCase): unknown {
  return {
    id,
    metrics,
    checks,
    outputHash,
    time,
    steps: steps.map((step) => observableRun(step.run)),
  };
}

test.each([
  [1, 300, 128],
  [500, 77, 16],
  [4_000_000_000, 1, 1],
])("the addon's head of seed %i, %i tokens of %i, is the definition's", (seed, length, width) => {
  const [fast, slow] = [hta1Head(seed, length, width), generateHta1(seed, length, width)];
  for (const part of ["queries", "keys", "values"] as const) {
    const bits = numbersToHalves(slow[part]);
    const last = bits.subarray((length - 1) * width);
    expect(fast.bits?.(part, 0, length)).toEqual(bits);
    expect(fast.bits?.(part, length - 1, length)).toEqual(last);
    expect(fast[part]).toEqual(slow[part]);
  }
});
