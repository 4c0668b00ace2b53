// SPDX-License-Identifier: Apache-2.0
// Timelines of decode steps of a setting: a few layers on GPU, links and flash.

import { runTasks } from "../../../base/timeline.ts";
import { decodeTasks } from "../model/pipeline.ts";
import type { InstInferSetting } from "../model/systems.ts";
import type { Span } from "../../../results/latency/span.ts";
import { spansOf } from "../../experiment/chart-map.ts";

const layers = 2;
const miniBatches = 2;

/** The first layers of a step at the mean length, dense and sparse unless one is named. */
export function stepSpans(
  { model, prompt, devices, sparsity, timer }: InstInferSetting,
  batch: number,
  kinds: readonly ("dense" | "SparF")[] = ["dense", "SparF"],
): readonly Span[] {
  return kinds.flatMap((kind) => {
    const tasks = decodeTasks(model, {
      batch,
      tokens: 1.5 * prompt,
      devices,
      sparsity: kind === "dense" ? null : sparsity,
      miniBatches,
      layers,
      timer,
    });
    const name = `${kind}, batch ${batch}, ${devices} device${devices === 1 ? "" : "s"}`;
    return spansOf({ name, runs: runTasks(tasks) });
  });
}
