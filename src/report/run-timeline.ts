// SPDX-License-Identifier: Apache-2.0
// A run as a timeline, with separate tracks per case. An expert has the phases of the unit, its
// bandwidth and the recorded DRAM commands by bank; attention has heads and pages; a token has its
// tasks by resource.

import { accessCycles, rankRefreshTime } from "../machine/rank-memory.ts";
import type { CommandRecord, NdpMachine } from "../machine/types.ts";
import type { CaseResult } from "../results/types.ts";
import type { KernelTimeline, RunResult } from "./run-result.ts";
import type { Sample, Span } from "../results/latency/span.ts";
import { perfettoJson } from "./perfetto.ts";

/** The timeline of all kernels. */
export function runTimeline({ kernels }: Pick<RunResult, "kernels">): string {
  const timelines = kernels.map(({ timeline }) => timeline());
  return perfettoJson(
    timelines.flatMap(({ spans }) => spans),
    timelines.flatMap(({ samples }) => samples),
  );
}

/** Phases, recorded commands and bandwidth of experts. */
export function expertTimeline(cases: readonly CaseResult[]): KernelTimeline {
  return { spans: cases.flatMap(caseSpans), samples: cases.flatMap(bandwidthSamples) };
}

function caseSpans(result: CaseResult): readonly Span[] {
  const { run, machine } = result;
  if (run === null) return [];
  const unitNs = 1e9 / machine.clock;
  const phases = run.phases.map((p): Span => ({
    track: `${result.title}: NDP unit`,
    lane: "phase",
    name: p.phase,
    startNs: p.begin * unitNs,
    durationNs: (p.end - p.begin) * unitNs,
  }));
  return [...phases, ...commandSpans(result.title, machine, run.commands)];
}

function bandwidthSamples(result: CaseResult): readonly Sample[] {
  return (result.run?.bandwidth ?? []).map((s) => ({
    track: `${result.title}: NDP unit`,
    name: "bandwidth, GB/s",
    timeNs: s.start / 1e6,
    value: s.length === 0 ? 0 : (s.bytes / s.length) * 1e6,
  }));
}

/** Each bank is a lane: an open row from ACT to the precharge, bursts under it. */
function commandSpans(
  title: string,
  machine: NdpMachine,
  commands: readonly CommandRecord[],
): readonly Span[] {
  const { memory } = machine;
  if ("ideal" in memory) return [];
  const ns = 1e9 / memory.clock;
  const burst = accessCycles(memory);
  const refresh = rankRefreshTime(memory);
  const spans: Span[] = [];
  const open = new Map<string, CommandRecord>();
  const last = commands.at(-1)?.cycle ?? 0;
  const track = (stream: number): string => `${title}: rank-sub-channel ${String(stream)}`;
  const close = (lane: string, at: number): void => {
    const activate = open.get(lane);
    if (activate === undefined) return;
    open.delete(lane);
    spans.push({
      track: track(activate.stream),
      lane: laneOf(activate),
      name: `row ${String(activate.row)}`,
      startNs: activate.cycle * ns,
      durationNs: (at - activate.cycle) * ns,
    });
  };
  for (const c of commands) {
    const lane = `${String(c.stream)} ${laneOf(c)}`;
    const bank = { track: track(c.stream), lane: laneOf(c), startNs: c.cycle * ns };
    switch (c.command) {
      case "ACT":
        open.set(lane, c);
        break;
      case "PRE":
        close(lane, c.cycle);
        break;
      case "RD":
      case "WR":
        spans.push({
          ...bank,
          name: c.command,
          durationNs: burst * ns,
          args: { column: c.column },
        });
        break;
      default:
        for (const [key, activate] of [...open]) {
          if (activate.stream === c.stream) close(key, c.cycle);
        }
        spans.push({
          ...bank,
          lane: "rank",
          name: c.command,
          durationNs: (c.command === "REFab" || c.command === "RFMab" ? refresh : 1) * ns,
        });
    }
  }
  for (const key of [...open.keys()]) close(key, last);
  return spans.sort((a, b) => a.startNs - b.startNs || b.durationNs - a.durationNs);
}

function laneOf(command: CommandRecord): string {
  return `bank group ${String(command.bankGroup)}, bank ${String(command.bank)}`;
}
