// SPDX-License-Identifier: Apache-2.0
// The time of a layer under each system, on the models of TriMoE's evaluation.

import { runTasks } from "../../../base/timeline.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import { paperMachine } from "../model/machine.ts";
import { layerTasks } from "../policy/timeline.ts";
import type { Span } from "../../../results/latency/span.ts";
import type { Seconds } from "../../../base/units.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { study, type LayerStudy, type StudyResult } from "./run.ts";
import { setting } from "./setting.ts";

export const models = ["deepseek-v2", "qwen3-235b-a22b", "glm-4.5-air"] as const;
export const traceNote =
  "our traces are synthetic, and f_gpu and f_cpu are assumed, because the paper's traces and measured curves are not published";

/** The result of a system on a synthetic trace. */
export function resultOf(
  system: System,
  model: string,
  batch: number,
  relayout: boolean = system === "TriMoE",
  machine: LayerStudy["machine"] = {},
): StudyResult {
  const studyResult = study({ ...setting, model, batch, relayout, machine }, [system]).get(system);
  if (studyResult === undefined) throw new RangeError(`the study has no ${system}`);
  return studyResult;
}

export function timeOf(...what: Parameters<typeof resultOf>): Seconds {
  return resultOf(...what).time;
}

/** Every system of the comparison, the baselines first. */
export const baselines: readonly System[] = [
  "Klotski",
  "En-KTransformers",
  "En-KTransformers, balanced",
  "MoNDE",
];
export const compared: readonly System[] = [...baselines, "TriMoE"];

/** Timeline of the last step's layer of a study, by the equations. */
export function layerSpans(
  title: string,
  model: string,
  { last }: Pick<StudyResult, "last">,
  options: LayerStudy["machine"] = {},
): readonly Span[] {
  if (last === null) return [];
  const size = expertBytes(modelShape(model, "the timeline"));
  return spansOf({ name: title, runs: runTasks(layerTasks(last, paperMachine(options), size)) });
}

/** Every system on the same loads: its time, and the timeline of the last layer. */
export interface Comparison {
  readonly times: ReadonlyMap<System, Seconds>;
  readonly timeline: readonly Span[];
}

export function compareOn(model: string, batch: number): Comparison {
  const results = [...study({ ...setting, model, batch, relayout: true }, compared)];
  return {
    times: new Map(results.map(([name, { time }]) => [name, time])),
    timeline: results.flatMap(([name, result]) =>
      layerSpans(`${model}, batch ${batch}, ${name}`, model, result),
    ),
  };
}
