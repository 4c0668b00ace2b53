// SPDX-License-Identifier: Apache-2.0
// TriMoE on recorded activations: both formats read the same, every problem has its line; placement,
// migration and timelines conserve experts, tokens and bytes.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deviceUse, endOf, runTasks } from "../../../src/base/timeline.ts";
import { runLayer, systems } from "../../../src/papers/trimoe/policy/baselines.ts";
import { expertCost } from "../../../src/papers/trimoe/model/cost.ts";
import { loadOf, makespan } from "../../../src/papers/trimoe/policy/makespan.ts";
import { paperMachine } from "../../../src/papers/trimoe/model/machine.ts";
import {
  linkRound,
  migrate,
  publishedMigration,
} from "../../../src/papers/trimoe/policy/migration.ts";
import {
  initialPlacement,
  residentLimit,
  type Place,
} from "../../../src/papers/trimoe/policy/placement.ts";
import { modelShape } from "../../../src/workload/shapes.ts";
import { hottest, loadShares } from "../../../src/papers/trimoe/model/shares.ts";
import { classOf, coldLimit, hotLimit } from "../../../src/lm/moe/expert-classes.ts";
import { driftingLoads, publishedDrift } from "../../../src/papers/trimoe/model/trace.ts";
import { computing } from "../../../src/papers/trimoe/policy/use.ts";
import { parseTrace } from "../../../src/papers/trimoe/model/recorded.ts";
import { layerTasks } from "../../../src/papers/trimoe/policy/timeline.ts";
import { bytes, bytesPerSecond, seconds } from "../../../src/base/units.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejection } from "../../helpers/rejection.ts";
import { rejectedAt } from "../../helpers/rejected-at.ts";

const size = bytes(37_748_736);
const machine = paperMachine();
const loadLists = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 8 }), fc.nat({ max: 400 })), {
  minLength: 1,
  maxLength: 40,
  size: "max",
});

describe("recorded traces", () => {
  const rows = [
    { step: 3, layer: 1, expert: 0, tokens: 5 },
    { step: 2, layer: 1, expert: 3, tokens: 7 },
    { step: 2, layer: 0, expert: 1, tokens: 1 },
  ];
  const csv = `tokens, expert,layer,step\n${rows
    .map((r) => [r.tokens, r.expert, r.layer, r.step].join(","))
    .join("\n")}\n`;
  const jsonLines = rows.map((row) => JSON.stringify(row)).join("\n");

  it.each([
    ["CSV", csv],
    ["JSON lines", jsonLines],
  ])("%s: layers and steps ascend, experts without a row have no tokens", (_, text) => {
    const { layers: trace } = parseTrace("t", text, 4);
    expect([...trace.keys()]).toEqual([0, 1]);
    expect(trace.get(1)?.map((loads) => [...loads])).toEqual([
      [0, 0, 0, 7],
      [5, 0, 0, 0],
    ]);
  });

  it.each([
    ["nothing", "", /no row/],
    ["a column is missing", "step,layer,expert\n1,2,3\n", /^t:1: .*tokens/],
    ["an expert that is not there", "step,layer,expert,tokens\n0,0,4,1\n", /^t:2: .*expert 4 /],
    ["half a token", "step,layer,expert,tokens\n0,0,1,0.5\n", /^t:2: tokens/],
    ["a missing cell", "step,layer,expert,tokens\n0,0,1\n", /^t:2: tokens/],
    [
      "a row twice",
      `${jsonLines}\n${JSON.stringify(rows[0])}`,
      /step 3, layer 1, expert 0 .*twice/,
    ],
    ["no JSON", "{\n", "t:1"],
  ])("refuses %s", (_, text, where) => {
    expect(() => parseTrace("t", text, 4)).toThrow(rejection("bad-input", where));
  });

  it("are run by `policy layer`", async () => {
    const [result, dense] = await inTemporary(async (directory) => {
      const path = join(directory, "trace.csv");
      writeFileSync(path, csv);
      const run = ["policy", "layer", path, "--model"];
      return [await cli(...run, "qwen3-235b-a22b", "--json"), await cli(...run, "opt-30b")];
    });
    expect(result.code).toBe(0);
    const { layers } = JSON.parse(result.stdout) as { layers: { systems: { time: number }[] }[] };
    expect(layers).toHaveLength(2);
    for (const { time } of layers.flatMap((l) => l.systems)) expect(time).toBeGreaterThan(0);
    expect(dense).toEqual(rejectedAt("--model"));
  });
});

