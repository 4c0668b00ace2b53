// SPDX-License-Identifier: Apache-2.0
// Names of layers that the simulated engine ran, and their timelines.

import { attentionSpans, type AttentionRun } from "../../../report/attention/attention-timeline.ts";
import type { Span } from "../../../results/latency/span.ts";
import type { EngineLayer, EngineRun } from "./lab.ts";

export const flashTitles = { znand4k: "Z-NAND", tlc4k: "TLC, 4 dies per channel" } as const;
export type LabFlash = keyof typeof flashTitles;

export function nameOf({ ratio, flash, devices }: EngineLayer): string {
  const method = ratio === null ? "dense" : `SparF 1/${1 / ratio}`;
  const title = flash in flashTitles ? flashTitles[flash as LabFlash] : flash;
  return `${method}, ${title}${devices === 1 ? "" : `, ${devices} devices`}`;
}

export function engineSpans(one: EngineRun): readonly Span[] {
  const run: AttentionRun = {
    title: nameOf(one),
    flash: one.flash,
    machine: one.machine,
    method: one.ratio === null ? "dense" : "sparf",
    steps: one.steps,
  };
  return attentionSpans(run);
}
