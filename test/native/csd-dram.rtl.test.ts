// SPDX-License-Identifier: Apache-2.0
// The controller's DRAM serves hot pages and outputs in order of request: a page arrives only after the bus has
// transferred it and all earlier requests, and outputs leave after they have been read.

import { describe, expect, test } from "vitest";

import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { bytesPerSecond, seconds } from "../../src/base/units.ts";
import { fill, prompt, observableRun, smallCsd, testHead } from "../helpers/csd.ts";

const length = 96;
const head = testHead(5, length);
const [us, lineBytes] = [1e9, 64];

/** The same head is read so often, each time when the one before is done. */
async function readAgain(
  dram: Partial<CsdMachine["dram"]>,
  hotPages: number,
  times: number,
  engine: CsdMachine["engine"] = "cycle",
): Promise<CsdRun> {
  const { dram: usual, ...rest } = smallCsd({ engine });
  const session = await openCsdSession({ ...rest, dram: { ...usual, ...dram }, hotPages });
  const sequence = fill(session, [prompt(head, length)]);
  const queries = numbersToHalves(head.query(length - 1));
  const job: CsdJob = { kind: "dense", sequence, head: 0, queries };
  const run = await session.run(Array<CsdJob>(times).fill(job), { keepPages: 1000, inFlight: 1 });
  session.close();
  expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
  return run;
}

describe("hot pages", () => {
  test("come no faster than the DRAM's bus carries them", async () => {
    const rate = 0.1e9;
    const { pages, devices } = await readAgain({ rate: bytesPerSecond(rate) }, 64, 2);
    const again = pages.filter(({ job }) => job === 1);
    expect(devices[0]?.reads.hot).toBe(again.length);
    expect(again.length).toBe(48);
    const asked = Math.min(...again.map((page) => page.asked));
    const arrived = again.map((page) => page.arrived).sort((a, b) => a - b);
    const page = (smallCsd().flash.page_bytes / rate) * 1e15;
    arrived.forEach((time, i) => {
      expect(time - asked).toBeGreaterThanOrEqual((i + 1) * page);
    });
  });

  test("wait for the latency of the DRAM, and for what it does before", async () => {
    const latency = seconds(3e-6);
    const { pages } = await readAgain({ latency }, 64, 2);
    for (const { job, asked, arrived } of pages) {
      if (job === 1) expect(arrived - asked).toBeGreaterThanOrEqual(3 * us);
    }
  });

  test("are in DRAM no sooner than they have come from flash", async () => {
    // Page transfers are long, and concurrent heads request the same pages.
    const { flash, ...rest } = smallCsd({ hotPages: 64 });
    const slow = { ...flash, name: "of no data sheet", bus_ticks_per_2_bytes: 2000 };
    const session = await openCsdSession({ ...rest, flash: slow });
    const sequence = fill(session, [prompt(head, length), prompt(head, 64)]);
    const read = (of: number, tokens: number): CsdJob => ({
      ...({ kind: "dense", sequence, head: of } as const),
      queries: numbersToHalves(head.query(tokens - 1)),
    });
    const jobs = [read(1, 64), ...Array<CsdJob>(4).fill(read(0, length))];
    const { pages, devices } = await session.run(jobs, { keepPages: 1000, inFlight: 3 });
    session.close();
    expect(devices[0]?.reads.hot).toBeGreaterThan(0);
    for (const page of pages.filter(({ job }) => job > 0)) {
      const before = pages.filter(
        ({ job, copy, index, asked }) =>
          job > 0 && copy === page.copy && index === page.index && asked < page.asked,
      );
      if (before.length === 0) continue;
      const come = Math.min(...before.map(({ arrived }) => arrived));
      expect(page.arrived).toBeGreaterThan(come);
    }
  });

  test("are the same to RTL and cycle model", { timeout: 600_000 }, async () => {
    const dram = { rate: bytesPerSecond(0.2e9) };
    expect(observableRun(await readAgain(dram, 8, 3, "rtl"))).toEqual(
      observableRun(await readAgain(dram, 8, 3)),
    );
  });
});

describe("outputs", () => {
  const way = ({ jobs: [job] }: CsdRun): number => (job?.received ?? NaN) - (job?.done ?? NaN);

  test("leave when the DRAM has read them", async () => {
    const [near, far] = [
      await readAgain({ latency: seconds(100e-9) }, 0, 1),
      await readAgain({ latency: seconds(5.1e-6) }, 0, 1),
    ];
    expect(Math.abs(way(far) - way(near) - 5 * us)).toBeLessThan(0.02 * us);
  });

  test("take their time on its bus", async () => {
    const rate = 0.1e9;
    const [fast, slow] = [
      await readAgain({}, 0, 1),
      await readAgain({ rate: bytesPerSecond(rate) }, 0, 1),
    ];
    // The engine writes a line and then reads it; one access needs more than the latency of 100 ns.
    const line = (lineBytes / rate) * 1e15;
    expect(Math.abs(way(slow) - way(fast) - (2 * line - 0.1 * us))).toBeLessThan(0.02 * us);
  });
});
