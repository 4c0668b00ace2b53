// SPDX-License-Identifier: Apache-2.0
// The experiments on the simulated machine, with layers that take their equations' times: which layers
// they ask for, that each is run once, and that every finding is a number.

import { describe, expect, test } from "vitest";
import { paperMachine } from "../../src/machine/resolve/systems.ts";
import { seconds } from "../../src/base/units.ts";
import { expertTimes } from "../../src/papers/trimoe/figures/expert-times.ts";
import {
  decodeLengths,
  type EngineLayer,
  type EngineRun,
} from "../../src/papers/instinfer/figures/lab.ts";
import { decodeOnEngine } from "../../src/papers/instinfer/figures/lengths.ts";
import type { SimulatedExperiment } from "../../src/papers/experiment/experiment.ts";
import type { SimulatedLayer } from "../../src/papers/trimoe/figures/cycle/simulated-layer.ts";
import { commandBusesExperiment } from "../../src/papers/trimoe/figures/command-buses.ts";
import { simulatedFigure1 } from "../../src/papers/trimoe/figures/figure-1.ts";
import { simulatedFigure6 } from "../../src/papers/trimoe/figures/figure-6.ts";
import { simulatedFigure7 } from "../../src/papers/trimoe/figures/figure-7.ts";
import { simulatedFigure8 } from "../../src/papers/trimoe/figures/figure-8.ts";
import { simulatedFigure9 } from "../../src/papers/trimoe/figures/figure-9.ts";
import { simulatedSmallBatches } from "../../src/papers/trimoe/figures/small-batches.ts";
import { movesExperiment } from "../../src/papers/trimoe/figures/moves.ts";
import { simulatedTable3 } from "../../src/papers/trimoe/figures/table-3.ts";
import { layerExperiment } from "../../src/papers/trimoe/figures/cycle/cycle.ts";
import { layerLab, type LabLayer, type LayerLab } from "../../src/papers/trimoe/figures/lab.ts";
import { timeOf } from "../../src/papers/trimoe/figures/layer.ts";
import { stepsExperiment } from "../../src/papers/trimoe/figures/steps/steps.ts";
import { study } from "../../src/papers/trimoe/figures/run.ts";

/** A layer whose devices need `factor` times the time of their equations. */
function asEquations({ system, ...what }: LabLayer, factor: number): SimulatedLayer {
  const { relayout = system === "TriMoE", model, batch, machine = {}, seed = 1 } = what;
  const last = study({ model, batch, machine, relayout, seed, steps: 2 }, [system]).get(
    system,
  )?.last;
  if (last === undefined || last === null) throw new RangeError("no layer");
  const after = (time: number): SimulatedLayer["time"] => seconds(factor * time);
  return {
    model,
    run: last,
    // Not read by the experiments.
    result: {} as SimulatedLayer["result"],
    gpu: after(last.load.gpu),
    cpu: after(last.load.cpu),
    dimms: last.load.dimms.map(after),
    time: after(last.time),
    moves: seconds(0),
    moved: 0,
    prefetched: 0,
    refreshes: { due: 9, fewest: 9, most: 9 },
    counts: {
      machine: paperMachine(),
      activation: "silu",
      time: after(last.time),
      units: [],
      ranks: [],
      host: [],
      dimmLinkBytes: 0,
      pcieBytes: 0,
    },
    arithmetic: { cpu: seconds(0), gpu: seconds(0) },
    tasks: [
      {
        id: "expert 0",
        device: "GPU",
        after: [],
        start: seconds(0),
        end: after(1),
        time: after(1),
      },
    ],
  };
}

function fakeLab(factor: number): { readonly lab: LayerLab; readonly asked: Set<string> } {
  const asked = new Set<string>();
  const layer = (what: LabLayer): Promise<SimulatedLayer> => {
    asked.add(JSON.stringify(what));
    return Promise.resolve(asEquations(what, factor));
  };
  return { lab: { layer, layers: async (list) => Promise.all(list.map(layer)) }, asked };
}

const makers = [
  ...[layerExperiment, simulatedFigure1, simulatedFigure6, simulatedFigure7],
  ...[simulatedTable3, simulatedFigure8, simulatedFigure9, simulatedSmallBatches],
  movesExperiment,
];

