// SPDX-License-Identifier: Apache-2.0
// Refresh management of ranks with ownership transfers: activations by the host and by the NDP unit count for a bank
// (RAA), so that both together never activate a bank at the limit of the device.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { present } from "../../../src/base/present.ts";
import { checkTrace } from "../../../src/kernels/dram/check/check.ts";
import { countsOf, tableBusCycles } from "../../../src/kernels/dram/check/memory.ts";
import type { Violation } from "../../../src/kernels/dram/check/violation.ts";
import type { RefreshManagement } from "../../../src/machine/dram/refresh-management.ts";
import { ddr5 } from "../../../src/machine/dram/standards/ddr5.ts";
import { rowsOf } from "../../../src/native/record.ts";
import {
  allRanks,
  anyTraffic,
  commandsOf,
  rankMemory,
  runTraffic,
  type HostRead,
  type NdpMove,
  type RankCommand,
} from "../../helpers/rank-traffic.ts";
import { rejection } from "../../helpers/rejection.ts";
import { runs } from "../../helpers/tier.ts";

const memory = rankMemory();
const { bankGroups, banksPerGroup, columnsPerRow } = memory;
const rank = { dimm: 0, stream: 1 };
/** From a burst to that of the next row of its bank: bank groups, columns and banks are below the row. */
const rowBursts = bankGroups * columnsPerRow * banksPerGroup;

const managements = (commands: readonly RankCommand[]): readonly RankCommand[] =>
  commands.filter(({ kind }) => /^RFM/.test(kind));

/** What `neardata dram check` finds in the commands of a rank. */
async function violationsOf(
  commands: readonly RankCommand[],
  refreshManagement: RefreshManagement,
): Promise<readonly Violation[]> {
  const checked = {
    standard: ddr5,
    timing: memory.timing,
    channels: 1,
    counts: countsOf({ "bank group": bankGroups, bank: banksPerGroup }),
    busCycles: tableBusCycles(ddr5),
    // The debt at the start of the run is not in the trace.
    refreshes: false,
    clockAlwaysOn: false,
    refreshManagement,
  };
  const { violations } = await checkTrace(
    checked,
    "a test",
    ["cycle,ch,cmd,rank,bg,bank,row,col,req", ...commands.map(lineOf)].map((text, index) => ({
      text,
      number: index + 1,
    })),
  );
  return violations;
}

/** A command as a trace has it: -1 for a part of the address that it does not have. */
function lineOf({ cycle, kind, place }: RankCommand): string {
  const { reach, access, needs } = present(ddr5.commands[kind]);
  const [group, bank, row, column] = place;
  const opens = reach === "bank" && needs === "closed";
  const address = [
    reach === "bank" ? group : -1,
    reach === "rank" ? -1 : bank,
    opens || access !== undefined ? row : -1,
    access === undefined ? -1 : column,
  ];
  return [cycle, 0, kind, 0, ...address, -1].join(",");
}

/** Host and NDP open rows of one bank, one after the other, so many times each; a row is opened once. */
function inTurns(times: number): readonly [HostRead[], NdpMove[]] {
  const turn = 2000;
  const row = (n: number): number => n * rowBursts;
  const reads = Array.from({ length: times }, (_, i): HostRead => {
    return { ...rank, wait: i === 0 ? turn / 2 : turn - 100, burst: row(2 * i + 1), bursts: 1 };
  });
  const moves = Array.from({ length: times }, (_, i): NdpMove => {
    const to = { dimm: 0, stream: 6, burst: i };
    return { start: i * turn, from: { ...rank, burst: row(2 * i) }, to, bursts: 1 };
  });
  return [reads, moves];
}

