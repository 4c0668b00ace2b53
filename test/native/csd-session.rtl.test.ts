// SPDX-License-Identifier: Apache-2.0
// Devices behind the addon, with the cycle model and with the RTL: outputs bit for bit those of golden, pages those of the
// closed rules, decode that appends, several devices, the same result twice.

import { describe, expect, test } from "vitest";

import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { engineAttention, engineDense } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { planPages } from "../../src/golden/attention/pages.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { appendJob, fill, prompt, smallCsd, testHead } from "../helpers/csd.ts";
import { runs as draws } from "../helpers/tier.ts";

const parameters = { r: 4, k: 10, l: 3 };
const layout = { width: 16, m: 2, n: 4, pageBytes: 128 };

function completed(run: CsdRun): CsdRun {
  for (const { outcome } of run.devices) expect(outcome).toEqual({ kind: "completed" });
  return run;
}

describe.each(["cycle", "rtl"] as const)("%s devices", { timeout: 1_800_000 }, (engine) => {
  test.each(["padded", "dram-tail"] as const)(
    "%s: golden's numbers, the rules' pages",
    async (tail) => {
      const session = await openCsdSession(smallCsd({ engine }));
      for (const length of [1, 3, 4, 31, 32, 77, 128]) {
        const head = testHead(length, length);
        const query = head.query(length - 1);
        const sequence = fill(session, [head.cache], { tail });
        const queries = numbersToHalves(query);
        const job = { sequence, head: 0, queries };
        const { jobs } = completed(
          await session.run([
            { ...job, kind: "sparse", ...parameters, mean: true },
            { ...job, kind: "dense" },
          ]),
        );
        const golden = engineAttention(query, head.cache, parameters);
        expect(jobs[0]?.outputs).toEqual(numbersToHalves(golden.out));
        expect(jobs[0]?.dims).toEqual(golden.dims);
        expect(jobs[0]?.tokens).toEqual(golden.tokens);
        expect(jobs[0]?.alpha).toEqual(Float64Array.of(golden.alpha));
        expect(jobs[1]?.outputs).toEqual(numbersToHalves(engineDense(query, head.cache)));

        const plan = planPages({ ...layout, length }, golden.dims, golden.tokens);
        const { step1_pages, step2_pages_k, step2_pages_v } =
          tail === "padded" ? plan.padded : plan.dram_tail;
        const pages = { dims: step1_pages, keys: step2_pages_k, values: step2_pages_v };
        expect(jobs[0]?.pages).toEqual(pages);
        session.closeSequence(sequence);
      }
      session.close();
    },
  );

  test("appending token by token equals writing at once", async () => {
    const session = await openCsdSession(smallCsd({ engine }));
    // Past one block of tokens, or two, or four.
    const end = engine === "rtl" ? draws(40, 68) : 150;
    const heads = [testHead(1, end), testHead(2, end), testHead(3, end)];
    const sequence = fill(
      session,
      heads.map((head) => prompt(head, 20)),
      { tail: "padded" },
    );
    const jobs: CsdJob[] = [];
    const expected: Uint16Array[] = [];
    for (let token = 20; token < end; token += 1) {
      heads.forEach((head, number) => jobs.push(appendJob(sequence, number, head, token)));
      heads.forEach((head, number) => {
        const query = head.query(token);
        const queries = numbersToHalves(query);
        jobs.push({ kind: "sparse", sequence, head: number, queries, ...parameters, mean: true });
        const golden = engineAttention(query, prompt(head, token + 1), parameters);
        expected.push(numbersToHalves(golden.out));
      });
    }
    const run = completed(await session.run(jobs));
    const outputs = run.jobs.filter((_, i) => jobs[i]?.kind === "sparse").map((job) => job.outputs);
    expect(outputs).toEqual(expected);
    // The device programmed full pages during the decode: groups of 4 tokens, blocks of 32.
    const [groups, blocks] = [Math.floor(end / 4) - 5, Math.floor(end / 32)];
    const [device] = run.devices;
    expect(device?.pagesProgrammed).toBe(3 * (2 * groups + 8 * blocks));
    expect(run.jobs.at(-1)?.onFlash.tokens).toBeGreaterThan(20);
    session.close();
  });

  test("a decode step moves q, k, v and the output over the link, and nothing else", async () => {
    const devices = 3;
    const session = await openCsdSession(smallCsd({ engine, devices }));
    const heads = Array.from({ length: 7 }, (_, i) => testHead(i + 1, 61));
    const placed = heads.map((head, h) => {
      return { head, at: fill(session, [prompt(head, 60)], { device: h % devices }) };
    });
    const group = [60, 59].map((token) => (heads[0] ?? testHead(1, 61)).query(token));
    const run = completed(
      await session.run([
        ...placed.map(({ head, at }) => appendJob(at, 0, head, 60)),
        ...placed.map(({ head, at }, h): CsdJob => {
          const own = h === 0 ? group : [head.query(60)];
          const queries = numbersToHalves(Float64Array.from(own.flatMap((q) => [...q])));
          const job = { sequence: at, head: 0, queries };
          if (h % 2 === 1) return { kind: "dense", ...job };
          return { kind: "sparse", ...job, ...parameters, mean: true };
        }),
      ]),
    );
    session.close();
    const rowBytes = 2 * layout.width;
    run.devices.forEach(({ link }, device) => {
      const length = placed.filter((_, h) => h % devices === device).length;
      const queries = length + (device === 0 ? 1 : 0);
      expect(link).toEqual({ in: (2 * length + queries) * rowBytes, out: queries * rowBytes });
    });
  });

  test("pages that are read again and again come from their copies in DRAM", async () => {
    const length = 96;
    const head = testHead(5, length + 9);
    const answers = await Promise.all(
      [0, 6].map(async (hotPages) => {
        const session = await openCsdSession(smallCsd({ engine, hotPages }));
        const sequence = fill(session, [prompt(head, length)], { tail: "padded" });
        const runs: CsdRun[] = [];
        for (let token = length; token < length + 9; token += 1) {
          const queries = numbersToHalves(head.query(token));
          const job = { sequence, head: 0, queries, ...parameters, mean: true };
          const jobs: CsdJob[] = [appendJob(sequence, 0, head, token), { kind: "sparse", ...job }];
          runs.push(completed(await session.run(jobs)));
        }
        session.close();
        return runs;
      }),
    );
    const [cold, hot] = answers.map((runs) => {
      const total = (of: (run: CsdRun) => number): number => runs.reduce((n, r) => n + of(r), 0);
      return {
        outputs: runs.map(({ jobs }) => jobs.at(-1)?.outputs),
        asked: total(({ devices: [device] }) => device?.pagesRead ?? 0),
        flash: total(({ devices: [device] }) => device?.reads.clean ?? 0),
        hot: total(({ devices: [device] }) => device?.reads.hot ?? 0),
      };
    });
    expect(hot?.outputs).toEqual(cold?.outputs);
    expect(cold).toMatchObject({ hot: 0, flash: cold?.asked });
    expect(hot?.hot).toBeGreaterThan(9);
    expect((hot?.hot ?? 0) + (hot?.flash ?? 0)).toBe(hot?.asked);
  });

  test("heads spread over devices, and two sessions at once", async () => {
    const machine = smallCsd({ engine, devices: 3 });
    const heads = Array.from({ length: 6 }, (_, i) => testHead(i + 1, 90));
    const runOnce = async (): Promise<unknown> => {
      const session = await openCsdSession(machine);
      const sequences = [0, 1, 2].map((device) =>
        fill(
          session,
          [device, device + 3].map((h) => heads[h] ?? testHead(0, 1)).map((h) => h.cache),
          {
            device,
          },
        ),
      );
      const jobs = heads.map((head, h): CsdJob => {
        const sequence = sequences[h % 3] ?? { device: 0, id: 0 };
        const queries = numbersToHalves(head.query(89));
        return {
          kind: "sparse",
          sequence,
          head: Math.floor(h / 3),
          queries,
          ...parameters,
          mean: true,
        };
      });
      const run = completed(await session.run(jobs, { keepPages: 1000 }));
      session.close();
      run.jobs.forEach((job, h) => {
        const head = heads[h] ?? testHead(0, 1);
        const golden = engineAttention(head.query(89), head.cache, parameters);
        expect(job.outputs).toEqual(numbersToHalves(golden.out));
      });
      return JSON.stringify({ ...run, devices: run.devices.map(({ host: _, ...rest }) => rest) });
    };
    const [first, second] = await Promise.all([runOnce(), runOnce()]);
    expect(first).toBe(second);
  });
});
