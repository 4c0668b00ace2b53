// SPDX-License-Identifier: Apache-2.0
// Timelines in the trace-event format, and a run's commands as open rows and bursts.

import { experts } from "../../src/run/kernels/experts.ts";
import { describe, expect, it } from "vitest";
import { hbm3 } from "../../src/machine/dram/standards/hbm3.ts";
import { lpddr5 } from "../../src/machine/dram/standards/lpddr5.ts";
import { channelMemory, paperMachine } from "../../src/machine/resolve/systems.ts";
import type { CommandRecord, NdpRun, RankMemory } from "../../src/machine/types.ts";
import { perfettoJson } from "../../src/report/perfetto.ts";
import { runTimeline } from "../../src/report/run-timeline.ts";
import type { CaseResult } from "../../src/results/types.ts";
import { cycles } from "../../src/base/units.ts";

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid?: number;
  readonly ts?: number;
  readonly dur?: number;
}

const eventsOf = (json: string): readonly TraceEvent[] =>
  (JSON.parse(json) as { traceEvents: TraceEvent[] }).traceEvents;

describe("a trace", () => {
  it("numbers tracks and lanes in order of appearance and counts in microseconds", () => {
    const events = eventsOf(
      perfettoJson(
        [
          { track: "a", lane: "x", name: "first", startNs: 500, durationNs: 1000 },
          { track: "b", lane: "x", name: "second", startNs: 0, durationNs: 1 },
        ],
        [{ track: "a", name: "rate", timeNs: 2000, value: 3 }],
      ),
    );
    expect(events.filter((e) => e.ph === "X")).toMatchObject([
      { name: "first", pid: 1, tid: 1, ts: 0.5, dur: 1 },
      { name: "second", pid: 2, tid: 2 },
    ]);
    expect(events.filter((e) => e.ph === "C")).toMatchObject([{ pid: 1, ts: 2 }]);
    expect(events.filter((e) => e.ph === "M")).toHaveLength(4);
  });

  it("is valid when nothing happened", () => {
    expect(eventsOf(perfettoJson([]))).toEqual([]);
  });
});

describe("the timeline of a run", () => {
  const command = (cycle: number, name: string, more: Partial<CommandRecord>): CommandRecord => ({
    stream: 0,
    cycle: cycles(cycle),
    command: name,
    logicalRank: 0,
    bankGroup: 1,
    bank: 2,
    row: 5,
    column: 0,
    ...more,
  });
  const timeline = (
    commands: readonly CommandRecord[],
    memory: Partial<RankMemory> = {},
  ): readonly TraceEvent[] => {
    const machine = paperMachine();
    const run = {
      ...{ commands, streams: [], phases: [], bandwidth: [] },
      host: { total: 0 },
    } as unknown as NdpRun;
    const one = {
      title: "t",
      machine: { ...machine, memory: { ...machine.memory, ...memory } },
      run,
      latency: null,
      metrics: [],
    } as unknown as CaseResult;
    return eventsOf(runTimeline({ kernels: [experts.result([one])] })).filter((e) => e.ph === "X");
  };
  const ns = 1e9 / 2.4e9;

  it("shows a row from its activation to its precharge, and the bursts in it", () => {
    const events = timeline([
      command(0, "ACT", {}),
      command(34, "RD", { column: 3 }),
      command(240, "PRE", {}),
    ]);
    expect(events.map((e) => e.name)).toEqual(["row 5", "RD"]);
    expect(events[0]?.dur).toBeCloseTo((240 * ns) / 1000, 9);
    expect(events[1]?.dur).toBeCloseTo((8 * ns) / 1000, 9);
  });

  it("closes every row of the rank at a refresh, and of no other rank", () => {
    const events = timeline([
      command(0, "ACT", {}),
      command(2, "ACT", { stream: 1 }),
      command(100, "REFab", { bankGroup: -1, bank: -1 }),
      command(120, "RD", { stream: 1 }),
    ]);
    const rows = events.filter((e) => e.name === "row 5");
    expect(rows.map((r) => Math.round(((r.dur ?? 0) * 1000) / ns))).toEqual([100, 118]);
  });

  it("shows an RFM of all banks as long as a refresh", () => {
    const all = { bankGroup: -1, bank: -1 };
    const events = timeline([command(0, "REFab", all), command(800, "RFMab", all)]);
    expect(events.map((e) => e.name)).toEqual(["REFab", "RFMab"]);
    expect(events[1]?.dur).toBe(events[0]?.dur);
    expect(events[1]?.dur).toBeGreaterThan(0.2);
  });

  const inCycles = (events: readonly TraceEvent[]): readonly (readonly [string, number])[] =>
    events.map(({ name, dur = 0 }) => [name, Math.round((dur * 1000) / ns)]);

  it("closes the rows of the addressed banks alone at a command to a bank of each group", () => {
    const events = timeline(
      [
        command(0, "ACT", { row: 1 }),
        command(20, "ACT", { row: 2, bankGroup: 3 }),
        command(40, "ACT", { row: 3, bank: 0 }),
        command(200, "PREsb", { bankGroup: -1, row: -1 }),
        command(300, "RFMsb", { bankGroup: -1, row: -1 }),
        command(900, "PRE", { bank: 0 }),
      ],
      { refresh: "SameBank" },
    );
    const { nRFCsb = 0 } = paperMachine().memory.timing;
    expect(inCycles(events)).toEqual([
      ["row 1", 200],
      ["row 2", 180],
      ["row 3", 860],
      ["PREsb", 1],
      ["RFMsb", nRFCsb],
    ]);
  });

  it("shows the rows of a standard with two commands for an activation", () => {
    const events = timeline(
      [
        command(0, "ACT1", {}),
        command(4, "ACT2", {}),
        command(20, "ACT1", { bank: 3 }),
        command(24, "ACT2", { bank: 3, row: 6 }),
        command(40, "CAS_RD", {}),
        command(41, "RD", {}),
        command(104, "REFpb", { bank: 4, row: -1 }),
        command(204, "PRE", {}),
        command(224, "PREA", { bankGroup: -1, bank: -1 }),
      ],
      { ...channelMemory(lpddr5, "LPDDR5-6400", 32, "a test"), refresh: "PerBank" },
    );
    expect(events.map(({ name }) => name)).toEqual(["row 5", "row 6", "RD", "REFpb", "PREA"]);
    const [first, second] = events;
    expect(first?.dur).toBeCloseTo(second?.dur ?? 0, 9);
  });

  it("has a lane for the bank of each stack", () => {
    const events = timeline(
      [
        command(0, "ACT", { row: 1 }),
        command(20, "ACT", { row: 2, logicalRank: 1 }),
        command(100, "PRE", {}),
        command(140, "PRE", { logicalRank: 1 }),
      ],
      channelMemory(hbm3, "HBM3-6400", 32, "a test"),
    );
    expect(events.map(({ name }) => name)).toEqual(["row 1", "row 2"]);
    expect(new Set(events.map(({ tid }) => tid)).size).toBe(2);
  });
});
