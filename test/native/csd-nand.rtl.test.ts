// SPDX-License-Identifier: Apache-2.0
// What newer flash does, each by its switch: pages sensed behind those that leave, planes that work by
// themselves, reads that suspend programs, and types of pages with times of their own.

import { describe, expect, test } from "vitest";

import { defaultController } from "../../src/machine/resolve/controller.ts";
import { suspendCommand } from "../../src/machine/resolve/nand.ts";
import type { CsdMachine, NandFeatures } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { engineDense } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { amperes, seconds, type Amperes } from "../../src/base/units.ts";
import { appendJob, fill, prompt, observableRun, smallCsd, testHead } from "../helpers/csd.ts";

const length = 63;
const heads = [testHead(1, length + 1), testHead(2, length + 1), testHead(3, length + 1)];

/** All heads are read, then each gets a token, which fills pages, and all are read once more. */
async function run(
  nand: Partial<NandFeatures>,
  flash: Partial<CsdMachine["flash"]> = {},
  engine: CsdMachine["engine"] = "cycle",
): Promise<CsdRun> {
  const machine = smallCsd({ engine });
  const session = await openCsdSession({
    ...machine,
    nand: { ...machine.nand, ...nand },
    flash: { ...machine.flash, name: "of no data sheet", ...flash },
  });
  const put = heads.map((head) => prompt(head, length));
  const [grown, still] = [fill(session, put), fill(session, put)];
  const read = (sequence: typeof grown, head: number, tokens: number): CsdJob => ({
    ...({ kind: "dense", sequence, head } as const),
    queries: numbersToHalves((heads[head] ?? testHead(0, 1)).query(tokens - 1)),
  });
  const jobs = [
    ...heads.map((_, h) => read(grown, h, length)),
    ...heads.map((head, h) => appendJob(grown, h, head, length)),
    ...heads.map((_, h) => read(still, h, length)),
    ...heads.map((_, h) => read(grown, h, length + 1)),
  ];
  const result = await session.run(jobs, { keepPages: 10_000 });
  session.close();
  expect(result.devices[0]?.outcome).toEqual({ kind: "completed" });
  result.jobs.forEach(({ outputs }, i) => {
    const job = jobs[i];
    if (job?.kind !== "dense") return;
    const head = heads[job.head] ?? testHead(0, 1);
    const tokens = job.sequence === grown && i >= heads.length ? length + 1 : length;
    const out = engineDense(head.query(tokens - 1), prompt(head, tokens));
    expect(outputs).toEqual(numbersToHalves(out));
  });
  return result;
}

const end = ({ devices }: CsdRun): number => devices[0]?.time ?? NaN;
const longest = ({ pages }: CsdRun): number =>
  Math.max(...pages.map(({ asked, arrived }) => arrived - asked));
const first = ({ pages }: CsdRun): number => Math.min(...pages.map(({ arrived }) => arrived));
const [us, slowBus] = [1e9, { dies_per_channel: 1, bus_ticks_per_2_bytes: 500 }];

