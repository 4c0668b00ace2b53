// SPDX-License-Identifier: Apache-2.0
// Sparse attention as spans: heads in lanes that they share one after another, and the pages that
// crossed each channel, for the first attention of every case.

import { grouped } from "../../base/grouped.ts";
import type { PageRecord } from "../../machine/csd/csd-jobs.ts";
import { pageTransferNs } from "../../machine/flash/device.ts";
import type { AttentionCase } from "../../results/types.ts";
import { headSpans } from "./head-spans.ts";
import type { Span } from "../../results/latency/span.ts";

const femtosecondsPerNanosecond = 1e6;
const copies: Readonly<Record<PageRecord["copy"], string>> = {
  "dim-keys": "K by dimensions",
  "token-keys": "K by tokens",
  "token-values": "V",
};

/** The fields of a case that its timeline shows. */
export type AttentionRun = Pick<AttentionCase, "title" | "flash" | "machine" | "method" | "steps">;

export function attentionSpans(one: AttentionRun): readonly Span[] {
  return [...headLanes(one), ...pageLanes(one)];
}

/** Heads whose times overlap never share a lane. */
function headLanes(one: AttentionRun): readonly Span[] {
  const inEngine = headSpans(one).filter(({ part }) => part !== "waits in the queue");
  const free: number[] = [];
  return grouped(inEngine, ({ head }) => head).flatMap((spans) => {
    const begin = Math.min(...spans.map((s) => s.begin));
    const index = free.findIndex((until) => until <= begin);
    const lane = index === -1 ? free.length : index;
    free[lane] = Math.max(...spans.map((s) => s.end));
    return spans.map((s): Span => ({
      track: `${one.title}, ${one.flash}: heads`,
      lane: `slot ${String(lane)}`,
      name: `head ${String(s.head)}: ${s.part}`,
      startNs: 1000 * s.begin,
      durationNs: 1000 * (s.end - s.begin),
    }));
  });
}

/** A page occupies its channel for the transfer of its bytes, which ends at its arrival. */
function pageLanes({ title, flash: preset, machine, steps }: AttentionRun): readonly Span[] {
  const [step] = steps;
  if (step === undefined || machine.devices > 1) return [];
  const transfer = pageTransferNs(machine.flash);
  return step.run.pages.map((page) => ({
    track: `${title}, ${preset}: channels`,
    lane: `channel ${String(page.channel)}`,
    name: copies[page.copy],
    startNs: page.arrived / femtosecondsPerNanosecond - transfer,
    durationNs: transfer,
    args: { job: page.job, page: page.index },
  }));
}
