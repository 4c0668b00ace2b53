// SPDX-License-Identifier: Apache-2.0
// A decode step of a model of which only the shape is there: routes scaled from a trained router, what the
// host takes, and a layer on RTL that is the layer of the step.

import { describe, expect, it } from "vitest";

import { hostPath, paperMachine } from "../../src/machine/resolve/systems.ts";
import type { OpenCsdSession } from "../../src/machine/csd/csd-types.ts";
import type { OpenSession } from "../../src/machine/types.ts";
import { effective, gpus } from "../../src/machine/host/devices.ts";
import {
  scaledRouter,
  type RouterScores,
  type ScaledRouter,
} from "../../src/lm/shape/scaled-routes.ts";
import { placeAttention } from "../../src/lm/shape/shape-attention.ts";
import { checkHostMemory, shapeHostTimes } from "../../src/lm/shape/shape-host.ts";
import { runShapeStep, type ShapeStep } from "../../src/lm/shape/shape-step.ts";
import type { RtlHardware, ShapeMachine } from "../../src/lm/shape/shape-task.ts";
import { planTasks } from "../../src/lm/token/token-plan.ts";
import {
  expertLayers,
  mixtureNames,
  modelShape,
  sharedWeightBytes,
  vocabularyOf,
  type Experts,
  type ModelShape,
} from "../../src/workload/shapes.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openSession } from "../../src/native/session.ts";
import { femtoseconds } from "../../src/base/units.ts";
import { rejection } from "../helpers/rejection.ts";
import { inFull } from "../helpers/needs.ts";

const shapeOf = (name: string): ModelShape => modelShape(name, "model");
const mixture = (routed: number, perToken: number): Experts => ({
  intermediate: 64,
  matrices: 3,
  routed,
  shared: 1,
  perToken,
  denseLayers: 1,
});

describe("routes scaled from a trained router", () => {
  // Two layers, four positions, two of them the prompt; three experts whose score is 10 layer + position + expert / 10.
  const scores: RouterScores = {
    prompt: 2,
    layers: [0, 1].map((n) => ({
      rows: 4,
      columns: 3,
      data: Float64Array.from({ length: 12 }, (_, i) => 10 * n + Math.floor(i / 3) + (i % 3) / 10),
    })),
  };

  it("take the same expert of every block first, in which a later byte scores more", () => {
    const { route } = scaledRouter(scores, mixture(6, 2), 1);
    for (let layer = 0; layer < 8; layer += 1) {
      const chosen = route(layer, 0);
      // Either both blocks drew one byte, or one drew the later.
      expect([
        [2, 5],
        [2, 1],
        [5, 4],
      ]).toContainEqual(chosen);
    }
    const all = Array.from({ length: 64 }, (_, s) => route(0, s).join());
    expect(new Set(all)).toEqual(new Set(["2,5", "2,1", "5,4"]));
  });

  it("are the same for one seed, and others for another, layer or sequence", () => {
    const many = (seed: number, layer: number): string =>
      Array.from({ length: 32 }, (_, s) => {
        return scaledRouter(scores, mixture(6, 2), seed).route(layer, s).join();
      }).join(" ");
    expect(many(1, 0)).toBe(many(1, 0));
    expect(many(1, 0)).not.toBe(many(2, 0));
    expect(many(1, 0)).not.toBe(many(1, 2));
  });

  it("count every token of the prompt, of a last block that is not whole, too", () => {
    const loads = scaledRouter(scores, mixture(5, 2), 1).loads(0);
    expect(loads).toHaveLength(5);
    expect(loads.reduce((a, b) => a + b, 0)).toBe(2 * 2);
  });

  it("stay in the best groups where the shape has groups", () => {
    const groups = { count: 3, used: 1 };
    const { route } = scaledRouter(scores, { ...mixture(6, 2), groups }, 1);
    // Groups are experts 0 and 1, 2 and 3, 4 and 5; the best scores are those of 2 and 5.
    const all = Array.from({ length: 64 }, (_, s) => route(0, s).join());
    expect(new Set(all)).toEqual(new Set(["2,3", "5,4"]));
  });
});

