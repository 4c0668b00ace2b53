// SPDX-License-Identifier: Apache-2.0
// Latency by phase: parts add up to the whole, small examples equal a count by hand, and a head whose
// pages were not all recorded is left out.

import { describe, expect, it } from "vitest";
import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import { paperMachine } from "../../src/machine/resolve/systems.ts";
import type { KernelCycles } from "../../src/machine/csd/csd-device-run.ts";
import type { CsdJobResult, PageRecord } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { attentionLatency } from "../../src/results/latency/attention-latency.ts";
import { boundsOf } from "../../src/results/bounds.ts";
import { expertLatency } from "../../src/results/latency/expert-latency.ts";
import { spreadOf } from "../../src/results/percentiles.ts";
import { attentionTimesCheck, expertTimesCheck } from "../../src/results/latency/time-checks.ts";
import { bytes, cycles, femtoseconds } from "../../src/base/units.ts";
import { runOf } from "../helpers/fake-session.ts";
import { twoParts } from "../helpers/machines.ts";

const us = (n: number): ReturnType<typeof femtoseconds> => femtoseconds(n * 1e9);

describe("percentiles", () => {
  it("are those of nearest rank", () => {
    const times = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect(spreadOf(times)).toEqual({
      count: 200,
      mean: 100.5,
      p50: 100,
      p90: 180,
      p99: 198,
      most: 200,
    });
    expect(spreadOf([7])).toMatchObject({ p50: 7, p99: 7, most: 7 });
    expect(spreadOf([]).mean).toBe(0);
  });
});

describe("an expert's latency", () => {
  it("divides every cycle of the descriptor among the phases and the steps", () => {
    const machine = paperMachine("cycle");
    const none = runOf([], {}, 8);
    const run = {
      ...none,
      unit: {
        ...none.unit,
        phaseLoad: cycles(100),
        phaseGateUp: cycles(600),
        phaseDown: cycles(300),
        stallWeights: cycles(250),
        stallOperand: cycles(40),
        stallOutput: cycles(10),
      },
      phases: [
        { phase: "load", begin: cycles(0), end: cycles(100) },
        { phase: "gate-up", begin: cycles(100), end: cycles(700) },
        { phase: "down", begin: cycles(700), end: cycles(1000) },
      ],
      activity: Array.from({ length: 10 }, (_, i) => ({
        start: cycles(100 * i),
        length: cycles(100),
        busy: cycles(i === 0 ? 0 : 80),
        stallWeights: cycles(20),
        stallOperand: cycles(0),
        stallOutput: cycles(0),
        idle: cycles(0),
      })),
      bandwidth: Array.from({ length: 10 }, (_, i) => ({
        start: us(0.1 * i),
        length: us(0.1),
        bytes: bytes(i < 7 ? 14_000 : 0),
      })),
    } as const;
    const latency = expertLatency(run, machine, boundsOf(machine));
    const { phases, stages } = latency;
    expect(expertTimesCheck(run, latency)).toMatchObject({ id: "times", pass: true });
    const long = { ...run, unit: { ...run.unit, stallWeights: cycles(2000) } };
    const check = expertTimesCheck(long, expertLatency(long, machine, boundsOf(machine)));
    expect(check).toMatchObject({ pass: false });
    expect(check.detail).toContain("compute lasts -");
    expect(phases.map((p) => [p.id, Math.round(p.time * 1e9)])).toEqual([
      ["weights", 250],
      ["compute", 700],
      ["activation", 40],
      ["output", 10],
    ]);
    expect(phases.reduce((n, p) => n + p.share, 0)).toBeCloseTo(1, 12);
    expect(stages.map((s) => [s.id, s.critical])).toEqual([
      ["load", "too short"],
      ["gate-up", "DRAM"],
      ["down", "array"],
    ]);
    expect(stages[1]?.array).toBeCloseTo(0.8, 12);
  });
});

const noWork: KernelCycles = {
  rankLogits: cycles(0),
  rank: cycles(0),
  softmax: cycles(0),
  logits: cycles(0),
  attend: cycles(0),
  fold: cycles(0),
  waitKeys: cycles(0),
  waitValues: cycles(0),
  blocked: cycles(0),
};