describe("migration", () => {
  it("fits the window, keeps every expert in one place, and moves nothing without a window", () => {
    fc.assert(
      fc.property(loadLists, loadLists, (before, now) => {
        const predicted = before.map((_, e) => now[e] ?? 0);
        const places = initialPlacement(before, machine.dimms);
        const moved = migrate(machine, size, places, predicted);
        expect(moved.time).toBeLessThanOrEqual(publishedMigration.window);
        expect(moved.places).toHaveLength(places.length);
        for (const { layout, home } of moved.places) {
          expect(home === null).toBe(layout === "striped");
          expect(home ?? 0).toBeLessThan(machine.dimms);
        }
        const none = { ...publishedMigration, window: seconds(0) };
        expect(migrate(machine, size, places, predicted, none).moves).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it("never holds more experts in GPU memory than fit, and keeps the most useful ones", () => {
    fc.assert(
      fc.property(loadLists, loadLists, fc.nat({ max: 3 }), (before, now, resident) => {
        const predicted = before.map((_, e) => now[e] ?? 0);
        const held = (places: readonly Place[]): number => places.filter((p) => p.resident).length;
        const places = initialPlacement(before, machine.dimms, coldLimit, resident);
        expect(held(places)).toBe(
          Math.min(resident, held(initialPlacement(before, machine.dimms))),
        );
        const options = { ...publishedMigration, window: seconds(1), resident };
        const moved = migrate(machine, size, places, predicted, options).places;
        expect(held(moved)).toBeLessThanOrEqual(resident);
        const hot = predicted.flatMap((load, e) => (load >= hotLimit ? [{ load, e }] : []));
        const best = hot.toSorted((a, b) => b.load - a.load).slice(0, resident);
        const kept = hot.filter(({ e }) => moved[e]?.resident === true);
        expect(kept).toHaveLength(best.length);
        const least = Math.min(...kept.map(({ load }) => load));
        for (const { load } of best) expect(load).toBeGreaterThanOrEqual(least);
      }),
    );
  });

  it("leaves room for experts beside attention and shared experts", () => {
    const limit = (model: string): number => residentLimit(modelShape(model, "test"));
    const names = ["deepseek-v2", "qwen3-235b-a22b", "glm-4.5-air", "mixtral-8x22b"];
    expect(names.map(limit)).toEqual([19, 18, 42, 1]);
  });

  it("moves four experts at once over three links each, as long as one matrix takes", () => {
    const deepSeek = bytes(47_185_920);
    const { experts, time } = linkRound(publishedMigration, deepSeek, 16);
    expect(experts).toBe(4);
    expect(time).toBeCloseTo(0.629e-3, 6);
  });
});

describe("more bandwidth", () => {
  const rates = ["hostBandwidth", "dimmHostBandwidth", "pcie", "ndpBandwidth", "ndpRate"] as const;

  it("never makes a decision slower, under any system", () => {
    fc.assert(
      fc.property(loadLists, fc.constantFrom(...systems), (loads, system) => {
        const places = initialPlacement(loads, machine.dimms);
        const run = runLayer(system, machine, { size, loads, places });
        for (const rate of rates) {
          const better = { ...machine, [rate]: machine[rate] * 1.5 };
          const costs = run.experts.map((expert) => expertCost(better, size, expert));
          const load = makespan(loadOf(costs, run.assignment, machine.dimms));
          const before = makespan(loadOf(run.costs, run.assignment, machine.dimms));
          expect(load).toBeLessThanOrEqual(before * (1 + 1e-9));
          const tasks = layerTasks({ ...run, costs }, better, size);
          const end = endOf(runTasks(layerTasks(run, machine, size)));
          expect(endOf(runTasks(tasks))).toBeLessThanOrEqual(end * (1 + 1e-9));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("can mislead the greedy start as printed, which looks at each expert alone", () => {
    // With twice the channel's rate each cold expert is read in less time than its DIMM computes it.
    const loads = new Array<number>(64).fill(5);
    const places = initialPlacement(loads, machine.dimms);
    const better = { ...machine, dimmHostBandwidth: bytesPerSecond(machine.dimmHostBandwidth * 2) };
    const time = (on: typeof machine): number => runLayer("+CPU", on, { size, loads, places }).time;
    expect(time(better)).toBeGreaterThan(time(machine));
  });
});

describe("a layer's timeline", () => {
  it("has every token and every weight of its experts, under every system", () => {
    fc.assert(
      fc.property(loadLists, fc.constantFrom(...systems), (loads, system) => {
        const run = runLayer(system, machine, {
          size,
          loads,
          places: initialPlacement(loads, machine.dimms),
        });
        const runs = runTasks(layerTasks(run, machine, size));
        const total = loads.reduce((a, b) => a + b, 0);
        expect(runs.reduce((t, r) => t + (r.tokens ?? 0), 0)).toBe(total);
        const read = run.experts.filter((e, i) => !e.resident || run.assignment[i] !== "G");
        const moved = [...deviceUse(runs).values()].reduce((t, use) => t + use.bytes, 0);
        expect(moved).toBe(read.length * size);
        const gpu = runs.filter((r) => r.device === "GPU").reduce((t, r) => t + r.time, 0);
        if (system !== "Klotski") expect(endOf(runs)).toBeLessThanOrEqual(run.time + gpu + 1e-12);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the generator of every figure", () => {
  it("leaves each step the shares of its law, whatever the drift, and drifts", () => {
    const routing = { experts: 160, perToken: 6, batch: 512 };
    const steps = driftingLoads(routing, publishedDrift, 30, 1);
    const { rest70, next27 } = loadShares(steps);
    expect(rest70).toBeCloseTo(0.08, 2);
    expect(next27).toBeGreaterThan(0.67);
    expect(next27).toBeLessThan(0.73);
    const busiest = steps.map((loads) => loads.indexOf(Math.max(...loads)));
    expect(new Set(busiest).size).toBeGreaterThan(3);
    const wild = { ...publishedDrift, sigmaObs: 3 };
    expect(loadShares(driftingLoads(routing, wild, 30, 1)).rest70).toBeCloseTo(rest70, 2);
  });
});

describe("hot experts", () => {
  it("are the hottest 3 % at any batch, but never cold ones; none where 3 % is no whole expert", () => {
    const loads = Array.from({ length: 100 }, (_, e) => e);
    expect(hottest(loads)).toBe(97);
    expect(hottest([5, 400, 3])).toBe(Infinity);
    expect(classOf(97, coldLimit, hottest(loads))).toBe("hot");
    expect(classOf(96, coldLimit, hottest(loads))).toBe("warm");
    expect(classOf(2, coldLimit, hottest(loads.map((x) => x / 50)))).toBe("cold");
  });

  it("that the GPU lacks are loaded by a KTransformers that loads on demand, others are not", () => {
    const loads = [50, 40, 300];
    const places = initialPlacement(loads, machine.dimms, coldLimit, 0);
    const run = runLayer("En-KTransformers, on demand", machine, { size, loads, places, hot: 300 });
    expect(run.assignment).toEqual(["C", "C", "G"]);
    expect(
      runLayer("En-KTransformers", machine, { size, loads, places, hot: 300 }).assignment,
    ).toEqual(["C", "C", "C"]);
  });
});

describe("devices", () => {
  it("compute no longer than the layer takes, and no longer than they are occupied", () => {
    fc.assert(
      fc.property(fc.constantFrom(...systems), loadLists, (system, loads) => {
        const places = initialPlacement(loads, machine.dimms);
        const run = runLayer(system, machine, { size, loads, places });
        const { gpu, cpu, ndp } = computing(run, machine, size);
        const slack = 1 + 1e-9;
        expect(run.load.gpu).toBeLessThanOrEqual(run.time * slack);
        expect(gpu).toBeLessThanOrEqual(run.load.gpu * slack);
        expect(cpu).toBeLessThanOrEqual(run.load.cpu * slack);
        expect(ndp).toBeLessThanOrEqual(Math.max(0, ...run.load.dimms) * slack);
      }),
    );
  });
});
