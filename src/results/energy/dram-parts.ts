// SPDX-License-Identifier: Apache-2.0
// DRAM in the parts of an energy: the devices behind the sub-channels of a machine, and a part for each term of theirs.

import type { DramDevices, DramEnergy, EnergyTerm } from "../../machine/dram/energy.ts";
import type { RankMemory } from "../../machine/types.ts";
import type { EnergyPart } from "../types.ts";

/** `ranks` ranks of a machine's memory, each with 32 data pins. */
export function rankDevices(memory: Omit<RankMemory, "mapping">, ranks: number): DramDevices {
  return {
    organization: { ...memory, ranks, channelBits: 32, burstLength: 16 },
    timing: memory.timing,
    cycleSeconds: 1 / memory.clock,
    deviceBits: memory.deviceBits ?? 4,
    eccDevices: memory.eccDevices,
    powerDown: memory.powerDown,
  };
}

/** The memory of a machine has the currents of its preset: none has those of a configuration. */
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
