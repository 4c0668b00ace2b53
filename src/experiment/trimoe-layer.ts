// SPDX-License-Identifier: Apache-2.0
// The time of a layer under each system, on the models of TriMoE's evaluation.

import { runTasks } from "../host/timeline.ts";
import { expertBytes, modelShape } from "../model/shapes.ts";
import type { System } from "../policy/trimoe/baselines.ts";
import { paperMachine } from "../policy/trimoe/machine.ts";
import { layerTasks } from "../policy/trimoe/timeline.ts";
import type { Span } from "../report/perfetto.ts";
import { spansOf } from "./chart-map.ts";
import { study, type LayerStudy } from "./trimoe-run.ts";

export const models = ["deepseek-v2", "qwen3-235b-a22b", "glm-4.5-air"] as const;
export const traceNote =
  "synthetic traces and assumed f_gpu and f_cpu: the paper's traces and measured curves are not published";

export function timeOf(
  system: System,
  model: string,
  batch: number,
  relayout: boolean = system === "TriMoE",
  machine: LayerStudy["machine"] = {},
): number {
  return study({ model, batch, relayout, machine }, [system]).get(system)?.time ?? NaN;
}

/** Every system of the comparison, the baselines first. */
export const baselines: readonly System[] = [
  "Klotski",
  "En-KTransformers",
  "En-KTransformers, balanced",
  "MoNDE",
];
export const compared: readonly System[] = [...baselines, "TriMoE"];

/** What runs when in the last step's layer under every system, by the equations. */
export function layerSpans(model: string, batch: number): readonly Span[] {
  const machine = paperMachine();
  const size = expertBytes(modelShape(model, "the timeline"));
  return [...study({ model, batch, relayout: true }, compared)].flatMap(([system, { last }]) =>
    last === null
      ? []
      : spansOf({
          name: `${model}, batch ${batch}, ${system}`,
          runs: runTasks(layerTasks(last, machine, size)),
        }),
  );
}

/** Times of every system on the same loads. */
export function timesOf(model: string, batch: number): ReadonlyMap<System, number> {
  const found = study({ model, batch, relayout: true }, compared);
  return new Map([...found].map(([name, { time }]) => [name, time]));
}
