// SPDX-License-Identifier: Apache-2.0
// The SparF engine with clock gates that stop clocks and with gates that are open: results, cycles and strobes
// are the same, whatever the jobs. Gates that close too early are seen.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import type { AppendJob, EngineJob } from "../../src/bench/sparf-case.ts";
import { moduleFile } from "../../src/synth/rtl-files.ts";
import {
  buildEngine,
  type EngineParameters,
  runEngine,
  sharedEngine,
  smallEngine,
} from "../helpers/sparf-bench.ts";
import { headJobs, onFlash, traffic } from "../helpers/sparf-jobs.ts";

const directory = mkdtempSync(join(tmpdir(), "neardata-open-gates-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Heads, the last of which grows by a token before it is attended to, or heads alone. */
function batches(engine: EngineParameters): fc.Arbitrary<readonly EngineJob[]> {
  const heads = fc.array(headJobs(engine, 60), { minLength: 1, maxLength: 5 });
  return fc.record({ heads, grows: fc.boolean() }).map(({ heads: jobs, grows }) => {
    const last = jobs.at(-1);
    if (!grows || last === undefined) return jobs;
    const from = last.cache.length - 1;
    const [block, rows] = [last.pageBytes / (2 * last.m), last.pageBytes / (2 * engine.Width)];
    const grown = { ...last, ...onFlash("dram_tail", from, block, rows, 0) };
    const append: AppendJob = { op: "append", head: jobs.length, token: from };
    return [...jobs.slice(0, -1), append, grown];
  });
}

describe.each([
  ["one query at a time", smallEngine],
  ["two queries at a time", sharedEngine],
] as const)("the SparF engine, %s", (_, engine) => {
  it("does the same in every cycle with open gates", { timeout: 1_800_000 }, async () => {
    const gated = await buildEngine(engine);
    const open = await buildEngine(engine, new Map(), true);
    await fc.assert(
      fc.asyncProperty(batches(engine), traffic, async (jobs, flow) => {
        expect(await runEngine(gated, jobs, flow)).toEqual(await runEngine(open, jobs, flow));
      }),
      { numRuns: 60 },
    );
  });
});

describe("a gate that closes too early", () => {
  it("shows in the comparison", { timeout: 1_800_000 }, async () => {
    const path = moduleFile("sparf_kernel");
    const right = "localparam int unsigned Hold = 127;";
    const text = readFileSync(path, "utf8");
    expect(text.split(right)).toHaveLength(2);
    const copy = join(directory, "sparf_kernel.sv");
    writeFileSync(copy, text.replace(right, "localparam int unsigned Hold = 3;"));
    const early = await buildEngine(smallEngine, new Map([[path, copy]]));
    const open = await buildEngine(smallEngine, new Map(), true);
    const found = await fc.check(
      fc.asyncProperty(batches(smallEngine), traffic, async (jobs, flow) => {
        const limited = { ...flow, longest: 100_000 };
        expect(await runEngine(early, jobs, limited)).toEqual(await runEngine(open, jobs, limited));
      }),
      { numRuns: 20, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });
});
