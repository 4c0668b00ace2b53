// SPDX-License-Identifier: Apache-2.0
// Refresh of ranks with ownership transfers: under each owner, a rank has at every instant received the refreshes that
// are due, except those that may be postponed, and none twice.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { rowsOf } from "../../../src/native/record.ts";
import {
  allRanks,
  anyTraffic,
  commandsOf,
  rankMemory,
  runTraffic,
  type HostRead,
  type NdpMove,
  type Rank,
  type RankCommand,
} from "../../helpers/rank-traffic.ts";
import { rejection } from "../../helpers/rejection.ts";
import { runs } from "../../helpers/tier.ts";

const { clock, timing } = rankMemory();
const nREFI = timing["nREFI"] ?? 0;
/** JESD79-5, normal mode: the most REFab that a rank may postpone. The model sends none early. */
const postponed = 4;
const streams = 8;

/** Refreshes of a rank that are due by a cycle: those of the ranks of a DIMM are an eighth of tREFI apart. */
const dueOf =
  ({ stream }: Pick<Rank, "stream">) =>
  (cycle: number): number =>
    Math.floor((cycle + Math.floor((stream * nREFI) / streams)) / nREFI);

/** The largest number of refreshes that a rank is behind, and ahead, in so many cycles. */
function balance(
  refreshes: readonly number[],
  end: number,
  due = dueOf({ stream: 0 }),
): { readonly owed: number; readonly ahead: number } {
  // Debt is largest right before a refresh and at the end, the lead right after one.
  const owed = [...refreshes, end + 1].map((cycle, i) => due(cycle - 1) - i);
  const ahead = refreshes.map((cycle, i) => i + 1 - due(cycle));
  return { owed: Math.max(...owed), ahead: Math.max(0, ...ahead) };
}

/**
 * Refreshes of independent timers: host and NDP each have their own due times, which are an eighth of tREFI apart over
 * the ranks of the host. Each drops the refreshes that fell due while the other owned the rank.
 */
function forgetful(commands: readonly RankCommand[], rank: Rank, end: number): readonly number[] {
  const { dimm, stream } = rank;
  const turn = { ndp: -stream, host: 4 * dimm + (stream % 4) };
  const found: number[] = [];
  let [user, since]: readonly ["ndp" | "host", number] = ["ndp", 0];
  const hand = (to: "ndp" | "host", cycle: number): void => {
    const first = Math.floor((turn[user] * nREFI) / streams);
    const from = Math.ceil((since + 1 - first) / nREFI);
    for (let due = first + from * nREFI; due <= cycle; due += nREFI) {
      if (due > 0) found.push(due);
    }
    [user, since] = [to, cycle];
  };
  for (const command of commands) {
    const own = command.dimm === dimm && command.stream === stream;
    if (own && command.user !== user) hand(command.user, command.cycle);
  }
  hand(user, end);
  return found;
}

const cyclesOf = (femtoseconds: number): number => Math.floor((femtoseconds * clock) / 1e15);

async function refreshesOf(
  devices: readonly (readonly HostRead[])[],
  moves: readonly NdpMove[],
  before: boolean = false,
) {
  const { result, commands } = await runTraffic(devices, moves);
  const end = cyclesOf(result.end);
  return allRanks.map((rank) => {
    const cycles = before
      ? forgetful(commands, rank, end)
      : commandsOf(commands, rank)
          .filter(({ kind }) => kind === "REFab")
          .map(({ cycle }) => cycle);
    const ports = rowsOf("PortCounters", result.ports[rank.dimm] ?? new Float64Array());
    return { rank, cycles, port: ports[rank.stream], end, ...balance(cycles, end, dueOf(rank)) };
  });
}

/** The host has a rank while its refreshes fall due, and NDP has it in between. */
function aroundEachInterval(rank: Rank, intervals: number): readonly HostRead[] {
  const nanosecond = clock / 1e9;
  const held = 64;
  const readTime = (held * (timing["nBL"] ?? 0)) / nanosecond;
  const interval = nREFI / nanosecond;
  const first = interval * (1 - rank.stream / streams);
  // Each read has a refresh in it, and a row to open after it.
  const refresh = (1.35 * (timing["nRFC1"] ?? 0)) / nanosecond;
  return Array.from({ length: intervals }, (_, i) => ({
    ...rank,
    wait: Math.round(i === 0 ? first - readTime / 2 : interval - 1.3 * readTime - refresh),
    burst: i * held,
    bursts: held,
  }));
}

