// SPDX-License-Identifier: Apache-2.0
// Energy of a token of a whole model: what its experts' runs and its attention's steps counted, times
// what one costs; clocks, refresh and standby of all DIMMs and devices for as long as the token took, at
// work or not; and the host's power. Projections, router, shared expert are in the host's.

import type { LayerStep } from "../../driver/csd/attention/sparse-attention.ts";
import type { CsdMachine } from "../../driver/csd/csd-machine.ts";
import type { NdpMachine, NdpRun } from "../../driver/types.ts";
import { dramEnergy, genericDdr5Currents } from "../../dram/energy.ts";
import { idlePower, type Processor } from "../../host/devices.ts";
import type { UnitEnergy } from "../../synth/energy.ts";
import type { OperandFormats } from "../../synth/operands.ts";
import type { Seconds } from "../../units.ts";
import { assumed, bits, clock, total } from "./energy-parts.ts";
import { attentionEnergy, expertEnergy } from "./energy.ts";
import type { EnergyPart, RunEnergy } from "../types.ts";

/** A unit's measured cost. */
export interface MeasuredUnit {
  readonly energy: UnitEnergy;
  readonly flipFlops: number | null;
}

/** What a token was computed on. */
export interface TokenHardware {
  readonly ndp: NdpMachine;
  /** The unit whose operations were measured. */
  readonly measured: NdpMachine["unit"];
  /** What experts' products are of. */
  readonly operands: OperandFormats;
  readonly dimms: number;
  readonly units: { readonly ndp: MeasuredUnit; readonly sparf: MeasuredUnit };
  readonly host: Processor;
}

/** What the plan of the steps took. */
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
  /** Of one token; null where the unit is another than the one that was measured. */
  readonly energy: (work: TokenWork) => RunEnergy | null;
}

const burstBytes = 64;

/** Parts that last as long as the token does, and not only as long as a run. */
const lasting = new Set(["clock", "DRAM refresh", "DRAM background"]);

export function tokenEnergyMeter(hardware: TokenHardware): TokenEnergyMeter {
  const { ndp, measured, operands, units, dimms, host } = hardware;
  const sums = new Map<string, EnergyPart>();
  let devices: CsdMachine | null = null;
  let known = true;
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
  const own = { id: "token", title: "a token" };
  return {
    expert: (run) => {
      const { energy, flipFlops } = units.ndp;
      const one = { ...own, run, machine: ndp, operands };
      const found = expertEnergy(one, energy, flipFlops ?? 0, measured);
      add("DIMMs", found?.parts);
    },
    attention: (step, machine) => {
      devices = machine;
      add(
        "storage",
        attentionEnergy({ ...own, steps: [step], machine }, units.sparf.energy, null)?.parts,
      );
    },
    energy: (work) => {
      if (!known || "ideal" in ndp.memory) return null;
      const whole = [
        ...sums.values(),
        ...lastingParts(hardware, devices, work, dimms),
        bits(
          "link of the host",
          work.linkBytes,
          assumed.linkBit,
          "vectors to and from the DIMMs, 5 pJ a bit",
        ),
        ...relayoutParts(hardware, work),
        ...hostParts(host, work),
      ];
      const parts = whole.map((one) => ({ ...one, joules: one.joules / work.tokens }));
      return { ...own, parts, joules: total(parts) };
    },
  };
}

function lastingParts(
  { ndp, units }: TokenHardware,
  storage: CsdMachine | null,
  { time }: TokenWork,
  dimms: number,
): readonly EnergyPart[] {
  const { memory, unit } = ndp;
  if ("ideal" in memory) return [];
  const cycles = time * memory.clock;
  // A rank of eight x4 devices behind each stream.
  const ranks = dimms * unit.streams;
  const interval = memory.timing["nREFI"] ?? Infinity;
  const refreshes = memory.refresh === "None" ? 0 : (ranks * cycles) / interval;
  const { refresh, background } = dramEnergy(
    { ...memory, channels: 1, ranks, channelBits: 32, burstLength: 16 },
    memory.timing,
    1 / memory.clock,
    4,
    { REFab: refreshes },
    cycles,
  );
  const dram = (part: string, joules: number, how: string, count: number): EnergyPart => ({
    ...{ part: `DIMMs: ${part}`, joules, source: "assumed", count },
    how: `${how}; ${genericDdr5Currents.source}`,
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
    dram("refresh", refresh, "of all ranks for the time of the token", refreshes),
    dram("standby", background, "IDD3N of all ranks for the time of the token", ranks),
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
  const { read, write } = dramEnergy(
    { ...memory, channels: 1, ranks: 1, channelBits: 32, burstLength: 16 },
    memory.timing,
    1 / memory.clock,
    4,
    { RD: bursts, WR: bursts },
    0,
  );
  const how = `bursts of experts that change their DIMM, read and written; ${genericDdr5Currents.source}`;
  return [
    {
      ...{ part: "DIMMs: relayout", joules: read + write, source: "assumed", how },
      count: 2 * bursts,
    },
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
  { watts, title }: Processor,
  { time, hostBusy }: TokenWork,
): readonly EnergyPart[] {
  const load = `${String(watts.value)} W (${title}, ${watts.source}, ${watts.class})`;
  return [
    {
      ...{ part: "host at work", joules: hostBusy * watts.value, source: "assumed", count: null },
      how: `time of its tasks at ${load}`,
    },
    {
      part: "host waiting",
      joules: (time - hostBusy) * watts.value * idlePower.value,
      source: "assumed",
      how: `the rest of the time at ${String(100 * idlePower.value)} % of ${load}; another's work could fill it`,
      count: null,
    },
  ];
}
