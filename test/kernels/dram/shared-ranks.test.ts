// SPDX-License-Identifier: Apache-2.0
// Ranks that host and NDP own alternately. The host's channel and the private channels of NDP mode share the banks: all
// commands to a rank must be legal as if one controller had sent them.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import {
  allRanks,
  commandKinds,
  commandsOf,
  rankMemory,
  runLayer,
  runTraffic,
  type HostRead,
  type NdpMove,
  type RankCommand,
} from "../../helpers/rank-traffic.ts";
import { hostPath } from "../../../src/machine/resolve/systems.ts";
import type { LayerExpert } from "../../../src/kernels/moe/moe-layer.ts";
import { hostMoments } from "../../../src/native/ndp/ndp-run.ts";
import { present } from "../../../src/base/present.ts";
import { seconds } from "../../../src/base/units.ts";
import { checkCommands } from "./command-checker.ts";
import { runs } from "../../helpers/tier.ts";

/** One rank of the machine. */
const config = parseDramReplayConfig(
  { preset: "TriMoE", semantics: "jedec", organization: { ranks_per_channel: 1 } },
  "shared ranks",
);
const { nRP, nRCD, nREFI } = config.timing;

/** Rules that the commands of both users of a rank break as one stream. */
function brokenRules(commands: readonly RankCommand[]): readonly string[] {
  const lines = commands.map(({ cycle, kind, place }) => {
    const whole = kind === "PREA" || kind === "REFab";
    const [group, bank, row, column] = place;
    return [cycle, 0, kind, 0, whole ? -1 : group, whole ? -1 : bank, row, column, -1].join();
  });
  return checkCommands(config, lines, [])
    .map(({ rule }) => rule)
    .filter((rule) => rule !== "unknown request");
}

/** The first commands of each user that do not follow a PREA of the previous user. */
function takenTooSoon(commands: readonly RankCommand[]): readonly RankCommand[] {
  return commands.filter((command, i) => {
    const before = commands[i - 1];
    return before !== undefined && before.user !== command.user && before.kind !== "PREA";
  });
}

const place = { dimm: 0, stream: 1 };

