// SPDX-License-Identifier: Apache-2.0
// DRAM in the parts of an energy: the devices behind the sub-channels of a machine, and a part for each term of theirs.

import type { DramDevices, DramEnergy, EnergyTerm } from "../../machine/dram/energy.ts";
import { busOf, energyTiming, standardOf } from "../../machine/rank-memory.ts";
import type { RankMemory } from "../../machine/types.ts";
import type { EnergyPart } from "../types.ts";

/** `ranks` ranks of a machine's memory, or channels of another standard, each with its data pins. */
export function rankDevices(memory: Omit<RankMemory, "mapping">, ranks: number): DramDevices {
  const { standard: name } = memory;
  const { pins, burstLength } = busOf(memory);
  return {
    organization: { ...memory, ranks, channelBits: pins, burstLength },
    ...energyTiming(standardOf(memory), memory),
    cycleSeconds: 1 / memory.clock,
    // A channel of another standard is one device unless its preset has the width of one.
    deviceBits: memory.deviceBits ?? (name === undefined ? 4 : pins),
    eccDevices: name === undefined ? memory.eccDevices : false,
    powerDown: memory.powerDown,
    currents: memory.currents,
  };
}

/** Currents of a scenario are assumed. */
function basisOf({ basis }: DramEnergy): "published" | "assumed" {
  return basis === "published" ? basis : "assumed";
}

/** Parameters of each term, which are multiplied by its counts. */
const methods: Readonly<Record<EnergyTerm, string>> = {
  activate: "IDD0 and IPP0 of a row cycle above standby",
  read: "IDD4R and IPP4R above IDD3N and IPP3N",
  write: "IDD4W and IPP4W above IDD3N and IPP3N",
  io: "VDDQ: IDDQ4R and IDDQ4W above IDDQ3N, and reads in a termination of 40 ohm with half of the bits low",
  refresh: "IDD5B, IPP5B and IDD5C above IDD2N and IPP2N",
  background: "IDD2N to IDD3N by open banks, IPP and IDDQ likewise",
};

/**
 * The part of one term. Its I/O energy is derived: no data sheet has the current of a termination.
 */
export function dramPart(
  name: string,
  term: EnergyTerm,
  energy: DramEnergy,
  how: string,
  count: number | null,
): EnergyPart {
  return {
    part: name,
    joules: energy[term],
    count,
    source: term === "io" ? "derived" : basisOf(energy),
    how: `${how}: ${methods[term]}; ${energy.source}`,
  };
}
