// SPDX-License-Identifier: Apache-2.0
// Prompts that arrive over the link and are written in simulated time: the state afterwards is that of
// prompts placed without time, to the page and the femtosecond; rows wait for the link and pages for
// the dies; data that a silent channel loses stays in DRAM.

import { bareHostLink } from "../../src/machine/resolve/host-link.ts";
import { describe, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type {
  CsdJob,
  CsdSequence,
  PromptRows,
  PromptTail,
} from "../../src/machine/csd/csd-jobs.ts";
import type { CsdSession, PromptRun } from "../../src/machine/csd/csd-types.ts";
import { engineAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { bytesPerSecond, cycles, femtoseconds, seconds } from "../../src/base/units.ts";
import {
  appendJob,
  fill,
  prompt,
  observableRun,
  smallCsd,
  testHead,
  type TestHead,
} from "../helpers/csd.ts";
import { rejection } from "../helpers/rejection.ts";

const parameters = { r: 4, k: 10, l: 3 };
const [width, pageBytes] = [16, 128];

/** Sends the first `length` tokens of the heads as those of one sequence. */
async function sent(
  session: CsdSession,
  heads: readonly TestHead[],
  length: number,
  { tail = "padded", ready = 0 }: { readonly tail?: PromptTail; readonly ready?: number } = {},
): Promise<{ readonly sequence: CsdSequence; readonly run: PromptRun }> {
  const spec = { device: 0, heads: heads.length, dimsPerPage: 2, tail };
  const sequence = session.createSequence(spec);
  const rows = (of: Float64Array): Uint16Array => numbersToHalves(of.subarray(0, length * width));
  const prompts = heads.map(({ cache }, head): PromptRows => ({
    sequence,
    head,
    ready: femtoseconds(ready),
    keys: rows(cache.keys),
    values: rows(cache.values),
  }));
  return { sequence, run: await session.writePrompts(prompts) };
}

/** Appends tokens and attends after each. */
function decode(
  sequence: CsdSequence,
  heads: readonly TestHead[],
  from: number,
  to: number,
): CsdJob[] {
  return Array.from({ length: to - from }, (_, i) => from + i).flatMap((token) => [
    ...heads.map((head, h) => appendJob(sequence, h, head, token)),
    ...heads.map((head, h): CsdJob => {
      const queries = numbersToHalves(head.query(token));
      return { kind: "sparse", sequence, head: h, queries, ...parameters, mean: true };
    }),
  ]);
}

const heads = [testHead(1, 100), testHead(2, 100), testHead(3, 100)];

describe("prompts that came over the link", { timeout: 1_800_000 }, () => {
  test.each([
    { engine: "cycle", tail: "padded", length: 77, end: 90 },
    { engine: "cycle", tail: "dram-tail", length: 77, end: 90 },
    { engine: "cycle", tail: "padded", length: 64, end: 90 },
    { engine: "rtl", tail: "padded", length: 77, end: 81 },
  ] as const)(
    "$engine, $tail, $length tokens: a decode goes on as if they had been put in place",
    async ({ engine, tail, length, end }) => {
      const [there, timed] = await Promise.all(
        [false, true].map(async (overLink) => {
          const session = await openCsdSession(smallCsd({ engine }));
          // Rows and pages of another sequence were here before.
          const before = fill(
            session,
            heads.map(({ cache }) => cache),
          );
          session.closeSequence(before);
          const put = heads.map((head) => prompt(head, length));
          const sequence = overLink
            ? (await sent(session, heads, length, { tail })).sequence
            : fill(session, put, { tail });
          const run = await session.run(decode(sequence, heads, length, end), { keepPages: 5000 });
          session.close();
          return run;
        }),
      );
      if (there === undefined || timed === undefined) throw new Error("no runs");
      expect(observableRun(timed)).toEqual(observableRun(there));
      const head = heads[2] ?? testHead(3, 100);
      const golden = engineAttention(head.query(end - 1), prompt(head, end), parameters);
      const last = timed.jobs.at(-1);
      expect(last?.outputs).toEqual(numbersToHalves(golden.out));
      expect(last?.pages.keys).toBeGreaterThan(0);
    },
  );
});

describe("prompts in time", () => {
  const length = 96;
  const bytes = 2 * length * width * 2;
  const pages = { dims: 3 * 8, keys: 24, values: 24 };

  async function timesOf(changes: Partial<CsdMachine>, ready = 0): Promise<PromptRun> {
    const session = await openCsdSession(smallCsd(changes));
    const { run } = await sent(session, heads, length, { ready });
    session.close();
    return run;
  }

  test("the link carries one after another, none before it is ready", async () => {
    const wires = { ...bareHostLink.wires, latency: seconds(2e-6), rate: bytesPerSecond(1e8) };
    const link = { ...bareHostLink, wires };
    const { prompts, devices } = await timesOf({ link }, 5e9);
    // They wait for an edge of the link, whose four lanes carry a byte a cycle each, and one of the engine.
    const edges = Math.ceil((4 * 1e15) / 1e8 + 1e15 / smallCsd().clock);
    prompts.forEach(({ done, sent: begin, arrived, written }, i) => {
      expect(done).toBe(true);
      // They wait for each other.
      const least = 5e9 + ((i + 1) * bytes * 1e15) / 1e8 + 2e9;
      expect(Math.abs(begin - (least - 2e9 - (bytes * 1e15) / 1e8))).toBeLessThanOrEqual(edges);
      expect(arrived).toBeGreaterThanOrEqual(least);
      expect(arrived).toBeLessThanOrEqual(least + edges);
      expect(written).toBeGreaterThan(arrived + 100e9);
    });
    expect(devices[0]?.link).toEqual({ in: heads.length * bytes, out: 0 });
  });

  test("pages are programmed as fast as the dies do it, K in both orders", async () => {
    const machine = smallCsd();
    const { prompts, devices } = await timesOf({});
    for (const prompt of prompts) expect(prompt.pages).toEqual(pages);
    for (const { onFlash } of prompts) expect(onFlash).toEqual({ dims: length, tokens: length });
    const all = heads.length * (pages.dims + pages.keys + pages.values);
    expect(devices[0]?.pagesProgrammed).toBe(all);
    expect(devices[0]?.writes).toMatchObject({ pagesWritten: all, failedPrograms: 0 });
    // Pages of embedding-order K by a line for each of their 32 tokens, eight at a time.
    const rows = (pages.keys + pages.values) * pageBytes + (pages.dims / 8) * 32 * 64;
    // Each page's entry of the translation table is read and written.
    const entries = all * 64;
    expect(devices[0]?.dram).toEqual({
      written: heads.length * bytes + entries,
      read: heads.length * rows + entries,
    });
    const dies = machine.flash.channels * machine.flash.dies_per_channel;
    const { planes_per_die: planes, tPROG_ns: program } = machine.flash;
    const least = ((all / dies / planes) * program) / 1e9;
    const end = Math.max(...prompts.map(({ written }) => written)) / 1e15;
    expect(end).toBeGreaterThan(least);
    expect(end).toBeLessThan(1.6 * least * planes);
  });

  test("a silent channel loses its programs; the tokens stay in DRAM and count", async () => {
    const reads = { ...smallCsd().reads, deadChannels: [1] };
    const session = await openCsdSession(smallCsd({ reads }));
    const { sequence, run } = await sent(session, heads, 77);
    expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
    expect(run.devices[0]?.writes.failedPrograms).toBeGreaterThan(0);
    for (const { onFlash } of run.prompts) expect(onFlash.tokens).toBeLessThan(77);
    const decoded = await session.run(decode(sequence, heads, 77, 80));
    session.close();
    const head = heads[2] ?? testHead(3, 100);
    const golden = engineAttention(head.query(79), prompt(head, 80), parameters);
    expect(decoded.jobs.at(-1)).toMatchObject({ status: "done" });
    expect(decoded.jobs.at(-1)?.outputs).toEqual(numbersToHalves(golden.out));
  });

  test("a head takes one prompt, of whole rows; a limit and a signal end the run", async () => {
    const session = await openCsdSession(smallCsd());
    const { sequence } = await sent(session, heads, length);
    const rows = new Uint16Array(4 * width);
    const again = { sequence, head: 0, ready: femtoseconds(0), keys: rows, values: rows };
    await expect(session.writePrompts([again])).rejects.toThrow(
      rejection("misuse", /^prompt 0: .*tokens/),
    );
    const uneven = { ...again, values: rows.slice(1) };
    await expect(session.writePrompts([uneven])).rejects.toThrow(
      rejection("misuse", /keys and values .*rows/),
    );
    session.close();
    const other = await openCsdSession(smallCsd());
    const fresh = other.createSequence({ device: 0, heads: 1, dimsPerPage: 2, tail: "padded" });
    const first = { ...again, sequence: fresh };
    await expect(other.writePrompts([first, first])).rejects.toThrow(
      rejection("misuse", /^prompt 1: .*another/),
    );
    const late = { ...first, ready: femtoseconds(1e15) };
    const { devices, prompts } = await other.writePrompts([late], { maxCycles: cycles(1000) });
    expect(devices[0]?.outcome.kind).toBe("cycle-limit");
    expect(prompts[0]?.done).toBe(false);
    other.close();
  });
});
