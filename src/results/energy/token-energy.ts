// SPDX-License-Identifier: Apache-2.0
// Energy of a token of a whole model: the counts of its experts' runs and its attention's steps, times
// the energy of each; clocks, refresh and standby of all DIMMs and devices during the token, active or
// idle; and the power of the host, which includes projections, router and shared expert.

import type { LayerStep } from "../../machine/csd/layer-step.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { NdpMachine, NdpRun } from "../../machine/types.ts";
import { dramEnergy } from "../../machine/dram/energy.ts";
import type { Processor } from "../../machine/host/devices.ts";
import type { UnitEnergy } from "../unit-energy.ts";
import type { ActivationFunction, GateFunction } from "../../golden/names.ts";
import type { OperandFormats } from "../../machine/operands.ts";
import type { Seconds } from "../../base/units.ts";
import { dramPart, rankDevices } from "./dram-parts.ts";
import { assumed, bits, clock, pcieBit, picojoules, total } from "./energy-parts.ts";
import { attentionEnergy, expertEnergy } from "./energy.ts";
import type { EnergyPart, RunEnergy } from "../types.ts";

/** A unit's measured cost. */
export interface MeasuredUnit {
  readonly energy: UnitEnergy;
  readonly flipFlops: number | null;
}

/** The hardware of a token. */
export interface TokenHardware {
  readonly ndp: NdpMachine;
  /** The unit whose operations were measured. */
  readonly measured: NdpMachine["unit"];
  /** Operand formats of the experts' products. */
  readonly operands: OperandFormats;
  readonly activation: ActivationFunction | GateFunction;
  readonly dimms: number;
  readonly units: { readonly ndp: MeasuredUnit; readonly sparf: MeasuredUnit };
  readonly host: Processor;
}

/** Time and traffic of the steps' plan. */
export interface TokenWork {
  readonly time: Seconds;
  readonly tokens: number;
  readonly hostBusy: Seconds;
  /** Between host and DIMMs, over the host's link. */
  readonly linkBytes: number;
  /** Of experts that changed their DIMM. */
  readonly movedBytes: number;
}

/** Adds up the parts of runs as they happen. */
export interface TokenEnergyMeter {
  readonly expert: (run: NdpRun) => void;
  readonly attention: (step: LayerStep, machine: CsdMachine) => void;
  /** Of one token; null if a unit differs from the measured one. */
  readonly energy: (work: TokenWork) => RunEnergy | null;
}

const burstBytes = 64;

/** Parts that last as long as the token does, and not only as long as a run. */
const lasting = new Set(["clock", "DRAM refresh", "DRAM background"]);

export function tokenEnergyMeter(hardware: TokenHardware): TokenEnergyMeter {
  const { ndp, measured, operands, activation, units, dimms, host } = hardware;
  const sums = new Map<string, EnergyPart>();
  let devices: CsdMachine | null = null;
  let known = true;
  let openBankCycles = 0;
  const add = (where: string, parts: readonly EnergyPart[] | undefined): void => {
    if (parts === undefined) known = false;
    for (const one of parts ?? []) {
      if (lasting.has(one.part)) continue;
      const part = `${where}: ${one.part}`;
      const { joules = 0, count = 0 } = sums.get(part) ?? {};
      const counted = one.count === null ? null : (count ?? 0) + one.count;
      sums.set(part, { ...one, part, joules: joules + one.joules, count: counted });
    }
  };
  const subject = { id: "token", title: "a token" };
  return {
    expert: (run) => {
      const { energy, flipFlops } = units.ndp;
      openBankCycles += run.streams.reduce((sum, stream) => sum + stream.openBankCycles, 0);
      const one = { ...subject, run, machine: ndp, operands, activation };
      const runEnergy = expertEnergy(one, energy, flipFlops ?? 0, measured);
      add("DIMMs", runEnergy?.parts);
    },
    attention: (step, machine) => {
      devices = machine;
      add(
        "storage",
        attentionEnergy({ ...subject, steps: [step], machine }, units.sparf.energy, null)?.parts,
      );
    },
    energy: (work) => {
      if (!known || "ideal" in ndp.memory) return null;
      const whole = [
        ...sums.values(),
        ...lastingParts(hardware, devices, work, dimms, openBankCycles),
        bits(
          "link of the host",
          work.linkBytes,
          pcieBit["PCIe 5.0"],
          `vectors to and from the DIMMs, ${picojoules(pcieBit["PCIe 5.0"])} a bit`,
        ),
        ...relayoutParts(hardware, work),
        ...hostParts(host, work),
      ];
      const parts = whole.map((one) => ({ ...one, joules: one.joules / work.tokens }));
      return { ...subject, parts, joules: total(parts) };
    },
  };
}

