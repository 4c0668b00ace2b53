// SPDX-License-Identifier: Apache-2.0
// Several devices in one simulated time: each has the results of a run alone, whichever thread
// evaluates its RTL.

import { beforeAll, describe, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun, CsdRunOptions, PromptRun } from "../../src/machine/csd/csd-types.ts";
import type { NeardataError } from "../../src/base/errors.ts";
import { engineAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { loadAddon } from "../../src/native/addon.ts";
import type { Native } from "../../src/native/layout.ts";
import { nativeCsdConfig } from "../../src/native/csd/csd-machine.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { buildSparfUnit } from "../../src/native/csd/csd-unit.ts";
import { bytesPerSecond, cycles, femtoseconds } from "../../src/base/units.ts";
import {
  appendJob,
  fill,
  edgeTraffic,
  prompt,
  observableRun,
  smallCsd,
  testHead,
} from "../helpers/csd.ts";
import { rejection } from "../helpers/rejection.ts";
import { full } from "../helpers/tier.ts";

const minutes = 60_000;
const parameters = { r: 4, k: 10, l: 3 };
const devices = 4;
const heads = Array.from({ length: 7 }, (_, h) => testHead(h + 1, 130));
const lengthOf = (h: number): number => 60 + 8 * h;

// The compiler of the model needs minutes with sanitizers, more than the limit of a test.
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
      const matchingJobs = together.jobs.filter((_, i) => Math.floor(i / 3) % devices === d);
      expect(
        observableRun({
          ...together,
          jobs: matchingJobs,
          devices: together.devices.slice(d, d + 1),
        }),
      ).toEqual(observableRun(alone));
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
      expect(observableRun(rtl)).toEqual(observableRun(cycle));
      expect(edgeTraffic(rtl)).toEqual(edgeTraffic(cycle));
    }
    heads.forEach((head, h) => {
      const length = lengthOf(h) + 1;
      const golden = engineAttention(head.query(length - 1), prompt(head, length), parameters);
      expect(cycle.jobs[3 * h + 2]?.outputs).toEqual(numbersToHalves(golden.out));
    });
  },
  10 * minutes,
);

const lanes = smallCsd().link.wires.rate;
const sharedLink = (times: number): Pick<CsdMachine, "sharedLink"> => ({
  sharedLink: { rate: bytesPerSecond(lanes * times) },
});
const sharedLanes = 16;
/** A doorbell, a submission entry, rows of one query, each with its header. */
const submitted = [4 + 24, 64 + 20, 32 + 20];
/** Of each head's append, dense and sparse job, over all packets of a direction. */
const packets = (way: "in" | "out", of: (length: number) => number): number => {
  const [doorbell = 0, entry = 0, query = 0] = submitted;
  const [read, output, end] = [24, 32 + 24, 16 + 24];
  const inward = [doorbell, entry, doorbell];
  const append = way === "in" ? [...inward, 64 + 20] : [read, read, end];
  const attention = way === "in" ? [...inward, query] : [read, read, output, end];
  const lengths = [...append, ...attention, ...attention];
  return heads.length * lengths.reduce((sum, length) => sum + of(length), 0);
};
const received = (run: CsdRun): number => Math.max(...run.jobs.map((job) => job.received));
const carried = (run: CsdRun, way: "in" | "out"): number =>
  run.devices.reduce((sum, { link }) => sum + link[way], 0);
const values = (run: CsdRun): unknown =>
  run.jobs.map(({ status, outputs, dims, tokens, pages }) => ({
    status,
    outputs,
    dims,
    tokens,
    pages,
  }));