describe("what the host takes for a shape", () => {
  const work = { tokens: 1, length: 2048 };
  const rate = effective(gpus["h100-80"].bandwidth);
  const launch = 3e-6;
  /** Bytes that a part of one token reads from memory. */
  const bytesOf = (time: number): number => (time - launch) * rate;

  it.each(mixtureNames)("reads every weight of %s that is no routed expert's", (name) => {
    const shape = shapeOf(name);
    const { routed, dense } = shapeHostTimes(shape, "h100-80", work);
    const routers = expertLayers(shape) * 2 * shape.hidden * (shape.experts?.routed ?? 0);
    const own = (time: number | undefined): number =>
      time === undefined || time === 0 ? 0 : bytesOf(time);
    const of = (times: typeof dense): number =>
      [times.projections, times.router, times.shared].reduce<number>((sum, t) => sum + own(t), 0);
    const layers = expertLayers(shape);
    const read = layers * of(routed) + (shape.layers - layers) * of({ ...routed, ...dense });
    expect(read / (sharedWeightBytes(shape) + routers)).toBeCloseTo(1, 9);
    expect(bytesOf(routed.output)).toBeCloseTo(2 * shape.hidden * (vocabularyOf(shape) ?? 0), 0);
  });

  it("reads them once for all tokens, and of latents as many as there are", () => {
    const shape = shapeOf("deepseek-v2");
    const [one, eight] = [1, 8].map((tokens) => {
      return shapeHostTimes(shape, "h100-80", { ...work, tokens }).routed;
    });
    expect(eight?.projections).toBe(one?.projections);
    expect(bytesOf(one?.attention ?? 0)).toBeLessThan(2 * 2048 * 576 * 2);
    // 128 heads times latents and rotary key, and latents again: compute decides.
    const flops = 2 * 128 * 2048 * (576 + 512);
    const rated = flops / effective(gpus["h100-80"].compute);
    const reads = (2 * 2048 * 576) / rate;
    expect((one?.attention ?? 0) - launch).toBeCloseTo(Math.max(rated, reads), 12);
    expect(((eight?.attention ?? 0) - launch) / ((one?.attention ?? 0) - launch)).toBeCloseTo(8, 6);
  });

  it("has no place on a card that is too small", () => {
    expect(() => {
      checkHostMemory(shapeOf("qwen3-235b-a22b"), "t4", work);
    }).not.toThrow();
    expect(() => {
      checkHostMemory(shapeOf("deepseek-v2"), "t4", work);
    }).toThrow(rejection("bad-input", /^--host: .* T4 has 16\.0/));
  });
});

const router: ScaledRouter = {
  route: (layer, sequence) => [(layer + sequence) % 4, 4 + (sequence % 2)],
  loads: () => [4, 3, 2, 1, 6, 5, 0, 0],
};
const small: ModelShape = {
  name: "small",
  title: "Small",
  layers: 2,
  hidden: 256,
  attention: { kind: "heads", heads: 4, kvHeads: 2, headDim: 128 },
  dense: { intermediate: 128, matrices: 3 },
  experts: mixture(8, 2),
};

