// SPDX-License-Identifier: Apache-2.0
// Energy of a MoE layer on the simulated machine: NDP units, DRAM of all ranks, reads and writes of the
// host there, DIMM-Link and PCIe, from the counts of the run. It excludes CPU and GPU, their caches and
// their memory, and also descriptors and status polls, which occupy no rank.

import { dramEnergy, type DramEnergy } from "../../machine/dram/energy.ts";
import { refreshCommand } from "../../machine/dram/timing.ts";
import type { ActivationFunction, GateFunction } from "../../golden/names.ts";
import type { NdpMachine } from "../../machine/types.ts";
import type { UnitEnergy } from "../unit-energy.ts";
import type { Seconds } from "../../base/units.ts";
import { dramPart, rankDevices } from "./dram-parts.ts";
import { assumed, bits, pcieBit, picojoules, total, unitParts } from "./energy-parts.ts";
import type { EnergyPart, RunEnergy } from "../types.ts";

/** Counters of a run of a layer. */
export interface LayerCounts {
  readonly machine: Pick<NdpMachine, "unit" | "clock" | "memory">;
  /** Of its experts. */
  readonly activation: ActivationFunction | GateFunction;
  /** Of the whole run: as long as ranks are on and units have their clock. */
  readonly time: Seconds;
  /** By DIMM. */
  readonly units: readonly {
    readonly slot: number;
    readonly activationBatch: number;
    readonly bytesRead: number;
    readonly outputBurst: number;
  }[];
  /** By rank: accesses of NDP and of moves, and refreshes and RFMs, from either controller. */
  readonly ranks: readonly (Accesses & {
    readonly rankRefreshes: number;
    readonly rankManagements: number;
  })[];
  /** By sub-channel of the host. */
  readonly host: readonly (Accesses & { readonly forwardedBursts: number })[];
  /** Bytes on the wires, headers included, all links together. */
  readonly dimmLinkBytes: number;
  readonly pcieBytes: number;
}

interface Accesses {
  readonly readBursts: number;
  readonly writeBursts: number;
  readonly activates: number;
  readonly openBankCycles: number;
}

const burstBytes = 64;

/** Null where the unit is not the one whose operations were measured, or its memory is none of DRAM. */
export function layerEnergy(
  { id, title }: Pick<RunEnergy, "id" | "title">,
  counts: LayerCounts,
  energy: UnitEnergy,
  flipFlops: number,
  measuredUnit: NdpMachine["unit"],
): RunEnergy | null {
  const { unit, memory, clock } = counts.machine;
  if ("ideal" in memory || JSON.stringify(unit) !== JSON.stringify(measuredUnit)) return null;
  const { activation, units, ranks, host, time } = counts;
  const work = {
    slots: sum(units, (u) => u.slot),
    activationBatches: sum(units, (u) => u.activationBatch),
    bursts: sum(units, (u) => u.bytesRead / burstBytes + u.outputBurst),
    cycles: units.length * time * clock,
  };
  const devices = rankDevices(memory, ranks.length);
  const counted = (who: readonly Accesses[]): Readonly<Record<"ACT" | "RD" | "WR", number>> => ({
    ACT: sum(who, (a) => a.activates),
    RD: sum(who, (a) => a.readBursts),
    WR: sum(who, (a) => a.writeBursts),
  });
  // An RFM draws the current of a refresh of the same banks.
  const refreshes = sum(ranks, (rank) => rank.rankRefreshes + rank.rankManagements);
  // Standby of all ranks, with rows opened by the host or by the NDP unit; then accesses of the host alone.
  const near = dramEnergy(devices, {
    commands: { ...counted(ranks), [refreshCommand(memory.refresh)]: refreshes },
    cycles: time * memory.clock,
    openBankCycles: sum([...ranks, ...host], (a) => a.openBankCycles),
  });
  const idle = { cycles: 0, openBankCycles: 0 };
  const far = dramEnergy(devices, { commands: counted(host), ...idle });
  const hostBursts = sum(host, (h) => h.readBursts + h.writeBursts + h.forwardedBursts);
  const parts: readonly EnergyPart[] = [
    ...unitParts(work, unit, energy, flipFlops, { activation }),
    ...accesses("NDP", near, ranks, "of NDP and of moves"),
    ...accesses("the host", far, host, "of the host"),
    bits(
      "host channels",
      hostBursts * burstBytes,
      assumed.hostBit,
      "bytes between host and DIMMs, forwarded packets among them, 9.1 pJ a bit: a transceiver for DIMMs of two ranks (IEEE JSSC 49(1), 2014)",
    ),
    dramPart("DRAM refresh", "refresh", near, "refreshes from host and NDP", refreshes),
    dramPart("DRAM background", "background", near, "all ranks, for the run", ranks.length),
    bits(
      "DIMM-Link",
      counts.dimmLinkBytes,
      assumed.dimmLinkBit,
      "bytes on the wires, headers included, 1.17 pJ a bit (Poulton et al., IEEE JSSC 54(1), 2019)",
    ),
    bits(
      "PCIe",
      counts.pcieBytes,
      pcieBit["PCIe 5.0"],
      `bytes on the lanes, headers included, ${picojoules(pcieBit["PCIe 5.0"])} a bit`,
    ),
  ];
  return { id, title, parts, joules: total(parts) };
}

/** Rows opened, bursts and their I/O, of the host and of the NDP units. */
function accesses(
  who: string,
  energy: DramEnergy,
  by: readonly Accesses[],
  of: string,
): readonly EnergyPart[] {
  const reads = sum(by, (a) => a.readBursts);
  const writes = sum(by, (a) => a.writeBursts);
  const rows = sum(by, (a) => a.activates);
  return [
    dramPart(`DRAM, rows for ${who}`, "activate", energy, `ACT ${of}`, rows),
    dramPart(`DRAM, reads of ${who}`, "read", energy, `RD ${of}`, reads),
    dramPart(`DRAM, writes of ${who}`, "write", energy, `WR ${of}`, writes),
    dramPart(`DRAM, I/O of ${who}`, "io", energy, `bursts ${of}`, reads + writes),
  ];
}

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((n, one) => n + of(one), 0);
}
