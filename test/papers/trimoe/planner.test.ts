// SPDX-License-Identifier: Apache-2.0
// TriMoE's channel-aware planner, its limit of cold experts, the accuracy of generated traces, and changes of place
// that reach the simulated machine.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes, seconds } from "../../../src/base/units.ts";
import { hottest } from "../../../src/papers/trimoe/model/shares.ts";
import {
  accuracyOf,
  driftOfAccuracy,
  accuracyTrace,
} from "../../../src/papers/trimoe/model/accuracy.ts";
import { paperMachine } from "../../../src/papers/trimoe/model/machine.ts";
import { driftingLoads, publishedDrift } from "../../../src/papers/trimoe/model/trace.ts";
import { LayerPlanner, runLayer, systems } from "../../../src/papers/trimoe/policy/baselines.ts";
import { balancedCold } from "../../../src/papers/trimoe/policy/cold-limit.ts";
import {
  cheapest,
  costOn,
  devices,
  loadOf,
  makespan,
  refine,
  type Assignment,
} from "../../../src/papers/trimoe/policy/makespan.ts";
import { migrate, publishedMigration } from "../../../src/papers/trimoe/policy/migration.ts";
import {
  initialPlacement,
  inGpu,
  onDimm,
  striped,
} from "../../../src/papers/trimoe/policy/placement.ts";
import { channelOf, hostChannels } from "../../../src/papers/trimoe/policy/planner.ts";
import { study } from "../../../src/papers/trimoe/figures/run.ts";
import { equationSetting, setting } from "../../../src/papers/trimoe/figures/setting.ts";
import { rejection } from "../../helpers/rejection.ts";

const size = bytes(37_748_736);
const machine = paperMachine();
const layers = fc.array(
  fc.record({
    load: fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 300 })),
    place: fc.oneof(
      fc.constant(striped),
      fc.constant(inGpu),
      fc.nat({ max: machine.dimms - 1 }).map(onDimm),
    ),
  }),
  { minLength: 1, maxLength: 30 },
);

