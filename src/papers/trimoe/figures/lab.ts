// SPDX-License-Identifier: Apache-2.0
// Layers on the simulated machine for several figures: each is decided and run once, a few at a time.

import type { Seconds } from "../../../base/units.ts";
import { coreSemaphore } from "../../../kernels/concurrency.ts";
import type { LayerRun, System } from "../policy/baselines.ts";
import type { Device } from "../policy/makespan.ts";
import type { PlaceChange } from "../policy/migration.ts";
import type { MachineOptions } from "../model/machine.ts";
import {
  simulateLayer,
  type MachineChanges,
  type SimulatedLayer,
} from "./cycle/simulated-layer.ts";
import { setting } from "./setting.ts";
import { lastStep, type LayerStudy } from "./run.ts";

/** One layer of the study: the last step of a synthetic trace. */
export interface LabLayer extends Pick<LayerStudy, "planner" | "cold" | "accuracy" | "oracle"> {
  readonly system: System;
  readonly model: string;
  readonly batch: number;
  /** Whether experts follow the predictor and move; of TriMoE by default. */
  readonly relayout?: boolean;
  readonly machine?: MachineOptions;
  /** Of the simulated machine; the decisions do not depend on them. */
  readonly changes?: MachineChanges;
  /** In place of the changes of place that the policy decides. */
  readonly moves?: readonly PlaceChange[];
  /** From the begin of the changes to the begin of the experts; that of section 5.5 when absent. */
  readonly window?: Seconds;
  /** The experts of these devices alone, without moves; all and moves when absent. */
  readonly alone?: readonly Device[];
  /** Seed of the trace; 1 if absent. */
  readonly seed?: number;
}

export interface LayerLab {
  readonly layer: (what: LabLayer) => Promise<SimulatedLayer>;
  /** Simulates the layers concurrently; results are in the order of the list. */
  readonly layers: (list: readonly LabLayer[]) => Promise<readonly SimulatedLayer[]>;
}

/** A lab that runs up to `workers` layers at a time and remembers them. */
export function layerLab(workers: number): LayerLab {
  const known = new Map<string, Promise<SimulatedLayer>>();
  const inTurn = coreSemaphore(workers);
  const layer = async (what: LabLayer): Promise<SimulatedLayer> => {
    const key = JSON.stringify({ relayout: what.system === "TriMoE", ...what });
    const before = known.get(key);
    if (before !== undefined) return before;
    const done = inTurn(async () => simulate(what));
    known.set(key, done);
    return done;
  };
  return { layer, layers: async (list) => Promise.all(list.map(layer)) };
}

async function simulate(what: LabLayer): Promise<SimulatedLayer> {
  const { system, model, machine = {}, alone, relayout = system === "TriMoE" } = what;
  const { alone: _, ...studied } = { ...setting, ...what, relayout, machine };
  const { run: whole, next } = lastStep(studied, system);
  const run = alone === undefined ? whole : partOf(whole, alone);
  const prefetch = system === "Klotski";
  return simulateLayer(model, run, {
    machine,
    moves: alone === undefined ? (what.moves ?? next) : [],
    prefetch,
    window: what.window,
    changes: what.changes,
  });
}

function partOf(run: LayerRun, devices: readonly Device[]): LayerRun {
  const selected = <T>(list: readonly T[]): readonly T[] =>
    list.filter((_, i) => devices.includes(run.assignment[i] ?? "G"));
  const { experts, assignment, costs } = run;
  return {
    ...run,
    experts: selected(experts),
    assignment: selected(assignment),
    costs: selected(costs),
  };
}
