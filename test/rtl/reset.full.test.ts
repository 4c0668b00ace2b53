// SPDX-License-Identifier: Apache-2.0
// A reset of the SparF engine while pages and lines are in flight: flash and DRAM still deliver them.

import { isDeepStrictEqual } from "node:util";

import { beforeAll, describe, expect, it } from "vitest";

import { type AppendJob, calm, type HeadJob } from "../../src/tools/bench/sparf-case.ts";
import { buildEngine, runEngine, smallEngine } from "../helpers/sparf-bench.ts";
import type { EngineRun } from "../helpers/sparf-result.ts";
import { contents, goldenOutcome, onFlash } from "../helpers/sparf-jobs.ts";

let bench = "";
beforeAll(async () => {
  bench = await buildEngine(smallEngine);
}, 1_800_000);

const width = smallEngine.Width;
const length = 48;

/** A head with tokens on flash and in DRAM. */
function head(op: HeadJob["op"], seed: number): HeadJob {
  const [m, pageBytes] = [2, 256];
  return {
    op,
    r: 4,
    k: 9,
    l: 3,
    m,
    pageBytes,
    queries: [contents("ordinary", width, seed)],
    cache: {
      length,
      width,
      keys: contents("ordinary", length * width, seed + 1),
      values: contents("ordinary", length * width, seed + 2),
    },
    ...onFlash("dram_tail", length - 5, pageBytes / (2 * m), pageBytes / (2 * width), 0),
  };
}

const jobs = [head("sparse", 1), head("dense", 4), head("sparse", 7), head("dense", 10)];
const flow = { ...calm, latency: [200, 201], dramLatency: 100, longest: 100_000 } as const;
/** Cycles in which queries, pages of step 1, pages and rows of DRAM are in flight. */
const resets = [60, 150, 350, 600, 1000];

describe("a reset of sparf_engine while pages and lines are on their way", () => {
  it("that lasts until all have come leaves nothing: the jobs are those of a fresh engine", async () => {
    const fresh = await runEngine(bench, jobs, flow);
    expect(fresh.jobs.map(({ rows }) => rows)).toEqual(jobs.map((job) => goldenOutcome(job).rows));
    for (const reset of resets) {
      const run = await runEngine(bench, jobs, flow, [], { reset: `${reset}:wait` });
      expect({ ...run, events: "" }).toEqual({ ...fresh, events: "" });
    }
  });

  it("that does not wait breaks a promise of the engine, which says so", async () => {
    for (const reset of resets) {
      await expect(
        runEngine(bench, jobs, flow, [], { reset: String(reset) }),
      ).rejects.toMatchObject({
        code: "build-failed",
        message: expect.stringMatching(/AnswerAsked_A|PageAsked_A|PageBegins_A/) as string,
      });
    }
  });
});

describe("a reset of sparf_engine with appends in flight", () => {
  const first = length - 5;
  const appends = Array.from({ length: length - first }, (_, i): AppendJob => ({
    op: "append",
    head: length - first,
    token: first + i,
  }));
  const grown = [...appends, head("sparse", 1), head("dense", 4)];
  const rowsOf = (run: EngineRun): readonly (readonly number[])[] =>
    run.jobs.flatMap(({ rows }) => rows);

  it("leaves nothing if the driver writes the caches anew: appends and heads are those of a fresh engine", async () => {
    const fresh = await runEngine(bench, grown, flow);
    expect(fresh.jobs.map(({ status }) => status)).toEqual(grown.map(() => 0));
    expect(rowsOf(fresh)).toEqual(
      grown.flatMap((job) => (job.op === "append" ? [] : goldenOutcome(job).rows)),
    );
    for (const reset of resetsWithin(fresh)) {
      const run = await runEngine(bench, grown, flow, [], { reset: `${reset}:wait:rewrite` });
      expect({ ...run, events: "" }).toEqual({ ...fresh, events: "" });
    }
  });

  it("may leave the sums of an append in DRAM: the repeated append counts its token twice", async () => {
    const fresh = await runEngine(bench, grown, flow);
    const twice: boolean[] = [];
    for (const reset of resetsWithin(fresh)) {
      const run = await runEngine(bench, grown, flow, [], { reset: `${reset}:wait` });
      expect(run.jobs.map(({ status }) => status)).toEqual(grown.map(() => 0));
      expect(run.cycles).toBe(fresh.cycles);
      twice.push(!isDeepStrictEqual(rowsOf(run), rowsOf(fresh)));
    }
    // Before the first append has written its sums, and behind it.
    expect(twice[0]).toBe(false);
    expect(twice).toContain(true);
  });

  /** Cycles from the first append to the last, in which each has read, written, and requested programs. */
  function resetsWithin(fresh: EngineRun): readonly number[] {
    const last = fresh.jobs[appends.length - 1]?.doneAt ?? 0;
    return Array.from({ length: 8 }, (_, i) => Math.ceil(((i + 0.2) * last) / 8));
  }
});
