// SPDX-License-Identifier: Apache-2.0
// Several devices in one simulated time: each does what it does alone, whoever evaluates its RTL.

import { beforeAll, describe, expect, test } from "vitest";

import type { CsdJob, CsdMachine, CsdRun, CsdRunOptions } from "../../src/driver/csd-types.ts";
import { NeardataError } from "../../src/errors.ts";
import { engineAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd-session.ts";
import { buildSparfUnit } from "../../src/native/csd-unit.ts";
import { cycles } from "../../src/units.ts";
import { appendJob, fill, prompt, seen, smallCsd, testHead } from "../helpers/csd.ts";

const minutes = 60_000;
const parameters = { r: 4, k: 10, l: 3 };
const devices = 4;
const heads = Array.from({ length: 7 }, (_, h) => testHead(h + 1, 130));
const lengthOf = (h: number): number => 60 + 8 * h;

// The limit of a test is not that of its model's compiler, which takes minutes with sanitizers.
beforeAll(async () => {
  await buildSparfUnit(smallCsd().unit);
});

/** An append, a dense and a sparse job of every head whose device is one of `on`. */
async function attend(
  changes: Partial<CsdMachine>,
  on: readonly number[],
  options: CsdRunOptions & { readonly threads?: number } = {},
): Promise<CsdRun> {
  const session = await openCsdSession(smallCsd(changes), options.threads);
  try {
    const jobs = heads.flatMap((head, h): CsdJob[] => {
      const device = on.indexOf(h % devices);
      if (device < 0) return [];
      const sequence = fill(session, [prompt(head, lengthOf(h))], { device });
      const queries = numbersToHalves(head.query(lengthOf(h)));
      const job = { sequence, head: 0, queries };
      return [
        appendJob(sequence, 0, head, lengthOf(h)),
        { ...job, kind: "dense" },
        { ...job, kind: "sparse", ...parameters, mean: true },
      ];
    });
    return await session.run(jobs, { inFlight: 3, ...options });
  } finally {
    session.close();
  }
}

const all = Array.from({ length: devices }, (_, d) => d);
const stalls = { seed: 7, probability: 0.3 };

describe.each(["cycle", "rtl"] as const)("%s devices", { timeout: 10 * minutes }, (engine) => {
  test("each does in one time with others what it does alone", async () => {
    const together = await attend({ engine, devices }, all, { stalls });
    for (const d of all) {
      const alone = await attend({ engine }, [d], { stalls });
      expect(together.devices[d]?.outcome).toEqual({ kind: "completed" });
      const own = together.jobs.filter((_, i) => Math.floor(i / 3) % devices === d);
      expect(seen({ ...together, jobs: own, devices: together.devices.slice(d, d + 1) })).toEqual(
        seen(alone),
      );
      expect(together.devices[d]?.skipped).toBe(alone.devices[0]?.skipped);
    }
  });
});

test(
  "four devices of RTL are four of the cycle model, on any number of threads",
  async () => {
    const cycle = await attend({ devices }, all, { keepPages: 1000 });
    for (const threads of [1, 2, 4]) {
      const rtl = await attend({ engine: "rtl", devices }, all, { keepPages: 1000, threads });
      expect(seen(rtl)).toEqual(seen(cycle));
    }
    heads.forEach((head, h) => {
      const length = lengthOf(h) + 1;
      const golden = engineAttention(head.query(length - 1), prompt(head, length), parameters);
      expect(cycle.jobs[3 * h + 2]?.outputs).toEqual(numbersToHalves(golden.out));
    });
  },
  10 * minutes,
);

test("a run that ends early has ended for those devices that still work", async () => {
  const whole = await attend({ devices }, all);
  const times = whole.devices.map((device) => device.cycles);
  // The last device has one head, the others two.
  const limit = cycles(Math.max(...times) - 1);
  const cut = await attend({ devices }, all, { maxCycles: limit });
  cut.devices.forEach(({ outcome }, d) => {
    const ended = (whole.devices[d]?.cycles ?? 0) < limit - 500;
    expect(outcome.kind).toBe(ended ? "completed" : "cycle-limit");
  });
  expect(cut.devices.map(({ outcome }) => outcome.kind)).toContain("completed");
});

test("a device whose flash is full ends the run, which says which device it is", async () => {
  const session = await openCsdSession(
    smallCsd({ devices: 2, blocksPerPlane: 3, pagesPerBlock: 4 }),
  );
  const head = testHead(1, 200);
  const [idle, full] = [0, 1].map((device) => fill(session, [prompt(head, 4)], { device }));
  if (idle === undefined || full === undefined) throw new Error("no sequences");
  const queries = numbersToHalves(head.query(3));
  const error: unknown = await session
    .run([
      { kind: "dense", sequence: idle, head: 0, queries },
      ...Array.from({ length: 190 }, (_, i) => appendJob(full, 0, head, 4 + i)),
    ])
    .catch((caught: unknown) => caught);
  session.close();
  if (!(error instanceof NeardataError)) throw new Error("it is not full");
  expect(error.message).toBe("device 1: flash translation: the flash is full of valid pages");
  const statuses = error.details["jobs"] as readonly string[];
  expect([statuses[0], statuses.at(-1)]).toEqual(["done", "not-done"]);
});
