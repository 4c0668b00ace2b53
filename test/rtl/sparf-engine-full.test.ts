// SPDX-License-Identifier: Apache-2.0
// The SparF engine at full size, as on a device of 8 channels of 1.4 GB/s: heads of OPT-13B (128
// dimensions, 2048 tokens) are the golden arithmetic bit for bit, and the engine never holds up a
// channel: while heads are pipelined the channels are busy at least 90 % of the time.

import { beforeAll, describe, expect, it } from "vitest";

import { generateHta1 } from "../../src/workload/hta1.ts";
import {
  buildEngine,
  calm,
  type EngineRun,
  fullEngine,
  type HeadJob,
  runEngine,
} from "../helpers/sparf-bench.ts";
import { goldenOutcome, timeless } from "../helpers/sparf-jobs.ts";

let bench = "";
beforeAll(async () => {
  bench = await buildEngine(fullEngine);
}, 1_800_000);

const width = fullEngine.Width;
const tokens = 2048;
/** 3 us at 285 MHz, as Z-NAND reads. */
const readCycles = 855;

function heads(op: "sparse" | "dense", count: number): readonly HeadJob[] {
  const { queries, keys, values } = generateHta1(7, tokens, width);
  return Array.from({ length: count }, (_, i) => ({
    op,
    queries: [queries.slice((tokens - 1 - i) * width, (tokens - i) * width)],
    cache: { length: tokens, width, keys, values },
    ...{ r: 16, k: 128, l: 32, m: 2, pageBytes: 4096, dimFlash: tokens, tokenFlash: tokens },
  }));
}

/** Share of the time between the first and the last beat in which a channel was busy, of all. */
function busyShare({ beatsIn, firstBeat, lastBeat }: EngineRun): number {
  const [cycles, beats] = calm.beatCycles;
  return (beatsIn * cycles) / beats / fullEngine.Channels / (lastBeat - firstBeat);
}

describe("sparf_engine at full size", () => {
  it.each([
    ["dense", 6],
    ["sparse", 32],
  ] as const)("keeps the channels busy with %s heads", async (op, count) => {
    const jobs = heads(op, count);
    const run = await runEngine(bench, jobs, { ...calm, latency: [readCycles, readCycles + 1] });
    expect(timeless(run).slice(0, 4)).toEqual(jobs.slice(0, 4).map(goldenOutcome));
    expect(run.jobs.every(({ status }) => status === 0)).toBe(true);
    expect(run.waits).toBe(0);
    expect(busyShare(run)).toBeGreaterThan(0.9);
  });
});
