// SPDX-License-Identifier: Apache-2.0
// Faults injected into the SparF engine's RTL, one at a time: the properties find each of them, and
// shrink it to a case that the engine without the fault passes. One build has them all; which is
// awake, the environment says.

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { moduleFile } from "../../src/tools/synth/rtl-files.ts";
import {
  type AppendJob,
  calm,
  type EngineJob,
  type HeadJob,
  type Traffic,
} from "../../src/tools/bench/sparf-case.ts";
import { type EngineParameters, runEngine } from "../helpers/sparf-bench.ts";
import { goldenOutcome, headJobs, nameOf, onFlash } from "../helpers/sparf-jobs.ts";
import { buildFaultyEngine, withFault } from "../helpers/sparf-injected.ts";
import { checkBatch } from "../helpers/sparf-properties.ts";

/** As small as heads with more than one line of sums and pages of more than one beat allow. */
const engine: EngineParameters = {
  Channels: 1,
  Kernels: 1,
  Lanes: 4,
  Width: 16,
  MaxKeys: 64,
  MaxGroup: 2,
  Slots: 2,
  RingLines: 64,
  MaxPageRows: 16,
  Tags: 16,
  QuerySets: 1,
};

/** Text of a module, and its replacement by a fault while the fault is active. */
interface Fault {
  readonly module: string;
  readonly right: string;
  readonly wrong: string;
}

const when = (name: string): string => `$test$plusargs("${name}")`;
const faults = {
  // Beats behind the end of the sequence pass the filter with those before it.
  filter: {
    module: "sparf_nfc_filter",
    right: "if (used_ends_q) used_q <= 1'b0;",
    wrong: `if (used_ends_q && !${when("filter")}) used_q <= 1'b0;`,
  },
  // The walker requests a page again when a second beat of the selection needs it.
  pages: {
    module: "sparf_token_walker",
    right: "(on_flash != '0 && !same_q)",
    wrong: `(on_flash != '0 && (!same_q || ${when("pages")}))`,
  },
  // Every line of sums gets the first part of the row of V.
  sums: {
    module: "sparf_append_unit",
    right: "values_q <= values_q >> PartBits;",
    wrong: `if (!${when("sums")}) values_q <= values_q >> PartBits;`,
  },
  // The last token of a group does not fill it; the one behind it does.
  group: {
    module: "sparf_append_unit",
    right: "group_full_q <= (next_token_q",
    wrong: `group_full_q <= ((${when("group")} ? token_q : next_token_q)`,
  },
  // The count of descriptors has no reset, so it keeps its old value.
  reset: {
    module: "sparf_doorbell",
    right: "filled_q <= '0;",
    wrong: `if (!${when("reset")}) filled_q <= '0;`,
  },
} as const satisfies Readonly<Record<string, Fault>>;
type FaultName = keyof typeof faults;

let bench = "";
beforeAll(async () => {
  bench = await buildFaultyEngine(engine, (inject) => {
    for (const { module, right, wrong } of Object.values(faults)) {
      inject(moduleFile(module), right, wrong);
    }
  });
}, 1_800_000);

/** A head whose last tokens are appended one by one before it is attended to. */
interface Grown {
  readonly job: HeadJob;
  readonly from: number;
}

const grown = fc
  .record({ job: headJobs(engine, 24), appended: fc.integer({ min: 1, max: 8 }) })
  .map(({ job, appended }): Grown => {
    const from = Math.max(0, job.cache.length - appended);
    const [block, rows] = [job.pageBytes / (2 * job.m), job.pageBytes / (2 * engine.Width)];
    return { job: { ...job, ...onFlash("dram_tail", from, block, rows, 0) }, from };
  });

/** Appending token by token equals writing at once; pages that become full are programmed. */
async function checkGrown({ job, from }: Grown): Promise<void> {
  const { cache, m, pageBytes } = job;
  const tokens = Array.from({ length: cache.length - from }, (_, i) => from + i);
  const appends = tokens.map((token): AppendJob => ({ op: "append", head: tokens.length, token }));
  const jobs: readonly EngineJob[] = [...appends, job];
  const run = await runEngine(bench, jobs, flow);
  expect(run.jobs.at(-1)).toMatchObject(goldenOutcome(job));
  const [block, rows] = [pageBytes / (2 * m), pageBytes / (2 * cache.width)];
  const groups = cache.width / m;
  const full = tokens.flatMap((token) => {
    const at = (size: number): readonly number[] =>
      (token + 1) % size === 0 ? [(token + 1) / size - 1] : [];
    return [
      ...at(rows).flatMap((g) => [`keys ${String(g)}`, `values ${String(g)}`]),
      ...at(block).flatMap((b) =>
        Array.from({ length: groups }, (_, g) => `dims ${String(b * groups + g)}`),
      ),
    ];
  });
  const programs = run.pages.filter(({ write }) => write).map(nameOf);
  expect(programs).toEqual(full.map((page) => `program 0 ${page}`));
}

/** A fault may stop the engine; a run without a fault is shorter than this limit. */
const flow: Traffic = { ...calm, longest: 8000 };

const heads = headJobs(engine, 32);
const checkHead = async (job: HeadJob): Promise<void> => checkBatch(bench, { jobs: [job], flow });

/** The smallest case of a property that a fault breaks; it is one, and shrunk. */
async function smallest<T>(
  name: FaultName,
  cases: fc.Arbitrary<T>,
  check: (one: T) => Promise<void>,
): Promise<T> {
  const found = await withFault(name, async () =>
    fc.check(fc.asyncProperty(cases, check), { numRuns: 60, seed: 1 }),
  );
  expect(found.failed).toBe(true);
  expect(found.numShrinks).toBeGreaterThan(0);
  expect(found.counterexamplePath).toMatch(/^\d+(:\d+)+$/);
  const [one] = found.counterexample ?? [];
  if (one === undefined) throw new Error("no counterexample");
  await withFault(null, async () => check(one));
  return one;
}

describe("properties of the SparF engine", () => {
  it("hold without a fault", async () => {
    await withFault(null, async () => {
      await fc.assert(fc.asyncProperty(heads, checkHead), { numRuns: 10 });
      await fc.assert(fc.asyncProperty(grown, checkGrown), { numRuns: 10 });
    });
  });

  it("find a register without reset, because it begins with random contents", async () => {
    const job = await smallest("reset", heads, checkHead);
    expect(job.cache.length).toBeLessThan(3);
  });

  it("find a filter that keeps elements behind the end of the sequence", async () => {
    const job = await smallest("filter", heads, checkHead);
    expect(job.op).toBe("sparse");
    expect(job.dimFlash % (job.pageBytes / (2 * job.m))).toBeGreaterThan(0);
  });

  it("find a page that is asked for twice", async () => {
    const job = await smallest("pages", heads, checkHead);
    expect(job.op).toBe("sparse");
    // Of pages with more rows than a beat of the selection.
    expect(job.pageBytes).toBe(512);
  });

  it("find a sum of V that appends got wrong", async () => {
    const { job, from } = await smallest("sums", grown, checkGrown);
    expect(job.op).toBe("sparse");
    expect(job.cache.length - from).toBe(1);
  });

  it("find a group of tokens that is not programmed when it is full", async () => {
    const { job } = await smallest("group", grown, checkGrown);
    expect(job.cache.length).toBeLessThan(10);
  });
});
