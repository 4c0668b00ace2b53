// SPDX-License-Identifier: Apache-2.0
// TriMoE's scheduler and traces: what must hold of any layer.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  loadOf,
  makespan,
  refine,
  type Device,
} from "../../../src/papers/trimoe/policy/makespan.ts";
import type { ExpertCost } from "../../../src/papers/trimoe/model/cost.ts";
import { loadSolver } from "../../../src/papers/flexgen/policy/search.ts";
import { expertCost } from "../../../src/papers/trimoe/model/cost.ts";
import { paperMachine } from "../../../src/papers/trimoe/model/machine.ts";
import { cheapest } from "../../../src/papers/trimoe/policy/makespan.ts";
import { optimum, optimumByProgram } from "../../../src/papers/trimoe/policy/optimum.ts";
import { initialPlacement } from "../../../src/papers/trimoe/policy/placement.ts";
import { updateAverage } from "../../../src/lm/moe/predictor.ts";
import { loadShares } from "../../../src/papers/trimoe/model/shares.ts";
import { driftingLoads, route, staticLoads } from "../../../src/papers/trimoe/model/trace.ts";
import { tieRange } from "../../../src/papers/trimoe/policy/ties.ts";
import { draws } from "../../../src/base/draws.ts";
import { bytes, bytesPerSecond, flopsPerSecond, seconds } from "../../../src/base/units.ts";

const dimms = 3;
const time = fc.integer({ min: 1, max: 1000 }).map(seconds);
const none = Array.from({ length: dimms }, () => seconds(0));

/** A localized expert with an NDP time, or a striped one without. */
const expertCosts: fc.Arbitrary<ExpertCost> = fc
  .record({
    gpu: time,
    cpu: time,
    ndp: fc.option(time),
    home: fc.nat({ max: dimms - 1 }),
    read: time,
  })
  .map(({ read, ...cost }) => {
    const service = none.map((_, d) => (cost.ndp === null || d === cost.home ? read : seconds(0)));
    return { ...cost, gpuService: service, cpuService: service };
  });

const layers = fc.array(
  fc.record({ cost: expertCosts, wish: fc.constantFrom<Device>("G", "C", "N") }),
  { minLength: 1, maxLength: 7 },
);

describe("refinement", () => {
  it("never raises the makespan, and each move lowers it", () => {
    fc.assert(
      fc.property(layers, (layer) => {
        const costs = layer.map(({ cost }) => cost);
        const initial = layer.map(({ cost, wish }) =>
          wish === "N" && cost.ndp === null ? "G" : wish,
        );
        let before: number = makespan(loadOf(costs, initial, dimms));
        const refined = refine(costs, initial, { dimmCount: dimms });
        for (const move of refined.moves) {
          expect(move.makespan).toBeLessThan(before);
          before = move.makespan;
        }
        expect(refined.makespan).toBe(before);
        expect(makespan(loadOf(costs, refined.assignment, dimms))).toBe(refined.makespan);
        const best = optimum(costs, dimms).makespan;
        expect(refined.makespan).toBeGreaterThanOrEqual(best);
        const ties = tieRange(costs, dimms, Infinity);
        expect(ties.lowest).toBeGreaterThanOrEqual(best);
        expect(ties.highest).toBeGreaterThanOrEqual(ties.lowest);
      }),
    );
  });

  it("stops at the iteration limit", () => {
    const cost: ExpertCost = {
      gpu: seconds(1),
      cpu: seconds(1),
      ndp: null,
      home: 0,
      gpuService: none,
      cpuService: none,
    };
    const costs = Array.from({ length: 8 }, () => cost);
    const initial = costs.map((): Device => "G");
    expect(refine(costs, initial, { dimmCount: dimms }).makespan).toBe(4);
    expect(refine(costs, initial, { dimmCount: dimms, maxIterations: 2 }).makespan).toBe(6);
  });
});

describe("optimum", () => {
  it("is what trying every assignment finds", () => {
    fc.assert(
      fc.property(fc.array(expertCosts, { minLength: 1, maxLength: 5 }), (costs) => {
        const all = costs.reduce<readonly (readonly Device[])[]>(
          (lists, { ndp }) =>
            lists.flatMap((list) => [
              [...list, "G"],
              [...list, "C"],
              ...(ndp === null ? [] : [[...list, "N" as const]]),
            ]),
          [[]],
        );
        const spans = all.map((assignment) => makespan(loadOf(costs, assignment, dimms)));
        expect(optimum(costs, dimms).makespan).toBe(Math.min(...spans));
      }),
      { numRuns: 40 },
    );
  });
});