describe("times of a layer's experts", () => {
  const task = (id: string, device: string, begin: number, end: number) => ({
    id,
    device,
    after: [],
    start: seconds(begin),
    end: seconds(end),
    time: seconds(end - begin),
  });

  test("are those of experts, by nearest rank, whichever DIMM they ran on; moves are none", () => {
    const cold = Array.from({ length: 10 }, (_, i) =>
      task(`expert ${i}`, `DIMM ${i % 3}`, i * 1e-6, (3 * i + 1) * 1e-6),
    );
    const others = [task("expert 10", "CPU", 0, 2e-6), task("moved", "relayout 0", 0, 1)];
    const { rows } = expertTimes("experts", "Experts.", [...others, ...cold]);
    expect(rows.map(({ device, what, count }) => [device, what, count])).toEqual([
      ["CPU", "at work", 1],
      ["CPU", "from the layer's begin", 1],
      ["NDP DIMMs", "at work", 10],
      ["NDP DIMMs", "from the layer's begin", 10],
    ]);
    const micros = (row: number): readonly number[] =>
      ["mean", "p50", "p90", "p99", "most"].map((key) => Number(rows[row]?.[key]));
    [10, 9, 17, 19, 19].forEach((us, i) => {
      expect(micros(2)[i]).toBeCloseTo(us, 9);
    });
    [14.5, 13, 25, 28, 28].forEach((us, i) => {
      expect(micros(3)[i]).toBeCloseTo(us, 9);
    });
  });
});

describe("experiments on simulated layers", () => {
  test.each(makers.map((make) => [make(layerLab(1)).id, make] as const))(
    "%s: every finding and check is a number and every picture is drawn",
    async (id, make) => {
      const { lab } = fakeLab(1.25);
      const experiment: SimulatedExperiment = make(lab);
      const { findings, checks = [], blocks } = await experiment.run();
      const numbers = [...findings, ...checks];
      expect(numbers.length).toBeGreaterThan(0);
      expect(blocks.length).toBeGreaterThan(0);
      for (const { ours, what } of numbers) expect(Number.isFinite(ours), what).toBe(true);
      const untried = findings
        .filter((f) => f.verdict === "differs" && f.ratio !== null)
        .filter(({ tried }) => tried.length === 0);
      expect(untried.map(({ what }) => what)).toEqual([]);
      if (id !== "trimoe/layer") return;
      const beside = checks.filter(({ what }) => what.includes("over equation"));
      for (const { ours } of beside) expect(ours).toBeCloseTo(1.25, 9);
    },
  );

  test("together they ask for no more layers than a quarter of an hour has room for", async () => {
    const { lab, asked } = fakeLab(1);
    for (const make of makers) await make(lab).run();
    // Two cores, some 25 s a layer; six of the layers are of small batches, which have few experts.
    expect(asked.size * 25).toBeLessThanOrEqual(2 * 15 * 60);
  });

  test("at batches where the best baseline alone is run, it is the best", () => {
    for (const model of ["deepseek-v2", "qwen3-235b-a22b", "glm-4.5-air"]) {
      for (const batch of [256, 768]) {
        const best = timeOf("En-KTransformers", model, batch);
        for (const other of ["Klotski", "MoNDE"] as const) {
          expect(timeOf(other, model, batch), `${other} on ${model}`).toBeGreaterThan(best);
        }
      }
    }
  });
});

test("a layer is compared with the same with moves beside its experts and without moves", async () => {
  const { lab } = fakeLab(1);
  const slower: LayerLab = {
    layer: async (what) => {
      const layer = await lab.layer(what);
      if (what.system !== "TriMoE" || what.moves !== undefined) return layer;
      const factor = what.window === 0 ? 1.3 : 1.1;
      return { ...layer, time: seconds(factor * layer.time), moved: 4 };
    },
    layers: async (list) => Promise.all(list.map(async (one) => slower.layer(one))),
  };
  const { rows = [] } = await movesExperiment(slower).run();
  expect(rows.map(({ model, moved }) => [model, moved])).toEqual([
    ["DeepSeek-V2", 4],
    ["Qwen3-235B-A22B", 4],
  ]);
  for (const { gain, gainBeside, gainStill, base, still } of rows) {
    expect(Number(gainStill) / Number(gain)).toBeCloseTo(1.1, 9);
    expect(Number(gainStill) / Number(gainBeside)).toBeCloseTo(1.3, 9);
    expect(Number(gainStill)).toBeCloseTo(Number(base) / Number(still), 9);
  }
});

