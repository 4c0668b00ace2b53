// SPDX-License-Identifier: Apache-2.0
// From the addon's numbers to the driver's terms: outcome, counters, series, commands of a run.

import type {
  ActivitySample,
  BandwidthSample,
  CommandRecord,
  HostMoments,
  PhaseSpan,
  RunOutcome,
  StreamCounters,
  UnitCounters,
} from "../driver/types.ts";
import { NeardataError } from "../errors.ts";
import { bytes, cycles, femtoseconds, type Cycles, type Hertz } from "../units.ts";
import type { NativeNdpResult } from "./ndp-binding.ts";

/** Strobes of `events_o`, by number; sim/unit/ndp_events.h names the same ones. */
const event = {
  slot: 0,
  weightSlot: 1,
  stallWeights: 2,
  stallOperand: 3,
  stallOutput: 4,
  activationBatch: 5,
  activationBusy: 6,
  inputBurst: 9,
  outputBurst: 10,
  idle: 11,
  pass: 12,
  phaseDown: 13,
  phaseLoad: 14,
  phaseGateUp: 15,
} as const;
/** Counters of a bin: 16 strobes and then the bytes read. */
const binFields = 17;
const bytesReadField = 16;
const commandFields = 7;
/** Numbers that a stream has among the counters of ports. */
export const portFields = 12;
export const rankRefreshesField = 10;
export const refreshesDueField = 11;
const commandNames = ["ACT", "PRE", "PREA", "RD", "WR", "REFab", "PREsb", "REFsb"] as const;

/** Cuts a flat array into rows. */
export function rows(flat: Float64Array, width: number): readonly ((field: number) => number)[] {
  return Array.from(
    { length: flat.length / width },
    (_, row) => (field: number) => flat[row * width + field] ?? 0,
  );
}

/** @throws NeardataError `bad-input` when the run could not begin (a waveform's file). */
export function outcomeOf(
  result: Pick<NativeNdpResult, "fault" | "place" | "message" | "faultCycle">,
): RunOutcome {
  const { place, message } = result;
  const cycle = cycles(result.faultCycle);
  switch (result.fault) {
    case "none":
      return { kind: "completed" };
    case "assertion-failed":
    case "deadlock":
    case "guard-failed":
      return { kind: result.fault, cycle, place, message };
    case "protocol":
      return { kind: "guard-failed", cycle, place, message };
    case "cancelled":
    case "cycle-limit":
      return { kind: result.fault, cycle };
    case "bad-config":
      throw new NeardataError("bad-input", [{ where: place, message }]);
  }
}

/** Null where no host brought the jobs, or their outputs did not all come to it. */
export function hostMoments(moments: Float64Array): HostMoments | null {
  const [inputs = -1, commanded = -1, ended = -1, seen = -1, outputs = -1] = Array.from(
    moments,
    femtoseconds,
  );
  if (outputs < 0) return null;
  return { inputs, commanded, ended, seen, outputs } as HostMoments;
}

export function unitCounters(result: NativeNdpResult): UnitCounters {
  const count = (name: keyof typeof event): number => result.events[event[name]] ?? 0;
  const time = (name: keyof typeof event): Cycles => cycles(count(name));
  return {
    slots: count("slot"),
    weightSlots: count("weightSlot"),
    stallWeights: time("stallWeights"),
    stallOperand: time("stallOperand"),
    stallOutput: time("stallOutput"),
    activationBatches: count("activationBatch"),
    activationBusy: time("activationBusy"),
    inputBursts: count("inputBurst"),
    outputBursts: count("outputBurst"),
    idle: time("idle"),
    passes: count("pass"),
    phaseDown: time("phaseDown"),
    phaseLoad: time("phaseLoad"),
    phaseGateUp: time("phaseGateUp"),
  };
}

export function streamCounters(result: NativeNdpResult): readonly StreamCounters[] {
  return rows(result.ports, portFields).map((port) => ({
    readBursts: port(0),
    writeBursts: port(1),
    rowHits: port(2),
    rowMisses: port(3),
    rowConflicts: port(4),
    activates: port(5),
    precharges: port(6),
    refreshes: port(7),
    refreshCycles: cycles(port(8)),
    busCycles: cycles(port(9)),
    rankRefreshes: port(rankRefreshesField),
    refreshesDue: port(refreshesDueField),
  }));
}

/** Bytes that reached the unit over time; `clock` is the unit's. */
export function bandwidthOf(result: NativeNdpResult, clock: Hertz): readonly BandwidthSample[] {
  const timeOf = (cycle: number): number => Math.floor((cycle * 1e15) / clock);
  const { width, bins } = result.series;
  return rows(bins, binFields).map((bin, index) => {
    const start = timeOf(index * width);
    const end = timeOf(Math.min((index + 1) * width, result.cycles));
    return {
      start: femtoseconds(start),
      length: femtoseconds(Math.max(0, end - start)),
      bytes: bytes(bin(bytesReadField)),
    };
  });
}

export function activityOf(result: NativeNdpResult): readonly ActivitySample[] {
  return rows(result.series.bins, binFields).map((bin, index) => {
    const running = bin(event.phaseDown) + bin(event.phaseLoad) + bin(event.phaseGateUp);
    const stalls = [event.stallWeights, event.stallOperand, event.stallOutput].map(bin);
    const busy = stalls.reduce((rest, stall) => rest - stall, running);
    return {
      start: cycles(index * result.series.width),
      length: cycles(running + bin(event.idle)),
      busy: cycles(busy),
      stallWeights: cycles(bin(event.stallWeights)),
      stallOperand: cycles(bin(event.stallOperand)),
      stallOutput: cycles(bin(event.stallOutput)),
      idle: cycles(bin(event.idle)),
    };
  });
}

export function phasesOf(result: NativeNdpResult): readonly PhaseSpan[] {
  const names: Readonly<Record<number, PhaseSpan["phase"]>> = {
    [event.phaseDown]: "down",
    [event.phaseLoad]: "load",
    [event.phaseGateUp]: "gate-up",
  };
  return rows(result.phases, 3).map((span) => ({
    phase: names[span(0)] ?? "load",
    begin: cycles(span(1)),
    end: cycles(span(2)),
  }));
}

export function commandsOf(result: NativeNdpResult): readonly CommandRecord[] {
  return rows(result.commands, commandFields).map((command) => ({
    stream: command(0),
    cycle: cycles(command(1)),
    command: commandNames[command(2)] ?? "?",
    bankGroup: command(3),
    bank: command(4),
    row: command(5),
    column: command(6),
  }));
}