describe.each(full ? (["cycle", "rtl"] as const) : (["cycle"] as const))(
  "a link that %s devices share",
  (engine) => {
    test("costs a switch where it is as wide as their lanes", async () => {
      const alone = await attend({ engine, devices }, all);
      const wide = await attend({ engine, devices, ...sharedLink(devices) }, all);
      expect(alone.sharedLink).toBeNull();
      expect(values(wide)).toEqual(values(alone));
      // Each crossing: 105 ns, 270 ns of the second link, both wires; a job has six, three at a time.
      const more = 6 * 0.4e9;
      expect(received(wide)).toBeGreaterThan(received(alone) + more / 2);
      expect(received(wide)).toBeLessThan(received(alone) + (wide.jobs.length / devices) * more);
      for (const way of ["in", "out"] as const) {
        expect(wide.devices.map(({ link }) => link[way])).toEqual(
          alone.devices.map(({ link }) => link[way]),
        );
        expect(wide.sharedLink?.[way].bytes).toBeGreaterThan(carried(alone, way));
      }
    });

    test("bounds them where it is narrower, and loses nothing", async () => {
      const alone = await attend({ engine, devices }, all);
      const rate = 1 / 2000;
      const narrow = await attend({ engine, devices, ...sharedLink(rate) }, all, { threads: 2 });
      for (const way of ["in", "out"] as const) {
        const { bytes, busy } = narrow.sharedLink?.[way] ?? { bytes: 0, busy: 0 };
        expect(bytes).toBeGreaterThan(carried(alone, way));
        expect(busy).toBeGreaterThan((bytes / (lanes * rate)) * 1e15);
        // The shared link transfers the bytes of the devices' links, in whole cycles of its sixteen
        // lanes.
        const wires = narrow.devices.reduce((sum, { linkWires }) => sum + linkWires[way], 0);
        expect(wires).toBe(packets(way, (length) => length));
        const cycles = packets(way, (length) => Math.ceil(length / sharedLanes));
        expect(busy / (((cycles * sharedLanes) / (lanes * rate)) * 1e15)).toBeCloseTo(1, 5);
        expect(received(narrow)).toBeGreaterThan(busy);
      }
      expect(received(narrow)).toBeGreaterThan(2 * received(alone));
      expect(values(narrow)).toEqual(values(alone));
    });
  },
);

test("devices on a narrow link take the same with RTL and with the cycle model", async () => {
  const narrow = sharedLink(1 / 50);
  const [cycle, rtl] = [
    await attend({ devices, ...narrow }, all, { stalls, keepPages: 1000 }),
    await attend({ engine: "rtl", devices, ...narrow }, all, { stalls, keepPages: 1000 }),
  ];
  expect(observableRun(rtl)).toEqual(observableRun(cycle));
  expect(edgeTraffic(rtl)).toEqual(edgeTraffic(cycle));
});

test("devices with equal work take turns on a link, packet by packet", async () => {
  const session = await openCsdSession(smallCsd({ devices, ...sharedLink(1 / 50) }));
  const head = testHead(1, 64);
  const jobs = all.map((device): CsdJob => {
    const sequence = fill(session, [head.cache], { device });
    return { kind: "dense", sequence, head: 0, queries: numbersToHalves(head.query(63)) };
  });
  const run = await session.run(jobs);
  session.close();
  const [first] = run.jobs;
  for (const job of run.jobs) expect(job.outputs).toEqual(first?.outputs);
  // None is behind the first by more than the packets of the others: a doorbell, an entry, rows.
  const taken = run.jobs.map((job) => job.taken);
  const cycles = submitted.reduce((sum, length) => sum + Math.ceil(length / sharedLanes), 0);
  const spread = Math.max(...taken) - Math.min(...taken);
  // And an edge of the engine's clock.
  const most = ((cycles * sharedLanes * (devices - 1)) / (lanes / 50)) * 1e15;
  expect(spread).toBeLessThan(most + 1e15 / smallCsd().clock);
  expect(spread).toBeGreaterThan(((32 + 20) / (lanes / 50)) * 1e15);
});

