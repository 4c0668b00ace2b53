// SPDX-License-Identifier: Apache-2.0
// A run as a timeline, with separate tracks per case. An expert has the phases of the unit, its
// bandwidth and the recorded DRAM commands by bank; attention has heads and pages; a token has its
// tasks by resource.

import { present } from "../base/present.ts";
import type { Reach } from "../machine/dram/standards/table.ts";
import { accessCycles, rankRefreshTime, standardOf } from "../machine/rank-memory.ts";
import type { CommandRecord, NdpMachine, RankMemory } from "../machine/types.ts";
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
  const { commands: kinds } = standardOf(memory);
  const laneOf = laneNames(memory);
  const spans: Span[] = [];
  const open = new Map<string, CommandRecord>();
  const last = commands.at(-1)?.cycle ?? 0;
  const track = (stream: number): string => `${title}: rank-sub-channel ${String(stream)}`;
  const close = (bank: string, at: number): void => {
    const activate = open.get(bank);
    if (activate === undefined) return;
    open.delete(bank);
    spans.push({
      track: track(activate.stream),
      lane: laneOf(activate),
      name: `row ${String(activate.row)}`,
      startNs: activate.cycle * ns,
      durationNs: (at - activate.cycle) * ns,
    });
  };
  const bankOf = (c: CommandRecord): string => `${String(c.stream)} ${laneOf(c)}`;
  for (const c of commands) {
    const { reach, access, leaves, refreshes, manages } = present(kinds[c.command]);
    const place = {
      track: track(c.stream),
      lane: reach === "bank" ? laneOf(c) : "rank",
      name: c.command,
      startNs: c.cycle * ns,
    };
    if (access !== undefined) {
      spans.push({ ...place, durationNs: burst * ns, args: { column: c.column } });
      continue;
    }
    const refreshing = refreshes !== undefined || manages === true;
    if (leaves === "open") open.set(bankOf(c), c);
    if (leaves === "closed" || refreshing) {
      for (const [bank, activate] of [...open]) {
        if (isAddressed(reach, c, activate)) close(bank, c.cycle);
      }
    }
    if (refreshing || reach !== "bank") {
      spans.push({ ...place, durationNs: (refreshing ? refresh : 1) * ns });
    }
  }
  for (const bank of [...open.keys()]) close(bank, last);
  return spans.sort((a, b) => a.startNs - b.startNs || b.durationNs - a.durationNs);
}

/** Whether a command of this reach addresses the bank of an activation. */
function isAddressed(reach: Reach, command: CommandRecord, activate: CommandRecord): boolean {
  if (command.stream !== activate.stream) return false;
  if (reach === "rank") return true;
  if (reach === "same bank") return command.bank === activate.bank;
  return (["logicalRank", "bankGroup", "bank"] as const).every(
    (level) => command[level] === activate[level],
  );
}

/** Names of the banks of a rank. */
function laneNames({ logicalRanks = 1 }: RankMemory): (command: CommandRecord) => string {
  return ({ logicalRank, bankGroup, bank }) => {
    const stack = logicalRanks > 1 ? `stack id ${String(logicalRank)}, ` : "";
    return `${stack}bank group ${String(bankGroup)}, bank ${String(bank)}`;
  };
}
