// SPDX-License-Identifier: Apache-2.0
// Parts of an energy: what a run counted times what one of it costs, measured on a netlist or assumed,
// and from where.

import type { NdpUnitParameters } from "../../driver/types.ts";
import type { UnitEnergy } from "../../synth/energy.ts";
import type { EnergyPart, RunEnergy } from "../types.ts";

type AssumedCost =
  | "memoryBit"
  | "dramBit"
  | "senseWatts"
  | "flashBit"
  | "linkBit"
  | "dimmLinkBit"
  | "hostBit"
  | "decodedBit";

/** What one thing costs where no netlist was simulated. */
export const assumed: Readonly<Record<AssumedCost, number>> = {
  /** Of a bit of an 8 KB memory: 7.5 pJ a 64-bit access in 7 nm (Jouppi et al., ISCA 2021, table 2). */
  memoryBit: 7.5e-12 / 64,
  /** Of a bit of DRAM: 1300 pJ a 64-bit access of DDR4 (the same table). */
  dramBit: 1300e-12 / 64,
  /** A die that senses: 25 mA at 3.3 V, the typical array read current of NAND data sheets. */
  senseWatts: 0.025 * 3.3,
  /** A bit on a flash bus: 10 pF of pins and wire at 1.2 V, changing every other bit. */
  flashBit: 0.5 * 0.5 * 10e-12 * 1.2 ** 2,
  /** A bit over PCIe 4.0 or 5.0, both ends. */
  linkBit: 5e-12,
  /**
   * A bit over DIMM-Link, both ends: ground-referenced signals at 25 Gb/s a pin (Poulton et al., IEEE JSSC
   * 54(1), 2019).
   */
  dimmLinkBit: 1.17e-12,
  /**
   * A bit between the host and a DIMM, both ends: a transceiver of 6.4 Gb/s over 3.5 inches to a DIMM of two
   * ranks, the entire chip (IEEE JSSC 49(1), 2014: "A 6.4-Gb/s near-ground single-ended transceiver for
   * dual-rank DIMM memory interface systems").
   */
  hostBit: 9.1e-12,
  /**
   * A bit of a codeword that is decoded: 2.74 pJ in 65 nm (Lee et al., concatenated BCH for NAND, IEEE
   * JSSC 48(10), 2013).
   */
  decodedBit: 2.74e-12,
};

/** Bits of a burst of DDR5. */
const burstBits = 512;

/** What an NDP unit, or several of the same kind, did. */
export interface UnitWork {
  readonly slots: number;
  readonly activationBatches: number;
  /** Read into its queues or written. */
  readonly bursts: number;
  /** Of its clock, over all units. */
  readonly cycles: number;
}

/** Arithmetic, clock, buffer and queues. */
export function unitParts(
  { slots, activationBatches, bursts, cycles }: UnitWork,
  { streams: width, multipliersPerStream, lanes, activationLanes }: NdpUnitParameters,
  energy: UnitEnergy,
  flipFlops: number,
): readonly EnergyPart[] {
  const values = multipliersPerStream * lanes;
  const one = costOf(energy);
  const memoryBits = slots * values * 16 + 2 * bursts * burstBits;
  return [
    operations("products", slots * width * values, one("multiply")),
    operations("sums of banks", slots * width, one("tree")),
    operations("accumulation", slots, one("root")),
    operations("activation", activationBatches * activationLanes, one("activate")),
    clock(cycles, flipFlops, energy),
    {
      part: "buffer and queues",
      joules: memoryBits * assumed.memoryBit,
      source: "assumed",
      how: "inputs read for each slot, bursts written to and read from a queue, 0.12 pJ a bit",
      count: memoryBits,
    },
  ];
}

/** What the parts of each source add up to. */
export function energyBySource({
  parts,
}: RunEnergy): Readonly<Record<EnergyPart["source"], number>> {
  const of = (source: EnergyPart["source"]): number =>
    total(parts.filter((p) => p.source === source));
  return { measured: of("measured"), assumed: of("assumed") };
}

export function costOf(energy: UnitEnergy): (id: string) => number {
  return (id) => energy.operations.find((o) => o.id === id)?.joules ?? Number.NaN;
}

export function operations(part: string, count: number, joules: number): EnergyPart {
  const how = `${(joules * 1e12).toPrecision(3)} pJ each, from the netlist`;
  return { part, joules: count * joules, source: "measured", how, count };
}

export function clock(cycles: number, flipFlops: number, { clockJoules }: UnitEnergy): EnergyPart {
  return {
    part: "clock",
    joules: cycles * flipFlops * clockJoules,
    source: "assumed",
    how:
      `${Math.round(flipFlops).toLocaleString("en-US")} flip-flops in every cycle, ` +
      `${(clockJoules * 1e15).toPrecision(3)} fJ each: none is gated`,
    count: cycles,
  };
}

export function bits(part: string, bytes: number, joules: number, how: string): EnergyPart {
  return { part, joules: 8 * bytes * joules, source: "assumed", how, count: 8 * bytes };
}

export function total(parts: readonly EnergyPart[]): number {
  return parts.reduce((n, part) => n + part.joules, 0);
}
