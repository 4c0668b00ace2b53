// SPDX-License-Identifier: Apache-2.0
// Energy of a run: counts (operations, commands, pages, bytes, cycles) times the energy of each.
// Operations of the RTL are measured on its netlist (src/tools/synth/energy.ts), DRAM is from the currents of a
// data sheet (src/machine/dram/energy.ts); all other energies are assumed, with their source. Leakage, clock
// tree, voltage conversion and the host's own chips are not counted.

import { defined } from "../../base/defined.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { NdpUnitParameters, RankMemory } from "../../machine/types.ts";
import { dramEnergy, type EnergyTerm } from "../../machine/dram/energy.ts";
import { accessesPerBurst } from "../../machine/rank-memory.ts";
import type { UnitEnergy } from "../unit-energy.ts";
import { devicesOf, timeOfSteps, trafficOf } from "../attention.ts";
import { isOfPart } from "../../machine/dram/refresh-kind.ts";
import { dramPart, rankDevices } from "./dram-parts.ts";
import {
  assumed,
  bits,
  clock,
  costOf,
  measures,
  memoryBit,
  operations,
  pcieBit,
  picojoules,
  total,
  unitParts,
  type UnitOptions,
} from "./energy-parts.ts";
import type { AttentionCase, CaseResult, EnergyPart, RunEnergy } from "../types.ts";

const bytesPerValue = 2;

/** Null where the operations of the unit, its operands or its function were not measured, and with a memory without known currents. */
export function expertEnergy(
  {
    id,
    title,
    run,
    machine,
    operands,
    activation,
  }: Pick<CaseResult, "id" | "title" | "run" | "machine" | "activation"> &
    Partial<Pick<CaseResult, "operands">>,
  energy: UnitEnergy,
  flipFlops: number,
  measuredUnit: NdpUnitParameters,
  gated?: UnitOptions["gated"],
): RunEnergy | null {
  if (run === null || JSON.stringify(machine.unit) !== JSON.stringify(measuredUnit)) return null;
  if (!("ideal" in machine.memory) && !hasCurrents(machine.memory)) return null;
  const options = { activation, ...defined({ operands, gated }) };
  if (!measures(energy, options)) return null;
  const { unit, streams } = run;
  const bursts = streams.reduce((n, s) => n + s.readBursts + s.writeBursts, 0);
  const work = { ...unit, bursts, cycles: run.cycles };
  const parts: readonly EnergyPart[] = [
    ...unitParts(work, machine.unit, energy, flipFlops, options),
    ...dramParts({ run, machine }),
    ...hostParts({ run, machine }),
  ];
  return { id, title, parts, joules: total(parts) };
}

/**
 * Of one decode step's attention in the layer, over all its devices; without the clock where nobody
 * counted the flip-flops.
 */
export function attentionEnergy(
  one: Pick<AttentionCase, "id" | "title" | "group" | "steps" | "machine">,
  energy: UnitEnergy,
  flipFlops: number | null,
): RunEnergy | null {
  const { steps, machine, id, title, group = 1 } = one;
  if (steps.length === 0) return null;
  const devices = devicesOf(steps);
  const { bytesIn, bytesKept } = trafficOf(steps);
  const sum = (of: (device: (typeof devices)[number]) => number): number =>
    devices.reduce((n, device) => n + of(device), 0);
  const exponentials = steps.reduce(
    (n, { run, jobs, length }) =>
      n + jobs.reduce((m, job) => m + length + (run.jobs[job]?.tokens.length ?? 0), 0),
    0,
  );
  const cost = costOf(energy);
  // Retries sense a page again, and garbage collection reads and programs other pages; all of them occupy the bus.
  const again = sum((d) => d.reads.retried + d.writes.garbageCollection.pagesMoved);
  const pages = again + sum((d) => d.pagesRead);
  const programs = sum((d) => d.pagesProgrammed + d.writes.garbageCollection.pagesMoved);
  const erases = sum((d) => d.writes.garbageCollection.erases);
  const { ecc, transposition } = machine.controller;
  const pageBit = memoryBit(machine.flash.page_bytes);
  const pagesIn = bytesIn + again * machine.flash.page_bytes;
  const pagesOut = programs * machine.flash.page_bytes;
  // Every token's row of K is written to the buffer once and read from it once.
  const appended = steps.reduce((n, { run, jobs }) => n + run.jobs.length - jobs.length, 0);
  const transposed = 2 * appended * machine.unit.width * bytesPerValue;
  const parts: readonly EnergyPart[] = [
    operations("products", (group * bytesKept) / bytesPerValue, cost("product")),
    operations("exponentials", group * exponentials, cost("exponential")),
    operations("filters", bytesIn / 8, cost("filter")),
    ...(flipFlops === null
      ? []
      : [clock(timeOfSteps(steps) * machine.clock * machine.devices, flipFlops, energy)]),
    {
      part: "flash cells",
      joules: pages * assumed.senseWatts * machine.flash.tR_ns * 1e-9,
      source: "assumed",
      how: "pages sensed, with retries and garbage collection, 25 mA at 3.3 V for tR (planar NAND)",
      count: pages,
    },
    {
      part: "flash programs",
      joules: programs * assumed.senseWatts * machine.flash.tPROG_ns * 1e-9,
      source: "assumed",
      how: "pages programmed, with garbage collection, 25 mA at 3.3 V for tPROG (planar NAND)",
      count: programs,
    },
    {
      part: "flash erases",
      joules: erases * assumed.senseWatts * (machine.flash.tBERS_ns ?? 0) * 1e-9,
      source: "assumed",
      how: "blocks erased, 25 mA at 3.3 V for tBERS (planar NAND)",
      count: erases,
    },
    bits(
      "flash channels",
      (pagesIn + pagesOut) * (1 + parityShare(machine)),
      assumed.flashBit,
      "bytes over the channels, with parity, 3.6 pJ a bit",
    ),
    ...(ecc === null
      ? []
      : [
          bits("page buffers", 2 * pagesIn, pageBit, `in and out, ${picojoules(pageBit)} a bit`),
          bits(
            "decoders",
            pagesIn * (1 + parityShare(machine)),
            assumed.decodedBit,
            "bytes of codewords, 2.74 pJ a bit (65 nm)",
          ),
        ]),
    ...(transposition.buffer === null
      ? []
      : [
          bits(
            "transposition buffer",
            transposed,
            memoryBit(transposition.buffer),
            `rows of K that were appended, in and out, ${picojoules(memoryBit(transposition.buffer))} a bit`,
          ),
        ]),
    bits(
      "controller DRAM",
      sum((d) => d.dram.read + d.dram.written),
      assumed.dramBit,
      "bytes read and written, 20 pJ a bit",
    ),
    bits(
      "link",
      sum((d) => d.linkWires.in + d.linkWires.out),
      pcieBit[machine.link.wires.standard],
      `bytes on the lanes, packets and commands included, ${picojoules(pcieBit[machine.link.wires.standard])} a bit`,
    ),
  ];
  const perStep = parts.map((part) => ({ ...part, joules: part.joules / steps.length }));
  return { id, title, parts: perStep, joules: total(perStep) };
}