describe("the optimum of larger layers", () => {
  it("as a program is the one that the search finds", async () => {
    const solver = await loadSolver();
    fc.assert(
      fc.property(fc.array(expertCosts, { minLength: 1, maxLength: 9 }), (costs) => {
        const programOptimum = optimumByProgram(solver, costs, dimms);
        expect(programOptimum.proved).toBe(true);
        expect(programOptimum.makespan / optimum(costs, dimms).makespan).toBeCloseTo(1, 9);
        expect(makespan(loadOf(costs, programOptimum.assignment, dimms))).toBe(
          programOptimum.makespan,
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe("layers of the paper's machine", () => {
  const machine = paperMachine({ dimms: 4 });
  const size = bytes(37_748_736);
  const loads = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 400 })),
    { minLength: 2, maxLength: 9 },
  );
  const costsOn = (on: typeof machine, list: readonly number[]): readonly ExpertCost[] => {
    const places = initialPlacement(list, on.dimms);
    return places.map((place, at) => expertCost(on, size, { load: list[at] ?? 0, ...place }));
  };

  it("are refined to within 1.25 of their optimum on average", () => {
    const ratios = fc.sample(loads, { numRuns: 200, seed: 5 }).map((list) => {
      const costs = costsOn(machine, list);
      const refined = refine(costs, cheapest(costs), { dimmCount: machine.dimms }).makespan;
      return refined / optimum(costs, machine.dimms).makespan;
    });
    for (const ratio of ratios) expect(ratio).toBeGreaterThanOrEqual(1 - 1e-12);
    expect(ratios.reduce((a, b) => a + b, 0) / ratios.length).toBeLessThan(1.25);
  });

  it("never take longer at their optimum with more bandwidth or compute", () => {
    fc.assert(
      fc.property(loads, (list) => {
        const time = (on: typeof machine): number =>
          optimum(costsOn(on, list), machine.dimms).makespan;
        const base = time(machine) * (1 + 1e-9);
        for (const key of ["hostBandwidth", "dimmHostBandwidth", "pcie", "ndpBandwidth"] as const) {
          const faster = { ...machine, [key]: bytesPerSecond(machine[key] * 2) };
          expect(time(faster)).toBeLessThanOrEqual(base);
        }
        const faster = { ...machine, ndpRate: flopsPerSecond(machine.ndpRate * 2) };
        expect(time(faster)).toBeLessThanOrEqual(base);
      }),
      { numRuns: 40 },
    );
  });
});

describe("traces", () => {
  it("every token takes top-k different experts", () => {
    const routing = { experts: 12, perToken: 5, batch: 40 };
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5000, noNaN: true }), fc.nat(), (lam, seed) => {
        for (const loads of staticLoads(routing, lam, 3, seed)) {
          expect(loads.reduce((a, b) => a + b, 0)).toBe(routing.perToken * routing.batch);
          expect(Math.max(...loads)).toBeLessThanOrEqual(routing.batch);
        }
      }),
    );
  });

  it("draws as the largest of log p plus Gumbel noise does", () => {
    const routing = { experts: 6, perToken: 2, batch: 60_000 };
    const logP = Float64Array.from([0, -0.3, -1, -2, -3, 1.5]);
    const quick = route(logP, routing, draws(1, "quick"));
    const source = draws(2, "direct");
    const direct = new Array<number>(routing.experts).fill(0);
    for (let token = 0; token < routing.batch; token += 1) {
      const scores = [...logP].map((x, e) => ({ e, score: x + source.gumbel() }));
      const best = scores.toSorted((a, b) => b.score - a.score).slice(0, routing.perToken);
      for (const { e } of best) direct[e] = (direct[e] ?? 0) + 1;
    }
    direct.forEach((count, e) => {
      // Five standard deviations of the difference of two binomial counts.
      const allowed = 5 * Math.sqrt(2 * Math.max(count, 1));
      expect(Math.abs(count - (quick[e] ?? 0))).toBeLessThan(allowed);
    });
  });

  it("shares of a step sum to one, and the same seed gives the same loads", () => {
    const routing = { experts: 32, perToken: 4, batch: 64 };
    const drift = { lam: 7, rho: 0.97, sigmaLevel: 0.2, sigmaObs: 0.56 };
    const steps = driftingLoads(routing, drift, 10, 3);
    const shares = loadShares(steps);
    expect(shares.top3 + shares.next27 + shares.rest70).toBeCloseTo(1, 12);
    expect(driftingLoads(routing, drift, 10, 3)).toEqual(steps);
  });

  it("the average moves by alpha towards the newest load", () => {
    expect(updateAverage([10, 0], [20, 4], 0.25)).toEqual([12.5, 1]);
  });
});
