// SPDX-License-Identifier: Apache-2.0
// A machine in the format of the addon, and the physical limits of its wires. The limits follow
// from pins and clock, never from the checked memory model.

import { defined } from "../../base/defined.ts";
import {
  busOf,
  rankRefreshInterval,
  refreshesPerAll,
  standardOf,
} from "../../machine/rank-memory.ts";
import { sumOf } from "../../machine/dram/standards/table.ts";
import { burstCycles, completeTiming } from "../../machine/dram/timing.ts";
import { dramSemantics } from "../../machine/dram/semantics.ts";
import type { HostPath, NdpMachine } from "../../machine/types.ts";
import type { Seconds } from "../../base/units.ts";
import { ddr5 } from "../../machine/dram/standards/ddr5.ts";
import { nativeClocks, nativeStandard } from "../dram-binding.ts";
import type { Native } from "../layout.ts";

/** A DDR5 sub-channel has 32 data pins, two transfers per clock (JESD79-5); an ideal memory has the same bus. */
const idealBus = { pins: 32, transfersPerCycle: 2 };

export function nativeConfig(machine: NdpMachine, plugin: string | undefined): Native<"NdpConfig"> {
  const { memory } = machine;
  const { pins, transfersPerCycle } = "ideal" in memory ? idealBus : busOf(memory);
  return {
    model: machine.engine,
    ...defined({ plugin }),
    parameters: machine.unit,
    unitClock: machine.clock,
    memoryClock: memory.clock,
    limits: {
      pins,
      transfersPerSecond: transfersPerCycle * memory.clock,
      readLatency: shortestRead(memory),
      refreshInterval: intervalOf(memory),
      refreshesPostponed: mostPostponed(memory),
      refreshElapsed: refreshElapsed(memory),
      ...defined({
        activations: "refreshManagement" in memory ? memory.refreshManagement : undefined,
      }),
    },
    memory: nativeMemory(memory),
    ...defined({ host: machine.host && nativeHostPath(machine.host) }),
  };
}

export function nativeHostPath({ command, poll }: HostPath): Native<"HostPath"> {
  return { command: inFs(command), poll: inFs(poll) };
}

function inFs(time: Seconds): number {
  return Math.round(time * 1e15);
}

/** Seconds from RD to its first data at best: no speed bin of JESD79-5 has a tAA below 14 ns. */
const minDdr5Access = 14e-9;

/**
 * Cycles from a request to its last data at best: a row hit, or the ideal latency. A device keeps the read latency that
 * its mode register has, and no DDR5 device makes it shorter than its tAA.
 */
function shortestRead(memory: NdpMachine["memory"]): number {
  if ("ideal" in memory) return memory.latency;
  const standard = standardOf(memory);
  const least = standard === ddr5 ? Math.floor(minDdr5Access * memory.clock) : 0;
  const { burstLength, transfersPerCycle } = busOf(memory);
  const read = Math.max(least, sumOf(standard.dataBus.read, memory.timing));
  return read + burstLength / transfersPerCycle;
}

/** Cycles from one refresh command of a rank to the next. */
function intervalOf(memory: NdpMachine["memory"]): number {
  return "ideal" in memory ? 0 : rankRefreshInterval(memory);
}

function nativeMemory(memory: NdpMachine["memory"]): Native<"NdpConfig">["memory"] {
  if ("ideal" in memory) return { kind: "ideal", latency: memory.latency, burstCycles };
  const standard = standardOf(memory);
  const isDdr5 = standard === ddr5;
  const timing = isDdr5 ? completeTiming(memory.timing) : memory.timing;
  const { pins, burstLength } = busOf(memory);
  return {
    kind: "dram",
    bankGroups: memory.bankGroups,
    banksPerGroup: memory.banksPerGroup,
    rows: memory.rows,
    columnsPerRow: memory.columnsPerRow,
    pins,
    ...(isDdr5 ? {} : { burstLength, portKind: `${standard.name} channel` }),
    ...defined({ logicalRanks: memory.logicalRanks }),
    mapping: memory.mapping,
    refresh: memory.refresh,
    refreshInterval: intervalOf(memory),
    ...defined({ refreshManagement: memory.refreshManagement }),
    staggered: memory.refreshPhase === "staggered",
    ...(memory.commandBus === "shared" ? { sharedCommands: true } : {}),
    refreshStart: refreshElapsed(memory),
    semantics: memory.semantics,
    queueEntries: memory.queueEntries,
    ...nativeClocks(standard, timing),
    ...nativeStandard(standard, timing, {
      refresh: memory.refresh,
      refreshManagement: memory.refreshManagement,
      semantics: dramSemantics(memory.semantics),
    }),
  };
}

/** Of the first rank, when the run begins. */
function refreshElapsed(memory: NdpMachine["memory"]): number {
  if ("ideal" in memory) return 0;
  return Math.floor(memory.refreshStart * intervalOf(memory));
}

/** Refresh commands that a rank may be owed. */
function mostPostponed(memory: NdpMachine["memory"]): number {
  if ("ideal" in memory) return ddr5.refresh.postponed;
  return standardOf(memory).refresh.postponed * refreshesPerAll(memory);
}
