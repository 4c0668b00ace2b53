// SPDX-License-Identifier: Apache-2.0
// Every layer of a recorded trace under TriMoE and its baselines.

import { inputError } from "../../../../base/errors.ts";
import { modelShape } from "../../../../workload/shapes.ts";
import type { LayerRun, System } from "../../policy/baselines.ts";
import type { MachineOptions } from "../../model/machine.ts";
import { parseTrace } from "../../model/recorded.ts";
import type { Seconds } from "../../../../base/units.ts";
import { compared } from "../layer.ts";
import { studyTrace } from "../run.ts";

/** Mean over the steps of a layer, with places that follow the predictor from the first step on. */
export interface RecordedLayer {
  readonly layer: number;
  readonly steps: number;
  readonly systems: readonly {
    readonly system: System;
    readonly time: Seconds;
    readonly use: { readonly gpu: number; readonly cpu: number; readonly ndp: number };
  }[];
  /** What TriMoE decided on the last step. */
  readonly last: LayerRun | null;
}

/** Layers of a trace, and what a reader of them has to know. */
export interface SolvedTrace {
  readonly layers: readonly RecordedLayer[];
  readonly notes: readonly string[];
}

/** @throws NeardataError `bad-input` for a bad trace or a model without experts. */
export function solveTrace(
  file: string,
  text: string,
  model: string,
  machine: MachineOptions = {},
): SolvedTrace {
  const { experts } = modelShape(model, "--model");
  if (experts === null) throw inputError("--model", `${model} has no experts.`);
  const recorded = parseTrace(file, text, experts.routed);
  const layers = [...recorded.layers].map(([layer, trace]) => {
    const busiest = Math.max(...trace.map((loads) => loads.reduce((a, b) => a + b, 0)));
    const batch = busiest / experts.perToken;
    const found = studyTrace({ model, batch, relayout: true, machine }, trace, 0, compared);
    const systems = [...found].map(([system, { time, use }]) => ({ system, time, use }));
    return { layer, steps: trace.length, systems, last: found.get("TriMoE")?.last ?? null };
  });
  return { layers, notes: recorded.notes };
}