describe("newer flash", () => {
  test("senses a page while the one before leaves", async () => {
    const [off, on, slow] = [
      await run({}, { ...slowBus, tPROG_ns: 100 }),
      await run({ cacheRead: true, cacheTransfer: seconds(0) }, { ...slowBus, tPROG_ns: 100 }),
      await run({ cacheRead: true, cacheTransfer: seconds(50e-6) }, { ...slowBus, tPROG_ns: 100 }),
    ];
    // A page is 4.9 us on the bus and 3 us in the die: the bus alone is left.
    expect(end(on)).toBeLessThan(0.75 * end(off));
    const perChannel = (on.devices[0]?.pagesRead ?? NaN) / 2;
    expect(end(on)).toBeGreaterThan(perChannel * 4.9 * us);
    expect(first(slow) - first(on)).toBe(50 * us);
  });

  test("has planes that work by themselves", async () => {
    const shape = { dies_per_channel: 1, planes_per_die: 2, tR_ns: 30_000, tPROG_ns: 100 };
    const off = await run({}, shape);
    for (const independentPlanes of ["reads", "all"] as const) {
      const on = await run({ independentPlanes }, shape);
      // Pages of one number share a command where planes do not, and many do.
      expect(end(on)).toBeLessThan(end(off));
      expect(longest(on)).toBeLessThan(longest(off));
    }
  });

  test("has planes that read by themselves while programs take the die", async () => {
    const shape = { dies_per_channel: 1, planes_per_die: 2, tPROG_ns: 2_000_000 };
    const [reads, all] = [
      await run({ independentPlanes: "reads" }, shape),
      await run({ independentPlanes: "all" }, shape),
    ];
    // A program of one plane delays the reads of the other plane, or does not.
    const waiting = ({ pages }: CsdRun): number =>
      pages.reduce((sum, { asked, arrived }) => sum + arrived - asked, 0);
    expect(waiting(reads)).toBeGreaterThan(waiting(all));
  });

  test("has no more dies at work than its packages supply", async () => {
    const mA = (value: number): Amperes => amperes(value / 1e3);
    // A program needs the same current as a read: at most four dies are active, in any mixture.
    const supply = (current: number, dies: number | null = null): Partial<NandFeatures> => ({
      package: { dies, current: mA(current), read: mA(25), program: mA(25), erase: mA(50) },
    });
    const shape = { dies_per_channel: 4, tR_ns: 30_000, tPROG_ns: 100 };
    const free = await run({}, shape);
    const perChannel = (free.devices[0]?.pagesRead ?? NaN) / 2;
    const [four, two, one, each] = [
      await run(supply(100), shape),
      await run(supply(74), shape),
      await run(supply(50, 4), shape),
      await run(supply(50, 1), shape),
    ];
    expect(end(four)).toBe(end(free));
    expect(end(each)).toBe(end(free));
    expect(end(two)).toBeGreaterThan((perChannel / 2) * 30 * us);
    expect(end(one)).toBeGreaterThan((perChannel / 2) * 30 * us);
    expect(end(two)).toBeGreaterThan(1.5 * end(free));
  });

  test("suspends a program for a read", async () => {
    const slow = { dies_per_channel: 1, tPROG_ns: 2_000_000 };
    const times = { suspendTime: seconds(20e-6), runLeast: seconds(50e-6) };
    const [off, on] = [await run({}, slow), await run({ suspend: true, ...times }, slow)];
    expect(longest(off)).toBeGreaterThan(2000 * us);
    expect(longest(on)).toBeLessThan(1000 * us);
    expect(longest(on)).toBeGreaterThan(20 * us);
    expect(on.devices[0]?.writes).toEqual(off.devices[0]?.writes);
    // A suspended operation is resumed: each suspension adds two commands to the bus.
    const commands = ({ devices }: CsdRun): number =>
      (devices[0]?.channels ?? []).reduce((sum, { command }) => sum + command, 0);
    const pairs = (commands(on) - commands(off)) / (2 * suspendCommand * 1e15);
    expect(pairs).toBeGreaterThanOrEqual(1);
    expect(Math.abs(pairs - Math.round(pairs))).toBeLessThan(1e-9);
    // An operation is not suspended before it has run for `runLeast`.
    const late = await run({ suspend: true, ...times, runLeast: seconds(1500e-6) }, slow);
    expect(longest(late)).toBeGreaterThan(1400 * us);
    expect(longest(late)).toBeLessThan(longest(off));
  });

  test("has types of pages that take times of their own", async () => {
    const [fast, slow] = [
      await run({ senseByPageType: [seconds(10e-6)] }),
      await run({ senseByPageType: [seconds(17e-6)] }),
    ];
    expect(first(slow) - first(fast)).toBe(7 * us);
    const both = await run({ senseByPageType: [seconds(10e-6), seconds(17e-6)] });
    expect(first(both)).toBe(first(fast));
    expect(end(both)).toBeGreaterThan(end(fast));
    expect(end(both)).toBeLessThan(end(slow));
  });
});