describe("a step of a small shape", () => {
  const machine: ShapeMachine = {
    dimms: 2,
    devices: 2,
    openNdp: openSession,
    openCsd: openCsdSession,
    ndp: { ...paperMachine("cycle"), host: hostPath },
  };
  const step = async (on: RtlHardware | null): Promise<ShapeStep> =>
    runShapeStep(
      {
        shape: small,
        layers: 2,
        batch: 4,
        parts: 2,
        length: 96,
        ratio: 1 / 4,
        seed: 1,
        router,
        attention: placeAttention(small, 96),
        again: on === null ? null : { layer: 1, on },
      },
      machine,
    );
  const models: RtlHardware = { engine: "cycle", openNdp: openSession, openCsd: openCsdSession };

  it("has a time for each device and job, and says how many jobs had how many tokens", async () => {
    const shapeStep = await step(null);
    expect(shapeStep.checks).toMatchObject([{ id: "attention", pass: true }]);
    expect(shapeStep.times.map((time) => time[0]?.length)).toEqual([2, 2]);
    for (const [layers] of shapeStep.times) {
      expect(layers?.map(({ attention }) => attention.every((time) => time > 0))).toEqual([
        true,
        true,
      ]);
      // The first layer is dense; in the second a part's two tokens share no expert.
      expect(layers?.map(({ experts }) => experts.length)).toEqual([0, 4]);
    }
    expect(shapeStep.experts).toMatchObject([{ tokens: 1, jobs: 8 }]);
    // Experts 4, 5, 0, 1, 2, 3 by descending load: to DIMMs with 0 and 0, 6 and 0, 6 and 5, 6 and 9, 9 and 9, 11 and
    // 9.
    expect(shapeStep.homes).toEqual([[], [1, 0, 0, 1, 0, 1, 1, 1]]);
  });

  it("is on RTL what it is on the cycle models, values and times", inFull, async () => {
    const shapeStep = await step({ ...models, engine: "rtl" });
    expect(shapeStep.rtl).toEqual({
      layer: 1,
      experts: { jobs: 8, values: 0, times: 0 },
      heads: { jobs: 8, values: 0, times: 0 },
    });
    expect(shapeStep.checks.map(({ id, pass }) => [id, pass])).toEqual([
      ["attention", true],
      ["rtlValues", true],
      ["rtlTimes", true],
    ]);
  });

  it("finds a value and a time that are others", async () => {
    const late: OpenSession = async (asked) => {
      const session = await openSession(asked);
      return {
        ...session,
        run: async (...job) => {
          const run = await session.run(...job);
          return { ...run, time: femtoseconds(run.time + 1) };
        },
      };
    };
    const wrong: OpenCsdSession = async (asked) => {
      const session = await openCsdSession(asked);
      return {
        ...session,
        run: async (...jobs) => {
          const run = await session.run(...jobs);
          const changed = run.jobs.map((job) => {
            const outputs = job.outputs.slice();
            outputs[0] = (outputs[0] ?? 0) ^ 1;
            return { ...job, outputs };
          });
          return { ...run, jobs: changed };
        },
      };
    };
    const shapeStep = await step({ ...models, openNdp: late, openCsd: wrong });
    expect(shapeStep.rtl).toMatchObject({
      experts: { jobs: 8, values: 0, times: 8 },
      heads: { jobs: 8, values: 8, times: 0 },
    });
    expect(
      shapeStep.checks.filter(({ pass }) => !pass).map(({ id, detail }) => [id, detail]),
    ).toEqual([
      ["rtlValues", "8 experts' jobs and 8 groups of heads of layer 1 on RTL, 8 differ"],
      ["rtlTimes", "8 experts' jobs and 8 groups of heads of layer 1 on RTL, 8 differ"],
    ]);
  });

  it("has no place on DIMMs that are too few", async () => {
    const big = { ...machine, dimms: 1 };
    const shape = shapeOf("qwen3-235b-a22b");
    const task = { shape, layers: 94, batch: 1, parts: 1, length: 64, ratio: null, seed: 1 };
    const loads = new Array<number>(128).fill(1);
    const run = runShapeStep(
      {
        ...task,
        router: { route: () => [], loads: () => loads },
        attention: placeAttention(shape, 64),
        again: null,
      },
      big,
    );
    await expect(run).rejects.toThrow(rejection("bad-input", /^--dimms: .* 423\.0/));
  });
});

describe("the plan of a step with many tokens", () => {
  it("sends a vector a token, gets one back for each expert's token, and may attend on the host", () => {
    const { routed } = shapeHostTimes(shapeOf("deepseek-v2"), "h100-80", { tokens: 4, length: 64 });
    const sent: number[] = [];
    const transfer: typeof routed.transfer = (amount) => {
      sent.push(amount / routed.vector);
      return routed.transfer(amount);
    };
    const time = routed.sum;
    const experts = [3, 1].map((tokens, expert) => ({ expert, time, tokens }));
    const tasks = planTasks(
      [[[{ attention: [], experts, tokens: 4 }]]],
      { ...routed, transfer },
      {
        homeOf: () => 0,
      },
    );
    expect(sent).toEqual([4, 4]);
    const attends = tasks.find(({ part }) => part === "attention");
    expect(attends).toMatchObject({ device: "host", time: routed.attention });
    expect(tasks.find(({ part }) => part === "router")?.after).toEqual([attends?.id]);
  });
});
