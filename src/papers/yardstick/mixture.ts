// SPDX-License-Identifier: Apache-2.0
// TriMoE and its baselines on the same host with NDP DIMMs, and LIA, for a mixture of experts. The
// equations have the time of an expert by its tokens. In all systems the CPU computes attention and the
// GPU projections.

import { present } from "../../base/present.ts";
import { liaModel } from "../lia/model/shape.ts";
import { layerOf, weightBytes } from "../lia/model/layer.ts";
import { layerTime, overlappedTime } from "../lia/model/cost.ts";
import { fastestBy } from "../lia/policy/optimum.ts";
import { gpuMemoryBudget } from "../lia/policy/gpu-memory.ts";
import { residentLayers } from "../lia/policy/run.ts";
import { allGpu, attentionOnCpu } from "../lia/policy/systems.ts";
import type { System } from "../trimoe/policy/baselines.ts";
import { bytes, seconds } from "../../base/units.ts";
import { optionsWith } from "../trimoe/figures/own-device.ts";
import { compared } from "../trimoe/figures/layer.ts";
import { study } from "../trimoe/figures/run.ts";
import { host, rates, type YardstickSystem } from "./dense.ts";

/** Tokens of a pass at which layers are studied; between them a line. */
const grid = [1, 16, 64, 256, 1024, 4096, 8192];
const steps = 6;

function expertTimes(model: string): ReadonlyMap<System, readonly number[]> {
  const gpu = { kind: "gpu", processor: host.gpu, link: host.link } as const;
  const cpu = { kind: "cpu", processor: host.cpu, link: null } as const;
  const options = optionsWith({ gpu, cpu });
  const points = grid.map((batch) =>
    study({ model, batch, relayout: true, steps, machine: options }, compared),
  );
  return new Map(compared.map((name) => [name, points.map((at) => present(at.get(name)?.time))]));
}

/** On the line between two points of the grid, the last one extended. */
function between(times: readonly number[], tokens: number): number {
  const above = grid.findIndex((n) => n >= tokens);
  const i = above < 0 ? grid.length - 1 : Math.max(1, above);
  const [x0 = 0, x1 = 1] = [grid[i - 1], grid[i]];
  const [y0 = 0, y1 = 0] = [times[i - 1], times[i]];
  return y0 + ((y1 - y0) * (tokens - x0)) / (x1 - x0);
}

export function mixtureSystems(name: string): readonly YardstickSystem[] {
  const { shape, layers } = liaModel(name, "the yardstick");
  const cache = 4 * shape.cacheWidth * layers;
  const common = {
    room: bytes(host.cpu.memory - layers * weightBytes(shape)),
    cacheBytes: bytes(cache),
    layers,
    promptAttention: (tokens: number) =>
      seconds((2 * layers * tokens ** 2 * shape.width) / rates.gpuRate),
    attentionPerToken: seconds(cache / rates.cpuBandwidth),
  };
  const pass = (tokens: number): ReturnType<typeof layerOf> =>
    layerOf(shape, { stage: "decode", batch: tokens, length: 0 });
  const job = { shape, layers, batch: 1, input: 8192, output: 1 };
  // Caches of all layers are on the host, and each token's time includes their attention.
  const room = gpuMemoryBudget(host.gpu.memory, job, attentionOnCpu).layers;
  const resident = Math.min(layers, residentLayers(room, weightBytes(shape)));
  const lia = (tokens: number): number => {
    const layer = pass(tokens);
    const { time } = fastestBy((policy) => overlappedTime(rates, layer, policy)).best;
    return (layers - resident) * time + resident * layerTime(rates, layer, allGpu).gpu;
  };
  /** QKV and output projection, whose weights stay on the GPU. */
  const projections = (tokens: number): number => {
    const [qkv, , , out] = pass(tokens).sublayers;
    return [qkv, out].reduce((sum, part) => {
      if (part === undefined) return sum;
      return sum + (part.x + part.y) / rates.gpuBandwidth + part.work / rates.gpuRate;
    }, 0);
  };
  const times = expertTimes(name);
  return [
    {
      name: "LIA",
      from: "LIA",
      extra: "",
      gpu: true,
      model: { ...common, linear: (tokens) => seconds(lia(tokens)) },
    },
    ...compared.map((system): YardstickSystem => {
      const time = times.get(system) ?? [];
      const near = system === "TriMoE" || system === "MoNDE";
      return {
        name: system,
        from: "TriMoE",
        extra: near ? "16 NDP DIMMs" : "",
        gpu: true,
        model: {
          ...common,
          linear: (tokens) => seconds(layers * (projections(tokens) + between(time, tokens))),
        },
      };
    }),
  ];
}