/** Translation and decoding need no time, so the flash determines the times. */
const bare: CsdMachine["controller"] = {
  ...defaultController,
  translation: { rate: Infinity, latency: seconds(0), table: "sram" },
  ecc: null,
};

test.each([
  ["for its least time again, and for what is left at last", null],
  ["to its end when it has been suspended once, as often as it may be", 1],
])("a suspended program goes on %s", async (_, mostSuspends) => {
  const [suspend, least, program] = [20e-6, 900e-6, 2e-3];
  const times = { suspendTime: seconds(suspend), runLeast: seconds(least) };
  const nand = { suspend: true, mostSuspends, ...times };
  const { flash, nand: usual, ...machine } = smallCsd();
  const one = { name: "of one die", dies_per_channel: 1, tPROG_ns: program * 1e9 };
  const session = await openCsdSession({
    ...machine,
    controller: bare,
    nand: { ...usual, ...nand },
    flash: { ...flash, ...one },
  });
  const head = testHead(1, length + 1);
  const [grown, still] = [head, head].map((its) => fill(session, [prompt(its, length)]));
  if (grown === undefined || still === undefined) throw new Error("no sequences");
  const queries = numbersToHalves(head.query(length - 1));
  const dense: CsdJob = { kind: "dense", sequence: still, head: 0, queries };
  // The token fills pages: five programs for each die, one after the other.
  const jobs = [appendJob(grown, 0, head, length), ...Array<CsdJob>(5).fill(dense)];
  const { pages } = await session.run(jobs, { keepPages: 1000, inFlight: 1 });
  session.close();

  const transfer = ((flash.page_bytes / 2) * flash.bus_ticks_per_2_bytes) / flash.ticks_per_ns;
  const command = (of: Readonly<Record<string, number>>): number => of["1"] ?? NaN;
  const sensed = command(flash.t_cmd_read_ns) + flash.tR_ns + flash.t_rb_ns + transfer;
  const [resume, begin] = [suspendCommand * 1e9, command(flash.t_cmd_program_ns) + transfer];
  const held = least * 1e9 + suspendCommand * 1e9 + suspend * 1e9 + sensed;
  const last = program * 1e9 - 2 * least * 1e9 + sensed;
  for (const channel of [0, 1]) {
    const arrivals = (job: number): readonly number[] =>
      pages
        .filter((page) => page.channel === channel && page.job === job)
        .map(({ arrived }) => arrived / 1e6);
    const waits = [2, 3, 4, 5].map(
      (job) => Math.min(...arrivals(job)) - Math.max(...arrivals(job - 1)),
    );
    // After two suspensions the program has 200 us left, and no read waits longer for its end; then
    // the next program begins.
    const [again, alone] = [resume + held, resume + last];
    const end = resume + (program - least) * 1e9 + sensed;
    const wanted =
      mostSuspends === null
        ? [again, alone, begin + held, again]
        : [end, begin + held, end, begin + held];
    wanted.forEach((wait, i) => {
      expect(waits[i]).toBeCloseTo(wait, 3);
    });
  }
});

test("RTL and cycle model see the same of all of it", { timeout: 600_000 }, async () => {
  const all = {
    ...({ cacheRead: true, independentPlanes: "reads", suspend: true, mostSuspends: 2 } as const),
    package: {
      dies: 1,
      current: amperes(0.05),
      read: amperes(0.025),
      program: amperes(0.05),
      erase: amperes(0.05),
    },
    senseByPageType: [seconds(3e-6), seconds(9e-6)],
  };
  const shape = { dies_per_channel: 1, planes_per_die: 2 };
  const [cycle, rtl] = [await run(all, shape), await run(all, shape, "rtl")];
  expect(observableRun(rtl)).toEqual(observableRun(cycle));
});