describe("activations of a rank that changes hands", () => {
  it("count under both owners", async () => {
    const times = 10;
    const [reads, moves] = inTurns(times);
    // No refresh covers any activation.
    const refreshManagement = { initial: 8, maximum: 8, perRefresh: 0 };
    const { result, commands } = await runTraffic([reads], moves, {
      memory: { refreshManagement },
    });
    const own = commandsOf(commands, rank);
    const opened = own.filter(({ kind, place }) => kind === "ACT" && place[1] === 0);
    for (const user of ["host", "ndp"]) {
      expect(opened.filter((one) => one.user === user)).toHaveLength(times);
    }
    // An RFM follows each eighth activation of the bank, whichever user has the rank then.
    const until = ({ cycle }: RankCommand): number =>
      opened.filter((one) => one.cycle < cycle).length;
    expect(managements(own).map(until)).toEqual([8, 16]);
    expect(await violationsOf(own, refreshManagement)).toEqual([]);
    const [port] = result.ports;
    const ranks = rowsOf("PortCounters", port ?? new Float64Array());
    expect(ranks.map(({ rankManagements }) => rankManagements)).toEqual([0, 2, 0, 0, 0, 0, 0, 0]);
  });

  it.each([
    ["AllBank", "RFMab", 3],
    ["SameBank", "RFMsb", 2],
  ] as const)("never reach the limit with %s and %s, whatever the traffic", async (...row) => {
    const [refresh, rfm, initial] = row;
    const refreshManagement = { initial, maximum: initial, perRefresh: 0 };
    let issued = 0;
    await fc.assert(
      fc.asyncProperty(anyTraffic(), async ({ devices, moves }) => {
        const changes = { memory: { refresh, refreshManagement } };
        const { result, commands } = await runTraffic(devices, moves, changes);
        for (const each of allRanks) {
          const own = commandsOf(commands, each);
          expect(await violationsOf(own, refreshManagement)).toEqual([]);
          const ports = rowsOf("PortCounters", result.ports[each.dimm] ?? new Float64Array());
          expect(ports[each.stream]?.rankManagements).toBe(managements(own).length);
          expect(managements(own).every(({ kind }) => kind === rfm)).toBe(true);
          issued += managements(own).length;
        }
      }),
      { numRuns: runs(6, 60) },
    );
    expect(issued).toBeGreaterThan(10);
  });

  it("fail the run beyond the limit of the device, on the side that activates", async () => {
    const refreshManagement = { initial: 1000, maximum: 1000, perRefresh: 0 };
    const [reads, moves] = inTurns(10);
    const run = (maximum: number, of: readonly [HostRead[], NdpMove[]]): Promise<unknown> =>
      runTraffic([of[0]], of[1], {
        memory: { refreshManagement },
        limits: { activations: { ...refreshManagement, maximum } },
      });
    await run(20, [reads, moves]);
    await expect(run(19, [reads, moves])).rejects.toThrow(
      rejection("check-failed", /rank 1 activations: bank 0 .* after 19 activations .* is 19/),
    );
    await expect(run(5, [[], moves])).rejects.toThrow(
      rejection("check-failed", /^DIMM 0 sub-channel 1 activations: .* after 5 .* is 5/),
    );
  });

  it("count in DRAM alone, and not in the buffer chips of moves that the host forwards", async () => {
    const moves = Array.from({ length: 3 }, (_, i): NdpMove => {
      const to = { dimm: 1, stream: 1, burst: 0 };
      return { start: i * 4000, from: { ...rank, burst: i * rowBursts }, to, bursts: 8 };
    });
    const refreshManagement = { initial: 1, maximum: 1, perRefresh: 0 };
    const { result, commands } = await runTraffic([], moves, {
      memory: { refreshManagement },
      forwarded: true,
    });
    const host = rowsOf("HostCounters", result.host);
    const forwarded = host.reduce((sum, { forwardedBursts }) => sum + forwardedBursts, 0);
    expect(forwarded).toBeGreaterThanOrEqual(2 * 3 * 8);
    for (const used of [rank, { dimm: 1, stream: 1 }]) {
      const own = commandsOf(commands, used);
      const opened = own.filter(({ kind }) => kind === "ACT").length;
      expect(opened).toBeGreaterThan(3);
      // The run may end before the last RFM.
      expect([opened, opened - 1]).toContain(managements(own).length);
    }
  });

  it("change no command while no bank reaches the threshold", async () => {
    const [reads, moves] = inTurns(5);
    const refreshManagement = { initial: 1000, maximum: 1000, perRefresh: 1000 };
    const managed = await runTraffic([reads], moves, { memory: { refreshManagement } });
    const plain = await runTraffic([reads], moves);
    expect(managed.commands).toEqual(plain.commands);
    expect(managed.result.ports).toEqual(plain.result.ports);
  });
});
