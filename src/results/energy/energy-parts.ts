// SPDX-License-Identifier: Apache-2.0
// Parts of an energy: the count of an event in a run times its energy, measured on a netlist or
// assumed, with the source.

import type { PcieStandard } from "../../machine/csd/csd-machine.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";
import type { ModuleRow } from "../area-report.ts";
import type { UnitEnergy } from "../unit-energy.ts";
import {
  activationOperation,
  slotOperations,
  type OperandFormats,
} from "../../machine/operands.ts";
import type { ActivationFunction, GateFunction } from "../../golden/names.ts";
import type { EnergyBySource, EnergyPart, EnergySource, RunEnergy } from "../types.ts";

type AssumedCost = "dramBit" | "senseWatts" | "flashBit" | "dimmLinkBit" | "hostBit" | "decodedBit";

/** Assumed costs of operations without a simulated netlist. */
export const assumed: Readonly<Record<AssumedCost, number>> = {
  /** Of a bit of DRAM: 1300 pJ a 64-bit access of DDR4 (Jouppi et al., ISCA 2021, table 2). */
  dramBit: 1300e-12 / 64,
  /**
   * A plane that senses, programs or erases: 25 mA at 3.3 V, typical of data sheets of planar NAND,
   * whose maximum is twice that; SimpleSSD has the same pair. No public data sheet of 3D NAND
   * states it.
   */
  senseWatts: 0.025 * 3.3,
  /** A bit on a flash bus: 10 pF of pins and wire at 1.2 V, changing every other bit. */
  flashBit: 0.5 * 0.5 * 10e-12 * 1.2 ** 2,
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

/**
 * A bit over PCIe, both ends. 5.0: five times NVLink-C2C's 1.3 pJ (NVIDIA on NVLink-C2C, 2022). 4.0: between a
 * transmitter by itself, 1.93 pJ (Bae et al., Electronics 10, 2021), and 5.0.
 */
export const pcieBit: Readonly<Record<PcieStandard, number>> = {
  "PCIe 4.0": 5e-12,
  "PCIe 5.0": 6.5e-12,
};

/** Joules of a 64-bit access of SRAM in 7 nm by its bytes (Jouppi et al., ISCA 2021, table 2). */
const sram: readonly (readonly [bytes: number, joules: number])[] = [
  [8 * 1024, 7.5e-12],
  [32 * 1024, 8.5e-12],
  [1024 * 1024, 14e-12],
];

/** Joules of a bit of a memory of so many bytes: between the table's sizes along their logarithm, at most the largest. */
export function memoryBit(bytes: number): number {
  const [first] = sram;
  let [size, joules] = first ?? [0, Number.NaN];
  for (const [nextSize, nextJoules] of sram.slice(1)) {
    if (bytes <= size) break;
    const share = Math.min(1, Math.log(bytes / size) / Math.log(nextSize / size));
    if (share < 1) return (joules + share * (nextJoules - joules)) / 64;
    [size, joules] = [nextSize, nextJoules];
  }
  return joules / 64;
}

/** Bits of a burst of DDR5. */
const burstBits = 512;

/** Operations of an NDP unit, or of several of the same kind. */
export interface UnitWork {
  readonly slots: number;
  readonly activationBatches: number;
  /** Read into its queues or written. */
  readonly bursts: number;
  /** Of its clock, over all units. */
  readonly cycles: number;
}

/** Operands and function of an NDP unit, and the accounting of its clock. */
export interface UnitOptions {
  /** Default: FP16 numbers. */
  readonly operands?: OperandFormats;
  readonly activation: ActivationFunction | GateFunction;
  /** Flip-flops by module, where those of idle registers have gates; absent: none has. */
  readonly gated?: readonly Pick<ModuleRow, "name" | "resources">[];
}

const halves: OperandFormats = { inputs: "fp16", weights: "wide" };

/** Whether the operations of slots with these operands, and of this function, were measured. */
export function measures(
  { operations }: UnitEnergy,
  { operands = halves, activation }: UnitOptions,
): boolean {
  const { multiply, root } = slotOperations(operands);
  const ids = [multiply, root, activationOperation(activation)];
  return ids.every((id) => operations.some((one) => one.id === id));
}

/** Names of the parts below; the rest of a run's energy is memory's and the host's. */
export const unitPartNames: readonly string[] = [
  ...["products", "weights taken apart", "sums of banks", "accumulation", "activation"],
  ...["clock", "buffer and queues"],
];

/** Arithmetic, clock, buffer and queues. */
export function unitParts(
  { slots, activationBatches, bursts, cycles }: UnitWork,
  {
    streams: width,
    multipliersPerStream,
    lanes,
    activationLanes,
    lowBitWeights,
    bufferBytes,
    queueBursts,
  }: NdpUnitParameters,
  energy: UnitEnergy,
  flipFlops: number,
  { operands = halves, activation, gated }: UnitOptions,
): readonly EnergyPart[] {
  const values = multipliersPerStream * lanes;
  const ids = slotOperations(operands);
  const bufferBits = slots * values * 16;
  const queueBits = 2 * bursts * burstBits;
  const [bufferBit, queueBit] = [memoryBit(bufferBytes), memoryBit((queueBursts * burstBits) / 8)];
  const counts = [
    ["products", ids.multiply, slots * width * values],
    ...(lowBitWeights === 1 ? [["weights taken apart", ids.decode, slots * width] as const] : []),
    ["sums of banks", ids.tree, slots * width],
    ["accumulation", ids.root, slots],
    ["activation", activationOperation(activation), activationBatches * activationLanes],
  ] as const;
  const one = costOf(energy);
  return [
    ...counts.map(([part, id, count]) => operations(part, count, one(id))),
    gated === undefined
      ? clock(cycles, flipFlops, energy)
      : gatedClock(cycles, flipFlops, energy, gated, counts),
    {
      part: "buffer and queues",
      joules: bufferBits * bufferBit + queueBits * queueBit,
      source: "assumed",
      how:
        `inputs read for each slot, ${picojoules(bufferBit)} a bit of the buffer; bursts written to and read ` +
        `from a queue, ${picojoules(queueBit)} a bit (SRAM in 7 nm, Jouppi et al., ISCA 2021)`,
      count: bufferBits + queueBits,
    },
  ];
}

/** In the order in which reports have them. */
export const energySources: readonly EnergySource[] = [
  "measured",
  "published",
  "derived",
  "assumed",
];

/** The sums of the parts of each source. */
export function energyBySource({ parts }: Pick<RunEnergy, "parts">): EnergyBySource {
  const of = (source: EnergySource): number => total(parts.filter((p) => p.source === source));
  return {
    measured: of("measured"),
    published: of("published"),
    derived: of("derived"),
    assumed: of("assumed"),
  };
}

export function totalOf(sources: EnergyBySource): number {
  return energySources.reduce((sum, source) => sum + sources[source], 0);
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

/**
 * With a gate for each register: a gated flip-flop is clocked only in cycles in which its register
 * changes. A gate costs as much as a flip-flop in every cycle (assumed), and a flip-flop without a
 * gate is clocked in every cycle.
 */
function gatedClock(
  cycles: number,
  flipFlops: number,
  { clockJoules, operations: known, gating = [] }: UnitEnergy,
  modules: readonly Pick<ModuleRow, "name" | "resources">[],
  counts: readonly (readonly [part: string, id: string, count: number])[],
): EnergyPart {
  const spared = modules.reduce((sum, { name, resources }) => {
    const { share = 0, gates = 0 } = gating.find(({ module }) => module === name) ?? {};
    return sum + resources.ff * (share - gates);
  }, 0);
  const atWork = counts.reduce((sum, [, id, count]) => {
    const joules = known.find((o) => o.id === id)?.gatedJoules;
    return sum + count * (joules ?? Number.NaN);
  }, 0);
  const always = flipFlops - spared;
  return {
    part: "clock",
    joules: cycles * always * clockJoules + atWork,
    source: "assumed",
    how:
      `${Math.round(always).toLocaleString("en-US")} of ${Math.round(flipFlops).toLocaleString("en-US")} ` +
      `flip-flops and gates in every cycle, ${(clockJoules * 1e15).toPrecision(3)} fJ each; the registers ` +
      "behind the gates in cycles in which they change, from the netlist",
    count: cycles,
  };
}

export function picojoules(joules: number): string {
  return `${(joules * 1e12).toPrecision(2)} pJ`;
}

export function bits(part: string, bytes: number, joules: number, how: string): EnergyPart {
  return { part, joules: 8 * bytes * joules, source: "assumed", how, count: 8 * bytes };
}

export function total(parts: readonly EnergyPart[]): number {
  return parts.reduce((n, part) => n + part.joules, 0);
}
