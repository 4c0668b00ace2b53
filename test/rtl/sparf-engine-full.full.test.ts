// SPDX-License-Identifier: Apache-2.0
// The SparF engine at full size on a device of 8 channels of 1.4 GB/s, as `make run` has it, and on one of
// 16: heads of OPT-13B (128 dimensions, 2048 tokens) and one of 32768 tokens are the golden arithmetic bit for
// bit, the cycle model takes the RTL's cycles, and while heads are pipelined every channel is busy
// at least 90 % of the time and none waits for the engine.

import { describe, expect, it } from "vitest";

import { controllerOf } from "../../src/machine/resolve/controller.ts";
import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { engineAttention, engineDense } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import type { SparfParameters } from "../../src/golden/attention/sparf.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { appendJob, fill, prompt, observableRun, testHead, type TestHead } from "../helpers/csd.ts";

const width = 128;
/** The maximum number of heads of 2048 tokens that the flash stores with free space left. */
const maxCopies = 48;
const half = 30 * 60_000;

/** Lookups per second for the pages of 16 channels, which are more than the default's. */
const lookups = { translation: { rate: 8e6 } };

function machineOf(engine: CsdMachine["engine"], channels = 8): CsdMachine {
  const flash = { ...flashPresets.znand4k, channels };
  const unit = sparfUnit(width, flash.channels, flash.page_bytes / (2 * width));
  const controller = controllerOf(channels > 8 ? lookups : {});
  return csdMachine({ engine, devices: 1, unit, flash, controller });
}

/** One attention, over the last token's cache or, `back` tokens earlier, with that one's query. */
interface Ask {
  readonly back: number;
  readonly parameters: SparfParameters | null;
}

/**
 * Attention on a device that stores the head `copies` times, each with separate pages, used
 * round-robin.
 */
async function attend(
  engine: CsdMachine["engine"],
  { cache, query }: TestHead,
  asks: readonly Ask[],
  copies: number,
  channels?: number,
): Promise<CsdRun> {
  const session = await openCsdSession(machineOf(engine, channels));
  const caches = Array.from({ length: copies }, () => cache);
  const sequence = fill(session, caches, { tail: "padded" });
  const jobs = asks.map(({ back, parameters }, i): CsdJob => {
    const queries = numbersToHalves(query(cache.length - 1 - back));
    const job = { sequence, head: i % copies, queries };
    if (parameters === null) return { kind: "dense", ...job };
    return { kind: "sparse", ...job, ...parameters, mean: true };
  });
  const run = await session.run(jobs, { inFlight: 16, keepPages: 100_000 });
  session.close();
  expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
  return run;
}

function expectGolden(run: CsdRun, { cache, query }: TestHead, asks: readonly Ask[]): void {
  run.jobs.forEach(({ outputs, tokens }, i) => {
    const { back, parameters } = asks[i] ?? { back: 0, parameters: null };
    const q = query(cache.length - 1 - back);
    if (parameters === null) {
      expect(outputs).toEqual(numbersToHalves(engineDense(q, cache)));
      return;
    }
    const golden = engineAttention(q, cache, parameters);
    expect(tokens).toEqual(golden.tokens);
    expect(outputs).toEqual(numbersToHalves(golden.out));
  });
}

describe("sparf_engine at full size", () => {
  it.each([
    [8, "dense", 6, null],
    // With so many heads, the first lookups, the last decodings and the channel with the fewest
    // selected pages need less than a tenth of the time.
    [8, "sparse", 48, { r: 16, k: 128, l: 32 }],
    [16, "dense", 24, null],
    [16, "sparse", 384, { r: 16, k: 128, l: 32 }],
  ] as const)(
    "keeps each of %i channels busy with %s heads",
    async (channels, _, count, parameters) => {
      const head = testHead(7, 2048, width);
      const asks = Array.from({ length: count }, (__, back) => ({ back, parameters }));
      const copies = Math.min(count, maxCopies);
      const rtl = await attend("rtl", head, asks, copies, channels);
      expectGolden({ ...rtl, jobs: rtl.jobs.slice(0, 4) }, head, asks);
      for (const { command, data, stalled } of rtl.devices[0]?.channels ?? []) {
        expect(stalled).toBe(0);
        expect((command + data) / (rtl.devices[0]?.time ?? 0)).toBeGreaterThan(0.9);
      }
      expect(rtl.devices[0]?.channels).toHaveLength(channels);
      expect(observableRun(await attend("cycle", head, asks, copies, channels))).toEqual(
        observableRun(rtl),
      );
    },
    half,
  );

  it(
    "takes 32768 tokens, and chooses any number of them",
    async () => {
      const head = testHead(9, 32_768, width);
      const asks = [
        { back: 0, parameters: { r: 16, k: 2048, l: 512 } },
        { back: 1, parameters: { r: 16, k: 32_768, l: 0 } },
        { back: 2, parameters: { r: 8, k: 20_001, l: 0 } },
        { back: 3, parameters: null },
      ];
      const rtl = await attend("rtl", head, asks, 1);
      expectGolden(rtl, head, asks);
      expect(observableRun(await attend("cycle", head, asks, 1))).toEqual(observableRun(rtl));
    },
    half,
  );

  // The DRAM reader serves runs in order: data of an append that wait delay the tails after them.
  it(
    "appends while both kernels read long tails from DRAM",
    async () => {
      const head = testHead(3, 700, width);
      const lengths = [600, 660, 513, 514];
      const parameters = { r: 16, k: 40, l: 10 };
      const runs = (["rtl", "cycle"] as const).map(async (engine) => {
        const session = await openCsdSession(machineOf(engine));
        const caches = lengths.map((length) => prompt(head, length));
        const sequence = fill(session, caches, { dimsPerPage: 4 });
        const attention = (number: number, token: number): CsdJob => {
          const job = { sequence, head: number, queries: numbersToHalves(head.query(token)) };
          return { kind: "sparse", ...job, ...parameters, mean: true };
        };
        const run = await session.run([
          ...[attention(0, 599), attention(1, 659)],
          ...[appendJob(sequence, 2, head, 513), appendJob(sequence, 3, head, 514)],
          ...[attention(2, 513), attention(3, 514)],
        ]);
        session.close();
        expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
        return run;
      });
      const [rtl, cycle] = await Promise.all(runs);
      const golden = engineAttention(head.query(514), prompt(head, 515), parameters);
      expect(rtl?.jobs.at(-1)?.outputs).toEqual(numbersToHalves(golden.out));
      if (rtl === undefined || cycle === undefined) throw new Error("no runs");
      expect(observableRun(cycle)).toEqual(observableRun(rtl));
    },
    half,
  );
});