function lastingParts(
  { ndp, units }: TokenHardware,
  storage: CsdMachine | null,
  { time }: TokenWork,
  dimms: number,
  openBankCycles: number,
): readonly EnergyPart[] {
  const { memory, unit } = ndp;
  if ("ideal" in memory) return [];
  const cycles = time * memory.clock;
  const ranks = dimms * unit.streams;
  const interval = memory.timing["nREFI"] ?? Infinity;
  const refreshes = memory.refresh === "None" ? 0 : (ranks * cycles) / interval;
  const energy = dramEnergy(rankDevices(memory, ranks), {
    commands: { REFab: refreshes },
    cycles,
    openBankCycles,
  });
  const clocked = (
    where: string,
    count: number,
    { energy, flipFlops }: MeasuredUnit,
  ): EnergyPart => ({
    ...clock(count, flipFlops ?? 0, energy),
    part: `${where}: clock`,
  });
  return [
    clocked("DIMMs", time * ndp.clock * dimms, units.ndp),
    dramPart("DIMMs: refresh", "refresh", energy, "all ranks for the time of the token", refreshes),
    dramPart(
      ...(["DIMMs: standby", "background", energy] as const),
      ...([
        "all ranks for the time of the token, rows open as long as experts ran",
        ranks,
      ] as const),
    ),
    ...(storage === null
      ? []
      : [clocked("storage", time * storage.clock * storage.devices, units.sparf)]),
  ];
}

/** Weights read on one DIMM, sent over the link and written on another; rows opened are not counted. */
function relayoutParts(
  { ndp: { memory } }: TokenHardware,
  { movedBytes }: TokenWork,
): readonly EnergyPart[] {
  if ("ideal" in memory || movedBytes === 0) return [];
  const bursts = movedBytes / burstBytes;
  const { total: joules, source } = dramEnergy(rankDevices(memory, 1), {
    commands: { RD: bursts, WR: bursts },
    cycles: 0,
    openBankCycles: 0,
  });
  const how = `bursts of experts that change their DIMM, read and written, with I/O; ${source}`;
  return [
    { part: "DIMMs: relayout", joules, source: "derived", how, count: 2 * bursts },
    bits(
      "DIMMs: DIMM-Link",
      movedBytes,
      assumed.dimmLinkBit,
      "bytes of experts that change their DIMM, 1.17 pJ a bit (Poulton et al., IEEE JSSC 54(1), 2019)",
    ),
  ];
}

/** Power under load while it works, a share of it while it waits. */
function hostParts(
  { watts, idle, title }: Processor,
  { time, hostBusy }: TokenWork,
): readonly EnergyPart[] {
  const load = `${String(watts.value)} W (${title}, ${watts.source}, ${watts.class})`;
  return [
    {
      part: "host at work",
      joules: hostBusy * watts.value,
      source: "assumed",
      count: null,
      how: `time of its tasks at ${load}`,
    },
    {
      part: "host waiting",
      joules: (time - hostBusy) * watts.value * idle.value,
      source: "assumed",
      how:
        `the rest of the time at ${String(100 * idle.value)} % (${idle.source}, ${idle.class}) of ${load}; ` +
        "another's work could fill it",
      count: null,
    },
  ];
}
