// SPDX-License-Identifier: Apache-2.0
// The checker of command streams reports a violation of each of its rules, and none in the commands of the model.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { CommandKind } from "./bus-history.ts";
import { checkCommands, countKinds } from "./command-checker.ts";
import {
  constraintPairs,
  nextBanks,
  timingWith,
  twoCycleCorrection,
  type Timing,
} from "./constraint-rows.ts";
import { dramCase } from "./random-case.ts";
import { replayText, traceText } from "./replay-text.ts";
import type { TraceRequest } from "./address-map.ts";
import { runs } from "../../helpers/tier.ts";

const configOf = (semantics: "ramulator-2.0" | "jedec", timing = {}): DramReplayConfig =>
  parseDramReplayConfig(
    { preset: "TriMoE", semantics, timing_nCK: timing, organization: { ranks_per_channel: 2 } },
    "checker",
  );

const line = (
  cycle: number,
  kind: CommandKind,
  place: { readonly rank: number; readonly group: number; readonly bank: number },
  more: { readonly row?: number; readonly column?: number; readonly request?: number } = {},
): string =>
  [cycle, 0, kind, place.rank, place.group, place.bank]
    .concat([more.row ?? -1, more.column ?? -1, more.request ?? -1])
    .join(",");

const rulesOf = (lines: readonly string[], config: DramReplayConfig, trace: TraceRequest[] = []) =>
  checkCommands(config, lines, trace).map(({ rule }) => rule);

describe.each(["ramulator-2.0", "jedec"] as const)("each timing rule fires, %s", (semantics) => {
  it.each(constraintPairs(semantics))("%s", (_, { row, last, next }) => {
    const timing = timingWith(row.only, 500);
    const config = configOf(semantics, timing);
    const corrected = semantics === "jedec" ? twoCycleCorrection(last, next) : 0;
    const wait = row.wait(timing as Timing) + corrected;
    const pair = (gap: number): string[] => [
      line(1000, last, nextBanks.bank),
      line(1000 + gap, next, nextBanks[row.near]),
    ];
    // Two ranks on one bus wait for the burst (nBL) and the gap (nCS) under one name.
    const names = row.near === "other rank" ? ["nBL", "nCS"] : [row.rule];
    const fired = (gap: number): boolean =>
      rulesOf(pair(gap), config).some((rule) => names.includes(rule));
    expect(fired(wait - 1)).toBe(true);
    expect(fired(wait)).toBe(false);
  });
});

describe("each other rule fires", () => {
  const config = configOf("jedec");
  const bank = nextBanks.bank;
  const request = (
    id: number,
    address: bigint,
    op: "R" | "W" = "R",
    arrival = 0,
  ): TraceRequest => ({
    id,
    arrival,
    op,
    address,
  });
  const open = line(100, "ACT", bank, { row: 0 });
  const read = (more = {}): string =>
    line(134, "RD", bank, { row: 0, column: 0, request: 0, ...more });

  it("is silent on a legal pair", () => {
    expect(rulesOf([open, read()], config, [request(0, 0n)])).toEqual([]);
  });

  it.each<[string, string[], TraceRequest[]]>([
    ["order", [read(), open], [request(0, 0n)]],
    ["command bus", [open, line(101, "PRE", nextBanks.rank)], []],
    ["nFAW", [0, 1, 2, 3, 4].map((g) => line(100 + 2 * g, "ACT", { ...bank, group: g })), []],
    ["row open", [open, line(900, "ACT", bank, { row: 1 })], []],
    ["row closed", [line(134, "RD", bank, { row: 0, column: 0, request: 0 })], [request(0, 0n)]],
    ["wrong row", [open, read({ row: 1 })], [request(0, 1n << 20n)]],
    ["refresh of open banks", [open, line(900, "REFab", { rank: 0, group: -1, bank: -1 })], []],
    ["refresh of open banks", [open, line(900, "REFsb", { rank: 0, group: -1, bank: 0 })], []],
    ["refresh overdue", [line(50_000, "REFab", { rank: 0, group: -1, bank: -1 })], []],
    ["unknown request", [open, read({ request: 7 })], [request(0, 0n)]],
    [
      "served twice",
      [open, read(), line(400, "RD", bank, { row: 0, column: 0, request: 0 })],
      [request(0, 0n)],
    ],
    ["wrong operation", [open, read()], [request(0, 0n, "W")]],
    ["before arrival", [open, read()], [request(0, 0n, "R", 134)]],
    ["wrong place", [open, read({ column: 1 })], [request(0, 0n)]],
  ])("%s", (rule, lines, trace) => {
    expect(rulesOf(lines, config, trace)).toContain(rule);
  });

  it("data bus", () => {
    // The reference permits a read after a write of another rank although their bursts overlap.
    const quirky = configOf("ramulator-2.0", { nCWL: 50, nCL: 20 });
    const other = { rank: 1, group: 0, bank: 0 };
    const lines = [
      open,
      line(110, "ACT", other, { row: 0 }),
      line(200, "WR", bank, { row: 0, column: 0, request: 0 }),
      line(220, "RD", other, { row: 0, column: 0, request: 1 }),
    ];
    const trace = [request(0, 0n, "W"), request(1, 128n * 64n)];
    expect(rulesOf(lines, quirky, trace)).toEqual(["data bus"]);
  });
});

describe("what the model does is legal", () => {
  it.each(["ramulator-2.0", "jedec"] as const)("random traffic, %s", async (semantics) => {
    const cases = dramCase({
      semantics: fc.constant(semantics),
      refresh: fc.constantFrom("AllBank", "SameBank", "None"),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ config, trace }) => {
        const { commands } = await replayText(config, traceText(trace));
        expect(checkCommands(config, commands, trace, false)).toEqual([]);
      }),
      { numRuns: runs(40, 150) },
    );
  });

  it("real timings never let bursts meet, and each bank has two REFsb per tREFI", async () => {
    const cases = dramCase({
      semantics: fc.constant("jedec"),
      refresh: fc.constantFrom("AllBank", "SameBank"),
    });
    const presets = fc.constantFrom("TriMoE", "DDR5-3200AN", "DDR5-4800BN", "DDR5-6400AN");
    await fc.assert(
      fc.asyncProperty(cases, presets, async ({ config, trace }, preset) => {
        const { timing } = parseDramReplayConfig({ preset }, "preset");
        const real = { ...config, timing };
        const { commands, totalCycles } = await replayText(real, traceText(trace));
        expect(checkCommands(real, commands, trace)).toEqual([]);
        if (real.refresh !== "SameBank") return;
        const { channels, ranks, banksPerGroup } = real.organization;
        const rounds = Math.floor(totalCycles / (timing.nREFI + timing.nRFC1)) - 1;
        // Half of the rows a command, so each bank twice in tREFI.
        const least = 2 * rounds * channels * ranks * banksPerGroup;
        expect(countKinds(commands).REFsb).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: runs(20, 60) },
    );
  });
});
