// SPDX-License-Identifier: Apache-2.0
// Pages of embedding-order K out of rows of K: what is read of DRAM for them, and when they can be
// programmed, with a transposition buffer of any size and without one.

import { describe, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { PromptRun } from "../../src/machine/csd/csd-types.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { bytes, bytesPerSecond, femtoseconds, hertz } from "../../src/base/units.ts";
import { appendJob, fill, prompt, smallCsd, testHead } from "../helpers/csd.ts";

// Two dimensions of 32 tokens to a page of 128 bytes: a block has 8 pages, and its rows, of a line
// each, have two values of all of them.
const [width, pageBytes, lineBytes, blockTokens, blockPages] = [16, 128, 64, 32, 8];
const blockLines = blockTokens * lineBytes;

const sizes = [
  { buffer: null, readings: blockPages },
  { buffer: bytes(pageBytes), readings: blockPages },
  { buffer: bytes(3 * pageBytes), readings: blockPages / 2 },
  { buffer: bytes(blockPages * pageBytes), readings: 1 },
  { buffer: bytes(64 * 1024), readings: 1 },
] as const;

function device(buffer: (typeof sizes)[number]["buffer"], changes: Partial<CsdMachine> = {}) {
  return smallCsd({
    // A table in SRAM: nothing else is read of DRAM.
    controller: {
      ...smallCsd().controller,
      transposition: { buffer },
      translation: { ...smallCsd().controller.translation, table: "sram" },
    },
    ...changes,
  });
}

/** Heads of one block of tokens each, written as prompts at once. */
async function written(machine: CsdMachine, count = 1): Promise<PromptRun> {
  const session = await openCsdSession(machine);
  const spec = { device: 0, heads: count, dimsPerPage: 2, tail: "dram-tail" } as const;
  const sequence = session.createSequence(spec);
  const prompts = Array.from({ length: count }, (_, head) => {
    const { cache } = testHead(head, blockTokens);
    const row = (of: Float64Array): Uint16Array => numbersToHalves(of);
    return {
      sequence,
      head,
      ready: femtoseconds(0),
      keys: row(cache.keys),
      values: row(cache.values),
    };
  });
  const run = await session.writePrompts(prompts);
  session.close();
  return run;
}

const tokenBytes = 2 * blockTokens * width * 2;

describe("rows that become embedding-order pages", () => {
  test.each(sizes)("a buffer of $buffer bytes: $readings readings of a block", async (one) => {
    const run = await written(device(one.buffer), 3);
    expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
    expect(run.devices[0]?.dram.read).toBe(3 * (tokenBytes + one.readings * blockLines));
  });

  test.each([1, 5] as const)(
    "an append that fills a block reads its rows once (%i heads)",
    async (count) => {
      const session = await openCsdSession(device(bytes(64 * 1024)));
      const heads = Array.from({ length: count }, (_, seed) => testHead(seed, blockTokens));
      const sequence = fill(
        session,
        heads.map((head) => prompt(head, blockTokens - 1)),
      );
      const run = await session.run(
        heads.map((head, h) => appendJob(sequence, h, head, blockTokens - 1)),
      );
      // The queue of rows, the sums, and the token-order pages of K and V that are full with it.
      const own = count * (2 * lineBytes + 2 * lineBytes + 2 * pageBytes);
      expect(run.devices[0]?.dram.read).toBe(own + count * blockLines);
      session.close();
    },
  );
});

describe("their time", () => {
  test("no page is programmed before the DRAM has read its rows", async () => {
    const dram = { ...smallCsd().dram, rate: bytesPerSecond(64e6) };
    const done = async (buffer: (typeof sizes)[number]["buffer"]): Promise<number> =>
      (await written(device(buffer, { dram }))).prompts[0]?.written ?? NaN;
    // At 64 MB/s the transfer of a line needs one microsecond.
    const lines = (readings: number): number =>
      (tokenBytes / lineBytes + readings * blockTokens) * 1e9;
    for (const { buffer, readings } of sizes) {
      expect(await done(buffer)).toBeGreaterThan(lines(readings));
    }
    expect((await done(null)) - (await done(bytes(1024)))).toBeGreaterThan(
      lines(8) - lines(1) - 1e12,
    );
  });

  test("a buffer takes a line a cycle", async () => {
    const [slow, fast] = await Promise.all(
      [1e6, 285e6].map(async (clock) => {
        // Programs of no length, so that nothing but the buffer is waited for.
        const flash = { ...smallCsd().flash, name: "of no data sheet", tPROG_ns: 0 };
        const machine = device(bytes(1024), { flash });
        return written({ ...machine, clock: hertz(clock) });
      }),
    );
    const atLeast = blockTokens * 1e9;
    expect((slow?.prompts[0]?.written ?? 0) - (fast?.prompts[0]?.written ?? 0)).toBeGreaterThan(
      atLeast,
    );
  });
});
