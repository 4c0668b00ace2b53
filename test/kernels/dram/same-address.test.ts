// SPDX-License-Identifier: Apache-2.0
// Requests of one address: under JEDEC's semantics they execute in the order of admission. A read is answered from an
// older write that has not issued, a write waits for older reads.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { runs } from "../../helpers/tier.ts";
import type { TraceRequest } from "./address-map.ts";
import { dramCase } from "./random-case.ts";
import { replayText, traceText } from "./replay-text.ts";

interface Served {
  readonly id: number;
  readonly accept: number;
  /** Cycle of its RD or WR; -1 for a read that was answered from a write. */
  readonly issue: number;
}

async function serve(
  config: DramReplayConfig,
  trace: readonly TraceRequest[],
): Promise<readonly Served[]> {
  const { completions } = await replayText(config, traceText(trace));
  return completions.map((line) => {
    const [id = -1, accept = -1, issue = -1] = line.split(",").map(Number);
    return { id, accept, issue };
  });
}

/** Pairs of requests of one address, one of them a write, that were served in the wrong order. */
async function overtakings(
  config: DramReplayConfig,
  trace: readonly TraceRequest[],
): Promise<readonly string[]> {
  const served = await serve(config, trace);
  return trace.flatMap((later, i) =>
    trace.slice(0, i).flatMap((earlier) => {
      if (earlier.address !== later.address || earlier.op + later.op === "RR") return [];
      const [first, second] = [served[earlier.id], served[later.id]];
      // A read that was answered from a write has its data since it was admitted.
      if (first === undefined || second === undefined) return [];
      if (first.issue === -1 || second.issue === -1 || first.issue < second.issue) return [];
      return [`${earlier.op} ${String(earlier.id)} after ${later.op} ${String(later.id)}`];
    }),
  );
}

const configOf = (semantics: unknown): DramReplayConfig =>
  parseDramReplayConfig(
    {
      preset: "TriMoE",
      semantics,
      organization: { ranks_per_channel: 1 },
      address_mapper: "ChRaBaRoCo",
      refresh: "None",
    },
    "a test",
  );

const line = (bank: number, row: number, column = 0): bigint =>
  64n * BigInt((bank * 65_536 + row) * 128 + column);

const request = (id: number, arrival: number, op: "R" | "W", address: bigint): TraceRequest => ({
  id,
  arrival,
  op,
  address,
});

describe("a read after a write whose row is open", () => {
  // A read of another bank delays the WR of request 1 for longer than the RD of request 2.
  const trace = [
    request(0, 0, "R", line(4, 0)),
    request(1, 1, "W", line(0, 7)),
    request(2, 30, "R", line(0, 7)),
  ];

  it("is answered from it", async () => {
    const [, write, read] = await serve(configOf("jedec"), trace);
    expect(write?.issue).toBeGreaterThan(30);
    expect(read?.issue).toBe(-1);
  });

  it("is not in Ramulator 2.0", async () => {
    const [, write, read] = await serve(configOf("ramulator-2.0"), trace);
    expect(read?.issue).toBeGreaterThan(0);
    expect(read?.issue).toBeLessThan(write?.issue ?? 0);
  });
});

describe("a write after a read", () => {
  /** Enough writes that they have priority over the reads, one of which has the address of a write. */
  const trace = [
    request(0, 0, "R", line(0, 0)),
    ...Array.from({ length: 40 }, (_, i) => request(i + 1, 0, "W", line(i % 32, 1, i))),
    request(41, 60, "R", line(1, 2)),
    request(42, 60, "W", line(1, 2)),
    ...Array.from({ length: 20 }, (_, i) => request(i + 43, 60, "W", line(i % 32, 2, i))),
  ];

  it("waits for it", async () => {
    expect(await overtakings(configOf("jedec"), trace)).toEqual([]);
  });

  it("does not in Ramulator 2.0", async () => {
    expect(await overtakings(configOf("ramulator-2.0"), trace)).not.toEqual([]);
  });
});

describe("whatever the traffic", () => {
  it.each(["AllBank", "SameBank", "None"] as const)(
    "nothing overtakes a request of its address, refresh %s",
    async (refresh) => {
      const cases = dramCase({
        semantics: fc.constant("jedec"),
        refresh: fc.constant(refresh),
        tight: refresh === "None",
      });
      await fc.assert(
        fc.asyncProperty(cases, async ({ config, trace }) => {
          expect(await overtakings(config, trace)).toEqual([]);
        }),
        { numRuns: runs(15, 100) },
      );
    },
  );
});
