// SPDX-License-Identifier: Apache-2.0
// Energy of a MoE layer on the simulated machine: NDP units, DRAM of all ranks, what the host reads and
// writes there, DIMM-Link and PCIe, from what the run counted. CPU and GPU, their caches and their memory
// are not counted, nor are descriptors and looks at the status, which take no rank.

import { dramEnergy, genericDdr5Currents, type DramEnergy } from "../../dram/energy.ts";
import { refreshCommand } from "../../dram/timing.ts";
import type { NdpMachine } from "../../driver/types.ts";
import type { UnitEnergy } from "../../synth/energy.ts";
import type { Seconds } from "../../units.ts";
import { assumed, bits, total, unitParts } from "./energy-parts.ts";
import type { EnergyPart, RunEnergy } from "../types.ts";

/** What a run of a layer counted. */
export interface LayerCounts {
  readonly machine: Pick<NdpMachine, "unit" | "clock" | "memory">;
  /** Of the whole run: as long as ranks are on and units have their clock. */
  readonly time: Seconds;
  /** By DIMM. */
  readonly units: readonly {
    readonly slot: number;
    readonly activationBatch: number;
    readonly bytesRead: number;
    readonly outputBurst: number;
  }[];
  /** By rank: accesses of NDP and of moves, and refreshes, from either controller. */
  readonly ranks: readonly (Accesses & { readonly rankRefreshes: number })[];
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
  const { units, ranks, host, time } = counts;
  const work = {
    slots: sum(units, (u) => u.slot),
    activationBatches: sum(units, (u) => u.activationBatch),
    bursts: sum(units, (u) => u.bytesRead / burstBytes + u.outputBurst),
    cycles: units.length * time * clock,
  };
  // Each rank is eight x4 devices; all of them together as one.
  const organization = { ...memory, channels: 1, channelBits: 32, burstLength: 16 };
  const dram = (who: readonly Accesses[], refreshes: number, on: number): DramEnergy =>
    dramEnergy(
      { ...organization, ranks: on },
      memory.timing,
      1 / memory.clock,
      4,
      {
        ACT: sum(who, (a) => a.activates),
        RD: sum(who, (a) => a.readBursts),
        WR: sum(who, (a) => a.writeBursts),
        [refreshCommand(memory.refresh)]: refreshes,
      },
      time * memory.clock,
    );
  const refreshes = sum(ranks, (rank) => rank.rankRefreshes);
  const near = dram(ranks, refreshes, ranks.length);
  const far = dram(host, 0, 0);
  const hostBursts = sum(host, (h) => h.readBursts + h.writeBursts + h.forwardedBursts);
  const part = (name: string, joules: number, how: string, count: number): EnergyPart => ({
    ...{ part: name, joules, source: "assumed", count },
    how: `${how}; ${genericDdr5Currents.source}`,
  });
  const bursts = (who: readonly Accesses[]): number => sum(who, (a) => a.readBursts);
  const writes = (who: readonly Accesses[]): number => sum(who, (a) => a.writeBursts);
  const rows = (who: readonly Accesses[]): number => sum(who, (a) => a.activates);
  const parts: readonly EnergyPart[] = [
    ...unitParts(work, unit, energy, flipFlops),
    part("DRAM, rows that NDP opens", near.activate, "ACT of NDP and of moves", rows(ranks)),
    part("DRAM, reads of NDP", near.read, "bursts of NDP and of moves", bursts(ranks)),
    part("DRAM, writes of NDP", near.write, "bursts of NDP and of moves", writes(ranks)),
    part("DRAM, rows that the host opens", far.activate, "ACT of the host", rows(host)),
    part("DRAM, reads of the host", far.read, "bursts of weights and outputs", bursts(host)),
    part("DRAM, writes of the host", far.write, "bursts of inputs", writes(host)),
    bits(
      "host channels",
      hostBursts * burstBytes,
      assumed.hostBit,
      "bytes between host and DIMMs, forwarded packets among them, 9.1 pJ a bit: a transceiver for DIMMs of two ranks (IEEE JSSC 49(1), 2014)",
    ),
    part("DRAM refresh", near.refresh, "refreshes of all ranks, of host and NDP", refreshes),
    part(
      "DRAM background",
      near.background,
      "IDD3N of all ranks, ranks as the count",
      ranks.length,
    ),
    bits(
      "DIMM-Link",
      counts.dimmLinkBytes,
      assumed.dimmLinkBit,
      "bytes on the wires, headers included, 1.17 pJ a bit (Poulton et al., IEEE JSSC 54(1), 2019)",
    ),
    bits(
      "PCIe",
      counts.pcieBytes,
      assumed.linkBit,
      "bytes on the lanes, headers included, 5 pJ a bit",
    ),
  ];
  return { id, title, parts, joules: total(parts) };
}

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((n, one) => n + of(one), 0);
}
