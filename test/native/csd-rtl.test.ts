// SPDX-License-Identifier: Apache-2.0
// The Verilated engine behind simulated flash: golden's bits, and the choices and pages of the cycle
// model, for sparse and dense heads, groups of queries and decodes that append.

import { expect, test } from "vitest";

import type { CsdJob, CsdRun } from "../../src/driver/csd-types.ts";
import { engineAttention, engineGroupAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd-session.ts";
import { defaultReadPolicy } from "../../src/flash/reads.ts";
import { appendJob, fill, prompt, smallCsd, testHead } from "../helpers/csd.ts";

const minutes = 60_000;
const parameters = { r: 4, k: 10, l: 3 };

/** The same jobs on both models; what must not differ. */
async function both(
  jobsOf: (sequence: ReturnType<typeof fill>) => readonly CsdJob[],
  lengths: readonly number[],
  stalls?: { readonly seed: number; readonly probability: number },
): Promise<readonly [CsdRun, CsdRun]> {
  const runs = (["rtl", "cycle"] as const).map(async (engine) => {
    const session = await openCsdSession(smallCsd({ engine }));
    const sequence = fill(
      session,
      lengths.map((length, i) => prompt(testHead(i + 1, 200), length)),
    );
    const run = await session.run(jobsOf(sequence), stalls === undefined ? {} : { stalls });
    session.close();
    expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
    return run;
  });
  const [rtl, cycle] = await Promise.all(runs);
  if (rtl === undefined || cycle === undefined) throw new Error("no runs");
  // Only the RTL has kernels that count: what is compared are two engines.
  const works = ({ devices }: CsdRun): boolean =>
    devices.some(({ kernels }) => kernels.some(({ logits }) => logits > 0));
  expect([works(rtl), works(cycle)]).toEqual([true, false]);
  rtl.jobs.forEach((job, i) => {
    const other = cycle.jobs[i];
    expect(job.status).toBe("done");
    expect(job.outputs, `job ${String(i)}`).toEqual(other?.outputs);
    expect(job.dims).toEqual(other?.dims);
    expect(job.tokens).toEqual(other?.tokens);
    expect(job.alpha).toEqual(other?.alpha);
  });
  return [rtl, cycle];
}

test(
  "sparse and dense heads, several in flight",
  async () => {
    const lengths = [3, 16, 40, 77, 128, 200];
    const [rtl, cycle] = await both(
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
    expect(rtl.jobs.map(({ pages }) => pages)).toEqual(cycle.jobs.map(({ pages }) => pages));
    lengths.forEach((length, i) => {
      const head = testHead(i + 1, 200);
      const golden = engineAttention(head.query(length - 1), prompt(head, length), parameters);
      expect(rtl.jobs[2 * i]?.outputs).toEqual(numbersToHalves(golden.out));
    });
  },
  10 * minutes,
);

test(
  "a decode that appends, with pauses everywhere",
  async () => {
    const jobsOf = (sequence: ReturnType<typeof fill>): CsdJob[] =>
      Array.from({ length: 60 }, (_, i) => 30 + i).flatMap((token) => {
        const head = testHead(1, 200);
        const queries = numbersToHalves(head.query(token));
        return [
          appendJob(sequence, 0, head, token),
          { kind: "sparse", sequence, head: 0, queries, ...parameters, mean: true },
        ];
      });
    await both(jobsOf, [30], { seed: 7, probability: 0.3 });
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
  "a dead channel ends in an outcome",
  async () => {
    const reads = { ...defaultReadPolicy, deadChannels: [1] };
    const session = await openCsdSession(smallCsd({ engine: "rtl", reads }));
    const head = testHead(1, 100);
    const sequence = fill(session, [head.cache]);
    const queries = numbersToHalves(head.query(99));
    const run = await session.run([{ kind: "dense", sequence, head: 0, queries }]);
    session.close();
    expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
    expect(run.jobs[0]?.status).toBe("unreadable");
  },
  10 * minutes,
);
