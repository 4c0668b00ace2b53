// SPDX-License-Identifier: Apache-2.0
// The plan of a decode step: dependences, sequences that overlap, and the critical path; and
// steps of a small model on the cycle models, whose values are the golden model's.

import { describe, expect, it } from "vitest";

import { hostPath, paperMachine } from "../../src/machine/resolve/systems.ts";
import {
  criticalChain,
  placeByLoad,
  planTasks,
  runPlan,
  type HostTimes,
  type LayerTimes,
} from "../../src/lm/token/token-plan.ts";
import { runTokenSteps, type TokenSteps } from "../../src/lm/token/token-machine.ts";
import { readMoeModel } from "../../src/lm/moe/model.ts";
import { hostTimesOf, tokenReport, tokenSpans } from "../../src/lm/token/token-report.ts";
import { rebalance, relayoutPlaces } from "../../src/lm/token/token-relayout.ts";
import { layerTimes, resourceTimes, resourceWaits } from "../../src/lm/token/token-waits.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openSession } from "../../src/native/session.ts";
import { bytes, seconds } from "../../src/base/units.ts";
import { checkpointOf, settings, tensorsOf, text } from "./moe-checkpoint.ts";

const host: HostTimes = {
  projections: seconds(1),
  router: seconds(2),
  shared: seconds(3),
  sum: seconds(1),
  output: seconds(4),
  vector: bytes(8),
  transfer: (amount) => seconds(amount / 8),
};
const layer = (
  attention: readonly number[],
  experts: Readonly<Record<number, number>>,
): LayerTimes => ({
  attention: attention.map(seconds),
  experts: Object.entries(experts).map(([e, time]) => ({ expert: Number(e), time: seconds(time) })),
});
const startsOf = (sequences: number): ReadonlyMap<string, number> => {
  const one = [[layer([5, 7], { 0: 10, 1: 10, 2: 4 })]];
  const times = Array.from({ length: sequences }, () => one);
  const runs = runPlan(planTasks(times, host, { homeOf: (_, expert) => expert % 2 }));
  return new Map(runs.map(({ id, start }) => [id, start]));
};

describe("the plan of a step", () => {
  it("starts a task when what it needs is there and its place is free", () => {
    const starts = startsOf(1);
    expect(Object.fromEntries(starts)).toEqual({
      "0.0.0.projections": 0,
      "0.0.0.attention.0": 1,
      "0.0.0.attention.1": 1,
      // The slower device ends at 8.
      "0.0.0.router": 8,
      "0.0.0.dispatch": 10,
      "0.0.0.shared": 10,
      // Experts 0 and 2 share a DIMM.
      "0.0.0.expert.0": 11,
      "0.0.0.expert.1": 11,
      "0.0.0.expert.2": 21,
      "0.0.0.collect": 25,
      "0.0.0.sum": 28,
      "0.0.output": 29,
    });
  });

  it("lets sequences overlap, a place serving who is ready first", () => {
    const starts = startsOf(2);
    expect(starts.get("1.0.0.projections")).toBe(1);
    // The devices are free at 6 and 8, the host at 10.
    expect(starts.get("1.0.0.attention.0")).toBe(6);
    expect(starts.get("1.0.0.attention.1")).toBe(8);
    expect(starts.get("1.0.0.router")).toBe(15);
    expect(starts.get("1.0.0.expert.1")).toBe(21);
  });

  it("says what the last task waited for", () => {
    const times = [[[layer([5, 7], { 0: 10, 1: 10, 2: 4 })]]];
    const chain = criticalChain(
      runPlan(planTasks(times, host, { homeOf: (_, expert) => expert % 2 })),
    );
    expect(chain.map(({ id }) => id.slice(4))).toEqual([
      ...["0.projections", "0.attention.1", "0.router", "0.dispatch", "0.expert.0"],
      ...["0.expert.2", "0.collect", "0.sum", "output"],
    ]);
    expect(chain.reduce((sum, { time }) => sum + time, 0)).toBe(33);
  });

  it("says what places without a task waited for, to the end of the plan", () => {
    const times = [[[layer([5, 7], { 0: 10, 1: 10, 2: 4 })]]];
    const runs = runPlan(planTasks(times, host, { homeOf: (_, expert) => expert % 2 }));
    const found = resourceTimes(runs);
    expect(found.map(({ place }) => place)).toEqual(["host", "storage", "link", "DIMM"]);
    for (const { workUs, waitUs } of found) {
      expect(workUs + [...waitUs.values()].reduce((a, b) => a + b, 0)).toBeCloseTo(33e6, 3);
    }
    // Device 0 is done at 6, device 1 at 8; then both wait to the end.
    expect(found[1]?.workUs).toBeCloseTo(6e6, 3);
    const waits = Object.fromEntries(found[1]?.waitUs ?? []);
    expect(waits).toEqual({
      projections: 1e6,
      attention: 1e6,
      router: 2e6,
      dispatch: 1e6,
      experts: 14e6,
      collect: 3e6,
      sum: 1e6,
      output: 4e6,
    });
  });

  it("gives the busiest experts to the DIMMs with the least load", () => {
    expect(placeByLoad([1, 9, 5, 4, 4], 2)).toEqual([1, 0, 1, 1, 0]);
  });
});

