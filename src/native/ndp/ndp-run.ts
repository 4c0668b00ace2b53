// SPDX-License-Identifier: Apache-2.0
// From the addon's numbers to the driver's terms: outcome, counters, series, commands of a run.

import type {
  ActivitySample,
  BandwidthSample,
  CommandRecord,
  HostMoments,
  NdpMachine,
  PhaseSpan,
  RunOutcome,
  StreamCounters,
  UnitCounters,
} from "../../machine/types.ts";
import { NeardataError } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import { bytes, cycles, femtoseconds, type Hertz } from "../../base/units.ts";
import type { Native, Rows } from "../layout.ts";
import { standardOf } from "../../machine/rank-memory.ts";
import { controllerCommandsOf } from "../../machine/dram/standards/controller.ts";
import { rowsOf } from "../record.ts";

/** @throws NeardataError `bad-input` when the run could not begin (a waveform's file). */
export function outcomeOf(
  result: Pick<Native<"NdpResult">, "fault" | "place" | "message" | "faultCycle">,
): RunOutcome {
  const { place, message, faultCycle: cycle } = result;
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

/** Null without a host, or if the host did not receive all outputs. */
export function hostMoments(moments: Rows<"HostSpans">): HostMoments | null {
  const [first] = rowsOf("HostSpans", moments);
  return first === undefined || first.outputs < 0 ? null : first;
}

export function unitCounters({ events }: Native<"NdpResult">): UnitCounters {
  return {
    slots: events.slot,
    weightSlots: events.weightSlot,
    stallWeights: cycles(events.stallWeights),
    stallOperand: cycles(events.stallOperand),
    stallOutput: cycles(events.stallOutput),
    activationBatches: events.activationBatch,
    activationBusy: cycles(events.activationBusy),
    inputBursts: events.inputBurst,
    outputBursts: events.outputBurst,
    idle: cycles(events.idle),
    passes: events.pass,
    phaseDown: cycles(events.phaseDown),
    phaseLoad: cycles(events.phaseLoad),
    phaseGateUp: cycles(events.phaseGateUp),
  };
}

export function streamCounters({ ports }: Native<"NdpResult">): readonly StreamCounters[] {
  return rowsOf("PortCounters", ports);
}

/** Bytes that reached the unit over time; `clock` is the unit's. */
export function bandwidthOf(result: Native<"NdpResult">, clock: Hertz): readonly BandwidthSample[] {
  const timeOf = (cycle: number): number => Math.floor((cycle * 1e15) / clock);
  const { width, bins } = result.series;
  return rowsOf("NdpCounts", bins).map(({ bytesRead }, index) => {
    const start = timeOf(index * width);
    const end = timeOf(Math.min((index + 1) * width, result.cycles));
    return {
      start: femtoseconds(start),
      length: femtoseconds(Math.max(0, end - start)),
      bytes: bytes(bytesRead),
    };
  });
}

export function activityOf({ series }: Native<"NdpResult">): readonly ActivitySample[] {
  return rowsOf("NdpCounts", series.bins).map((bin, index) => {
    const running = bin.phaseDown + bin.phaseLoad + bin.phaseGateUp;
    return {
      start: cycles(index * series.width),
      length: cycles(running + bin.idle),
      busy: cycles(running - bin.stallWeights - bin.stallOperand - bin.stallOutput),
      stallWeights: cycles(bin.stallWeights),
      stallOperand: cycles(bin.stallOperand),
      stallOutput: cycles(bin.stallOutput),
      idle: cycles(bin.idle),
    };
  });
}

export function phasesOf(result: Native<"NdpResult">): readonly PhaseSpan[] {
  const names: Readonly<Record<string, PhaseSpan["phase"]>> = {
    phaseDown: "down",
    phaseLoad: "load",
    phaseGateUp: "gate-up",
  };
  return rowsOf("NdpPhase", result.phases).map(({ phase, begin, end }) => ({
    phase: names[phase] ?? "load",
    begin,
    end,
  }));
}

export function commandsOf(
  { memory }: Pick<NdpMachine, "memory">,
  result: Native<"NdpResult">,
): readonly CommandRecord[] {
  const names = "ideal" in memory ? [] : controllerCommandsOf(standardOf(memory), memory);
  return rowsOf("NdpCommand", result.commands).map((row) => ({
    ...row,
    command: present(names[row.command]).name,
    cycle: cycles(row.cycle),
  }));
}
