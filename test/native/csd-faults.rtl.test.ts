// SPDX-License-Identifier: Apache-2.0
// What a device does when its flash fails: every read is right or reported, every run ends in an
// outcome, and guards fire when a model outruns its wires.

import { describe, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { defaultReadPolicy, type ReadPolicy } from "../../src/machine/flash/read-policy.ts";
import { engineAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { loadAddon } from "../../src/native/addon.ts";
import type { Native } from "../../src/native/layout.ts";
import { nativeCsdConfig } from "../../src/native/csd/csd-machine.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { bytesPerSecond, cycles } from "../../src/base/units.ts";
import { appendJob, fill, prompt, smallCsd, testHead } from "../helpers/csd.ts";

const parameters = { r: 4, k: 10, l: 3 };
const length = 96;
/** The RTL simulates every cycle of a wait: a millisecond of waiting needs seconds. */
const soon = { rtl: { deadTimeoutNs: 50_000 }, cycle: {} } as const;
const heads = Array.from({ length: 8 }, (_, i) => testHead(i + 1, length));

/**
 * Runs one sparse job per head on a device with this read policy, and computes the golden outputs.
 */
async function attend(engine: CsdMachine["engine"], reads: Partial<ReadPolicy>): Promise<CsdRun> {
  const session = await openCsdSession(
    smallCsd({ engine, reads: { ...defaultReadPolicy, ...reads } }),
  );
  const sequence = fill(
    session,
    heads.map(({ cache }) => cache),
  );
  const jobs = heads.map((head, number): CsdJob => {
    const queries = numbersToHalves(head.query(length - 1));
    return { kind: "sparse", sequence, head: number, queries, ...parameters, mean: true };
  });
  const run = await session.run(jobs);
  session.close();
  return run;
}

function expectRightOrReported(run: CsdRun): void {
  run.jobs.forEach(({ status, outputs }, i) => {
    const head = heads[i] ?? testHead(0, 1);
    if (status === "unreadable") return;
    expect(status).toBe("done");
    const golden = engineAttention(head.query(length - 1), head.cache, parameters);
    expect(outputs).toEqual(numbersToHalves(golden.out));
  });
}

describe.each(["cycle", "rtl"] as const)("%s devices", { timeout: 1_800_000 }, (engine) => {
  test("bit errors that retries correct leave the numbers as they are", async () => {
    const run = await attend(engine, { rawBitErrorRate: 0.05, seed: 3 });
    const [device] = run.devices;
    expect(device?.outcome).toEqual({ kind: "completed" });
    expect(device?.reads.retried).toBeGreaterThan(0);
    expect(device?.reads.uncorrectable).toBe(0);
    expect(run.jobs.map(({ status }) => status)).toEqual(heads.map(() => "done"));
    expectRightOrReported(run);
  });

  test("bit errors beyond the code are reported, head by head", async () => {
    const run = await attend(engine, { rawBitErrorRate: 0.0391, mostRetries: 0, seed: 5 });
    const [device] = run.devices;
    expect(device?.outcome).toEqual({ kind: "completed" });
    expect(device?.reads.uncorrectable).toBeGreaterThan(0);
    expect(run.jobs.some(({ status }) => status === "unreadable")).toBe(true);
    expectRightOrReported(run);
  });

  test("a dead channel ends in an outcome", async () => {
    const run = await attend(engine, { deadChannels: [1], ...soon[engine] });
    const [device] = run.devices;
    expect(device?.outcome).toEqual({ kind: "completed" });
    expect(device?.reads.channelDead).toBeGreaterThan(0);
    expect(run.jobs.some(({ status }) => status === "unreadable")).toBe(true);
    expectRightOrReported(run);
  });

  test("appends to a dead channel stay in DRAM, and count", async () => {
    const reads = { ...defaultReadPolicy, deadChannels: [0, 1], ...soon[engine] };
    const session = await openCsdSession(smallCsd({ engine, reads }));
    const head = testHead(9, 40);
    const sequence = fill(session, [prompt(head, 1)]);
    const jobs = Array.from({ length: 39 }, (_, i) => appendJob(sequence, 0, head, i + 1));
    const queries = numbersToHalves(head.query(39));
    jobs.push({ kind: "sparse", sequence, head: 0, queries, ...parameters, mean: true });
    const run = await session.run(jobs);
    session.close();
    const golden = engineAttention(head.query(39), head.cache, parameters);
    expect(run.devices[0]?.writes.failedPrograms).toBeGreaterThan(0);
    expect(run.jobs.at(-1)?.onFlash).toEqual({ dims: 0, tokens: 0 });
    expect(run.jobs.at(-1)?.outputs).toEqual(numbersToHalves(golden.out));
  });

  test("a bit that turned over unseen does not get past the checksum", async () => {
    const session = await openCsdSession(smallCsd({ engine }));
    const head = testHead(4, length);
    const sequence = fill(session, [head.cache]);
    session.plantError({ sequence, head: 0, copy: "token-values", index: 7, bit: 100 });
    const queries = numbersToHalves(head.query(length - 1));
    const run = await session.run([{ kind: "dense", sequence, head: 0, queries }]);
    session.close();
    expect(run.devices[0]?.reads.checksum).toBe(1);
    expect(run.jobs[0]?.status).toBe("unreadable");
  });

  test("sequences that end leave garbage, and blocks are erased for new ones", async () => {
    const session = await openCsdSession(smallCsd({ engine, blocksPerPlane: 6, pagesPerBlock: 8 }));
    const head = testHead(6, 120);
    for (let round = 0; round < 6; round += 1) {
      const sequence = fill(session, [prompt(head, 60)], { tail: "padded" });
      const jobs: CsdJob[] = [];
      for (let token = 60; token < 120; token += 1) jobs.push(appendJob(sequence, 0, head, token));
      const queries = numbersToHalves(head.query(119));
      jobs.push({ kind: "sparse", sequence, head: 0, queries, ...parameters, mean: true });
      const run = await session.run(jobs);
      expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
      const golden = engineAttention(head.query(119), head.cache, parameters);
      expect(run.jobs.at(-1)?.outputs).toEqual(numbersToHalves(golden.out));
      if (round === 5) {
        expect(run.devices[0]?.writes.erases).toBeGreaterThan(0);
        expect(run.devices[0]?.writes.writeAmplification).toBeGreaterThanOrEqual(1);
      }
      session.closeSequence(sequence);
    }
    session.close();
  });

  test("a run that may not last ends as cycle-limit, and the session continues", async () => {
    const session = await openCsdSession(
      smallCsd({ engine, dram: { ...smallCsd().dram, rate: bytesPerSecond(1e9) } }),
    );
    const head = testHead(1, 60);
    const sequence = fill(session, [head.cache]);
    const queries = numbersToHalves(head.query(59));
    const job: CsdJob = { kind: "dense", sequence, head: 0, queries };
    const short = await session.run([job], { maxCycles: cycles(50) });
    expect(short.devices[0]?.outcome.kind).toBe("cycle-limit");
    expect(short.jobs[0]?.status).toBe("not-done");
    const long = await session.run([job]);
    expect(long.jobs[0]?.status).toBe("done");
    session.close();
  });
});

/** The fault of a dense job on a machine whose wires are other than its models think. */
async function faultWith(
  change: (config: Native<"CsdConfig">) => Native<"CsdConfig">,
): Promise<string> {
  const machine = smallCsd();
  const addon = loadAddon();
  const handle = addon.csdOpen(change(nativeCsdConfig(machine, undefined)));
  const sequence = addon.csdSequence(handle, 0, 1, 2, false);
  const head = testHead(1, 40);
  const rows = (of: Float64Array): Uint16Array => numbersToHalves(of);
  const [keys, values] = [rows(head.cache.keys), rows(head.cache.values)];
  addon.csdPrefill(handle, 0, sequence, 0, addon.csdPages(handle, 0, sequence, 0, keys, values));
  const queries = numbersToHalves(head.query(39));
  const jobs = Uint32Array.of(0, sequence, 0, 1, 1, 0, 0, 0, 0, queries.length);
  const run = { jobs, rows: queries, inFlight: 0, maxCycles: 0, keepPages: 0 };
  const result = await addon.csdRun(handle, run, () => undefined);
  addon.csdClose(handle);
  const [device] = result.devices;
  return `${device?.fault ?? ""} at ${device?.place ?? ""}`;
}

test("guards fire: a channel, the time of the DRAM's reads", async () => {
  // Commands leave pages of 128 bytes far below the rate of a channel.
  const slowChannel = { pins: 8, transfersPerSecond: 100_000_000 };
  expect(await faultWith((config) => config)).toBe("none at ");
  expect(
    await faultWith((config) => ({ ...config, flash: { ...config.flash, wires: slowChannel } })),
  ).toMatch(/^guard-failed at flash channel \d$/);
  // A line leaves at least 12.5 ns after its request.
  const dram = (planted: Partial<Native<"CsdDram">>): Promise<string> =>
    faultWith((config) => ({ ...config, dram: { ...config.dram, ...planted } }));
  expect(await dram({ latencyNs: 12 })).toBe("guard-failed at controller DRAM, reads");
  expect(await dram({ latencyNs: 13 })).toBe("none at ");
});

test("a guard knows what the 64 pins of the controller's DRAM carry", async () => {
  // Embedding-order pages without a buffer read a line of each token, pages one after another.
  const machine = smallCsd();
  const controller = { ...machine.controller, transposition: { buffer: null } };
  const at = async (rate: number): Promise<unknown> => {
    const dram = { ...machine.dram, rate: bytesPerSecond(rate) };
    const session = await openCsdSession({ ...machine, controller, dram });
    const head = testHead(1, 160);
    const sequence = fill(session, [prompt(head, 100)], { tail: "padded" });
    const jobs = Array.from({ length: 59 }, (_, i) => appendJob(sequence, 0, head, 100 + i));
    const { devices } = await session.run(jobs);
    session.close();
    const outcome = devices[0]?.outcome;
    return outcome?.kind === "guard-failed" ? outcome.place : outcome?.kind;
  };
  // 64 pins of 2.4 Gb/s: 19.2 GB/s.
  expect(await at(19.2e9)).toBe("completed");
  expect(await at(19.5e9)).toBe("controller DRAM");
});