function stepOf(pages: readonly PageRecord[], kernel: KernelCycles): CsdRun {
  const job = {
    status: "done",
    pages: { dims: 1, keys: 1, values: 1 },
    sent: us(0),
    taken: us(2),
    done: us(30),
    received: us(33),
  };
  const device = {
    cycles: cycles(1000),
    time: us(40),
    kernels: [kernel, noWork],
    pagesRead: 3,
    channels: [{ command: us(4), data: us(4), beats: 0, beatsKept: 0, stalled: cycles(0) }],
  };
  // Only the fields that the latency uses.
  const jobs = [job as unknown as CsdJobResult];
  return {
    jobs,
    devices: [device as never],
    sharedLink: null,
    machine: twoParts,
    pages,
  };
}

function page(copy: PageRecord["copy"], asked: number, arrived: number): PageRecord {
  return { job: 0, copy, index: 0, channel: 0, asked: us(asked), arrived: us(arrived) };
}

describe("attention's latency", () => {
  const flash = flashPresets.znand4k;
  const machine = csdMachine({ engine: "cycle", devices: 1, unit: sparfUnit(128, 8, 16), flash });
  const pages = [page("dim-keys", 3, 10), page("token-keys", 14, 20), page("token-values", 15, 25)];
  const of = (
    records: readonly PageRecord[],
    kernel = noWork,
  ): ReturnType<typeof attentionLatency> =>
    attentionLatency(machine, [{ length: 64, run: stepOf(records, kernel), jobs: [0] }]);

  it("follows a head from when it was sent to when its outputs came back", () => {
    const { intervals, whole } = of(pages);
    const times = intervals.map((i) => [i.id, Math.round(i.times.mean * 1e6)]);
    expect(times).toEqual([
      ["queue", 2],
      ["query", 1],
      ["step 1", 7],
      ["rank", 4],
      ["step 2", 11],
      ["finish", 5],
      ["return", 3],
    ]);
    expect(whole.mean).toBeCloseTo(33e-6, 12);
  });

  it("ends an interval where the next begins: what is left of a page crosses the bus meanwhile", () => {
    const early = [
      page("dim-keys", 3, 15),
      page("token-keys", 14, 20),
      page("token-values", 15, 31),
    ];
    const { intervals, whole } = of(early);
    expect(intervals.map((i) => [i.id, Math.round(i.times.mean * 1e6)])).toEqual([
      ["queue", 2],
      ["query", 1],
      ["step 1", 11],
      ["rank", 0],
      ["step 2", 16],
      ["finish", 0],
      ["return", 3],
    ]);
    expect(intervals.reduce((sum, i) => sum + i.times.mean, 0)).toBeCloseTo(whole.mean, 12);
    expect(attentionTimesCheck([{ length: 64, run: stepOf(early, noWork), jobs: [0] }]).pass).toBe(
      true,
    );
  });

  it.each([
    [
      "a page that came before it was asked for",
      [page("dim-keys", 3, 2), ...pages.slice(1)],
      "page 0",
    ],
    [
      "a page that was asked for before its head was taken",
      [page("dim-keys", 1, 2), ...pages.slice(1)],
      "page 0",
    ],
    [
      "a head whose page was asked for after it was done",
      [...pages.slice(0, 2), page("token-values", 31, 32)],
      "page 0",
    ],
  ])("is not believed with %s", (_, records, detail) => {
    const check = attentionTimesCheck([{ length: 64, run: stepOf(records, noWork), jobs: [0] }]);
    expect(check).toMatchObject({ id: "times", pass: false });
    expect(check.detail).toContain(detail);
  });

  it("leaves out a head that lacks a page record, and units whose time is not modelled", () => {
    const { intervals, phases } = of(pages.slice(0, 2));
    expect(intervals).toEqual([]);
    expect(phases.map((p) => p.id)).toEqual(["flash"]);
    expect(phases[0]?.busy).toBeCloseTo(0.2, 12);
  });

  it("counts a unit's cycles once a head and over all kernels", () => {
    const { phases } = of(pages, { ...noWork, rankLogits: cycles(285) });
    expect(phases[0]).toMatchObject({ id: "logit-0", busy: 285 / 2000 });
    expect(phases[0]?.perHead).toBeCloseTo(1e-6, 12);
  });
});