test("a layer is compared with the same on a machine with shared command buses", async () => {
  const { lab } = fakeLab(1);
  const slower: LayerLab = {
    layer: async (what) => {
      const layer = await lab.layer(what);
      if (what.changes?.commandBus !== "shared") return layer;
      const dimms = layer.dimms.map((end) => seconds(1.2 * end));
      return { ...layer, time: seconds(1.1 * layer.time), dimms };
    },
    layers: async (list) => Promise.all(list.map(async (one) => slower.layer(one))),
  };
  const { rows = [] } = await commandBusesExperiment(slower).run();
  expect(rows.map(({ model }) => model)).toEqual(["DeepSeek-V2", "Qwen3-235B-A22B", "GLM-4.5-Air"]);
  for (const { own, shared, slower: layer, ownDimm, sharedDimm, slowerDimm } of rows) {
    expect(layer).toBeCloseTo(10, 9);
    expect(slowerDimm).toBeCloseTo(20, 9);
    expect(Number(shared)).toBeCloseTo(1.1 * Number(own), 9);
    expect(Number(sharedDimm)).toBeCloseTo(1.2 * Number(ownDimm), 9);
  }
});

test("a decode is simulated at its lengths, and its mean is the area under them", async () => {
  const asked: number[] = [];
  const lab = {
    heads: 40,
    length: 1536,
    setting: () => Promise.reject(new Error("not asked for")),
    run: ({ ratio, flash, devices, length = 1536 }: EngineLayer): Promise<EngineRun> => {
      asked.push(length);
      const time = seconds(1e-9 * length ** 2 * (ratio ?? 1));
      const rest = { machine: {}, device: {}, steps: [], different: 0, values: 1 };
      // Machine and device are not read by the experiment.
      return Promise.resolve({
        ratio,
        flash,
        devices,
        length,
        time,
        ...rest,
      } as unknown as EngineRun);
    },
  };
  const { checks = [], blocks } = await decodeOnEngine(lab).run();
  expect(new Set(asked)).toEqual(new Set(decodeLengths));
  expect(blocks).toHaveLength(2);
  // The mean of n^2 from 1024 to 2048 is 7/3 of 1024^2, and straight lines add 1/6 of a step squared.
  const mean = (7 / 3) * 1024 ** 2 + 256 ** 2 / 6;
  for (const { ours } of checks) expect(ours).toBeCloseTo(mean / 1536 ** 2, 9);
});

test("many steps run each layer once for every trace, and say how many and how sure", async () => {
  const { lab, asked } = fakeLab(1.5);
  const kept = new Map<string, unknown>();
  const recall = async <T>(key: string, make: () => T | Promise<T>): Promise<T> => {
    if (!kept.has(key)) kept.set(key, await make());
    return kept.get(key) as T;
  };
  const shares: number[] = [];
  const onProgress = (share: number): number => shares.push(share);
  const first = await stepsExperiment({ steps: 3, lab, recall, onProgress }).run();
  expect(asked.size).toBe(kept.size);
  expect(kept.size).toBe(3 * 30);
  expect(shares.at(-1)).toBe(1);
  for (const { what, ours, note } of first.findings) {
    expect(Number.isFinite(ours), what).toBe(true);
    const [, n, low, high] = /^(\d) steps, 95 % interval (\S+) to (\S+)$/.exec(note) ?? [];
    expect(n, what).toBe("3");
    expect(Number(low), what).toBeLessThanOrEqual(Number(ours) * 1.001);
    expect(Number(high), what).toBeGreaterThanOrEqual(Number(ours) * 0.999);
  }
  const gain = first.findings.find(({ what }) => what.startsWith("figure 6, Qwen3"));
  const times = (system: string, batch: number, seed: number): number =>
    Number(
      first.rows?.find(
        (row) =>
          row["model"] === "qwen3-235b-a22b" &&
          row["system"] === system &&
          row["batch"] === batch &&
          row["seed"] === seed &&
          row["relayout"] === (system === "TriMoE"),
      )?.["time"],
    );
  const gains = [1, 2, 3].map((seed) =>
    [256, 512, 768].reduce((sum, batch) => {
      const ratio = times("En-KTransformers", batch, seed) / times("TriMoE", batch, seed);
      return sum + ratio / 3;
    }, 0),
  );
  expect(gain?.ours).toBeCloseTo(gains.reduce((a, b) => a + b, 0) / 3, 9);
  expect(new Set(gains).size).toBe(3);
  const again = await stepsExperiment({ steps: 3, lab: fakeLab(9).lab, recall }).run();
  expect(again).toEqual(first);
  const one = await stepsExperiment({ steps: 1, lab, recall }).run();
  expect(one.findings[0]?.note).toBe("1 step, no interval");
});
