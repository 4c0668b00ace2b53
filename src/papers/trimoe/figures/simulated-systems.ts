// SPDX-License-Identifier: Apache-2.0
// Every system of the comparison on the simulated machine, for figures 6 and 7.

import type { System } from "../policy/baselines.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { LayerTimes } from "./end-to-end.ts";
import type { LayerLab } from "./lab.ts";
import { compared } from "./layer.ts";

/** The batch at which every system is simulated. */
export const simulatedBatch = 512;
const pair: readonly System[] = ["En-KTransformers", "TriMoE"];

/** Reason why simulated gains are below the planner's predictions. */
export const contentionExplanation: string =
  "CPU, GPU and moves wait for each other on the memory channels, whose bytes alone the planner sums; the " +
  "experiment trimoe/layer shows how much, the readings of the analytic figure 6 the rest";

/** The alternative reading of every simulated gain. */
export const byEquation: string = "times as the planner predicts them";

export type Layers = ReadonlyMap<System, SimulatedLayer>;

export async function systemsOn(lab: LayerLab, model: string, batch: number): Promise<Layers> {
  const names = batch === simulatedBatch ? compared : pair;
  const done = await lab.layers(names.map((system) => ({ system, model, batch })));
  return new Map(done.map((layer, i) => [names[i] ?? "TriMoE", layer]));
}

export function timesOf(layers: Layers): LayerTimes {
  return new Map([...layers].map(([name, { time }]) => [name, time]));
}

/** Times of the same assignments by the equations. */
export function equationsOf(layers: Layers): LayerTimes {
  return new Map([...layers].map(([name, { run }]) => [name, run.time]));
}
