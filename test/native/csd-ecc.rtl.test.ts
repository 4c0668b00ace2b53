// SPDX-License-Identifier: Apache-2.0
// The cost of the error-correcting code: parity on the bus, decoding after the data and before any byte
// of the page leaves, a decoder that accepts one codeword after another, and retries after a failure.

import { describe, expect, test } from "vitest";

import type { CsdMachine, Ecc } from "../../src/machine/csd/csd-machine.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { defaultReadPolicy } from "../../src/machine/flash/read-policy.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { bytes, bytesPerSecond, seconds } from "../../src/base/units.ts";
import { fill, prompt, observableRun, smallCsd, testHead } from "../helpers/csd.ts";

const length = 64;
const pages = 32;
const pageBytes = 128;
// A page is shorter than a codeword and has its share of parity: 128/1024 of 70 bytes, even.
const parity = 10;
const usual: Ecc = {
  parity: bytes(70),
  latency: seconds(4e-6),
  failed: seconds(20e-6),
  rate: bytesPerSecond(1.4e9),
};

async function read(
  ecc: Ecc | null,
  reads: Partial<CsdMachine["reads"]> = {},
  engine: CsdMachine["engine"] = "cycle",
): Promise<CsdRun> {
  const { controller } = smallCsd();
  const policy = { ...defaultReadPolicy, ...reads };
  const session = await openCsdSession(
    smallCsd({ engine, controller: { ...controller, ecc }, reads: policy }),
  );
  const heads = [testHead(1, length), testHead(2, length)];
  const sequence = fill(
    session,
    heads.map((head) => prompt(head, length)),
  );
  const run = await session.run(
    heads.map(({ query }, head) => ({
      ...({ kind: "dense", sequence, head } as const),
      queries: numbersToHalves(query(length - 1)),
    })),
    { keepPages: 1000 },
  );
  session.close();
  expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
  return run;
}

const data = (run: CsdRun): number =>
  run.devices[0]?.channels.reduce((sum, { data: time }) => sum + time, 0) ?? NaN;
const first = (run: CsdRun): number => Math.min(...run.pages.map(({ arrived }) => arrived));
const last = (run: CsdRun): number => Math.max(...run.pages.map(({ arrived }) => arrived));
/** Femtoseconds of so many bytes on a channel of 1.4 GB/s. */
const onBus = (count: number): number => (count * 1e15) / 1.4e9;

describe("the code", () => {
  test("has its parity cross the bus", async () => {
    const [none, some] = [await read(null), await read(usual)];
    expect(Math.abs(data(none) - 2 * pages * onBus(pageBytes))).toBeLessThan(100);
    expect(Math.abs(data(some) - 2 * pages * onBus(pageBytes + parity))).toBeLessThan(100);
  });

  test("transfers no part of a page before its decoding result", async () => {
    const [none, some] = [await read(null), await read(usual)];
    // The first page: its parity, the latency, and the page out of its buffer.
    const wanted = onBus(parity) + 4e9 + onBus(pageBytes);
    expect(Math.abs(first(some) - first(none) - wanted)).toBeLessThan(10);
  });

  test("takes one codeword after another", async () => {
    const slow = { ...usual, rate: bytesPerSecond(1024 / 10e-6) };
    const run = await read(slow);
    // Each of two channels delivers half of the pages, with one codeword per page, ten microseconds
    // apart.
    expect(last(run) - first(run)).toBeGreaterThanOrEqual((pages - 1) * 10e9);
    expect(last(await read(usual)) - first(await read(usual))).toBeLessThan((pages - 1) * 10e9);
  });

  test.each([70, 1024])("has errors in %i bytes of parity as in data", async (size) => {
    const reads = { rawBitErrorRate: 0.01, seed: 3 };
    const { devices } = await read({ ...usual, parity: bytes(size) }, reads);
    const counts = devices[0]?.reads;
    expect(counts?.clean).toBe(2 * pages);
    // A page has its share of the parity of a codeword.
    const bits = 8 * (pageBytes + Math.ceil((pageBytes * size) / 1024));
    const mean = 0.01 * bits * 2 * pages;
    expect(Math.abs((counts?.correctedBits ?? NaN) - mean)).toBeLessThan(5 * Math.sqrt(mean));
  });

  test("reports a failure later than data, and retries after the failure", async () => {
    // Every first read fails, every second one is corrected.
    const reads = { rawBitErrorRate: 0.1, retryGain: 10, seed: 1 };
    const [soon, late] = [
      await read({ ...usual, failed: seconds(4e-6) }, reads),
      await read({ ...usual, failed: seconds(24e-6) }, reads),
    ];
    for (const run of [soon, late]) expect(run.devices[0]?.reads.retried).toBe(2 * pages);
    expect(first(late) - first(soon)).toBeGreaterThanOrEqual(20e9);
    expect(first(late) - first(soon)).toBeLessThan(30e9);
  });

  test("fails for the types of pages that have more errors", async () => {
    const reads = { rawBitErrorRate: 0.1, retryGain: 10, seed: 1 };
    const run = await read(usual, { ...reads, errorsByPageType: [0, 0, 1] });
    const counts = run.devices[0]?.reads;
    expect(counts?.retried).toBeGreaterThan(0);
    expect(counts?.clean).toBeGreaterThan(pages);
    expect((counts?.clean ?? 0) + (counts?.retried ?? 0)).toBe(2 * pages);
  });
});

test.each([
  ["clean pages", {}],
  ["retries and failures", { rawBitErrorRate: 0.0391, mostRetries: 1, retryGain: 1.1, seed: 5 }],
])("RTL and cycle model see the same: %s", { timeout: 600_000 }, async (_, reads) => {
  const [cycle, rtl] = [await read(usual, reads), await read(usual, reads, "rtl")];
  expect(observableRun(rtl)).toEqual(observableRun(cycle));
});
