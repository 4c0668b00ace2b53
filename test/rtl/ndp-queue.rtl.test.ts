// SPDX-License-Identifier: Apache-2.0
// Queued descriptors in the NDP unit, with one in progress at a time and with several: cycle model and RTL are
// equal in every cycle, every burst has the same value as for its descriptor alone, bursts and completions are
// in the order of the descriptors, and a rejected descriptor completes in order.

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import fc from "fast-check";

import { type Bench, openBench, sequences, traffic } from "../helpers/ndp-bench.ts";
import { lowBitUnit, shortSlotUnit, smallUnit } from "../helpers/machines.ts";
import { full, runs } from "../helpers/tier.ts";

const units = [
  ["one at a time", { ...smallUnit, descriptors: 1 }],
  ["two at work", { ...smallUnit, descriptors: 2 }],
  ["four at work", { ...smallUnit, descriptors: 4 }],
  ["two of slots with no cycle to spare", { ...shortSlotUnit, descriptors: 2 }],
  ["three of low-bit weights", { ...lowBitUnit, descriptors: 3 }],
] as const;

describe.each(full ? units : units.slice(1, 2))("%s", (_, unit) => {
  let bench: Bench | undefined;
  beforeAll(async () => {
    bench = await openBench(unit);
  });
  afterAll(() => bench?.close());

  test("cycle model = RTL in every cycle, and outputs = values, on any sequence and traffic", async () => {
    await fc.assert(
      fc.asyncProperty(
        sequences(unit, 120),
        traffic,
        fc.nat(1),
        async ([first, ...then], memory, skip) => {
          const answer = await bench?.run({ engine: "both", ...first, ...memory, skip }, then);
          expect(answer).toMatchObject({ ok: true });
        },
      ),
      { numRuns: runs(60, 150) },
    );
  });
});