describe("experts that change their DIMM between steps", () => {
  it("leave the busiest DIMM for the idlest while that lessens the difference", () => {
    // DIMM 0 expects load 5 and DIMM 1 load 1: the move of 3 would reverse the difference, the move
    // of 2 halves it.
    expect(rebalance([3, 2, 1], [0, 0, 1], 2, 4)).toEqual([{ expert: 1, from: 0, to: 1 }]);
    expect(rebalance([3, 2, 1], [0, 0, 1], 2, 0)).toEqual([]);
    expect(rebalance([1, 1], [0, 1], 2, 4)).toEqual([]);
  });

  const both = layer([5], { 0: 10, 1: 10 });
  const start = {
    loads: [[0, 4, 2, 2]],
    homes: [[0, 0, 1, 1]],
    prompt: 8,
    dimms: 2,
    moveTime: seconds(2),
    hostTime: seconds(1),
  };

  it("move by what the steps before asked for, as often as fits under attention", () => {
    const times = [[[both], [both], [both]]];
    const places = relayoutPlaces(times, start);
    expect(places.homeOf(0, 0, 0)).toBe(0);
    expect(places.homeOf(0, 1, 0)).toBe(0);
    expect(places.movesBefore?.(0, 0)).toEqual([]);
    // Experts 0 and 1 were requested: their averages are now 0.3 and 0.65, those of the others
    // 0.175.
    expect(places.movesBefore?.(0, 1)).toEqual([{ expert: 0, from: 0, to: 1, time: 2 }]);
    expect(places.homeOf(0, 0, 1)).toBe(1);
    const slow = relayoutPlaces(times, { ...start, moveTime: seconds(7) });
    expect(slow.moves).toBe(0);
  });

  it("begin when the layer is done, on both DIMMs, and are waited for", () => {
    const times = [[[both], [both]]];
    const runs = runPlan(planTasks(times, host, relayoutPlaces(times, start)));
    const of = (id: string): (typeof runs)[number] | undefined => runs.find((run) => run.id === id);
    const sum = of("0.0.0.sum");
    const moves = runs.filter(({ part }) => part === "relayout");
    expect(moves.map(({ device, start: begin }) => [device, begin])).toEqual([
      ["DIMM 0", sum?.end],
      ["DIMM 1", sum?.end],
    ]);
    expect(of("0.0.0.expert.0")?.device).toBe("DIMM 0");
    expect(of("0.1.0.expert.0")?.device).toBe("DIMM 1");
    expect(of("0.1.0.expert.0")?.after).toContain(moves[1]?.id);
    // Side by side at last.
    expect(of("0.1.0.expert.0")?.start).toBe(of("0.1.0.expert.1")?.start);
    expect(of("0.0.0.expert.1")?.start).toBe(of("0.0.0.expert.0")?.end);
  });
});

