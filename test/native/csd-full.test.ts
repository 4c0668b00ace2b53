// SPDX-License-Identifier: Apache-2.0
// Devices whose flash is full: a request that does not fit is refused as a whole, nothing else
// changes, and existing pages stay readable, even if garbage collection moved pages before the
// refusal.

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob, CsdSequence } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdSession } from "../../src/machine/csd/csd-types.ts";
import { NeardataError } from "../../src/base/errors.ts";
import { engineAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { cycles, femtoseconds } from "../../src/base/units.ts";
import { appendJob, fill, prompt, smallCsd, testHead, type TestHead } from "../helpers/csd.ts";
import { rejection } from "../helpers/rejection.ts";

const parameters = { r: 4, k: 10, l: 3 };
const source = Array.from({ length: 4 }, (_, i) => testHead(i + 1, 400));
const headOf = (i: number): TestHead => source[i % source.length] ?? testHead(0, 1);

function tiny(blocksPerPlane: number, changes: Partial<CsdMachine["flash"]> = {}): CsdMachine {
  const machine = smallCsd({ blocksPerPlane, pagesPerBlock: 4 });
  return { ...machine, flash: { ...machine.flash, ...changes } };
}

/**
 * A sequence and the number of tokens of each of its heads; the heads are those of `source` from
 * `first` on.
 */
interface Kept {
  readonly sequence: CsdSequence;
  readonly first: number;
  readonly tokens: number[];
}

/** A session and its model, which consists of the numbers of tokens. */
interface Model {
  readonly session: CsdSession;
  readonly live: Kept[];
  refusals: number;
}

/** The outcomes of the call's jobs; fails if the error is not the refusal of a full flash. */
function jobsRefused(error: unknown, model: Model): readonly string[] {
  expect(error).toEqual(rejection("bad-input", /^flash translation: .*full/));
  model.refusals += 1;
  return error instanceof NeardataError ? (error.details["jobs"] as readonly string[]) : [];
}

/** Checks the answer of every head against its tokens. */
async function check({ session, live }: Model): Promise<void> {
  const asked = live.flatMap(({ sequence, first, tokens }) =>
    tokens.flatMap((count, head) => (count > 0 ? [{ sequence, first, head, count }] : [])),
  );
  const run = await session.run(
    asked.map(({ sequence, first, head, count }): CsdJob => {
      const queries = numbersToHalves(headOf(first + head).query(count - 1));
      return { kind: "sparse", sequence, head, queries, ...parameters, mean: true };
    }),
  );
  expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
  asked.forEach(({ first, head, count }, i) => {
    const of = headOf(first + head);
    const { out } = engineAttention(of.query(count - 1), prompt(of, count), parameters);
    expect([run.jobs[i]?.status, run.jobs[i]?.outputs]).toEqual(["done", numbersToHalves(out)]);
  });
}

const shape = { heads: fc.integer({ min: 1, max: 3 }), tokens: fc.integer({ min: 1, max: 40 }) };
const which = fc.nat(7);
const step = fc.oneof(
  {
    arbitrary: fc.record({ kind: fc.constant("fill"), ...shape, padded: fc.boolean() }),
    weight: 3,
  },
  fc.record({ kind: fc.constant("write"), ...shape, padded: fc.boolean(), limit: fc.boolean() }),
  { arbitrary: fc.record({ kind: fc.constant("append"), which, tokens: shape.heads }), weight: 4 },
  fc.record({ kind: fc.constant("stop"), which, after: fc.integer({ min: 50, max: 4000 }) }),
  fc.record({ kind: fc.constant("close"), which }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(model: Model, one: Step): Promise<void> {
  const { session, live } = model;
  switch (one.kind) {
    case "fill":
    case "write": {
      const tail = one.padded ? "padded" : "dram-tail";
      const spec = { device: 0, heads: one.heads, dimsPerPage: 2, tail } as const;
      const kept = { sequence: session.createSequence(spec), first: live.length };
      const tokens = Array.from({ length: one.heads }, () => 0);
      live.push({ ...kept, tokens });
      const rows = tokens.map((_, head) => {
        const { keys, values } = headOf(kept.first + head).cache;
        const of = (all: Float64Array): Uint16Array =>
          numbersToHalves(all.subarray(0, one.tokens * 16));
        return { head, keys: of(keys), values: of(values) };
      });
      if (one.kind === "fill") {
        try {
          for (const { head, keys, values } of rows) {
            session.prefill(
              kept.sequence,
              head,
              session.pagesOf(kept.sequence, head, keys, values),
            );
            tokens[head] = one.tokens;
          }
        } catch (error) {
          jobsRefused(error, model);
        }
        return;
      }
      const prompts = rows.map((row) => ({
        sequence: kept.sequence,
        ready: femtoseconds(0),
        ...row,
      }));
      const options = one.limit ? { maxCycles: cycles(300_000) } : {};
      const written = await settled(model, async () => {
        const run = await session.writePrompts(prompts, options);
        return run.prompts.map(({ done }) => (done ? "done" : "not-done"));
      });
      written.forEach((status, head) => {
        if (status === "done") tokens[head] = one.tokens;
      });
      return;
    }
    case "append":
    case "stop": {
      const kept = live[one.which % Math.max(1, live.length)];
      if (kept === undefined) return;
      const count = one.kind === "append" ? one.tokens : 4;
      const options = one.kind === "append" ? {} : { maxCycles: cycles(one.after) };
      const jobs = Array.from({ length: count }, (_, i) =>
        kept.tokens.map((tokens, head) => ({ head, token: tokens + i })),
      ).flat();
      const done = await settled(model, async () => {
        const run = await session.run(
          jobs.map(({ head, token }) =>
            appendJob(kept.sequence, head, headOf(kept.first + head), token),
          ),
          options,
        );
        return run.jobs.map(({ status }) => status);
      });
      done.forEach((status, i) => {
        const head = jobs[i]?.head ?? 0;
        if (status === "done") kept.tokens[head] = (kept.tokens[head] ?? 0) + 1;
      });
      return;
    }
    case "close": {
      const [kept] = live.splice(one.which % Math.max(1, live.length), 1);
      if (kept !== undefined) session.closeSequence(kept.sequence);
    }
  }
}

/** The outcome of each job, also if the flash was full. */
async function settled(
  model: Model,
  work: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await work();
  } catch (error) {
    return jobsRefused(error, model);
  }
}

describe("a full device", { timeout: 600_000 }, () => {
  test("stores all data that fits, in any order of appends and removals", async () => {
    let refusals = 0;
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 24, size: "max" }),
        async (steps) => {
          const model: Model = { session: await openCsdSession(tiny(24)), live: [], refusals: 0 };
          for (const one of steps) {
            await take(model, one);
            await check(model);
          }
          const [device] = (await model.session.run([])).devices;
          moved += device?.writes.pagesMoved ?? 0;
          refusals += model.refusals;
          for (const { sequence } of model.live) model.session.closeSequence(sequence);
          // The device has as much free space as a new one.
          for (let n = 0; n < 3; n += 1) fill(model.session, [prompt(headOf(n), 29)]);
          model.session.close();
        },
      ),
      { numRuns: 40, seed: 16 },
    );
    expect(refusals).toBeGreaterThan(20);
    expect(moved).toBeGreaterThan(50);
  });
});