describe("refresh of a rank that changes hands", () => {
  it("finds owed and duplicate refreshes in a list", () => {
    const on = [1, 2, 3, 4].map((i) => i * nREFI);
    expect(balance(on, 4 * nREFI)).toEqual({ owed: 0, ahead: 0 });
    expect(balance(on.slice(2), 4 * nREFI).owed).toBe(2);
    expect(balance(on.slice(0, 2), 4 * nREFI).owed).toBe(2);
    expect(balance([nREFI - 1, ...on], 4 * nREFI).ahead).toBe(1);
  });

  it("is never skipped where the host has the rank at the times at which it falls due", async () => {
    const rank = { dimm: 0, stream: 1 };
    const refreshes = await refreshesOf([aroundEachInterval(rank, 20)], []);
    for (const { owed, ahead } of refreshes) {
      expect(owed).toBeLessThanOrEqual(1);
      expect(ahead).toBe(0);
    }
    const before = await refreshesOf([aroundEachInterval(rank, 20)], [], true);
    const owed = before.map((one) => one.owed);
    expect(owed[rank.stream]).toBeGreaterThan(postponed);
    // The host reads no other rank, so the other ranks are refreshed in time with either kind of timer.
    expect(owed.filter((n) => n > 1)).toHaveLength(1);
  });

  it("does not keep a read waiting that arrives while the rank leaves for its owner", async () => {
    const rank = { dimm: 0, stream: 0 };
    const nanosecond = clock / 1e9;
    // The refresh of the host falls due at several times about the end of a read and of its ownership.
    for (let wait = Math.round(nREFI / nanosecond) - 100; wait < nREFI / nanosecond; wait += 2) {
      const reads = [wait, 0, 0].map((each): HostRead => {
        return { ...rank, wait: each, burst: 0, bursts: 1 };
      });
      const { commands } = await runTraffic([reads], []);
      expect(commands.filter(({ user, kind }) => user === "host" && kind === "RD")).toHaveLength(3);
    }
  });

  it("fails the run where a rank falls behind, on the side that has it", async () => {
    const rank = { dimm: 0, stream: 1 };
    const twice = { limits: { refreshInterval: Math.floor(nREFI / 2) } };
    const run = (reads: readonly HostRead[]): Promise<unknown> => runTraffic([reads], [], twice);
    const bursts = Math.ceil((8 * nREFI) / (timing["nBL"] ?? 1));
    await expect(run([{ ...rank, wait: 0, burst: 0, bursts }])).rejects.toThrow(
      rejection("check-failed", /^host sub-channel 0 rank 1 refresh: [1-9] .* calls for \d+/),
    );
    await expect(run([{ ...rank, wait: 30_000, burst: 0, bursts: 1 }])).rejects.toThrow(
      rejection("check-failed", /^DIMM 0 sub-channel \d refresh: .* calls for [1-9]/),
    );
    const half = { limits: { refreshInterval: 2 * nREFI } };
    await expect(
      runTraffic([[{ ...rank, wait: 30_000, burst: 0, bursts: 1 }]], [], half),
    ).rejects.toThrow(rejection("check-failed", /^DIMM 0 sub-channel \d refresh: .* calls for 0,/));
  });

  it("is what the time calls for, whatever the traffic, at every instant", async () => {
    await fc.assert(
      fc.asyncProperty(anyTraffic(), async ({ devices, moves }) => {
        for (const { rank, cycles, port, end, owed, ahead } of await refreshesOf(devices, moves)) {
          expect(owed).toBeLessThanOrEqual(postponed);
          // A refresh waits only for the requests that the machine has accepted.
          expect(owed).toBeLessThanOrEqual(1);
          expect(ahead).toBe(0);
          expect(port?.rankRefreshes).toBe(cycles.length);
          expect(port?.refreshesDue).toBe(dueOf(rank)(end));
        }
      }),
      { numRuns: runs(6, 60) },
    );
  });

  it("is not, by timers that forget what falls due elsewhere", async () => {
    const { failed } = await fc.check(
      fc.asyncProperty(anyTraffic(), async ({ devices, moves }) => {
        const refreshes = await refreshesOf(devices, moves, true);
        return refreshes.every(({ owed }) => owed <= postponed);
      }),
      { numRuns: 60, endOnFailure: true },
    );
    expect(failed).toBe(true);
  });
});
