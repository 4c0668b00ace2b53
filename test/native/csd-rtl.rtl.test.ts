// SPDX-License-Identifier: Apache-2.0
// The Verilated engine behind simulated flash: golden's bits, and for sparse and dense heads, groups
// of queries and decodes that append the cycle model does everything in the same cycles.

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun, CsdRunOptions } from "../../src/machine/csd/csd-types.ts";
import { engineAttention, engineGroupAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { buildSparfUnit } from "../../src/native/csd/csd-unit.ts";
import { defaultReadPolicy } from "../../src/machine/flash/read-policy.ts";
import { seconds } from "../../src/base/units.ts";
import {
  appendJob,
  fill,
  edgeTraffic,
  prompt,
  observableRun,
  smallCsd,
  testHead,
} from "../helpers/csd.ts";
import { inFull } from "../helpers/needs.ts";
import { full, runs } from "../helpers/tier.ts";

const minutes = 60_000;
const parameters = { r: 4, k: 10, l: 3 };
/** Queries of a group that a kernel serves at once. */
const querySets = full ? [1, 4] : [1];

// The compiler of the model needs minutes with sanitizers, more than the limit of a test.
beforeAll(async () => {
  for (const sets of querySets) await buildSparfUnit(unitOf(sets));
});

/** The engine whose kernels serve so many queries of a group at once. */
function unitOf(querySets: number): CsdMachine["unit"] {
  return { ...smallCsd().unit, querySets };
}

/** The same jobs on both models, between which nothing may differ. */
async function both(
  jobsOf: (sequence: ReturnType<typeof fill>) => readonly CsdJob[],
  lengths: readonly number[],
  { changes = {}, ...options }: CsdRunOptions & { readonly changes?: Partial<CsdMachine> } = {},
): Promise<readonly [CsdRun, CsdRun]> {
  const runs = (["rtl", "cycle"] as const).map(async (engine) => {
    const session = await openCsdSession(smallCsd({ ...changes, engine }));
    const sequence = fill(
      session,
      lengths.map((length, i) => prompt(testHead(i + 1, 200), length)),
    );
    const run = await session.run(jobsOf(sequence), { ...options, keepPages: 100_000 });
    session.close();
    expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
    return run;
  });
  const [rtl, cycle] = await Promise.all(runs);
  if (rtl === undefined || cycle === undefined) throw new Error("no runs");
  // The two engines differ: the RTL simulates every clock, the cycle model only events.
  const simulated = ({ devices }: CsdRun): number =>
    devices.reduce((sum, { cycles, skipped }) => sum + cycles - skipped, 0);
  expect(simulated(cycle)).toBeLessThan(simulated(rtl) / 2);
  expect(observableRun(cycle)).toEqual(observableRun(rtl));
  expect(edgeTraffic(cycle)).toEqual(edgeTraffic(rtl));
  return [rtl, cycle];
}

test(
  "sparse and dense heads, several in flight",
  async () => {
    const lengths = [3, 16, 40, 77, 128, 200];
    const [rtl] = await both(
      (sequence) =>
        lengths.flatMap((length, head): CsdJob[] => {
          const queries = numbersToHalves(testHead(head + 1, 200).query(length - 1));
          const job = { sequence, head, queries };
          return [
            { ...job, kind: "sparse", ...parameters, mean: true },
            { ...job, kind: "dense" },
          ];
        }),
      lengths,
    );
    lengths.forEach((length, i) => {
      const head = testHead(i + 1, 200);
      const golden = engineAttention(head.query(length - 1), prompt(head, length), parameters);
      expect(rtl.jobs[2 * i]?.outputs).toEqual(numbersToHalves(golden.out));
    });
  },
  10 * minutes,
);

const longest = 56;
const anyBatch = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: longest }), { minLength: 2, maxLength: 3 }),
  picks: fc.array(
    fc.record({
      kind: fc.constantFrom("sparse", "sparse", "dense", "append"),
      head: fc.nat({ max: 1 }),
      group: fc.constantFrom(1, 1, 3, 8),
      r: fc.integer({ min: 1, max: 16 }),
      k: fc.integer({ min: 1, max: longest + 8 }),
      l: fc.constantFrom(0, 1, 5, 100),
      mean: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  stalls: fc.record({ seed: fc.nat({ max: 1e6 }), probability: fc.constantFrom(0, 0.3) }),
  inFlight: fc.constantFrom(1, 3, 16),
});

test.each(querySets)(
  "any batch takes the cycles of the RTL, with %i queries at once",
  async (sets) => {
    const changes = { unit: unitOf(sets) };
    await fc.assert(
      fc.asyncProperty(anyBatch, async ({ lengths, picks, stalls, inFlight }) => {
        const jobsOf = (sequence: ReturnType<typeof fill>): CsdJob[] => {
          const tokens = [...lengths];
          return picks.map(({ kind, head, group, ...choice }): CsdJob => {
            const of = testHead(head + 1, 200);
            const token = tokens[head] ?? 0;
            if (kind === "append") {
              tokens[head] = token + 1;
              return appendJob(sequence, head, of, token);
            }
            const rows = Array.from({ length: group }, (_, g) => [...of.query(token + g)]);
            const queries = numbersToHalves(Float64Array.from(rows.flat()));
            if (kind === "dense") return { kind, sequence, head, queries };
            return { kind: "sparse", sequence, head, queries, ...choice };
          });
        };
        await both(jobsOf, lengths, { stalls, inFlight, changes });
      }),
      { numRuns: runs(6, 12) },
    );
  },
  10 * minutes,
);

test(
  "a decode that appends, with pauses everywhere",
  async () => {
    const head = testHead(1, 200);
    const jobsOf = (sequence: ReturnType<typeof fill>): CsdJob[] =>
      Array.from({ length: runs(30, 60) }, (_, i) => 30 + i).flatMap((token) => {
        const queries = numbersToHalves(head.query(token));
        return [
          appendJob(sequence, 0, head, token),
          { kind: "sparse", sequence, head: 0, queries, ...parameters, mean: true },
        ];
      });
    await both(jobsOf, [30], { stalls: { seed: 7, probability: 0.3 } });
  },
  10 * minutes,
);

test(
  "queries of a group share a head",
  async () => {
    const head = testHead(1, 200);
    const group = [99, 120, 140].map((token) => head.query(token));
    const queries = numbersToHalves(Float64Array.from(group.flatMap((query) => [...query])));
    const [rtl] = await both(
      (sequence) => [
        { kind: "sparse", sequence, head: 0, queries, ...parameters, mean: true },
        { kind: "sparse", sequence, head: 0, queries, ...parameters, mean: false },
      ],
      [150],
    );
    [true, false].forEach((compensated, i) => {
      const golden = engineGroupAttention(group, prompt(head, 150), parameters, compensated);
      const outputs = golden.flatMap(({ out }) => [...numbersToHalves(out)]);
      expect([...(rtl.jobs[i]?.outputs ?? [])]).toEqual(outputs);
      expect(rtl.jobs[i]?.alpha).toEqual(Float64Array.from(golden, ({ alpha }) => alpha));
    });
  },
  10 * minutes,
);

test(
  "pages from copies in DRAM among those from flash",
  async () => {
    const lengths = [120, 160];
    const jobsOf = (sequence: ReturnType<typeof fill>): CsdJob[] =>
      Array.from({ length: 24 }, (_, i): CsdJob => {
        const head = i % lengths.length;
        const queries = numbersToHalves(testHead(head + 1, 200).query(100 + i));
        return { kind: "sparse", sequence, head, queries, ...parameters, mean: true };
      });
    const [rtl] = await both(jobsOf, lengths, { changes: { hotPages: 8 } });
    expect(rtl.devices[0]?.reads.hot).toBeGreaterThan(24);
  },
  10 * minutes,
);

test("a dead channel ends in an outcome", inFull, async () => {
  const reads = { ...defaultReadPolicy, deadChannels: [1] };
  const queries = numbersToHalves(testHead(1, 200).query(99));
  const [rtl] = await both((sequence) => [{ kind: "dense", sequence, head: 0, queries }], [100], {
    changes: { reads },
  });
  expect(rtl.jobs[0]?.status).toBe("unreadable");
});

test(
  "an engine that proves that it is quiet where it says so runs as it did",
  async () => {
    // The transfer of the jobs is long, and the engine waits for them.
    const machine = smallCsd({ engine: "rtl" });
    const wires = { ...machine.link.wires, latency: seconds(20e-6) };
    const link = { ...machine.link, wires };
    const head = testHead(1, 200);
    const job = { kind: "sparse", head: 0, ...parameters, mean: true } as const;
    const run = async (checked: boolean): Promise<CsdRun> => {
      const session = await openCsdSession({ ...machine, link });
      const sequence = fill(session, [prompt(head, 60)]);
      const queries = numbersToHalves(head.query(59));
      const jobs = [1, 2].map((): CsdJob => ({ ...job, sequence, queries }));
      const result = await session.run(jobs, { inFlight: 1, checked, keepPages: 1000 });
      session.close();
      return result;
    };
    const [plain, checked] = [await run(false), await run(true)];
    expect(plain.devices[0]?.outcome).toEqual({ kind: "completed" });
    expect(plain.devices[0]?.skipped).toBeGreaterThan(5000);
    expect(checked.devices[0]?.skipped).toBe(plain.devices[0]?.skipped);
    expect(observableRun(checked)).toEqual(observableRun(plain));
  },
  10 * minutes,
);
