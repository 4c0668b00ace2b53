// SPDX-License-Identifier: Apache-2.0
// The numbers of one expert run, each with its unit and its source.

import { managementCommandOf } from "../machine/dram/standards/controller.ts";
import { refreshCommand } from "../machine/dram/timing.ts";
import { standardOf } from "../machine/rank-memory.ts";
import type { NdpMachine, NdpRun, StreamCounters } from "../machine/types.ts";
import type { MetricId } from "./metric-ids.ts";
import type { Bounds, Bottleneck, ExpertWork, Metric } from "./metric.ts";

const burstBytes = 64;
const giga = 1e9;
const femtosecondsPerMicrosecond = 1e9;
const femtosecondsPerSecond = 1e15;

/** Bytes read over the streams' buses. */
export function bytesRead(run: NdpRun): number {
  return total(run, (s) => s.readBursts) * burstBytes;
}

const refreshTimeTitles = {
  REFab: "refresh time, per rank",
  REFsb: "refresh time, per bank group",
  REFpb: "refresh time, sum over the banks of a rank",
} as const;

/** In the order in which a person reads them. */
export function runMetrics(
  run: NdpRun,
  work: ExpertWork,
  bounds: Bounds,
  bottleneck: Bottleneck,
  memory: NdpMachine["memory"],
): readonly Metric[] {
  const command = refreshCommand("ideal" in memory ? "None" : memory.refresh);
  const seconds = run.time / femtosecondsPerSecond;
  const hits = total(run, (s) => s.rowHits);
  const accesses = hits + total(run, (s) => s.rowMisses + s.rowConflicts);
  const refreshCycles = total(run, (s) => s.refreshCycles);
  const rate = seconds === 0 ? 0 : bytesRead(run) / seconds;
  const owed = mostOwed(run);
  const gflops = seconds === 0 ? 0 : work.flops / seconds;
  return [
    measured("cycles", "unit cycles", run.cycles, "cycles"),
    measured("time", "simulated time", run.time / femtosecondsPerMicrosecond, "us"),
    measured("bandwidth", "bandwidth achieved", rate / giga, "GB/s"),
    derived(
      "bandwidthLimit",
      "bandwidth limit with refresh",
      bounds.refreshLimitedBandwidth / giga,
      "GB/s",
    ),
    measured(
      "bandwidthShare",
      "utilisation of the bandwidth limit with refresh",
      percent(rate, bounds.refreshLimitedBandwidth),
      "%",
    ),
    measured("compute", "compute achieved", gflops / giga, "GFLOP/s"),
    measured(
      "computeShare",
      "utilisation of the peak compute",
      percent(gflops, bounds.peakCompute),
      "%",
    ),
    measured("boundShare", "utilisation of the binding limit", 100 * bottleneck.reached, "%"),
    measured("rowHits", "row hits", percent(hits, accesses), "%"),
    measured(
      "refreshTime",
      refreshTimeTitles[command],
      (1e6 * refreshCycles) / Math.max(1, run.streams.length) / memory.clock,
      "us",
    ),
    measured("refreshes", "refreshes issued, most delayed rank", owed?.rankRefreshes ?? 0, command),
    derived("refreshesDue", "refreshes due, same rank", owed?.refreshesDue ?? 0, command),
    ...managementMetrics(run, memory),
    ...hostMetrics(run),
  ];
}

/** The RFMs of a memory with refresh management. */
function managementMetrics(run: NdpRun, memory: NdpMachine["memory"]): readonly Metric[] {
  if ("ideal" in memory || memory.refreshManagement === undefined) return [];
  const command = managementCommandOf(standardOf(memory), memory.refresh) ?? "RFM";
  const issued = total(run, (s) => s.rankManagements);
  return [measured("managements", "RFMs issued, all ranks", issued, command)];
}

/** The time that the path between host and DIMM adds to the simulated time. */
function hostMetrics({ atHost }: NdpRun): readonly Metric[] {
  if (atHost === null) return [];
  const { commanded, ended, outputs } = atHost;
  const us = (time: number): number => time / femtosecondsPerMicrosecond;
  return [
    measured("hostIn", "transfer of inputs and descriptor from the host", us(commanded), "us"),
    measured("hostOut", "poll and transfer of outputs to the host", us(outputs - ended), "us"),
    measured("hostTime", "total time at the host", us(outputs), "us"),
  ];
}

/** Unit cycles of runs that begin at several times within the refresh interval. */
export function refreshStartMetrics(cycles: readonly number[]): readonly Metric[] {
  const mean = cycles.reduce((sum, one) => sum + one, 0) / cycles.length;
  const over = `over ${String(cycles.length)} start phases`;
  return [
    measured("cyclesMean", `unit cycles, mean ${over}`, Math.round(mean), "cycles"),
    measured("cyclesLeast", `unit cycles, minimum ${over}`, Math.min(...cycles), "cycles"),
    measured("cyclesMost", `unit cycles, maximum ${over}`, Math.max(...cycles), "cycles"),
  ];
}

/** The stream whose rank owes most refreshes at the end of the run, under host or NDP. */
function mostOwed({ streams }: NdpRun): StreamCounters | undefined {
  const owed = (s: StreamCounters): number => s.refreshesDue - s.rankRefreshes;
  return streams.reduce<StreamCounters | undefined>(
    (most, s) => (most === undefined || owed(s) > owed(most) ? s : most),
    undefined,
  );
}

function measured(id: MetricId, title: string, value: number, unit: string): Metric {
  return { id, title, value, unit, source: "measured" };
}

function derived(id: MetricId, title: string, value: number, unit: string): Metric {
  return { id, title, value, unit, source: "derived" };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

function total(run: NdpRun, of: (stream: NdpRun["streams"][number]) => number): number {
  return run.streams.reduce((sum, stream) => sum + of(stream), 0);
}