test("prompts come over the shared link, which bounds them", async () => {
  const write = async (changes: Partial<CsdMachine>): Promise<PromptRun> => {
    const session = await openCsdSession(smallCsd({ devices, ...changes }));
    const prompts = heads.map(({ cache }, h) => {
      const spec = { device: h % devices, heads: 1, dimsPerPage: 2, tail: "padded" } as const;
      return {
        sequence: session.createSequence(spec),
        head: 0,
        ready: femtoseconds(h * 1_234_567),
        keys: numbersToHalves(cache.keys),
        values: numbersToHalves(cache.values),
      };
    });
    const run = await session.writePrompts(prompts);
    session.close();
    return run;
  };
  const alone = await write({});
  const wide = await write(sharedLink(devices));
  wide.prompts.forEach((one, p) => {
    const before = alone.prompts[p]?.arrived ?? 0;
    expect(one).toMatchObject({ done: true, pages: alone.prompts[p]?.pages });
    expect(one.arrived).toBeGreaterThan(before);
    expect(one.arrived).toBeLessThan(before + 10e9);
  });
  const narrow = await write(sharedLink(1 / 10));
  const bytes = alone.devices.reduce((sum, { link }) => sum + link.in, 0);
  expect(narrow.sharedLink?.in.bytes).toBeGreaterThan(bytes);
  const arrived = Math.max(...narrow.prompts.map((one) => one.arrived));
  expect(arrived).toBeGreaterThan((bytes / (lanes / 10)) * 1e15);
  narrow.prompts.forEach((one, p) => {
    const before = alone.prompts[p];
    expect(one).toMatchObject({ done: true, pages: before?.pages, onFlash: before?.onFlash });
    expect(one.arrived).toBeGreaterThan(one.sent);
  });
});

test("jobs whose outputs are on the link when a run ends are not done", async () => {
  const narrow = sharedLink(1 / 2000);
  const whole = await attend({ devices, ...narrow }, all);
  const [last] = whole.jobs.toSorted((a, b) => b.received - a.received);
  const limit = cycles(Math.floor(((last?.received ?? 0) / 1e15) * smallCsd().clock) - 400);
  const cut = await attend({ devices, ...narrow }, all, { maxCycles: limit });
  const at = whole.jobs.findIndex((job) => job === last);
  expect(cut.jobs[at]?.status).toBe("not-done");
  expect(cut.devices.map(({ outcome }) => outcome.kind)).toContain("cycle-limit");
});

test("the guard of the shared link fires", async () => {
  const machine = smallCsd({ devices: 2, ...sharedLink(2) });
  const faultWith = async (
    change: (config: Native<"CsdConfig">) => Native<"CsdConfig">,
  ): Promise<string> => {
    const addon = loadAddon();
    const handle = addon.csdOpen(change(nativeCsdConfig(machine, undefined)));
    const rows = new Uint16Array(16 * 40);
    const sequences = [0, 1].map((device) => {
      const sequence = addon.csdSequence(handle, device, 1, 2, false);
      addon.csdPrefill(
        handle,
        device,
        sequence,
        0,
        addon.csdPages(handle, device, sequence, 0, rows, rows),
      );
      return sequence;
    });
    const jobs = Uint32Array.from(
      sequences.flatMap((sequence, device) => [device, sequence, 0, 1, 1, 0, 0, 0, 0, 16]),
    );
    const run = { jobs, rows: new Uint16Array(32), inFlight: 0, maxCycles: 0, keepPages: 0 };
    const result = await addon.csdRun(handle, run, () => undefined);
    addon.csdClose(handle);
    return result.devices.map(({ fault, place }) => `${fault} at ${place}`).join(", ");
  };
  const faster = (times: number) => (config: Native<"CsdConfig">) => {
    const { sharedLink: shared } = config;
    if (shared === undefined) return config;
    const link = { ...shared.link, laneRate: Math.round(shared.link.laneRate * times) };
    return { ...config, sharedLink: { ...shared, link } };
  };
  expect(await faultWith(faster(1))).toBe("none at , none at ");
  // Twice four lanes of 16 GT/s are the pins; the doorbells of both devices follow each other.
  const fault = "guard-failed at shared link to devices";
  expect(await faultWith(faster(1.3))).toBe(`${fault}, ${fault}`);
});

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
  expect(error).toEqual(rejection("bad-input", "device 1: flash translation"));
  const statuses = (error as NeardataError).details["jobs"] as readonly string[];
  expect([statuses[0], statuses.at(-1)]).toEqual(["done", "not-done"]);
});
