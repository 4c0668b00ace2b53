// SPDX-License-Identifier: Apache-2.0
// Latency by phase for a terminal: shares of a run's time by phase, and times of heads.

import type { AttentionCase, CaseResult } from "../results/types.ts";
import type { RunResult } from "./run-result.ts";

const micro = 1e6;

/** Rows of text under headings; empty where nothing was simulated. */
export function latencyText({ kernels }: Pick<RunResult, "kernels">): string {
  return kernels.flatMap(({ latency }) => latency).join("\n");
}

/** Shares of phases and critical resources of stages, a line per case. */
export function expertLatencyLines(cases: readonly CaseResult[]): readonly string[] {
  const ran = cases.flatMap(({ title, latency }) => (latency === null ? [] : [{ title, latency }]));
  if (ran.length === 0) return [];
  return [
    "time of an expert by the cause of array stalls, and the binding resource of each step",
    ...ran.map(({ title, latency }) => {
      const phases = latency.phases.map((p) => `${p.id} ${percent(p.share)}`);
      const stages = latency.stages.map((s) => `${s.id}: ${s.critical}`);
      return `  ${title.padEnd(24)} ${phases.join("  ")}   ${stages.join(", ")}`;
    }),
  ];
}

/** Busy units and times of a head, a line per case. */
export function attentionLatencyLines(attention: readonly AttentionCase[]): readonly string[] {
  const ran = attention.flatMap((c) => (c.latency === null ? [] : [{ ...c, latency: c.latency }]));
  if (ran.length === 0) return [];
  return [
    "attention: busy time of each unit per head (us, share of the run)",
    ...ran.map(({ flash, title, latency }) => {
      const phases = latency.phases.map(
        (p) => `${p.id} ${(p.perHead * micro).toFixed(1)} ${percent(p.busy)}`,
      );
      return `  ${nameOf(flash, title).padEnd(32)} ${phases.join("  ")}`;
    }),
    "attention: latency of a head (us; percentiles, and mean of each interval)",
    ...ran.map(({ flash, title, latency: { whole, intervals } }) => {
      const us = (time: number): string => (time * micro).toFixed(1);
      const spread = `p50 ${us(whole.p50)} p90 ${us(whole.p90)} p99 ${us(whole.p99)}`;
      const parts = intervals.map(({ id, times }) => `${id} ${us(times.mean)}`);
      return `  ${nameOf(flash, title).padEnd(32)} ${spread}   ${parts.join("  ")}`;
    }),
  ];
}

/** The title names the flash if the run has several. */
function nameOf(flash: string, title: string): string {
  return title.includes(flash) ? title : `${flash}, ${title}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
