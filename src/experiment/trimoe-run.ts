// SPDX-License-Identifier: Apache-2.0
// A MoE layer over many decode steps: drifting loads, the predictor, migration under the window, and
// every system on the same loads.

import { expertBytes, modelShape } from "../model/shapes.ts";
import { runLayer, type LayerRun, type System } from "../policy/trimoe/baselines.ts";
import { paperMachine, type MachineOptions } from "../policy/trimoe/machine.ts";
import { initialPlaces, migrate, type Place } from "../policy/trimoe/placement.ts";
import { publishedAlpha, updateAverage } from "../policy/trimoe/predictor.ts";
import { driftingLoads, publishedDrift } from "../policy/trimoe/trace.ts";
import { seconds, type Seconds } from "../units.ts";

export interface LayerStudy {
  readonly model: string;
  readonly batch: number;
  readonly machine?: MachineOptions;
  /** Whether experts move with the predictor; otherwise the first placement stays. */
  readonly relayout: boolean;
  readonly steps?: number;
  /** Skew of the experts' popularity. */
  readonly lam?: number;
}

export interface StudyResult {
  /** Mean time of a layer's experts. */
  readonly time: Seconds;
  /** Mean busy share of GPU, CPU and the DIMMs together. */
  readonly use: { readonly gpu: number; readonly cpu: number; readonly ndp: number };
  readonly last: LayerRun | null;
}

/** Steps that only train the averages. */
const warmUp = 12;

/** The mean over the steps after warm-up, for each system. */
export function study(
  {
    model,
    batch,
    machine: options = {},
    relayout,
    steps = 24,
    lam = publishedDrift.lam,
  }: LayerStudy,
  names: readonly System[],
): ReadonlyMap<System, StudyResult> {
  const shape = modelShape(model, "the experiment");
  const size = expertBytes(shape);
  const machine = paperMachine(options);
  const routing = {
    experts: shape.experts?.routed ?? 0,
    perToken: shape.experts?.perToken ?? 0,
    batch,
  };
  const trace = driftingLoads(routing, { ...publishedDrift, lam }, warmUp + steps, 1);
  let average: readonly number[] = Array.from(trace[0] ?? []);
  let places: readonly Place[] = [];
  const runs = new Map<System, LayerRun[]>(names.map((name) => [name, []]));
  trace.forEach((loads, t) => {
    if (t === warmUp) places = initialPlaces(average, machine.dimms);
    if (t >= warmUp) {
      if (relayout && t > warmUp) places = migrate(machine, size, places, average).places;
      for (const name of names) runs.get(name)?.push(runLayer(name, machine, size, loads, places));
    }
    average = updateAverage(average, loads, publishedAlpha);
  });
  return new Map(names.map((name) => [name, summary(runs.get(name) ?? [])]));
}

function summary(runs: readonly LayerRun[]): StudyResult {
  const mean = (f: (run: LayerRun) => number): number =>
    runs.reduce((total, run) => total + f(run), 0) / runs.length;
  return {
    time: seconds(mean((run) => run.time)),
    use: {
      gpu: mean((run) => run.load.gpu / run.time),
      cpu: mean((run) => run.load.cpu / run.time),
      ndp: mean(
        (run) => run.load.dimms.reduce((a, b) => a + b, 0) / run.load.dimms.length / run.time,
      ),
    },
    last: runs.at(-1) ?? null,
  };
}