describe("hand-over of a rank", () => {
  it("has the timings that its commands are held to", () => {
    expect(rankMemory().timing).toEqual(config.timing);
  });

  it("costs a PREA and nRP, both ways", async () => {
    const { commands } = await runTraffic(
      [[{ wait: 1000, ...place, burst: 5000, bursts: 1 }]],
      [
        {
          start: 1050,
          from: { ...place, burst: 5000 },
          to: { dimm: 1, stream: 2, burst: 0 },
          bursts: 1,
        },
      ],
    );
    const sent = commandsOf(commands, place);
    const first = sent[0]?.cycle ?? 0;
    // JEDEC counts nRP from the one-cycle PREA to the two-cycle ACT: a cycle less.
    const act = nRP - 1;
    const back = (sent[3]?.cycle ?? 0) - first;
    expect(sent.map(({ cycle, user, kind }) => [cycle - first, user, kind])).toEqual([
      [0, "ndp", "PREA"],
      [act, "host", "ACT"],
      [act + nRCD, "host", "RD"],
      [back, "host", "PREA"],
      [back + act, "ndp", "ACT"],
      [back + act + nRCD, "ndp", "RD"],
    ]);
    expect(back).toBeGreaterThan(act + nRCD);
  });

  it("waits for what the old user has taken", async () => {
    const { commands } = await runTraffic(
      [[{ wait: 1000, ...place, burst: 9000, bursts: 4 }]],
      [
        {
          start: 500,
          from: { ...place, burst: 0 },
          to: { dimm: 1, stream: 2, burst: 0 },
          bursts: 4096,
        },
      ],
    );
    const sent = commandsOf(commands, place);
    const host = sent.findIndex(({ user }) => user === "host");
    const back = sent.findLastIndex(({ user }) => user === "host");
    expect(takenTooSoon(sent)).toEqual([]);
    const reads = (some: typeof sent): number => some.filter(({ kind }) => kind === "RD").length;
    expect(reads(sent.slice(0, host))).toBeGreaterThan(0);
    expect(reads(sent.slice(host, back + 1))).toBe(4);
    expect(reads(sent)).toBe(4096 + 4);
    expect(brokenRules(sent)).toEqual([]);
  });

  it("to NDP does not delay a read that arrives during it, whatever else the host reads", async () => {
    const cyclesPerNanosecond = 2.4;
    let refreshed = 0;
    // In some of the cases the rank has a refresh to issue before it leaves.
    for (let wait = 3300; wait < 3460; wait += 2) {
      const read = { ...place, burst: 5000, bursts: 1 };
      const again = wait + 200;
      const { commands } = await runTraffic(
        [
          [{ ...read, wait }],
          [{ ...read, wait: again }],
          [{ ...place, stream: 2, wait: wait + 60, burst: 0, bursts: 400 }],
        ],
        [],
      );
      const host = commandsOf(commands, place).filter(({ user }) => user === "host");
      const second = present(host.findLast(({ kind }) => kind === "ACT")).cycle;
      const left = host.findLast(({ kind, cycle }) => kind === "PREA" && cycle < second)?.cycle;
      // The host still owns the rank, or the rank has left before the second read arrives.
      if (left === undefined || left < again * cyclesPerNanosecond) continue;
      if (host.some(({ kind, cycle }) => kind === "REFab" && cycle < left)) refreshed++;
      // The PREA of each side costs nRP.
      expect(second - left).toBeLessThan(3 * nRP);
    }
    expect(refreshed).toBeGreaterThan(0);
  });

  it("takes the duty of refresh along", async () => {
    const bursts = Math.ceil((5 * nREFI) / config.timing.nBL);
    const { commands } = await runTraffic([[{ wait: 0, ...place, burst: 0, bursts }]], []);
    const refreshes = commandsOf(commands, place).filter(({ kind }) => kind === "REFab");
    expect(new Set(refreshes.map(({ user }) => user))).toEqual(new Set(["host"]));
    expect(refreshes.length).toBeGreaterThanOrEqual(5);
    expect(commandKinds).toContain("REFab");
  });

  it("whatever the traffic, both together obey every rule and everything is served", async () => {
    const rank = fc.record({
      dimm: fc.integer({ min: 0, max: 1 }),
      stream: fc.constantFrom(0, 1, 4),
    });
    const burst = fc.integer({ min: 0, max: 1 << 12 });
    const read = fc
      .record({
        at: rank,
        wait: fc.constantFrom(0, 0, 10, 100, 1000, 9000),
        burst,
        bursts: fc.integer({ min: 1, max: 200 }),
      })
      .map(({ at, ...rest }): HostRead => ({ ...at, ...rest }));
    // Moves read only bursts that no move writes.
    const move = fc
      .record({
        start: fc.integer({ min: 0, max: 20_000 }),
        from: fc.record({ at: rank, burst }).map(({ at, ...rest }) => ({ ...at, ...rest })),
        to: rank,
        bursts: fc.integer({ min: 1, max: 200 }),
      })
      .map((made): NdpMove => ({ ...made, to: { ...made.to, burst: 0 } }));
    const traffic = fc.record({
      devices: fc.array(fc.array(read, { minLength: 1, maxLength: 20, size: "max" }), {
        minLength: 1,
        maxLength: 2,
      }),
      moves: fc
        .array(move, { maxLength: 12 })
        .map((moves) =>
          moves.map((one, i) => ({ ...one, to: { ...one.to, burst: (i + 1) * (1 << 14) } })),
        ),
    });
    await fc.assert(
      fc.asyncProperty(traffic, async ({ devices, moves }) => {
        const { result, commands } = await runTraffic(devices, moves);
        for (const each of allRanks) {
          expect(brokenRules(commandsOf(commands, each))).toEqual([]);
          expect(takenTooSoon(commandsOf(commands, each))).toEqual([]);
        }
        const wanted = devices.flat().reduce((sum, { bursts }) => sum + bursts, 0);
        const read = commands.filter(({ user, kind }) => user === "host" && kind === "RD");
        expect(read).toHaveLength(wanted);
        expect(result.devices.map((spans) => spans.length / 4)).toEqual(
          devices.map((reads) => reads.length),
        );
        expect(result.moves.length).toBe(2 * moves.length);
        expect(result.moves.every((time) => time >= 0)).toBe(true);
      }),
      { numRuns: runs(15, 100) },
    );
  });
});

describe("inputs and outputs that the host brings and takes", () => {
  const shape = { hidden: 300, intermediate: 260, format: "fp16", activation: "silu" } as const;
  const expert = (
    id: number,
    device: "NDP" | "CPU",
    home: number,
    tokens: number,
  ): LayerExpert => ({
    id,
    tokens,
    device,
    compute: seconds(0),
    weights: { home },
  });
  const cold = [expert(0, "NDP", 0, 5), expert(1, "NDP", 0, 1), expert(2, "NDP", 1, 3)];

  it.each([
    ["alone", []],
    ["beside reads of the same ranks", [expert(3, "CPU", 0, 8), expert(4, "CPU", 1, 8)]],
  ] as const)("%s obey every rule and go over the host's sub-channels", async (_, warm) => {
    const { result, commands } = await runLayer({ shape, experts: [...cold, ...warm], moves: [] });
    const stride = 2;
    for (const rank of allRanks) {
      const sent = commandsOf(commands, rank);
      expect(brokenRules(sent)).toEqual([]);
      expect(takenTooSoon(sent)).toEqual([]);
      const tokens = rank.dimm === 0 ? 6 : 3;
      const host = (kind: string): number =>
        sent.filter((c) => c.user === "host" && c.kind === kind).length;
      expect(host("WR")).toBe(tokens * stride);
      if (warm.length === 0) expect(host("RD")).toBe(tokens * stride);
    }
    for (const [d, moments] of result.hostJobs.entries()) {
      const at = hostMoments(moments);
      if (at === null) throw new Error(`DIMM ${d} has no jobs`);
      const [taken = -1] = result.jobs[d] ?? [];
      const order = [0, at.inputs, at.commanded, taken, at.ended, at.seen, at.outputs];
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(at.commanded - at.inputs).toBeGreaterThanOrEqual(hostPath.command * 1e15);
    }
  });
});
