// SPDX-License-Identifier: Apache-2.0
// The event-driven model against a model that simulates every cycle: the same commands in the same cycles, for any
// memory and any traffic.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import type { TraceRequest } from "./address-map.ts";
import { dramCase, mixedSemantics } from "./random-case.ts";
import { replayText, traceText } from "./replay-text.ts";
import { tickModel } from "./tick-model.ts";
import { full, runs } from "../../helpers/tier.ts";

const cases = Number(process.env["NEARDATA_FUZZ_RUNS"] ?? runs(4, 60));

/** Expects the same of both models. Returns the number of RFMs. */
async function expectSame(
  config: DramReplayConfig,
  trace: readonly TraceRequest[],
  piece?: number,
): Promise<number> {
  const slow = tickModel(config, trace);
  const fast = await replayText(config, traceText(trace), piece);
  expect(fast.commands).toEqual(slow.commands);
  expect(fast.completions).toEqual(slow.completions);
  expect(fast.totalCycles).toBe(slow.totalCycles);
  expect(fast.channels).toEqual(slow.channels);
  return fast.commands.filter((line) => line.includes(",RFM")).length;
}

/** Every kind of three requests: to two lines of a row and to one line of another row of its bank. */
function shortTraces(): readonly (readonly TraceRequest[])[] {
  const lines = [0n, 1n, 1n << 20n];
  const next = lines.flatMap((line) =>
    (["R", "W"] as const).flatMap((op) =>
      [0, 2].map((later) => ({ op, later, address: 64n * line })),
    ),
  );
  let all: (readonly TraceRequest[])[] = [[]];
  const traces: (readonly TraceRequest[])[] = [];
  for (let id = 0; id < 3; id += 1) {
    all = all.flatMap((trace) =>
      next.map(({ op, later, address }) => {
        return [...trace, { id, op, address, arrival: (trace.at(-1)?.arrival ?? 0) + later }];
      }),
    );
    traces.push(...all);
  }
  return traces;
}

describe("event to event is cycle by cycle", () => {
  it.each([
    { semantics: "ramulator-2.0", waits: "of a device", count: cases },
    { semantics: "jedec", waits: "of a device", count: cases },
    // With short waits many requests and refreshes are ready in the same cycle, which tests the priorities.
    { semantics: "ramulator-2.0", waits: "of a few cycles", count: 3 * cases },
    { semantics: "jedec", waits: "of a few cycles", count: 3 * cases },
    { semantics: "any of each switch", waits: "of a few cycles", count: 2 * cases },
  ] as const)("with the semantics $semantics and waits $waits", async (one) => {
    const traces = dramCase({
      semantics:
        one.semantics === "any of each switch" ? mixedSemantics : fc.constant(one.semantics),
      refresh: fc.constantFrom("AllBank", "SameBank", "None"),
      tight: one.waits === "of a few cycles",
    });
    await fc.assert(
      fc.asyncProperty(
        traces,
        fc.constantFrom(7, 100, 1 << 16),
        async ({ config, trace }, piece) => {
          await expectSame(config, trace, piece);
        },
      ),
      { numRuns: one.count },
    );
  });

  it.each([
    { semantics: "jedec", waits: "of a device", count: cases },
    { semantics: "jedec", waits: "of a few cycles", count: 3 * cases },
    { semantics: "any of each switch", waits: "of a few cycles", count: 2 * cases },
  ] as const)("with RFMs, the semantics $semantics and waits $waits", async (one) => {
    const traces = dramCase({
      semantics: one.semantics === "jedec" ? fc.constant("jedec") : mixedSemantics,
      refresh: fc.constantFrom("AllBank", "SameBank"),
      management: fc.record({
        raaimt: fc.integer({ min: 2, max: 4 }),
        raadec: fc.constantFrom(0.5, 1),
      }),
      tight: one.waits === "of a few cycles",
    });
    let rfms = 0;
    await fc.assert(
      fc.asyncProperty(traces, fc.constantFrom(7, 1 << 16), async ({ config, trace }, piece) => {
        rfms += await expectSame(config, trace, piece);
      }),
      { numRuns: one.count },
    );
    expect(rfms).toBeGreaterThan(0);
  });

  it.each(["ramulator-2.0", "jedec"] as const)("for every short trace, %s", async (semantics) => {
    const organization = { ranks_per_channel: 1 };
    const document = { preset: "TriMoE", semantics, organization, refresh: "None" };
    const config = parseDramReplayConfig(document, "a test");
    const every = full ? 1 : 9;
    for (const trace of shortTraces().filter((_, i) => i % every === 0))
      await expectSame(config, trace);
  });

  it.each(["AllBank", "SameBank"] as const)("for a refresh (%s) at any moment", async (refresh) => {
    const organization = { ranks_per_channel: 1, bankgroups: 1, banks_per_bankgroup: 2, rows: 4 };
    const waits = {
      nRCD: 3,
      nRP: 3,
      nRAS: 12,
      nRC: 15,
      nRTP: 2,
      nRFC1: 9,
      nRFCsb: 9,
      nREFSBRD: 4,
      nREFI: 160,
    };
    const document = { preset: "TriMoE", organization, timing_nCK: waits, refresh };
    const due = refresh === "AllBank" ? 160 : 160 / 4;
    const memories = ["ramulator-2.0", "jedec"].map((semantics) =>
      parseDramReplayConfig({ ...document, semantics, queues: { nominal_size: 4 } }, "a test"),
    );
    // One request to the bank that is refreshed, then two to different rows of the other bank.
    const { columnsPerRow } = parseDramReplayConfig(document, "a test").organization;
    const line = (bank: number, row: number): bigint =>
      64n * BigInt(columnsPerRow * (bank + 2 * row));
    const ops = ["R", "W"] as const;
    const step = full ? 1 : 5;
    const all = ops.flatMap((a) => ops.flatMap((b) => ops.map((c) => [a, b, c] as const)));
    for (const config of memories) {
      for (const [first, second, third] of all) {
        for (let before = 0; before < 16; before += step) {
          for (let later = 0; later < 12; later += step) {
            const [arrival, then] = [due - before, due - before + later];
            await expectSame(config, [
              { id: 0, arrival, op: first, address: line(0, 0) },
              { id: 1, arrival: then, op: second, address: line(1, 1) },
              { id: 2, arrival: then, op: third, address: line(1, 2) },
            ]);
          }
        }
      }
    }
  });
});