describe.each(["equations", "channels"] as const)("the refinement by %s", (planner) => {
  const dimmCount = machine.dimms + (planner === "channels" ? hostChannels : 0);

  it("of a study decides as sums over all experts do, bit for bit", () => {
    fc.assert(
      fc.property(layers, (layer) => {
        const loads = layer.map(({ load }) => load);
        const places = layer.map(({ place }) => place);
        const run = runLayer("TriMoE", machine, { size, loads, places, planner });
        const start = cheapest(run.costs);
        const refined = refine(run.costs, start, { dimmCount, readers: planner === "channels" });
        expect(run.assignment).toEqual(refined.assignment);
        expect(run.time).toBe(refined.makespan);
      }),
      { numRuns: 300 },
    );
  });

  it("gives a planner's next layer the result of a new planner", () => {
    fc.assert(
      fc.property(fc.array(layers, { minLength: 2, maxLength: 4 }), (several) => {
        for (const system of systems) {
          const again = new LayerPlanner(system, machine, size, planner);
          for (const layer of several) {
            const loads = layer.map(({ load }) => load);
            const places = layer.map(({ place }) => place);
            again.plan({ loads, places, hot: 97 });
            const once = runLayer(system, machine, { size, loads, places, hot: 97, planner });
            expect(again.run()).toEqual(once);
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("the channel-aware planner", () => {
  it("moves each expert where sums over all experts end first, bit for bit", () => {
    fc.assert(
      fc.property(layers, (layer) => {
        const loads = layer.map(({ load }) => load);
        const places = layer.map(({ place }) => place);
        const { costs } = runLayer("TriMoE", machine, { size, loads, places, planner: "channels" });
        const dimmCount = machine.dimms + hostChannels;
        let assignment: Assignment = cheapest(costs);
        const refined = refine(costs, assignment, { dimmCount, readers: true });
        for (const { expert, from, to, makespan: end } of refined.moves) {
          const targets = devices.flatMap((device) => {
            const cost = costs[expert] === undefined ? null : costOn(costs[expert], device);
            const moved = assignment.with(expert, device);
            return cost === null || device === from
              ? []
              : [{ device, cost, end: makespan(loadOf(costs, moved, dimmCount)) }];
          });
          const [best] = targets.toSorted((a, b) => a.end - b.end || a.cost - b.cost);
          expect([to, end]).toEqual([best?.device, best?.end]);
          assignment = assignment.with(expert, to);
        }
        expect(refined.assignment).toEqual(assignment);
        expect(refined.makespan).toBe(makespan(loadOf(costs, assignment, dimmCount)));
      }),
    );
  });

  it("counts every byte that CPU and GPU read on its channel, and ends no earlier than that", () => {
    fc.assert(
      fc.property(layers, fc.constantFrom(...systems), (layer, system) => {
        const loads = layer.map(({ load }) => load);
        const places = layer.map(({ place }) => place);
        const run = runLayer(system, machine, {
          size,
          loads,
          places,
          hot: 97,
          planner: "channels",
        });
        const read = new Array<number>(hostChannels).fill(0);
        run.experts.forEach(({ layout, home, resident }, i) => {
          const device = run.assignment[i];
          if (device === "N" || (device === "G" && resident)) return;
          read.forEach((_, c) => {
            const all = layout === "striped" ? size / hostChannels : 0;
            const own = home !== null && channelOf(home, machine.dimms) === c ? size : 0;
            read[c] = (read[c] ?? 0) + all + own;
          });
        });
        expect(run.load.dimms).toHaveLength(machine.dimms);
        expect(run.load.channels).toHaveLength(hostChannels);
        run.load.channels.forEach((time, c) => {
          expect(time).toBeCloseTo((read[c] ?? 0) / 38.4e9, 12);
          if (system !== "Klotski") expect(run.time).toBeGreaterThanOrEqual(time);
        });
      }),
    );
  });

  it("reads an expert of one DIMM at half of its channel where CPU and GPU share the channel", () => {
    const places = [onDimm(0)];
    const cpu = (planner: "equations" | "channels"): number =>
      runLayer("TriMoE", machine, { size, loads: [40], places, hot: 97, planner }).costs[0]?.cpu ??
      NaN;
    expect(cpu("equations")).toBeCloseTo(size / 38.4e9, 9);
    expect(cpu("channels")).toBeCloseTo(size / 19.2e9, 9);
    const [cost] = runLayer("MoNDE", machine, {
      size,
      loads: [40],
      places,
      hot: 97,
      planner: "channels",
    }).costs;
    expect(cost?.gpu).toBeCloseTo(size / 38.4e9, 9);
  });

  it("moves a reader off a channel that alone is the bottleneck; equations 5 to 7 stop there", () => {
    // Resource 0 is a DIMM, resource 1 a channel.
    const cost = {
      gpu: seconds(2),
      cpu: seconds(2),
      ndp: seconds(3),
      home: 0,
      gpuService: [seconds(0), seconds(5)],
      cpuService: [seconds(0), seconds(5)],
    };
    const stopped = refine([cost], ["C"], { dimmCount: 2 });
    expect(stopped).toMatchObject({ assignment: ["C"], makespan: 5 });
    const moved = refine([cost], ["C"], { dimmCount: 2, readers: true });
    expect(moved).toMatchObject({ assignment: ["N"], makespan: 3 });
  });

  it("stripes an expert over all DIMMs, however many have an NDP unit", () => {
    const service = (dimms: number): number => {
      const few = paperMachine({ dimms });
      const run = runLayer("TriMoE", few, {
        size,
        loads: [40],
        places: [striped],
        hot: 97,
        planner: "channels",
      });
      return run.load.dimms[0] ?? NaN;
    };
    expect(service(4)).toBeCloseTo(size / 16 / 38.4e9, 12);
    expect(service(16)).toBe(service(4));
    expect(service(32)).toBeCloseTo(size / 32 / 38.4e9, 12);
  });

  it("spreads DIMMs evenly over the channels", () => {
    for (const dimms of [4, 8, 16, 32]) {
      const channels = Array.from({ length: dimms }, (_, d) => channelOf(d, dimms));
      expect(new Set(channels).size).toBe(Math.min(dimms, hostChannels));
      expect(Math.max(...channels)).toBeLessThan(hostChannels);
    }
  });
});

describe("the balanced limit of cold experts", () => {
  const routing = { experts: 128, perToken: 8, batch: 512 };
  const steps = driftingLoads(routing, publishedDrift, 4, 1).map((loads) => ({
    predicted: Array.from(loads),
    loads,
  }));
  const hotOf = (loads: ArrayLike<number>): number => hottest(loads);
  const options = { planner: "channels", resident: 40, hotOf } as const;
  const total = (limit: number): number =>
    steps.reduce((sum, { predicted, loads }) => {
      const places = initialPlacement(predicted, machine.dimms, limit, 40, hotOf(predicted));
      const run = runLayer("TriMoE", machine, {
        size,
        loads,
        places,
        hot: hotOf(loads),
        planner: "channels",
      });
      return sum + run.time;
    }, 0);

  it("is no slower than any other, and above six where DIMMs would idle", () => {
    const limit = balancedCold(machine, size, steps, options);
    expect(limit).toBeGreaterThan(6);
    for (const other of [2, 6, 10, 20, 40]) {
      expect(total(limit)).toBeLessThanOrEqual(total(other));
    }
  });

  it("falls where the DIMMs compute less", () => {
    const few = paperMachine({ dimms: 4 });
    expect(balancedCold(few, size, steps, options)).toBeLessThanOrEqual(
      balancedCold(machine, size, steps, options),
    );
  });
});

describe("the accuracy of a generated trace", () => {
  it.each([0.7, 0.78, 0.83])("is %s where that is asked for", (accuracy) => {
    const found = accuracyOf(accuracyTrace(driftOfAccuracy(publishedDrift, accuracy)));
    expect(Math.abs(found - accuracy)).toBeLessThan(0.01);
  });

  it("cannot exceed that of loads whose popularity stands still", () => {
    expect(() => driftOfAccuracy(publishedDrift, 0.99)).toThrow(
      rejection("bad-input", /^--accuracy: .*0\.99.*out of reach/),
    );
  });

  it("brings the gain of a layer up", () => {
    const time = (accuracy: number): number =>
      study(
        { ...setting, accuracy, model: "qwen3-235b-a22b", batch: 512, relayout: true, steps: 12 },
        ["TriMoE"],
      ).get("TriMoE")?.time ?? NaN;
    expect(time(0.83)).toBeLessThan(time(0.78));
  });
});

describe("changes of place", () => {
  it("lead from the places before to the places after, but for copies that make room", () => {
    const counts = fc.array(fc.nat({ max: 300 }), { minLength: 24, maxLength: 40 });
    fc.assert(
      fc.property(counts, counts, (before, after) => {
        const count = Math.min(before.length, after.length);
        const places = initialPlacement(before.slice(0, count), machine.dimms, 6);
        const options = { ...publishedMigration, planner: "channels" as const, hot: 200 };
        const moved = migrate(machine, size, places, after.slice(0, count), options);
        let reached = places;
        for (const { expert, from, to } of moved.changes) {
          expect(reached[expert]).toEqual(from);
          reached = reached.with(expert, to);
        }
        expect(moved.changes).toHaveLength(moved.moves);
        expect(moved.places).toEqual(reached);
      }),
    );
  });

  it("are those that the last step's loads lead to, and none where places stay", () => {
    const what = { model: "qwen3-235b-a22b", batch: 512, steps: 3 };
    const next = (relayout: boolean): number =>
      study({ ...equationSetting, ...what, relayout }, ["TriMoE"]).get("TriMoE")?.next.length ??
      NaN;
    expect(next(true)).toBeGreaterThan(0);
    expect(next(false)).toBe(0);
  });
});
