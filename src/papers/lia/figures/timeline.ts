// SPDX-License-Identifier: Apache-2.0
// Timelines of LIA and of the systems that it is compared with: the first layers of the
// prompts, and of a decode step at the mean length.

import { runTasks } from "../../../base/timeline.ts";
import type { LiaMachineName as MachineName, LiaMachine } from "../../experiment/machines.ts";
import { layerOf, type Stage } from "../model/layer.ts";
import type { LiaJob, LiaRun } from "../policy/run.ts";
import { liaSystems, type LiaSystem } from "../policy/systems.ts";
import { layerTasks } from "../model/timeline.ts";
import type { Span } from "../../../results/latency/span.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { ownLab } from "./run.ts";

const layers = 3;

/** Layers that load their weights, under the policies of a run; resident ones only compute. */
export function layerSpans(
  title: string,
  machine: LiaMachine,
  { shape, batch, input, output }: LiaJob,
  run: Pick<LiaRun, Stage>,
): readonly Span[] {
  const lengths = { prefill: input, decode: input + output / 2 };
  return (["prefill", "decode"] as const).flatMap((stage) => {
    const layer = layerOf(shape, { stage, batch, length: lengths[stage] });
    const tasks = layerTasks(machine, layer, run[stage].policy, layers);
    return spansOf({ name: `${title}, ${stage}`, runs: runTasks(tasks) });
  });
}

/** A job on a host under each of the systems. */
export function jobSpans(
  title: string,
  name: MachineName,
  job: LiaJob,
  systems: readonly LiaSystem[] = liaSystems,
): readonly Span[] {
  const run = { LIA: ownLab.lia, IPEX: ownLab.ipex, FlexGen: ownLab.flexGen };
  return systems.flatMap((system) =>
    layerSpans(
      `${title}, ${system}`,
      ownLab.machine(name, system, job.batch),
      job,
      run[system](name, job),
    ),
  );
}
