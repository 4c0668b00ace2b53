// SPDX-License-Identifier: Apache-2.0
// Every layer of a recorded trace under TriMoE and its baselines.

import { present } from "../../../../base/present.ts";
import { inputError } from "../../../../base/errors.ts";
import { modelShape } from "../../../../workload/shapes.ts";
import type { System } from "../../policy/baselines.ts";
import type { MachineOptions } from "../../model/machine.ts";
import { parseTrace } from "../../model/recorded.ts";
import type { Seconds } from "../../../../base/units.ts";
import { compared } from "../layer.ts";
import { conclusionRows, generatedLoads, type ConclusionRow } from "../router/conclusions.ts";
import { studyTrace, type DecidedStep, type LayerStudy } from "../run.ts";

/** Mean over the steps of a layer, with places that follow the predictor from the first step on. */
export interface RecordedLayer {
  readonly layer: number;
  /** Tokens by expert, step by step. */
  readonly loads: readonly Int32Array[];
  readonly systems: readonly {
    readonly system: System;
    readonly time: Seconds;
    readonly use: { readonly gpu: number; readonly cpu: number; readonly ndp: number };
  }[];
  /** TriMoE's decisions in the last step; null for a layer without steps. */
  readonly last: DecidedStep | null;
  /** Most tokens of a cold expert. */
  readonly cold: number;
}

/** Layers of a trace, with remarks for a reader. */
export interface SolvedTrace {
  readonly layers: readonly RecordedLayer[];
  readonly notes: readonly string[];
}

/** Which planner decides, and how many tokens a cold expert may have; as in `LayerStudy`. */
export type PlannerChoice = Pick<LayerStudy, "planner" | "cold">;

/** @throws NeardataError `bad-input` for a bad trace or a model without experts. */
export function solveTrace(
  file: string,
  text: string,
  model: string,
  machine: MachineOptions = {},
  choice: PlannerChoice = {},
): SolvedTrace {
  const { experts } = modelShape(model, "--model");
  if (experts === null) throw inputError("--model", `${model} has no experts.`);
  const recorded = parseTrace(file, text, experts.routed);
  const layers = [...recorded.layers].map(([layer, trace]) => {
    const busiest = Math.max(...trace.map((loads) => loads.reduce((a, b) => a + b, 0)));
    const batch = busiest / experts.perToken;
    const what = { ...choice, model, batch, relayout: true, machine };
    const results = studyTrace(what, trace, 0, compared);
    const systems = [...results].map(([system, { time, use }]) => ({ system, time, use }));
    const studyResult = results.get("TriMoE");
    const run = studyResult?.last ?? null;
    const last = run === null ? null : { run, next: studyResult?.next ?? [] };
    return { layer, loads: trace, systems, last, cold: present(studyResult?.cold) };
  });
  return { layers, notes: recorded.notes };
}

/**
 * Every conclusion of the paper on the layers of a trace with two steps or more, compared with a
 * generated trace of as many steps and tokens.
 */
export function conclusionsOnTrace(
  layers: readonly RecordedLayer[],
  model: string,
  options: PlannerChoice & { readonly machine?: MachineOptions },
): readonly ConclusionRow[] {
  const { experts } = modelShape(model, "--model");
  if (experts === null) throw inputError("--model", `${model} has no experts.`);
  const judged = layers.filter(({ loads }) => loads.length >= 2);
  if (judged.length === 0) {
    throw inputError(
      "--conclusions",
      "no layer of these routes has two steps, which a predictor needs.",
    );
  }
  const named = judged.map(({ layer, loads }) => ({ name: `layer ${layer}`, steps: loads }));
  const slots = named.flatMap(({ steps }) => steps.map((of) => of.reduce((a, b) => a + b, 0)));
  const mean = slots.reduce((a, b) => a + b, 0) / slots.length;
  const batch = Math.max(1, Math.round(mean / experts.perToken));
  const routing = { experts: experts.routed, perToken: experts.perToken, batch };
  const longest = Math.max(...named.map(({ steps }) => steps.length));
  const generated = { name: "generator", steps: generatedLoads(routing, longest) };
  return conclusionRows(named, generated, { model, batch, ...options });
}