/** Of a byte of data that is read or written. */
function parityShare({ controller, reads }: CsdMachine): number {
  return controller.ecc === null ? 0 : controller.ecc.parity / reads.codewordBytes;
}

/** Of DDR5 neardata has currents; of another standard a preset or the scenario may have them. */
function hasCurrents({ standard, currents }: Pick<RankMemory, "standard" | "currents">): boolean {
  return standard === undefined || currents !== undefined;
}

/** The commands whose energy is that of refreshes. */
function refreshNames({ refreshManagement }: Pick<RankMemory, "refreshManagement">): string {
  return refreshManagement === undefined ? "refreshes" : "refreshes and RFMs";
}

/** A rank behind each stream; refreshes are those of NDP and of the host. */
function dramParts({
  run,
  machine,
}: {
  readonly run: NonNullable<CaseResult["run"]>;
  readonly machine: CaseResult["machine"];
}): readonly EnergyPart[] {
  const { memory } = machine;
  if ("ideal" in memory) return [];
  const { streams } = run;
  const sum = (of: (stream: (typeof streams)[number]) => number): number =>
    streams.reduce((n, stream) => n + of(stream), 0);
  const rows = sum((s) => s.activates);
  const perBurst = accessesPerBurst(memory);
  const reads = perBurst * sum((s) => s.readBursts);
  const writes = perBurst * sum((s) => s.writeBursts);
  // An RFM draws the current of a refresh of the same banks.
  const refreshes = sum((s) => s.rankRefreshes + s.rankManagements);
  const refresh = isOfPart(memory.refresh) ? "REFsb" : "REFab";
  const work = {
    commands: { ACT: rows, RD: reads, WR: writes, [refresh]: refreshes },
    cycles: (run.time / 1e15) * memory.clock,
    openBankCycles: sum((s) => s.openBankCycles),
  };
  const energy = dramEnergy(rankDevices(memory, streams.length), work);
  const counted: readonly (readonly [
    name: string,
    term: EnergyTerm,
    how: string,
    count: number,
  ])[] = [
    ["DRAM activate", "activate", "ACT", rows],
    ["DRAM read", "read", "RD", reads],
    ["DRAM write", "write", "WR", writes],
    ["DRAM I/O", "io", "RD and WR", reads + writes],
    ["DRAM refresh", "refresh", `${refreshNames(memory)} of all ranks`, refreshes],
    ["DRAM background", "background", "ranks for the time of the run", streams.length],
  ];
  return counted.map(([name, term, how, count]) => dramPart(name, term, energy, how, count));
}

/**
 * The host's accesses to the same ranks: inputs written, outputs read, one row opened in each rank
 * for either. The host's core, caches and the wires to the DIMM are not included.
 */
function hostParts({
  run,
  machine,
}: {
  readonly run: NonNullable<CaseResult["run"]>;
  readonly machine: CaseResult["machine"];
}): readonly EnergyPart[] {
  const { memory, host } = machine;
  if (host === undefined || "ideal" in memory) return [];
  const { inputBursts, outputBursts } = run.unit;
  const ranks = run.streams.length;
  const work = {
    commands: { ACT: 2 * ranks, RD: outputBursts, WR: inputBursts },
    cycles: 0,
    openBankCycles: 0,
  };
  const { total: joules, source } = dramEnergy(rankDevices(memory, ranks), work);
  return [
    {
      part: "host's accesses",
      joules,
      source: "derived",
      how: `inputs written, outputs read, rows opened, with I/O; ${source}`,
      count: inputBursts + outputBursts,
    },
  ];
}