describe("waits and layers of a plan", () => {
  const one = [[layer([5, 7], { 0: 10, 1: 10, 2: 4 })]];
  const runs = runPlan(planTasks([one, one], host, { homeOf: (_, expert) => expert % 2 }));

  it("name who had the place that another was ready for", () => {
    const waits = resourceWaits(runs);
    const of = (waiting: string, other: string): number =>
      waits.find((wait) => wait.waits === waiting && wait.for === other)?.us ?? 0;
    // The second sequence's projections are done at 2; the devices are free at 6 and 8.
    expect(of("attention", "attention")).toBeCloseTo((4 + 6) * 1e6, 3);
    expect(of("projections", "projections")).toBeCloseTo(1e6, 3);
    // Expert 2 also waits for expert 0 of its own sequence.
    expect(of("experts", "experts")).toBeGreaterThan(2 * 10e6);
    expect(waits.map(({ us }) => us)).toEqual(waits.map(({ us }) => us).sort((a, b) => b - a));
  });

  it("share out the chain's time, a step's mean", () => {
    const layers = layerTimes(criticalChain(runs), 1, 2);
    const sum = layers.flatMap(({ us }) => Object.values(us)).reduce((a, b) => a + b, 0);
    const end = Math.max(...runs.map((run) => run.end));
    expect(sum).toBeCloseTo((end * 1e6) / 2, 3);
    expect(layers[1]?.us.output).toBeCloseTo(2e6, 3);
  });
});

describe("decode steps on one machine", () => {
  const model = readMoeModel(checkpointOf(tensorsOf("deepseek-moe")), settings);
  const steps = async (windows: readonly number[], devices = 2): Promise<TokenSteps> =>
    runTokenSteps(
      model,
      { text, windows, steps: 2, method: { attention: "sparf", ratio: 1 / 2, choice: "whole" } },
      {
        fidelity: "cycle",
        dimms: 2,
        devices,
        openNdp: openSession,
        openCsd: openCsdSession,
        ndp: { ...paperMachine("cycle"), host: hostPath },
      },
    );

  it("put the heads of sequences on devices one behind another", async () => {
    const { times } = await steps([0, 2], 3);
    const used = times.map((sequence) =>
      sequence.flat().map(({ attention }) => attention.map((time) => time > 0)),
    );
    // Each layer has two K/V heads: the second sequence begins on the third device and continues on
    // the first.
    expect(new Set(used[0]?.map(String))).toEqual(new Set(["true,true,false"]));
    expect(new Set(used[1]?.map(String))).toEqual(new Set(["true,false,true"]));
  });

  it("have the golden model's values and a time for each layer, expert and device", async () => {
    const tokenSteps = await steps([0, 2]);
    expect(tokenSteps.checks.map(({ pass }) => pass)).toEqual([true, true]);
    expect(tokenSteps.times.map((sequence) => sequence.length)).toEqual([2, 2]);
    for (const [dense, routed] of tokenSteps.times.flat()) {
      expect(dense?.attention.every((time) => time > 0)).toBe(true);
      expect(dense?.experts).toEqual([]);
      expect(routed?.experts.length).toBe(2);
      expect(routed?.experts.every(({ time }) => time > 0)).toBe(true);
    }
    const hostTimes = hostTimesOf(model, "h100-80");
    const { report, runs } = tokenReport(tokenSteps, hostTimes, "h100-80");
    const whole = Object.values(report.critical).reduce((a, b) => a + b, 0);
    expect(whole).toBeCloseTo(1, 9);
    expect(report.criticalByLayer.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
    expect(tokenSpans(runs)).toHaveLength(runs.length);
    // Two sequences need less than twice the time of one.
    const alone = tokenReport(
      { ...tokenSteps, times: tokenSteps.times.slice(0, 1) },
      hostTimes,
      "h100-80",
    );
    expect(report.timeUs).toBeGreaterThan(alone.report.timeUs);
    expect(report.timeUs).toBeLessThan(2 * alone.report.timeUs);
    expect(report.tokensPerSecond).toBeGreaterThan(alone.report.tokensPerSecond);
  });
});
