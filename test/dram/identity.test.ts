// SPDX-License-Identifier: Apache-2.0
// The event-driven model against one that walks through every cycle: the same commands in the same
// cycles, whatever the memory and the traffic.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { dramCase } from "./random-case.ts";
import { replayText, traceText } from "./replay-text.ts";
import { tickModel } from "./tick-model.ts";

const runs = Number(process.env["NEARDATA_FUZZ_RUNS"] ?? 60);

describe("event to event is cycle by cycle", () => {
  it.each(["ramulator-2.0", "jedec"] as const)("with the semantics %s", async (semantics) => {
    const cases = dramCase({
      semantics: fc.constant(semantics),
      refresh: fc.constantFrom("AllBank", "None"),
    });
    await fc.assert(
      fc.asyncProperty(
        cases,
        fc.constantFrom(7, 100, 1 << 16),
        async ({ config, trace }, piece) => {
          const slow = tickModel(config, trace);
          const fast = await replayText(config, traceText(trace), piece);
          expect(fast.commands).toEqual(slow.commands);
          expect(fast.completions).toEqual(slow.completions);
          expect(fast.totalCycles).toBe(slow.totalCycles);
        },
      ),
      { numRuns: runs },
    );
  });
});
