// SPDX-License-Identifier: Apache-2.0
// The breakdown of an expert's time. Every cycle of a descriptor belongs to one phase, by the cause of
// the array's stall (dimm_ndp asserts that the strobes are exclusive), so the phases add up to the
// whole. Each phase also has the busy time of its own resource, which overlaps with the others.

import type { ExpertPhase, ExpertStage, ExpertLatency } from "../latency.ts";
import type { NdpMachine, NdpRun } from "../../machine/types.ts";
import { seconds } from "../../base/units.ts";
import type { Bounds } from "../metric.ts";

/** A stage that uses neither resource so far waits for answers, not for throughput. */
const busyEnough = 0.5;

/** Of a completed run. */
export function expertLatency(run: NdpRun, machine: NdpMachine, bounds: Bounds): ExpertLatency {
  return { phases: phasesOf(run, machine), stages: stagesOf(run, machine, bounds) };
}

function phasesOf(run: NdpRun, { clock, memory }: NdpMachine): readonly ExpertPhase[] {
  const { unit, streams } = run;
  const whole = unit.phaseLoad + unit.phaseGateUp + unit.phaseDown;
  const waits = unit.stallWeights + unit.stallOperand + unit.stallOutput;
  const count = (of: (s: (typeof streams)[number]) => number): number =>
    streams.reduce((n, s) => n + of(s), 0);
  const bursts = Math.max(
    1,
    count((s) => s.readBursts + s.writeBursts),
  );
  const bus = count((s) => s.busCycles) / Math.max(1, streams.length) / memory.clock;
  const phase = (
    id: ExpertPhase["id"],
    cycles: number,
    atWork: number,
    resource: string,
    counts: string,
  ): ExpertPhase => ({
    id,
    counts,
    resource,
    time: seconds(cycles / clock),
    share: whole === 0 ? 0 : cycles / whole,
    atWork: seconds(atWork),
  });
  return [
    phase(
      "weights",
      unit.stallWeights,
      (bus * count((s) => s.readBursts)) / bursts,
      "DRAM reads",
      "the array waits for weights, or for the inputs before them; at work: data on a stream's bus",
    ),
    phase(
      "compute",
      whole - waits,
      (whole - waits) / clock,
      "GEMV array",
      "the array is in a slot",
    ),
    phase(
      "activation",
      unit.stallOperand,
      unit.activationBusy / clock,
      "activation unit",
      "the array waits for rows of gate and up to become operands of down",
    ),
    phase(
      "output",
      unit.stallOutput,
      (bus * count((s) => s.writeBursts)) / bursts,
      "DRAM writes",
      "the array waits for results to leave, or nothing but results is left",
    ),
  ];
}

/**
 * A window of the run belongs to the stage that contains it; a window on a boundary belongs to both
 * stages in part.
 */
function stagesOf(run: NdpRun, { clock }: NdpMachine, bounds: Bounds): readonly ExpertStage[] {
  const ids = ["load", "gate-up", "down"] as const;
  return ids.map((id) => {
    const spans = run.phases.filter((p) => p.phase === id);
    const length = spans.reduce((n, p) => n + (p.end - p.begin), 0);
    let bytes = 0;
    let busy = 0;
    run.activity.forEach((window, i) => {
      const inside = spans.reduce((n, p) => n + overlap(window.start, window.length, p), 0);
      const share = window.length === 0 ? 0 : inside / window.length;
      bytes += share * (run.bandwidth[i]?.bytes ?? 0);
      busy += share * window.busy;
    });
    const time = length / clock;
    const window = Math.max(0, ...run.activity.map((a) => a.length));
    if (length < 2 * window) {
      return { id, time: seconds(time), memory: null, array: null, critical: "too short" };
    }
    const memory = time === 0 ? 0 : bytes / time / bounds.refreshLimitedBandwidth;
    const array = length === 0 ? 0 : busy / length;
    const most = memory >= array ? "DRAM" : "array";
    const critical = Math.max(memory, array) < busyEnough ? "latency" : most;
    return { id, time: seconds(time), memory, array, critical };
  });
}

function overlap(
  start: number,
  length: number,
  { begin, end }: { readonly begin: number; readonly end: number },
): number {
  return Math.max(0, Math.min(start + length, end) - Math.max(start, begin));
}
